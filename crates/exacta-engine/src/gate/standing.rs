//! Where a plan stands, in the one word that every door prints.
//!
//! A state says what was decided; an executed plan keeps its approved state. People ask for
//! more: whether it ran, whether it was put off. So this word is the state, and the course
//! of the run where there is one. It is derived and never stored.

use std::fmt;

use exacta_core::ledger::{PlanEntry, RunEntry, RunStage};
use exacta_core::lifecycle::State;
use exacta_core::record::RunKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::handle::Gate;

/// Where a plan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It waits for a person.
    Pending,
    /// It waits, and a person put it off.
    Paused,
    /// The decision table let it pass; it has not run.
    AutoApproved,
    /// A person approved it; it has not run.
    UserApproved,
    /// Its run has begun and is not settled, or its checks are under way.
    Running,
    /// It ran; what it does is done.
    Executed,
    /// It ran, and every file is as it was.
    RolledBack,
    /// It will never run.
    Rejected,
    /// It was made for another state of things.
    Expired,
}

impl Standing {
    /// Every word.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Paused,
        Self::AutoApproved,
        Self::UserApproved,
        Self::Running,
        Self::Executed,
        Self::RolledBack,
        Self::Rejected,
        Self::Expired,
    ];

    /// Where a plan in this state stands with this run.
    #[must_use]
    pub fn of(plan: &PlanEntry, state: State, run: Option<&RunEntry>) -> Self {
        match (run.map(|run| run.stage), &plan.run_id) {
            (Some(RunStage::Completed), _) => return Self::Executed,
            (Some(RunStage::Aborted), _) => return Self::RolledBack,
            // What ended without a file to move is told by its result alone.
            (Some(RunStage::Decided), _) if run.is_some_and(|run| run.status.is_some()) => {
                return Self::RolledBack;
            }
            (Some(RunStage::Decided | RunStage::Started), _) | (None, Some(_)) => {
                return Self::Running;
            }
            (None, None) => {}
        }
        match state {
            State::Pending if plan.paused => Self::Paused,
            State::Pending => Self::Pending,
            State::AutoApproved => Self::AutoApproved,
            State::UserApproved => Self::UserApproved,
            State::Rejected => Self::Rejected,
            State::Expired => Self::Expired,
        }
    }

    /// The same where this plan may be the one whose checks are under way.
    #[must_use]
    pub fn checked(self, plan: &PlanEntry, checking: Option<&str>) -> Self {
        let approved = matches!(self, Self::AutoApproved | Self::UserApproved);
        if approved && checking == Some(&plan.created.plan_id) { Self::Running } else { self }
    }

    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Paused => "paused",
            Self::AutoApproved => "auto_approved",
            Self::UserApproved => "user_approved",
            Self::Running => "running",
            Self::Executed => "executed",
            Self::RolledBack => "rolled_back",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Gate<'_> {
    /// The undo that a run's files are in, unless that was taken back in turn.
    #[must_use]
    pub fn undone_by(&self, run_id: &str) -> Option<String> {
        let ledger = self.log.ledger();
        let mut tip = ledger.run(run_id)?;
        while let Some(next) = tip.undone_by.as_deref().and_then(|by| ledger.run(by)) {
            tip = next;
        }
        matches!(tip.kind, RunKind::Undo { .. }).then(|| tip.run_id.clone())
    }

    /// A run and every undo and redo of it, also those that did not complete.
    #[must_use]
    pub fn lineage(&self, run_id: &str) -> Vec<String> {
        let ledger = self.log.ledger();
        let mut line = vec![run_id.to_owned()];
        let mut at = 0;
        while let Some(of) = line.get(at).cloned() {
            let inverse = |kind: &RunKind| match kind {
                RunKind::Undo { of: taken } | RunKind::Redo { of: taken } => *taken == of,
                RunKind::Plan => false,
            };
            line.extend(ledger.runs().filter(|run| inverse(&run.kind)).map(|r| r.run_id.clone()));
            at += 1;
        }
        line
    }
}
