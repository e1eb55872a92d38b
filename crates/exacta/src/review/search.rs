//! Words to look for in a review.

/// What is looked for.
pub(super) struct Wanted {
    words: String,
    /// Whether capital letters count: they do once one is typed.
    exact: bool,
}

/// A line that has it.
pub(super) struct Found {
    /// Which of those that have it, from 1.
    pub(super) number: usize,
    /// How many have it.
    pub(super) of: usize,
    /// Whether it was found on the other side of the end.
    pub(super) around: bool,
}

impl Wanted {
    /// Looks for these words.
    pub(super) fn new(words: &str) -> Self {
        Self { words: words.into(), exact: words.chars().any(char::is_uppercase) }
    }

    /// The words.
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    /// Whether a line has them.
    pub(super) fn is_in(&self, line: &str) -> bool {
        if self.exact {
            line.contains(&self.words)
        } else {
            line.to_lowercase().contains(&self.words)
        }
    }
}
