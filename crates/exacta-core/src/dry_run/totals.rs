//! How much a plan changes, counted on the images.

use hashbrown::HashSet;
use imara_diff::{Algorithm, Diff, InternedInput};

use crate::change::Change;
use crate::digest::{Blob, Digest};

/// Sums over all changes of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Distinct files touched.
    pub files: u64,
    /// Lines added and removed.
    pub changed_lines: u64,
    /// Bytes of those lines.
    pub changed_bytes: u64,
    /// Bytes of all images written.
    pub image_bytes: u64,
}

impl Totals {
    /// Adds what one change does to its file's lines.
    pub(super) fn add(&mut self, before: Option<&Blob>, after: Option<&Blob>) {
        let old = before.map_or(&[][..], Blob::bytes);
        let new = after.map_or(&[][..], Blob::bytes);
        self.image_bytes += new.len() as u64;
        let lines = LineChange::between(old, new);
        self.changed_lines += lines.added + lines.removed;
        self.changed_bytes += lines.bytes;
    }

    /// Counts distinct paths.
    pub(super) fn count_files(&mut self, changes: &[Change]) {
        let distinct: HashSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        self.files = distinct.len() as u64;
    }

    /// Whether the change leaves an empty file where there was content.
    #[must_use]
    pub fn emptied(&self, change: &Change) -> bool {
        let empty = Digest::of(b"");
        change.after == Some(empty) && change.before.is_some_and(|before| before != empty)
    }
}

/// Lines added and removed between two images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineChange {
    /// Lines only the new image has.
    pub added: u64,
    /// Lines only the old image has.
    pub removed: u64,
    /// Bytes of both.
    pub bytes: u64,
}

/// The most lines, old and new together, that are compared one by one.
const MAX_COMPARED: u64 = 20_000;
/// The most pairs of an old and a new line: what a comparison may have to look at.
const MAX_PAIRS: u64 = 50_000_000;

impl LineChange {
    /// Compares two images line by line.
    ///
    /// Between large regions that differ, every line counts as changed: more than a
    /// comparison would find, never less, and the time stays in proportion to the size.
    #[must_use]
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let (old, new) = without_common_ends(old, new);
        if old.is_empty() || new.is_empty() {
            let bytes = (old.len() + new.len()) as u64;
            return Self { added: line_count(new), removed: line_count(old), bytes };
        }
        let (added, removed) = (line_count(new), line_count(old));
        if added + removed > MAX_COMPARED || added * removed > MAX_PAIRS {
            return Self { added, removed, bytes: (old.len() + new.len()) as u64 };
        }
        let input = InternedInput::new(old, new);
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let size = |token: &imara_diff::Token| input.interner[*token].len() as u64;
        let sum = |side: &[imara_diff::Token], lines: &core::ops::Range<u32>| {
            let lines = lines.start as usize..lines.end as usize;
            side.get(lines).unwrap_or_default().iter().map(size).sum::<u64>()
        };
        let bytes = diff
            .hunks()
            .map(|hunk| sum(&input.before, &hunk.before) + sum(&input.after, &hunk.after))
            .sum();
        Self {
            added: u64::from(diff.count_additions()),
            removed: u64::from(diff.count_removals()),
            bytes,
        }
    }
}

/// Both images without the whole lines they share at the start and at the end, which is
/// most of them in an everyday change.
fn without_common_ends<'a>(old: &'a [u8], new: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let start =
        old.get(..same).and_then(|head| memchr::memrchr(b'\n', head)).map_or(0, |at| at + 1);
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    // The shared tail begins after its first line break; that line itself may differ.
    let tail = old.get(old.len() - same..).unwrap_or_default();
    let kept = memchr::memchr(b'\n', tail).map_or(0, |at| tail.len() - at - 1);
    let cut = |image: &'a [u8]| image.get(..image.len() - kept).unwrap_or_default();
    (cut(old), cut(new))
}

fn line_count(bytes: &[u8]) -> u64 {
    let complete = memchr::memchr_iter(b'\n', bytes).count() as u64;
    complete + u64::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_regions_count_as_changed_whole() {
        let lines = |a: &str, b: &str, count: usize| [a, b].concat().repeat(count);
        let (old, new) = (lines("a\n", "b\n", 10_000), lines("b\n", "a\n", 10_000));
        let change = LineChange::between(old.as_bytes(), new.as_bytes());
        assert_eq!((change.added, change.removed), (20_000, 20_000));
    }

    #[test]
    fn counts_added_and_removed_lines() {
        for (old, new, added, removed, bytes) in [
            ("", "", 0, 0, 0),
            ("", "a\nb", 2, 0, 3),
            ("a\nb\n", "", 0, 2, 4),
            ("a\nb\nc\n", "a\nX\nc\n", 1, 1, 4),
            ("a\nb\nc\n", "a\nb\nc\nd\n", 1, 0, 2),
            ("a\n", "a", 1, 1, 3),
        ] {
            let expected = LineChange { added, removed, bytes };
            assert_eq!(
                LineChange::between(old.as_bytes(), new.as_bytes()),
                expected,
                "{old:?} {new:?}"
            );
        }
    }
}
