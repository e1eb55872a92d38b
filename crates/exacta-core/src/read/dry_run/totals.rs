//! How much a plan changes, counted on the images.

use alloc::collections::BTreeSet;

use hashbrown::HashSet;

use super::compare::Comparisons;
use crate::model::change::{Change, old_names};
use crate::model::digest::{Blob, Digest};
use crate::text::blank::is_blank;

/// Sums over all changes of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Distinct files touched; one that is renamed is one file.
    pub files: u64,
    /// Lines added and removed.
    pub changed_lines: u64,
    /// Bytes of the lines that somebody had to write: those of deleted and renamed files do
    /// not count.
    pub changed_bytes: u64,
    /// Bytes of all images written.
    pub image_bytes: u64,
    /// Images in which nobody sees anything.
    pub blank: BTreeSet<Digest>,
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
        self.see(before);
        self.see(after);
        self.image_bytes += after.map_or(0, |after| after.bytes().len()) as u64;
        // A file under a new name is compared with what it was under the old one.
        let lines = comparisons.compare(renamed.or(before), after);
        self.changed_lines += lines.added + lines.removed;
        // Nobody writes out a file to delete it.
        self.changed_bytes += if after.is_none() { 0 } else { lines.bytes };
    }

    /// Counts distinct files.
    pub(super) fn count_files(&mut self, changes: &[Change]) {
        let left = old_names(changes);
        let stays = |change: &&Change| !left.contains(&(change.step.as_str(), &change.path));
        let distinct: HashSet<&str> =
            changes.iter().filter(stays).map(|change| change.path.as_str()).collect();
        self.files = distinct.len() as u64;
    }

    /// Notes whether an image shows anything.
    pub fn see(&mut self, image: Option<&Blob>) {
        if let Some(image) = image.filter(|image| is_blank(image.bytes())) {
            self.blank.insert(image.digest());
        }
    }

    /// Whether the change leaves a file without content where there was some.
    #[must_use]
    pub fn emptied(&self, change: &Change) -> bool {
        let blank = |image: &Digest| self.blank.contains(image) || *image == Digest::of(b"");
        change.after.as_ref().is_some_and(blank)
            && change.before.as_ref().is_some_and(|before| !blank(before))
    }
}
