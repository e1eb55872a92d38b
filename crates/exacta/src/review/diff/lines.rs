//! Which lines of two images differ, in time that grows with their size.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// The most lines, old and new together, that are compared one by one.
const MAX_COMPARED: usize = 20_000;
/// The most pairs of an old and a new line: what a comparison may have to look at.
const MAX_PAIRS: usize = 50_000_000;

/// Two images, line by line.
pub(super) struct Compared<'a> {
    /// Lines before, each with its line feed.
    pub(super) old: Vec<&'a [u8]>,
    /// Lines after.
    pub(super) new: Vec<&'a [u8]>,
    /// The parts that differ, in order: lines before, lines after.
    pub(super) changes: Vec<(Range<usize>, Range<usize>)>,
    /// Whether the part that differs was too large to be compared line by line, so that
    /// all of it counts as changed.
    pub(super) coarse: bool,
}

impl<'a> Compared<'a> {
    /// Compares two images.
    pub(super) fn new(old: &'a [u8], new: &'a [u8]) -> Self {
        let old: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
        let new: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();
        let head = same(old.iter(), new.iter());
        let left = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
        let tail = same(left.0.iter().rev(), left.1.iter().rev());
        let old_part = head..old.len() - tail;
        let new_part = head..new.len() - tail;
        let (removed, added) = (old_part.len(), new_part.len());
        let coarse = removed > 0
            && added > 0
            && (removed + added > MAX_COMPARED || removed.saturating_mul(added) > MAX_PAIRS);
        let changes = if removed == 0 && added == 0 {
            Vec::new()
        } else if coarse || removed == 0 || added == 0 {
            vec![(old_part, new_part)]
        } else {
            compare(&old, &new, old_part, new_part)
        };
        Self { old, new, changes, coarse }
    }
}

/// How many lines are added and removed between two images, counted as they are shown.
pub(in crate::review) fn counts(old: &[u8], new: &[u8]) -> (usize, usize) {
    let changes = Compared::new(old, new).changes;
    changes
        .iter()
        .fold((0, 0), |(added, removed), (old, new)| (added + new.len(), removed + old.len()))
}

/// How many lines are the same from the start.
fn same<'a>(
    one: impl Iterator<Item = &'a &'a [u8]>,
    other: impl Iterator<Item = &'a &'a [u8]>,
) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

fn compare(
    old: &[&[u8]],
    new: &[&[u8]],
    old_part: Range<usize>,
    new_part: Range<usize>,
) -> Vec<(Range<usize>, Range<usize>)> {
    let mut input = InternedInput::default();
    let (old_start, new_start) = (old_part.start, new_part.start);
    input.update_before(old.get(old_part).unwrap_or_default().iter().copied());
    input.update_after(new.get(new_part).unwrap_or_default().iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let moved = |range: Range<u32>, by: usize| range.start as usize + by..range.end as usize + by;
    diff.hunks().map(|hunk| (moved(hunk.before, old_start), moved(hunk.after, new_start))).collect()
}
