//! The phrases by which placeholders are known.

use exacta_core::facts::Placeholder;

/// Whether a phrase counts by itself or only on a line that is a comment or elision.
#[derive(PartialEq)]
pub(super) enum Weight {
    /// Anywhere.
    Alone,
    /// In a comment with an ellipsis.
    InComment,
    /// Where something is thrown.
    InError,
}

/// What a phrase is and when it counts.
pub(super) type Meaning = (Placeholder, Weight);

/// The phrases.
pub(super) static TABLE: &[(Meaning, &[&str])] = &[
    ((Placeholder::Filler, Weight::Alone), &["lorem ipsum", "dolor sit amet"]),
    (
        (Placeholder::Elision, Weight::Alone),
        &[
            "rest of the code remains",
            "rest of code remains",
            "rest of the file remains",
            "rest of the code unchanged",
            "rest of the file unchanged",
            "rest of code unchanged",
            "rest of file unchanged",
            "rest of the code is unchanged",
            "rest of the file is unchanged",
            "rest of the code here",
            "rest of your code",
            "rest of the implementation",
            "rest of the function remains",
            "rest of the function unchanged",
            "rest of the class unchanged",
            "rest of the method unchanged",
            "rest unchanged",
            "rest is unchanged",
            "rest remains unchanged",
            "rest stays the same",
            "rest remains the same",
            "rest of the code stays",
            "remaining code unchanged",
            "remaining code remains",
            "remainder of the file unchanged",
            "existing code remains",
            "existing code unchanged",
            "existing code here",
            "existing code stays",
            "your existing code",
            "existing implementation here",
            "existing imports remain",
            "previous code remains",
            "previous code unchanged",
            "other methods unchanged",
            "other methods remain",
            "other code unchanged",
            "code omitted",
            "omitted for brevity",
            "code unchanged",
            "unchanged code",
            "keep existing code",
            "keep the rest",
            "same code as before",
            "snip rest",
        ],
    ),
    (
        (Placeholder::Elision, Weight::InComment),
        &[
            "existing code",
            "rest of the code",
            "rest of the file",
            "rest of code",
            "rest of file",
            "rest of the function",
            "rest of the class",
            "same as before",
            "as before",
            "unchanged",
            "previous code",
            "other methods",
            "and so on",
            "more code",
        ],
    ),
    (
        (Placeholder::Unimplemented, Weight::Alone),
        &[
            "your code here",
            "your code goes here",
            "your implementation here",
            "your logic here",
            "add your code",
            "add your logic",
            "implementation goes here",
            "add implementation here",
            "actual implementation here",
            "put implementation here",
            "logic goes here",
            "code goes here",
            "insert code here",
            "insert your code",
            "implement me",
            "implement this function",
            "implement this method",
            "implement this later",
            "implement later",
            "placeholder implementation",
            "stub implementation",
            "dummy implementation",
            "to be implemented",
            "will be implemented later",
            "fill in later",
            "fill this in",
        ],
    ),
    (
        (Placeholder::Unimplemented, Weight::InError),
        &["not implemented", "not yet implemented", "unimplemented", "notimplemented"],
    ),
];
