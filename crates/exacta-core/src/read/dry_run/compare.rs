//! The comparisons of one plan, each made once and all of them in bounded time.

use hashbrown::HashMap;

use crate::model::digest::{Blob, Digest};
use crate::text::lines::{LineChange, MAX_EFFORT};

/// An image before and one after; `None` where there is no file.
type Images = (Option<Digest>, Option<Digest>);

/// The comparisons of one plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparisons {
    made: HashMap<Images, LineChange>,
    effort: u64,
}

impl Default for Comparisons {
    fn default() -> Self {
        Self { made: HashMap::new(), effort: MAX_EFFORT }
    }
}

impl Comparisons {
    /// What differs between two images.
    pub fn compare(&mut self, before: Option<&Blob>, after: Option<&Blob>) -> LineChange {
        let images = (before.map(Blob::digest), after.map(Blob::digest));
        let effort = &mut self.effort;
        *self.made.entry(images).or_insert_with(|| {
            let old = before.map_or(&[][..], Blob::bytes);
            let new = after.map_or(&[][..], Blob::bytes);
            LineChange::between(old, new, effort)
        })
    }
}
