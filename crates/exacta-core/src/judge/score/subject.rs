//! Everything that an assessment may look at.

use hashbrown::HashMap;

use crate::judge::facts::Fact;
use crate::model::change::Change;
use crate::model::digest::{Blob, Digest};
use crate::model::plan::Draft;
use crate::text::blank::is_blank;

/// What is assessed. Two equal subjects have equal scores.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What the planner wrote.
    pub draft: &'a Draft,
    /// What it does to files, in execution order.
    pub changes: &'a [Change],
    /// The images that the changes name.
    pub images: &'a HashMap<Digest, Blob>,
    /// What the inspector found. Facts that paths alone prove are added by the assessment
    /// itself, so that they hold even when the inspector left them out.
    pub facts: &'a [Fact],
    /// What the inspector found about files that several steps change, each taken as one
    /// change from its first image to its last. Only the class of the plan looks at it.
    pub whole: &'a [Fact],
    /// What the person asked for. `None` for plans whose coverage is not judged, such as
    /// a selection of steps.
    pub intent: Option<&'a str>,
    /// How many lines the changes add and remove.
    pub changed_lines: u32,
    /// Whether the project has tests.
    pub has_tests: bool,
}

impl<'a> Subject<'a> {
    /// Whether the change takes a file's content away: deleted, or nothing left that
    /// anybody sees.
    pub(crate) fn deletes(&self, change: &Change) -> bool {
        match (change.before, change.after) {
            (Some(_), None) => true,
            (Some(before), Some(after)) => self.blank(after) && !self.blank(before),
            (None, _) => false,
        }
    }

    /// Whether the change is to a file that stays.
    pub(crate) fn modifies(&self, change: &Change) -> bool {
        change.before.is_some() && change.after.is_some() && !self.deletes(change)
    }

    fn blank(&self, image: Digest) -> bool {
        match self.bytes(image) {
            Some(bytes) => is_blank(bytes),
            None => image == Digest::of(b""),
        }
    }

    /// The bytes of an image, where they are known.
    pub(crate) fn bytes(&self, image: Digest) -> Option<&'a [u8]> {
        self.images.get(&image).map(Blob::bytes)
    }
}
