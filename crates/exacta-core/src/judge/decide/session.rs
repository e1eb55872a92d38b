//! The session budget: what plans add up to that nobody was asked about.
//!
//! A risky plan cut into ten harmless ones must not pass. So plans are added up twice:
//! their risks as they are, and everything together as if it were one plan. The larger
//! counts.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::policy::Policy;
use crate::judge::score::table::{Factor, RiskRow, SESSION_FILES, SESSION_LINES, SESSION_RISK};
use crate::judge::score::{Risk, Subject};
use crate::model::change::{Change, old_names};
use crate::model::digest::Digest;

/// What one plan, or several together, take out of the budget. It is kept with each plan
/// that ran unasked, so that later decisions can add it up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// Points of the factors that do not count files.
    pub content: u32,
    /// Files deleted or left without content.
    pub deletes: u32,
    /// Every file touched.
    pub files: BTreeSet<String>,
    /// The first image of each file that was there before.
    pub firsts: BTreeMap<String, Digest>,
    /// Lines added and removed.
    pub lines: u32,
    /// Modifications.
    pub modifications: u32,
    /// The sum of the points of all factors, without floors.
    pub risk: u32,
}

impl Spend {
    /// What one plan takes.
    #[must_use]
    pub fn of(subject: &Subject<'_>, risk: &Risk) -> Self {
        let count = |test: &dyn Fn(&Change) -> bool| {
            u32::try_from(subject.changes.iter().filter(|change| test(change)).count())
                .unwrap_or(u32::MAX)
        };
        let left = old_names(subject.changes);
        let files = subject
            .changes
            .iter()
            .filter(|change| !left.contains(&(change.step.as_str(), &change.path)));
        let counted = [Factor::FileOperations.name(), Factor::RefactoringScope.name()];
        let content = risk.factors.iter().filter(|factor| !counted.contains(&factor.name));
        Self {
            risk: risk.points(),
            deletes: count(&|change| subject.deletes(change)),
            modifications: count(&|change| subject.modifies(change)),
            content: content.map(|factor| factor.score).sum(),
            lines: subject.changed_lines,
            files: files.map(|change| change.path.as_str().into()).collect(),
            firsts: firsts(subject.changes),
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            risk: self.risk.saturating_add(other.risk),
            deletes: self.deletes.saturating_add(other.deletes),
            modifications: self.modifications.saturating_add(other.modifications),
            content: self.content.saturating_add(other.content),
            lines: self.lines.saturating_add(other.lines),
            files: self.files.union(&other.files).cloned().collect(),
            // What came first stays.
            firsts: other.firsts.iter().chain(&self.firsts).map(|(k, v)| (k.clone(), *v)).collect(),
        }
    }

    /// The totals that the budget is about.
    #[must_use]
    pub fn totals(&self) -> SessionTotals {
        SessionTotals {
            risk: self.risk.max(self.as_one_plan()),
            files: count_of(self.files.len()),
            lines: self.lines,
        }
    }

    /// The factors of everything as one plan, without caps.
    fn as_one_plan(&self) -> u32 {
        let folders: BTreeSet<&str> =
            self.files.iter().filter_map(|path| path.split_once('/')).map(|(top, _)| top).collect();
        let by_count = [
            RiskRow::highest(&RiskRow::MODIFICATIONS, self.modifications),
            RiskRow::highest(&RiskRow::FILES, count_of(self.files.len())),
            RiskRow::highest(&[RiskRow::Folders], count_of(folders.len())),
        ];
        let counted: u32 = by_count.into_iter().flatten().map(RiskRow::points).sum();
        let deleted = self.deletes.saturating_mul(RiskRow::Deleted.points());
        self.content.saturating_add(counted).saturating_add(deleted)
    }
}

/// The image that each file has before the first change.
fn firsts(changes: &[Change]) -> BTreeMap<String, Digest> {
    let mut firsts = BTreeMap::new();
    for change in changes.iter().rev() {
        match change.before {
            Some(before) => firsts.insert(change.path.as_str().into(), before),
            None => firsts.remove(change.path.as_str()),
        };
    }
    firsts
}

fn count_of(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// What the proposer's plans add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionTotals {
    /// Distinct files.
    pub files: u32,
    /// Lines added and removed.
    pub lines: u32,
    /// Points of risk, without floors.
    pub risk: u32,
}

/// How much may happen without a person; operators may only lower it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Budget {
    /// The most risk.
    pub risk: u32,
    /// The most distinct files.
    pub files: u32,
    /// The most lines added and removed.
    pub lines: u32,
}

impl Budget {
    /// What a policy allows.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        let count = |most: u64| u32::try_from(most).unwrap_or(u32::MAX);
        let budget = &policy.session_budget;
        Self { risk: count(budget.risk), files: count(budget.files), lines: count(budget.lines) }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { risk: SESSION_RISK, files: SESSION_FILES, lines: SESSION_LINES }
    }
}
