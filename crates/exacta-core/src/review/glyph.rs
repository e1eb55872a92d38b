//! Untrusted text as rows of a review: every character shows, and shows as itself.
//!
//! Characters that do not show are spelled out as `<U+202E>`, stray bytes as `<0xFF>`; a
//! `<` that could be taken for such a spelling is spelled out too, so two different
//! texts never look the same. Tabs and spaces at the end of a line have roles of their own,
//! for which painters have signs; a text that holds such a sign has it spelled out.

use alloc::string::String;
use core::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use super::row::Role;
use crate::model::path::is_hidden;

/// How many marks may stand on one letter; further ones are spelled out, because a pile
/// of them covers the lines above and below.
const MARKS_ON_A_LETTER: usize = 2;

/// Counts the marks on the letter that is being written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks(usize);

impl Marks {
    /// Takes the next character; whether it is one mark too many.
    pub fn piled(&mut self, c: char) -> bool {
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
    /// A byte that is not text.
    Stray(u8),
    /// A tab.
    Tab,
    /// A space at the end of the line.
    LastSpace,
}

impl Glyph {
    /// Writes the glyph.
    pub(super) fn write(self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Plain(c) => out.write_char(c),
            Self::Tab => out.write_char('\t'),
            Self::LastSpace => out.write_char(' '),
            Self::Spelled(c) => write!(out, "<U+{:04X}>", u32::from(c)),
            Self::Stray(byte) => write!(out, "<0x{byte:02X}>"),
        };
    }

    /// The role that the glyph has whatever it stands in; `None` for a character itself.
    pub(super) fn role(self) -> Option<Role> {
        match self {
            Self::Plain(_) => None,
            Self::Spelled(_) | Self::Stray(_) => Some(Role::Hidden),
            Self::Tab => Some(Role::Tab),
            Self::LastSpace => Some(Role::LastSpace),
        }
    }
}

/// What one line without its line feed shows, each glyph with the byte it begins at.
pub(super) fn glyphs(line: &[u8]) -> impl Iterator<Item = (usize, Glyph)> {
    let last = end_of_body(line);
    let mut at = 0;
    let mut marks = Marks::default();
    let parts = line.utf8_chunks().flat_map(|chunk| {
        let text = chunk.valid().chars().map(Ok);
        text.chain(chunk.invalid().iter().copied().map(Err))
    });
    parts.map(move |part| {
        let here = at;
        let glyph = match part {
            Err(byte) => Glyph::Stray(byte),
            Ok('\t') => Glyph::Tab,
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
#[must_use]
pub fn does_not_show(c: char) -> bool {
    is_hidden(c) || (c.is_whitespace() && c != ' ')
}

/// Whether a character stands on the one before it.
#[must_use]
pub fn is_mark(c: char) -> bool {
    c.width() == Some(0)
}
