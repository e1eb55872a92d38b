//! The findings on one step, no more than a reader can use.

use alloc::vec::Vec;

use crate::model::diagnostic::Issue;
use crate::model::plan::Draft;

/// The most findings on the arguments of one step.
const MOST: usize = 100;

/// Collects the findings on one step; what is over the most is only counted.
pub(super) struct Findings<'a> {
    issues: &'a mut Vec<Issue>,
    step: usize,
    count: usize,
    /// The first finding over the most; it stands for all that follow.
    rest: Option<Issue>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(issues: &'a mut Vec<Issue>, step: usize) -> Self {
        Self { issues, step, count: 0, rest: None }
    }

    /// Adds a finding, which is made only when there is room for it.
    pub(super) fn add(&mut self, finding: impl FnOnce() -> Issue) {
        self.count += 1;
        if self.count <= MOST {
            self.issues.push(finding());
        } else if self.rest.is_none() {
            self.rest = Some(finding());
        }
    }

    /// Says how many findings were left out.
    pub(super) fn finish(self) {
        if let Some(mut issue) = self.rest {
            issue.message = format!("{} more findings on this step", self.count - MOST);
            issue.help = "mend the findings before this one first".into();
            self.issues.push(issue.at(Draft::step_pointer(self.step)));
        }
    }
}
