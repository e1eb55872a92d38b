//! One image of a step, and what is known about its lines.
//!
//! A syntax tree tells what is code, what is text and which function a line is part of.
//! Where there is none, the way a line is written has to do, and nothing counts as a
//! comment that code could follow.

use std::cell::{OnceCell, RefCell};

use super::comment::Style;
use super::subject::Subject;
use crate::syntax::{Lines, Reading};

/// So many lines are searched for what a file brings in.
const HEAD: usize = 400;
/// So many bytes before a place are read to tell whether it is quoted.
const WINDOW: usize = 2048;

/// One image.
pub(crate) struct Side<'a> {
    pub(crate) lines: &'a [&'a str],
    /// Whether it is the image before.
    pub(crate) before: bool,
    text: &'a str,
    reading: Option<&'a Reading>,
    style: Style,
    /// The first byte of each line.
    starts: OnceCell<Vec<usize>>,
    /// The innermost function of each line.
    owners: OnceCell<Vec<Option<usize>>>,
    mentioned: RefCell<Vec<(&'static str, bool)>>,
}

impl<'a> Side<'a> {
    pub(crate) fn new(
        subject: &Subject<'_>,
        lines: &'a [&'a str],
        text: &'a str,
        reading: Option<&'a Reading>,
        before: bool,
    ) -> Self {
        Self {
            lines,
            before,
            text,
            reading,
            style: Style::of(subject),
            starts: OnceCell::new(),
            owners: OnceCell::new(),
            mentioned: RefCell::default(),
        }
    }

    /// An image without a tree.
    #[cfg(test)]
    pub(crate) fn plain(subject: &Subject<'_>, lines: &'a [&'a str]) -> Self {
        Self::new(subject, lines, "", None, false)
    }

    fn told(&self) -> Option<&'a Lines> {
        self.reading.map(|reading| &reading.lines)
    }

    /// Whether nothing on the line is code.
    pub(crate) fn is_comment(&self, index: usize) -> bool {
        let Some(line) = self.lines.get(index) else { return true };
        line.trim().is_empty()
            || match self.told() {
                Some(told) => !told.code.get(index).copied().unwrap_or(true),
                None => self.style.is_comment(self.lines, index),
            }
    }

    /// Whether only tests use the line.
    pub(crate) fn is_test(&self, index: usize) -> bool {
        self.told().is_some_and(|told| told.is_test(index))
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| {
            let ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
            [0].into_iter().chain(ends.map(|end| end + 1)).collect()
        })
    }

    /// The byte after each line.
    pub(crate) fn line_ends(&self) -> impl Iterator<Item = usize> {
        self.starts().iter().skip(1).copied()
    }

    /// The line without the comment behind its code.
    pub(crate) fn code(&self, index: usize) -> &'a str {
        let raw = self.lines.get(index).copied().unwrap_or_default();
        let Some(told) = self.told() else { return raw };
        let (Ok(row), Some(start)) = (u32::try_from(index), self.starts().get(index)) else {
            return raw;
        };
        let here = told.words.partition_point(|word| word.first_row <= row);
        match told.words.get(..here).and_then(<[_]>::last) {
            Some(word) if word.last_row >= row => {
                let end = (word.end as usize).saturating_sub(*start).min(raw.len());
                raw.get(..end).unwrap_or(raw)
            }
            _ => "",
        }
    }

    /// Whether the place is inside a text rather than code. What cannot be told is text
    /// where it was and code where it comes.
    pub(crate) fn in_text(&self, index: usize, at: usize) -> bool {
        let Some(raw) = self.lines.get(index) else { return self.before };
        if !raw.is_ascii() {
            return self.before;
        }
        let Some(told) = self.told() else { return quoted(raw, at) };
        let Some(start) = self.starts().get(index) else { return self.before };
        let Ok(place) = u32::try_from(start + at) else { return self.before };
        let here = told.words.partition_point(|word| word.start <= place);
        let Some(word) = told.words.get(..here).and_then(<[_]>::last) else { return false };
        let leaf = self.text.get(word.start as usize..word.end as usize).unwrap_or_default();
        word.end > place && leaf.bytes().any(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
    }

    /// The own name of the innermost function that the line is part of.
    pub(crate) fn function(&self, index: usize) -> Option<&'a str> {
        let reading = self.reading?;
        let owner = (*self.owners.get_or_init(|| self.find_owners(reading)).get(index)?)?;
        reading.functions.get(owner)?.name.rsplit(['.', ':']).next()
    }

    fn find_owners(&self, reading: &Reading) -> Vec<Option<usize>> {
        let starts = self.starts();
        let mut functions = reading.functions.iter().enumerate().peekable();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut owners = Vec::with_capacity(self.lines.len());
        for row in 0..self.lines.len() {
            while open.pop_if(|(_, last)| *last < row).is_some() {}
            while let Some((index, function)) = functions.next_if(|(_, f)| f.line <= row) {
                let last = starts.partition_point(|start| *start < function.bytes.1);
                open.push((index, last.saturating_sub(1)));
            }
            while open.pop_if(|(_, last)| *last < row).is_some() {}
            owners.push(open.last().map(|(index, _)| *index));
        }
        owners
    }

    /// Whether the first lines hold the word.
    pub(crate) fn mentions(&self, word: &'static str) -> bool {
        let mut mentioned = self.mentioned.borrow_mut();
        if let Some((_, known)) = mentioned.iter().find(|(known, _)| *known == word) {
            return *known;
        }
        let found = self.lines.iter().take(HEAD).any(|line| line.contains(word));
        mentioned.push((word, found));
        found
    }
}

/// Whether a quote is open at the place, as far as the line tells.
pub(super) fn quoted(line: &str, at: usize) -> bool {
    let bytes = line.as_bytes();
    let window = bytes.get(at.saturating_sub(WINDOW)..at.min(bytes.len())).unwrap_or_default();
    let mut open = None;
    let mut escaped = false;
    for byte in window {
        match (open, *byte) {
            _ if escaped => escaped = false,
            (_, b'\\') => escaped = true,
            (None, b'"' | b'\'' | b'`') => open = Some(*byte),
            (Some(quote), byte) if quote == byte => open = None,
            _ => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_open_and_close() {
        for (line, at, expected) in [
            ("x = \"eval(y)\"", 5, true),
            ("x = \"a\"; eval(y)", 9, false),
            ("x = 'it\\'s eval(y)'", 11, true),
            ("eval(y)", 0, false),
        ] {
            assert_eq!(quoted(line, at), expected, "{line}");
        }
    }
}
