//! Text with its disguises taken off.
//!
//! Detectors compare plain ASCII. Zero-width characters are dropped, letters of other
//! alphabets that look like ASCII letters become those, full-width and styled letters
//! become plain ones. What has no ASCII look is one DEL byte, which no pattern holds.

use std::borrow::Cow;
use std::cell::RefCell;

use exacta_core::model::path::{is_hidden, skeleton};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

const OPAQUE: char = '\u{7f}';

/// The plain form; case is kept.
pub(crate) fn fold(line: &str) -> Cow<'_, str> {
    if line.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    for c in line.chars() {
        if c == '\t' || c == ' ' || c.is_ascii_graphic() {
            plain.push(c);
        } else if !is_hidden(c) {
            fold_char(c, &mut plain);
        }
    }
    Cow::Owned(plain)
}

fn fold_char(c: char, plain: &mut String) {
    if c.is_whitespace() {
        plain.push(' ');
        return;
    }
    let mut buffer = [0; 4];
    for part in c.encode_utf8(&mut buffer).nfkd() {
        if part.is_ascii() {
            plain.push(part);
        } else if !is_combining_mark(part) {
            plain.push(ascii_look(part).unwrap_or(OPAQUE));
        }
    }
}

thread_local! {
    /// What was looked up last, by the low bits of the character: text repeats itself.
    static SEEN: RefCell<Vec<(char, Option<char>)>> = RefCell::new(vec![('a', Some('a')); 1024]);
}

/// The one ASCII character that this character looks like.
pub(crate) fn ascii_look(c: char) -> Option<char> {
    let slot = u32::from(c) as usize % 1024;
    SEEN.with_borrow_mut(|seen| match seen.get_mut(slot) {
        Some((known, look)) if *known == c => *look,
        Some(entry) => {
            *entry = (c, look_up(c));
            entry.1
        }
        None => look_up(c),
    })
}

fn look_up(c: char) -> Option<char> {
    let mut buffer = [0; 4];
    let mut look = skeleton(c.encode_utf8(&mut buffer));
    let first = look.next()?;
    // `m` is the one ASCII letter whose prototype has two characters.
    match (first, look.next(), look.next()) {
        (only, None, None) if only.is_ascii() => Some(only),
        ('r', Some('n'), None) => Some('m'),
        _ => None,
    }
}

/// The words of a plain text, lower-case, each with a space on both sides: identifiers
/// in any style fall apart, so `apiKey`, `API_KEY` and `api-key` are all ` api key `.
pub(crate) fn words(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len() + 8);
    out.push(' ');
    let mut bytes = plain.bytes().peekable();
    let mut last = b' ';
    while let Some(byte) = bytes.next() {
        if !byte.is_ascii_alphanumeric() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
            last = b' ';
            continue;
        }
        let next_is_lower = bytes.peek().is_some_and(u8::is_ascii_lowercase);
        let hump = byte.is_ascii_uppercase()
            && (last.is_ascii_lowercase()
                || last.is_ascii_digit() && next_is_lower
                || last.is_ascii_uppercase() && next_is_lower);
        if hump && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push(char::from(byte.to_ascii_lowercase()));
        last = byte;
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// Words with digits and signs that stand for letters replaced by the letters, and `i`
/// by `l`, because `1` may mean either. Patterns go through the same function.
pub(crate) fn unleet(words: &str) -> String {
    words
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            '0' => 'o',
            '1' | 'i' => 'l',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '7' => 't',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_come_off() {
        for (disguised, plain) in [
            ("TO\u{200b}DO", "TODO"),
            ("T\u{41e}D\u{41e}", "TODO"),
            ("ＴＯＤＯ", "TODO"),
            ("l\u{3bf}rem", "lorem"),
            ("caf\u{e9}", "cafe"),
            ("a\u{a0}b", "a b"),
            ("日本", "\u{7f}\u{7f}"),
        ] {
            assert_eq!(fold(disguised), plain);
        }
    }

    #[test]
    fn identifiers_fall_into_words() {
        for (text, expected) in [
            ("apiKey", " api key "),
            ("API_KEY", " api key "),
            ("HTTPServer2", " http server2 "),
            ("verifyPassword(user)", " verify password user "),
            ("", " "),
            ("sha256Sum", " sha256 sum "),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
