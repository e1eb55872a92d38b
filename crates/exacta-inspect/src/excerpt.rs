//! A line as a person may safely see it.

use exacta_core::model::path::is_hidden;

use crate::detect::mask_secrets;

/// The most characters of an excerpt.
const MOST: usize = 160;
/// The most bytes of a line that are looked at for an excerpt.
const WINDOW: usize = 4096;

/// Secrets masked, hidden characters shown by code point, bounded, trimmed.
pub(crate) fn excerpt(line: &str) -> String {
    let mut end = line.len().min(WINDOW);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let window = line.get(..end).unwrap_or_default().trim();
    if key_material(window) {
        return "***".to_owned();
    }
    let mut shown = shorten(&visible(&mask_secrets(window)));
    if end < line.len() && !shown.ends_with('…') {
        shown.push('…');
    }
    shown
}

/// Whether the whole line is one long word as keys are written.
fn key_material(line: &str) -> bool {
    line.len() >= 48
        && line.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        && line.bytes().any(|b| b.is_ascii_digit())
        && line.bytes().any(|b| b.is_ascii_uppercase())
}

/// Every character that shows nothing, by its code point.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\t' {
            shown.push(' ');
        } else if is_hidden(c) {
            shown.push_str(&code_point(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A character by its code point.
pub(crate) fn code_point(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// At most 160 characters, with a mark where some are missing.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some(_) => text.chars().take(MOST - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_bounded_visible_and_masked() {
        assert_eq!(excerpt("  let a = 1;\u{202e} "), "let a = 1;<U+202E>");
        assert!(excerpt(&"x".repeat(100_000)).chars().count() <= MOST + 1);
        let key = format!("key = \"{}{}\"", "AKIA", "ABCDEFGHIJ234567");
        assert_eq!(excerpt(&key), "key = \"***\"");
        assert_eq!(excerpt(&"日".repeat(5000)).chars().count(), MOST);
    }
}
