//! How much a plan changes, counted on the images.

use alloc::collections::BTreeSet;

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
        let (lines, bytes) = changed(old, new);
        self.changed_lines += lines;
        self.changed_bytes += bytes;
    }

    /// Counts distinct paths.
    pub(super) fn count_files(&mut self, changes: &[Change]) {
        let distinct: BTreeSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        self.files = distinct.len() as u64;
    }

    /// Whether the change leaves an empty file where there was content.
    #[must_use]
    pub fn emptied(&self, change: &Change) -> bool {
        let empty = Digest::of(b"");
        change.after == Some(empty) && change.before.is_some_and(|before| before != empty)
    }
}

/// Lines added plus lines removed, and their bytes.
fn changed(old: &[u8], new: &[u8]) -> (u64, u64) {
    if old.is_empty() || new.is_empty() {
        let whole = if old.is_empty() { new } else { old };
        return (line_count(whole), whole.len() as u64);
    }
    let input = InternedInput::new(old, new);
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut bytes = 0;
    let size = |token: &imara_diff::Token| input.interner[*token].len() as u64;
    for hunk in diff.hunks() {
        let range = |r: &core::ops::Range<u32>| r.start as usize..r.end as usize;
        bytes +=
            input.before.get(range(&hunk.before)).unwrap_or_default().iter().map(size).sum::<u64>();
        bytes +=
            input.after.get(range(&hunk.after)).unwrap_or_default().iter().map(size).sum::<u64>();
    }
    (u64::from(diff.count_additions()) + u64::from(diff.count_removals()), bytes)
}

fn line_count(bytes: &[u8]) -> u64 {
    let complete = memchr::memchr_iter(b'\n', bytes).count() as u64;
    complete + u64::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_added_and_removed_lines() {
        for (old, new, lines, bytes) in [
            ("", "", 0, 0),
            ("", "a\nb", 2, 3),
            ("a\nb\n", "", 2, 4),
            ("a\nb\nc\n", "a\nX\nc\n", 2, 4),
            ("a\nb\nc\n", "a\nb\nc\nd\n", 1, 2),
            ("a\n", "a", 2, 3),
        ] {
            assert_eq!(changed(old.as_bytes(), new.as_bytes()), (lines, bytes), "{old:?} {new:?}");
        }
    }
}
