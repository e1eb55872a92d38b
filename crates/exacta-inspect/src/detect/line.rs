//! A changed line in the forms that detectors read.

use std::borrow::Cow;

use super::side::Side;
use crate::fold::{fold, words};

/// How many lines of code went and came in the place of a line.
#[derive(Clone, Copy, Default)]
pub(crate) struct Replaced {
    pub(crate) gone: usize,
    pub(crate) come: usize,
}

/// One line.
pub(crate) struct Line<'a> {
    /// Its number from 0.
    pub(crate) index: usize,
    /// As written.
    pub(crate) raw: &'a str,
    /// With disguises taken off; case kept.
    pub(crate) plain: Cow<'a, str>,
    /// The same in lower case; offsets agree with `plain`.
    pub(crate) lower: String,
    /// Its words, each between spaces.
    pub(crate) words: String,
    /// Whether nothing on it is code.
    pub(crate) comment: bool,
    /// The line without the comment behind its code, as far as that is known.
    pub(crate) code: &'a str,
    /// What it stands in the place of.
    pub(crate) replaced: Replaced,
    /// All lines of its image.
    pub(crate) image: &'a [&'a str],
}

impl<'a> Line<'a> {
    pub(crate) fn new(image: &'a [&'a str], index: usize, comment: bool) -> Option<Self> {
        let raw: &'a str = image.get(index)?;
        let plain = fold(raw);
        let lower = plain.to_ascii_lowercase();
        let words = words(&plain);
        let replaced = Replaced::default();
        Some(Self { index, raw, plain, lower, words, comment, code: raw, replaced, image })
    }

    /// The line as a side tells it.
    pub(crate) fn of(side: &Side<'a>, index: usize) -> Option<Self> {
        let line = Self::new(side.lines, index, side.is_comment(index))?;
        // Only letters of other alphabets are looked for in the code alone.
        let code = if line.raw.is_ascii() { line.raw } else { side.code(index) };
        Some(Self { code, ..line })
    }

    /// Whether a match stands in a text or in a test.
    pub(super) fn is_dormant(&self, side: &Side<'_>, start: usize, end: usize) -> bool {
        let matched = self.plain.as_bytes().get(start..end).unwrap_or_default();
        let at = start + matched.iter().position(u8::is_ascii_alphanumeric).unwrap_or(0);
        side.is_test(self.index) || side.in_text(self.index, at)
    }

    /// The closest line above that is not blank.
    pub(crate) fn above(&self) -> &'a str {
        self.image
            .get(..self.index)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(8)
            .find(|line| !line.trim().is_empty())
            .copied()
            .unwrap_or_default()
    }

    /// Up to `count` lines above, closest first.
    pub(crate) fn lines_above(&self, count: usize) -> impl Iterator<Item = &'a str> {
        self.image.get(..self.index).unwrap_or_default().iter().rev().take(count).copied()
    }

    /// Up to `count` lines below, closest first, with their numbers.
    pub(crate) fn lines_below(&self, count: usize) -> impl Iterator<Item = (usize, &'a str)> {
        let from = self.index + 1;
        self.image.iter().copied().enumerate().skip(from).take(count)
    }

    /// A part of the plain text as a fact may hold it.
    pub(crate) fn part(&self, start: usize, end: usize) -> String {
        crate::excerpt::excerpt(self.plain.get(start..end).unwrap_or_default())
    }
}
