//! Untrusted text as lines of a review: every character shows, and shows as itself.
//!
//! Characters that do not show are spelled out as `<U+202E>`, stray bytes as `<0xFF>`; a
//! `<` that could be taken for such a spelling is spelled out too, so two different
//! texts never look the same. Tabs and spaces at the end of a line have signs.

use std::sync::LazyLock;

use exacta_core::path::is_hidden;
use unicode_width::UnicodeWidthChar as _;

use super::look::{Signs, locale_is_east_asian};

/// How many marks may stand on one letter; further ones are spelled out, because a pile
/// of them covers the lines above and below.
const MARKS_ON_A_LETTER: usize = 2;
/// How many columns a tab takes.
const TAB: usize = 4;

/// Counts the marks on the letter that is being written.
#[derive(Default)]
pub(super) struct Marks(usize);

impl Marks {
    /// Takes the next character; whether it is one mark too many.
    pub(super) fn piled(&mut self, c: char) -> bool {
        self.0 = if is_mark(c) { self.0 + 1 } else { 0 };
        self.0 > MARKS_ON_A_LETTER
    }
}

/// One thing to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glyph {
    /// The character itself.
    Plain(char),
    /// A character that does not show, or would mislead.
    Spelled(char),
    /// A byte that is no text.
    Stray(u8),
    /// A tab that takes so many columns.
    Tab(usize),
    /// A space at the end of the line.
    LastSpace,
}

impl Glyph {
    /// Writes the glyph.
    pub(super) fn write(self, signs: Signs, out: &mut String) {
        use std::fmt::Write as _;
        // Writing to a string cannot fail.
        let _ = match (self, signs.tab, signs.space) {
            (Self::Plain(c), ..) => out.write_char(c),
            (Self::Tab(columns), Some(sign), _) => {
                out.push(sign);
                out.extend(std::iter::repeat_n(' ', columns - 1));
                Ok(())
            }
            (Self::LastSpace, _, Some(sign)) => out.write_char(sign),
            (Self::Spelled(c), ..) => write!(out, "<U+{:04X}>", u32::from(c)),
            (Self::Tab(_), None, _) => out.write_str("<U+0009>"),
            (Self::LastSpace, _, None) => out.write_str("<U+0020>"),
            (Self::Stray(byte), ..) => write!(out, "<0x{byte:02X}>"),
        };
    }

    /// Whether the glyph is the character itself.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Plain(_))
    }
}

/// What one line without its line feed shows, each glyph with the byte it begins at.
pub(super) fn glyphs(line: &[u8]) -> impl Iterator<Item = (usize, Glyph)> {
    let last = end_of_body(line);
    let mut at = 0;
    let mut column = 0;
    let mut marks = Marks::default();
    let parts = line.utf8_chunks().flat_map(|chunk| {
        let text = chunk.valid().chars().map(Ok);
        text.chain(chunk.invalid().iter().copied().map(Err))
    });
    parts.map(move |part| {
        let here = at;
        let glyph = match part {
            Err(byte) => Glyph::Stray(byte),
            Ok('\t') => Glyph::Tab(TAB - column % TAB),
            Ok(' ') if here >= last => Glyph::LastSpace,
            Ok(c) => {
                let piled = marks.piled(c);
                // The signs for tabs and last spaces, where they could be taken for one.
                let sign = c == '→' || (c == '·' && here >= last);
                let tail = || line.get(here + 1..).unwrap_or_default();
                let spelling = c == '<' && (tail().starts_with(b"U+") || tail().starts_with(b"0x"));
                if sign || spelling || piled || does_not_show(c) {
                    Glyph::Spelled(c)
                } else {
                    Glyph::Plain(c)
                }
            }
        };
        at += part.map_or(1, char::len_utf8);
        column += match glyph {
            Glyph::Plain(c) => columns(c),
            Glyph::Spelled(c) => {
                if u32::from(c) > 0xffff {
                    9
                } else {
                    8
                }
            }
            Glyph::Stray(_) => 6,
            Glyph::Tab(columns) => columns,
            Glyph::LastSpace => 1,
        };
        (here, glyph)
    })
}

/// Where the white space at the end of the line begins.
fn end_of_body(line: &[u8]) -> usize {
    let mut end = line.len();
    while let Some(head) = line.get(..end) {
        end -= match head {
            [.., b' ' | b'\t' | b'\r'] => 1,
            [.., 0xc2, 0xb7] => 2,
            _ => break,
        };
    }
    end
}

/// Whether a character shows nothing, reorders others, looks like a plain space, or means
/// whatever the reader's font makes of it.
pub(super) fn does_not_show(c: char) -> bool {
    is_hidden(c) || (c.is_whitespace() && c != ' ')
}

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

/// Whether a character stands on the one before it.
pub(super) fn is_mark(c: char) -> bool {
    c.width() == Some(0)
}

/// A text on one line.
pub(super) fn line(text: &[u8], signs: Signs) -> String {
    let mut out = String::with_capacity(text.len());
    for (_, glyph) in glyphs(text) {
        glyph.write(signs, &mut out);
    }
    out
}

/// A text on as many lines as it has.
pub(super) fn lines(text: &str, signs: Signs) -> impl Iterator<Item = String> {
    text.split('\n').map(move |part| line(part.as_bytes(), signs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Look;

    #[test]
    fn different_texts_never_look_the_same() {
        let signs = Look::PLAIN.signs();
        let cases: &[(&[u8], &str)] = &[
            (b"plain <tag> text", "plain <tag> text"),
            (b"a\tb", "a→  b"),
            ("a→  b".as_bytes(), "a<U+2192>  b"),
            (b"end  ", "end··"),
            ("end··".as_bytes(), "end<U+00B7><U+00B7>"),
            ("a · b".as_bytes(), "a · b"),
            ("\u{202e}x".as_bytes(), "<U+202E>x"),
            (b"<U+202E>x", "<U+003C>U+202E>x"),
            (b"\xff<0xFF>", "<0xFF><U+003C>0xFF>"),
            ("a\u{a0}b\u{3000}".as_bytes(), "a<U+00A0>b<U+3000>"),
            (b"x \r", "x·<U+000D>"),
            ("e\u{301}\u{302}\u{303}".as_bytes(), "e\u{301}\u{302}<U+0303>"),
            (b"\x1b[2J\x08\x7f", "<U+001B>[2J<U+0008><U+007F>"),
        ];
        for (text, shown) in cases {
            assert_eq!(line(text, signs), *shown);
        }
        let ascii = Look { utf8: false, ..Look::PLAIN }.signs();
        assert_eq!(line(b"a\tb ", ascii), "a<U+0009>b<U+0020>");
    }
}
