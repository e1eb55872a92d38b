//! How many columns text takes, at most.

use std::sync::LazyLock;

use unicode_width::UnicodeWidthChar as _;

use super::look::locale_is_east_asian;

/// The most columns that a terminal may give a character. Their tables differ: marks take
/// none, one or two, and characters that are ambiguous for East Asian readers one or two. A
/// row that is too short by these counts hides nothing; one that is too long would be broken
/// by the terminal, without our sign, where whoever wrote the text wants it.
pub(crate) fn columns(c: char) -> usize {
    static EAST_ASIAN: LazyLock<bool> = LazyLock::new(locale_is_east_asian);
    match c {
        ' '..='~' => 1,
        // Halves of flags, which some draw as wide as a flag; numbers in circles on black
        // squares.
        '\u{1f1e6}'..='\u{1f1ff}' | '\u{3248}'..='\u{324f}' => 2,
        _ => {
            let width = if *EAST_ASIAN { c.width_cjk() } else { c.width() };
            width.filter(|width| *width > 0).unwrap_or(2)
        }
    }
}

/// The same of a text without colours.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().map(columns).sum()
}
