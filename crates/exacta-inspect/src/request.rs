//! What the inspector is asked.

use exacta_core::judge::facts::Inspected;
use exacta_core::model::digest::Blob;
use exacta_core::model::path::RelPath;

/// One step's change of one file.
#[derive(Clone, Debug)]
pub struct StepInput<'a> {
    /// The step.
    pub step: &'a str,
    /// The file.
    pub path: RelPath,
    /// Its bytes before the step; `None` when it is created.
    pub before: Option<&'a [u8]>,
    /// Its bytes after the step; `None` when it is deleted.
    pub after: Option<&'a [u8]>,
    /// Whether it came here from another folder, where its bytes before were.
    pub moved: bool,
}

impl<'a> StepInput<'a> {
    /// What the core asks.
    #[must_use]
    pub fn of(inspected: &'a Inspected<'_>) -> Self {
        Self {
            step: &inspected.change.step,
            path: inspected.change.path.clone(),
            before: inspected.before.map(Blob::bytes),
            after: inspected.after.map(Blob::bytes),
            moved: inspected.moved(),
        }
    }
}

/// A whole plan.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// Its file steps in the order of the plan.
    pub steps: Vec<StepInput<'a>>,
    /// The manifests at the project's root before the plan.
    pub manifests: Vec<&'a [u8]>,
    /// How much is read.
    pub limits: Limits,
}

/// Bounds in bytes and counts, never in time, so that every machine finds the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest image that is read.
    pub file_bytes: usize,
    /// The most bytes of all images together.
    pub plan_bytes: usize,
    /// The most facts about one step.
    pub facts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 2 << 20, plan_bytes: 64 << 20, facts: 2_000 }
    }
}
