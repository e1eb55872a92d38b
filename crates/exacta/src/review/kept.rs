//! What somebody left out of a plan, kept for the fresh plan that takes its place.

use std::collections::{BTreeMap, BTreeSet};

/// What a review begins with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// What was left out before.
    pub(crate) kept: Kept,
    /// What there is to say at once.
    pub(crate) note: String,
    /// Whether what is approved runs at once.
    pub(crate) then_runs: bool,
    /// Whether what has run is committed.
    pub(crate) then_commits: bool,
}

/// The steps and hunks that were left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Whole steps.
    pub(crate) steps: BTreeSet<String>,
    /// Hunks of further steps.
    pub(crate) hunks: BTreeMap<String, BTreeSet<u32>>,
}

impl Kept {
    /// Whether everything was chosen.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.hunks.is_empty()
    }

    /// Only what was left out of steps that are what they were; how many steps are dropped.
    pub(crate) fn retain(&mut self, is_same: impl Fn(&str) -> bool) -> usize {
        let before = self.steps.len() + self.hunks.len();
        self.steps.retain(|step| is_same(step));
        self.hunks.retain(|step, _| is_same(step));
        before - self.steps.len() - self.hunks.len()
    }
}
