//! How much a plan changes, counted on the images.

use hashbrown::HashSet;

use super::compare::Comparisons;
use crate::change::Change;
use crate::digest::{Blob, Digest};

/// Sums over all changes of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Distinct files touched.
    pub files: u64,
    /// Lines added and removed.
    pub changed_lines: u64,
    /// Bytes of the lines that somebody had to write: those of deleted and renamed files do
    /// not count.
    pub changed_bytes: u64,
    /// Bytes of all images written.
    pub image_bytes: u64,
}

impl Totals {
    /// Adds what one change does to its file's lines; `renamed` is the image under the old
    /// name of a rename.
    pub(super) fn add(
        &mut self,
        before: Option<&Blob>,
        after: Option<&Blob>,
        renamed: Option<&Blob>,
        comparisons: &mut Comparisons,
    ) {
        self.image_bytes += after.map_or(0, |after| after.bytes().len()) as u64;
        let lines = comparisons.compare(before, after);
        self.changed_lines += lines.added + lines.removed;
        // Nobody writes out a file to delete or to rename it.
        self.changed_bytes += match (after, renamed) {
            (None, _) => 0,
            (Some(_), Some(source)) => comparisons.compare(Some(source), after).bytes,
            (Some(_), None) => lines.bytes,
        };
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
