//! Macros of Rust's own library that never show the words that they are handed: lines may
//! break between those as in a call.

/// These hand on values and show them; none makes text of its words.
const PLAIN: &[&str] = &[
    "assert_eq",
    "assert_ne",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Of these macros, those that are what they are everywhere: nothing in the file has their name.
pub(super) fn known(text: &str) -> Vec<&'static str> {
    let brought = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default().trim_end();
            let after = text.get(at + name.len()..).unwrap_or_default();
            // Neither called nor the end of another name.
            !after.starts_with('!')
                && before.ends_with(['{', ',', ':', '!'])
                && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    };
    PLAIN.iter().copied().filter(|name| !brought(name)).collect()
}

/// The words between the brackets of such a macro; `None` where they cannot be told apart for
/// certain.
pub(super) fn words(text: &str) -> Option<Vec<&str>> {
    let mut out: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            c if c.is_whitespace() => {
                rest = rest.trim_start();
                continue;
            }
            '"' => quoted(rest)?,
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || "()[]{},;\"".contains(c))
                .unwrap_or(rest.len()),
        };
        let (word, more) = rest.split_at(end);
        let text = first == '"';
        // Comments, single signs between quotes, macros in it, and texts with another end.
        let signs = ["'", "//", "/*"].iter().any(|sign| word.contains(sign));
        let odd = !text && (signs || word.ends_with('!'));
        let raw = more.starts_with('"') && !text && word.ends_with(['r', '#']);
        if odd || raw {
            return None;
        }
        out.push(word);
        rest = more;
    }
    let last = out.len().checked_sub(2)?;
    if out.get(last) == Some(&",") {
        out.remove(last);
    }
    Some(out)
}

/// How long the text is that begins here, with its quotes.
fn quoted(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_nothing_else_may_differ() {
        let same = |a: &str, b: &str| words(a).is_some_and(|a| Some(a) == words(b));
        assert!(same("(\"{} {}\", a, b(c, d))", "(\n    \"{} {}\",\n    a,\n    b(c, d),\n)"));
        assert!(same("[1, 2]", "[\n 1,\n 2,\n]"));
        for (a, b) in [
            ("(\"a b\")", "(\"a  b\")"),
            ("(\"a\\\" b\")", "(\"a\\\"  b\")"),
            ("(a+b)", "(a + b)"),
            ("(a, (b,))", "(a, (b))"),
            ("(a)", "(a, b)"),
            ("('\"', \"a b\", '\"')", "('\"', \"a  b\", '\"')"),
            ("(r\"\\\", \" a b\")", "(r\"\\\", \" a  b\")"),
            ("(r#\"a\" b\"#)", "(r#\"a\"  b\"#)"),
            ("(a // b\n, c)", "(a // b , c\n)"),
            ("(a /* b */)", "(a)"),
            ("(shown!(a, b))", "(shown!(a , b))"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_macro_with_a_name_of_the_library_is_not_the_librarys() {
        assert!(known("fn f() { println!(\"a\"); vec![1]; format!(\"b\"); }").contains(&"println"));
        for text in [
            "macro_rules! println { ($($x:tt)*) => { stringify!($($x)*) } }",
            "use other::println;",
            "use other::{a, println};",
            "use other::{\n    println,\n};",
        ] {
            assert!(!known(text).contains(&"println"), "{text}");
        }
    }
}
