//! Changed parts with the lines around them: numbered, and applied one by one.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::text::lines::{Changed, Compared, MAX_EFFORT};

/// How many unchanged lines stand before and after a change.
const CONTEXT: usize = 3;

/// One hunk: lines before and after, and the changes inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hunk {
    /// Its number in its file, from 1. It depends on the two images and nothing else.
    pub number: u32,
    /// Its lines before, counted from 0, those around the changes included.
    #[serde(serialize_with = "pair")]
    #[schemars(with = "(usize, usize)")]
    pub before: Range<usize>,
    /// The same after.
    #[serde(serialize_with = "pair")]
    #[schemars(with = "(usize, usize)")]
    pub after: Range<usize>,
    /// What changes in it.
    #[serde(skip)]
    pub changes: Vec<Changed>,
}

fn pair<S: Serializer>(lines: &Range<usize>, serializer: S) -> Result<S::Ok, S::Error> {
    (lines.start, lines.end).serialize(serializer)
}

/// One line of a hunk; the numbers count lines of the image from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkLine {
    /// The same before and after.
    Same(usize, usize),
    /// Only before.
    Removed(usize),
    /// Only after.
    Added(usize),
}

impl Hunk {
    /// The first line of a hunk as patches write it.
    #[must_use]
    pub fn header(&self) -> String {
        format!("@@ -{} +{} @@", range(&self.before), range(&self.after))
    }

    /// The lines in the order of a patch.
    #[must_use]
    pub fn lines(&self) -> Vec<HunkLine> {
        let mut lines = Vec::new();
        let (mut old, mut new) = (self.before.start, self.after.start);
        let mut same = |lines: &mut Vec<HunkLine>, until: usize, skip: (usize, usize)| {
            lines.extend((old..until).zip(new..).map(|(old, new)| HunkLine::Same(old, new)));
            (old, new) = skip;
        };
        for Changed { before, after } in &self.changes {
            same(&mut lines, before.start, (before.end, after.end));
            lines.extend(before.clone().map(HunkLine::Removed));
            lines.extend(after.clone().map(HunkLine::Added));
        }
        same(&mut lines, self.before.end, (0, 0));
        lines
    }
}

fn range(lines: &Range<usize>) -> String {
    // An empty range stands behind the line it names.
    let start = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{start},{}", lines.len())
}

/// The hunks of two images, as a review numbers them.
#[must_use]
pub fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    of_comparison(&Compared::of(before, after, &mut MAX_EFFORT.clone()))
}

/// The hunks of a comparison. Changes whose surroundings touch share one.
pub(super) fn of_comparison(compared: &Compared<'_>) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut number = 0;
    for change in &compared.changes {
        let from = change.before.start.saturating_sub(CONTEXT);
        let until = (change.before.end + CONTEXT).min(compared.old.len());
        let new_until = (change.after.end + CONTEXT).min(compared.new.len());
        if let Some(hunk) = hunks.last_mut().filter(|hunk| hunk.before.end >= from) {
            hunk.before.end = until;
            hunk.after.end = new_until;
            hunk.changes.push(change.clone());
        } else {
            number += 1;
            hunks.push(Hunk {
                number,
                before: from..until,
                after: change.after.start - (change.before.start - from)..new_until,
                changes: vec![change.clone()],
            });
        }
    }
    hunks
}

/// A selection names a hunk that the two images do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no hunk {number}; the file has {count}")]
pub struct NoSuchHunk {
    /// The number.
    pub number: u32,
    /// How many there are.
    pub count: usize,
}

/// The image before with the selected hunks of the image after, byte for byte: all hunks
/// make the image after, none the image before.
///
/// # Errors
/// When the selection names a hunk that there is not.
pub fn apply_hunks(
    before: &[u8],
    after: &[u8],
    selection: &BTreeSet<u32>,
) -> Result<Vec<u8>, NoSuchHunk> {
    let compared = Compared::of(before, after, &mut MAX_EFFORT.clone());
    let hunks = of_comparison(&compared);
    let known = |number: &&u32| !hunks.iter().any(|hunk| hunk.number == **number);
    if let Some(number) = selection.iter().find(known) {
        return Err(NoSuchHunk { number: *number, count: hunks.len() });
    }
    let mut image = Vec::with_capacity(before.len().max(after.len()));
    let mut copy = |lines: &[&[u8]], part: Range<usize>| {
        lines.get(part).unwrap_or_default().iter().for_each(|line| image.extend_from_slice(line));
    };
    let mut at = 0;
    for hunk in hunks.iter().filter(|hunk| selection.contains(&hunk.number)) {
        for Changed { before, after } in &hunk.changes {
            copy(&compared.old, at..before.start);
            copy(&compared.new, after.clone());
            at = before.end;
        }
    }
    copy(&compared.old, at..compared.old.len());
    Ok(image)
}
