//! The lines of a diff text, one after the other.
//!
//! Only LF ends a line. CR, VT, FF, U+0085 and U+2028 are content, so that a file with
//! such characters survives a diff byte for byte.

use memchr::memchr;

/// One line of a text, without its LF.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextLine<'t> {
    pub(super) bytes: &'t [u8],
    /// Its number, from 1.
    pub(super) number: u32,
}

/// A position in a text, always at the start of a line.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'t> {
    rest: &'t [u8],
    at: usize,
    number: u32,
}

impl<'t> Cursor<'t> {
    /// The start of `text`, whose first line has the given number.
    pub(super) fn new(text: &'t [u8], number: u32) -> Self {
        Self { rest: text, at: 0, number }
    }

    /// The byte offset of the next line.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The number that the next line has or would have.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// The next line, without moving.
    pub(super) fn peek(&self) -> Option<TextLine<'t>> {
        self.split().map(|(bytes, _)| TextLine { bytes, number: self.number })
    }

    /// The next line; moves behind it.
    pub(super) fn next_line(&mut self) -> Option<TextLine<'t>> {
        let (bytes, rest) = self.split()?;
        let line = TextLine { bytes, number: self.number };
        self.at += self.rest.len() - rest.len();
        self.rest = rest;
        self.number = self.number.saturating_add(1);
        Some(line)
    }

    /// Whether the next line starts with `prefix`.
    pub(super) fn starts_with(&self, prefix: &[u8]) -> bool {
        self.rest.starts_with(prefix)
    }

    /// The next line without `prefix`, when it starts with it; moves behind it.
    pub(super) fn take(&mut self, prefix: &[u8]) -> Option<TextLine<'t>> {
        if !self.starts_with(prefix) {
            return None;
        }
        let line = self.next_line()?;
        Some(TextLine { bytes: line.bytes.strip_prefix(prefix)?, ..line })
    }

    fn split(&self) -> Option<(&'t [u8], &'t [u8])> {
        if self.rest.is_empty() {
            return None;
        }
        let Some(end) = memchr(b'\n', self.rest) else {
            return Some((self.rest, &[]));
        };
        let (line, tail) = self.rest.split_at_checked(end)?;
        Some((line, tail.get(1..).unwrap_or_default()))
    }
}

/// The column of the character that holds the byte at `offset`.
pub(super) fn column(line: &[u8], offset: usize) -> u32 {
    // Counting the bytes that start a character also works on text that is not UTF-8.
    let starts = |bytes: &[u8]| bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count();
    let column = match line.get(..=offset) {
        Some(through) => starts(through).max(1),
        None => starts(line) + 1,
    };
    u32::try_from(column).unwrap_or(u32::MAX)
}

/// The number of leading bytes that two lines share.
pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}
