//! Foreign text inside a message: in backticks, printable, of bounded length.

use alloc::string::String;

use crate::path::is_hidden;

/// The most characters of a foreign text that a message repeats.
const SHOWN: usize = 60;

/// The text in backticks, with hidden characters spelled out and a long tail cut.
pub(super) fn quoted(text: &str) -> String {
    let mut shown = String::from("`");
    let mut chars = text.chars();
    for c in chars.by_ref().take(SHOWN) {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown.push('`');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_show_and_long_texts_end() {
        assert_eq!(quoted("step_1"), "`step_1`");
        assert_eq!(quoted("a\u{1b}[2J\u{202e}"), "`a\\u{1b}[2J\\u{202e}`");
        assert_eq!(quoted(&"x".repeat(1000)).chars().count(), SHOWN + 3);
    }
}
