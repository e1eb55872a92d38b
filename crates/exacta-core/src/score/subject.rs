//! Everything that an assessment may look at.

use hashbrown::HashMap;

use crate::change::Change;
use crate::digest::{Blob, Digest};
use crate::facts::Fact;
use crate::plan::Draft;

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
    /// What the person asked for. `None` for plans whose coverage is not judged, such as
    /// a selection of steps.
    pub intent: Option<&'a str>,
    /// Whether the project has tests.
    pub has_tests: bool,
}
