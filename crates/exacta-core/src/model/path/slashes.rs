//! Characters that read as a slash, by which one name reads as a path, and names that read as
//! `.` or `..`.
//!
//! To the file system `src⁄auth.py` is a file in the root. On a screen it is another one.

use alloc::string::String;
use alloc::vec::Vec;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::fold::look_alike_key;
use super::look_alikes;
use super::skeleton::skeleton;

/// The path that a text reads as; `None` where every slash in it is one and nothing but dots
/// reads as dots.
///
/// A letter of a living script, such as the katakana `ノ`, is what it is among its like.
#[must_use]
pub fn read_as_path(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut read = String::with_capacity(text.len());
    let (mut before, mut rest) = ('/', text.chars());
    let mut differs = false;
    while let Some(c) = rest.next() {
        let after = rest.as_str().chars().next().unwrap_or('/');
        let at_home = c.is_alphabetic() && (is_foreign_letter(before) || is_foreign_letter(after));
        let slash = is_like_slash(c) && !at_home;
        differs |= slash;
        read.push(if slash { '/' } else { c });
        before = c;
    }
    let dots = |part: &str| {
        let drawn = look_alike_key(part);
        let like = !part.is_ascii() && !drawn.is_empty() && drawn.bytes().all(|b| b == b'.');
        like.then_some(drawn)
    };
    if read.split('/').any(|part| dots(part).is_some()) {
        let parts = read.split('/').map(|part| dots(part).unwrap_or_else(|| part.into()));
        return Some(parts.collect::<Vec<String>>().join("/"));
    }
    differs.then_some(read)
}

/// The parts of a name between characters that could be taken for a slash by anyone.
pub(super) fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(is_like_slash)
}

fn is_foreign_letter(c: char) -> bool {
    !c.is_ascii() && c.is_alphabetic() && !is_like_slash(c)
}

/// Whether a character is no slash, and reads as one or more, or as text with one in it.
fn is_like_slash(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let slash = |c: char| matches!(c, '/' | '\\');
    let mut buffer = [0; 4];
    let text = &*c.encode_utf8(&mut buffer);
    let mut drawn = skeleton(text).filter(|part| !is_combining_mark(*part)).peekable();
    look_alikes::sign(c) == Some('/')
        || drawn.peek().is_some() && drawn.all(slash)
        || text.nfkd().any(slash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_unicode_takes_for_a_slash_is_one() {
        for c in '\u{80}'..=char::MAX {
            let drawn: String = unicode_security::skeleton(&String::from(c)).collect();
            if matches!(drawn.as_str(), "/" | "\\" | "//" | "\\\\") {
                let text = format!("src{c}auth.py");
                assert_eq!(read_as_path(&text).as_deref(), Some("src/auth.py"), "{c:?}");
            }
        }
    }

    #[test]
    fn other_signs_and_languages_are_left_alone() {
        for text in [
            "src/auth.py",
            "100%.txt",
            "½.txt",
            "100‰.txt",
            "ノート/メモ.txt",
            "私のノ.txt",
            "日本語.txt",
            "größe.rs",
            "ø.txt",
            "файл.txt",
            "a≠b.txt",
        ] {
            assert_eq!(read_as_path(text), None, "{text}");
        }
        assert_eq!(parts("本ノ.git⁄x").collect::<Vec<_>>(), ["本", ".git", "x"]);
    }

    #[test]
    fn what_reads_as_dots_is_not_taken_for_a_name() {
        for (text, read) in [
            ("\u{2024}\u{2024}/\u{2024}\u{2024}/etc/passwd", "../../etc/passwd"),
            ("\u{2025}/x", "../x"),
            ("a/\u{ff0e}\u{ff0e}/x", "a/../x"),
            ("a/\u{2024}./x", "a/../x"),
            ("\u{2024}\u{2215}x", "./x"),
        ] {
            assert_eq!(read_as_path(text).as_deref(), Some(read), "{text}");
        }
        assert_eq!(read_as_path("\u{e9}/a..b"), None);
    }
}
