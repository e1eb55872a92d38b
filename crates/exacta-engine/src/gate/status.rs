//! The status of a plan, in the one word that every door prints.
//!
//! A state says what was decided; an executed plan keeps its approved state. People ask for
//! more: whether it ran, whether it was postponed. So this word is the state, and the course
//! of the run where there is one. It is derived and never stored.

use std::fmt;

use exacta_core::judge::decide::Kind;
use exacta_core::judge::score::Thousandths;
use exacta_core::life::ledger::{PlanEntry, RunEntry, RunStage, RunState};
use exacta_core::life::lifecycle::{Cause, Phase, State};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{CorrelationId, PlanId, RunId};
use exacta_core::record::RunKind;
use exacta_core::results::TaskStatus;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::GateError;
use super::handle::Gate;

/// The status of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// It waits for a person.
    Pending,
    /// It waits, and a person postponed it.
    Paused,
    /// The decision table let it pass; it has not run.
    AutoApproved,
    /// A person approved it; it has not run.
    UserApproved,
    /// Its run has begun and is not settled, or its checks are under way.
    Running,
    /// Its run goes on when a person has decided on a step.
    Waiting,
    /// It ran; what it does is done.
    Executed,
    /// It ran, some of it did not happen, and what did stays.
    Failed,
    /// It ran, and whether a step happened is not known.
    Unknown,
    /// It ran, and every file is as it was.
    RolledBack,
    /// It will never run.
    Rejected,
    /// It was made for another state of things.
    Expired,
    /// A person asked for another plan in its place.
    ChangesRequested,
}

impl PlanStatus {
    /// Every word.
    pub const ALL: [Self; 13] = [
        Self::Pending,
        Self::Paused,
        Self::AutoApproved,
        Self::UserApproved,
        Self::Running,
        Self::Waiting,
        Self::Executed,
        Self::Failed,
        Self::Unknown,
        Self::RolledBack,
        Self::Rejected,
        Self::Expired,
        Self::ChangesRequested,
    ];

    /// The status of a plan in this state with this run.
    #[must_use]
    pub fn of(plan: &PlanEntry, state: State, run: Option<&RunEntry>) -> Self {
        if let Some(run) = run.filter(|run| run.begun) {
            return match run.state() {
                None if run.waiting_steps().next().is_some() => Self::Waiting,
                None | Some(RunState::Waiting) => Self::Running,
                Some(RunState::Completed) => Self::Executed,
                Some(RunState::Partial | RunState::Failed) => Self::Failed,
                Some(RunState::Unknown) => Self::Unknown,
                Some(RunState::RolledBack | RunState::Blocked) => Self::RolledBack,
            };
        }
        match (run.map(|run| run.stage), plan.run_id()) {
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
            State::Pending if plan.is_paused() => Self::Paused,
            State::Pending => Self::Pending,
            State::AutoApproved => Self::AutoApproved,
            State::UserApproved => Self::UserApproved,
            State::Rejected => Self::Rejected,
            State::Expired if matches!(plan.expiry(), Some(Cause::ChangesRequested { .. })) => {
                Self::ChangesRequested
            }
            State::Expired => Self::Expired,
        }
    }

    /// The same where this plan may be the one whose checks are under way.
    #[must_use]
    pub fn checked(self, plan: &PlanEntry, checking: Option<&PlanId>) -> Self {
        let approved = matches!(self, Self::AutoApproved | Self::UserApproved);
        if approved && checking == Some(plan.id()) { Self::Running } else { self }
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
            Self::Waiting => "waiting",
            Self::Executed => "executed",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::RolledBack => "rolled_back",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::ChangesRequested => "changes_requested",
        }
    }
}

impl fmt::Display for PlanStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where a plan is in its life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusReport {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash.
    pub plan_hash: Digest,
    /// The intent that it belongs to.
    pub correlation_id: CorrelationId,
    /// Its state: what was decided.
    pub state: State,
    /// Its status, in the word that people see.
    #[serde(rename = "standing")]
    pub status: PlanStatus,
    /// Its risk.
    pub risk: Option<u32>,
    /// Its quality.
    pub quality: Option<Thousandths>,
    /// The decision.
    pub decision: Option<Kind>,
    /// Why.
    pub reasons: Vec<String>,
    /// When it came in.
    pub created_at: String,
    /// Why it was rejected or expired.
    pub ended_because: Option<String>,
    /// The plan that it was made in place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<PlanId>,
    /// The plan that took its place: the selected steps, or a fresh one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<PlanId>,
    /// Its run.
    pub run_id: Option<RunId>,
    /// How the run ended.
    pub run_status: Option<TaskStatus>,
    /// Why the run did not complete, or why one in the background did not start; the reason in
    /// the first line, then what the check that did not pass wrote last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_reason: Option<String>,
    /// Whether the run was interrupted, so that recovery is needed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// How long the plan can still be decided on and run, in seconds; null when that is over.
    pub expires_in_sec: Option<u64>,
    /// Why it cannot be approved or run any more, although that is not on the record yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_date: Option<String>,
    /// The undo that took the run back, unless that was taken back in turn.
    pub undone_by: Option<RunId>,
}

impl Gate<'_> {
    /// Where a plan is in its life.
    ///
    /// # Errors
    /// When there is no such plan, or what is stored of it was changed.
    pub fn status(&self, plan_id: &PlanId) -> Result<StatusReport, GateError> {
        let (plan, now) = (self.plan(plan_id)?, self.now()?);
        let (state, over, run) = {
            let ledger = self.log.ledger();
            let over = self.over_at(&plan, &now, ledger.newest());
            let state = if over.is_some() { State::Expired } else { plan.state() };
            (state, over, plan.run_id().and_then(|run_id| ledger.run(run_id)).cloned())
        };
        let interrupted = match run.as_ref().filter(|run| run.status.is_none()) {
            Some(run) if run.begun => {
                run.waiting_steps().next().is_none() && !self.is_driven(&run.run_id)?
            }
            Some(run) => self.interrupted()?.contains(&run.run_id),
            None => false,
        };
        let live = state.is_open() && run.is_none();
        let out_of_date = if live { self.out_of_date(plan_id)? } else { None };
        let rejected = match &plan.phase {
            Phase::Rejected { reason, .. } => Some(reason.clone()),
            _ => None,
        };
        let expired = plan.expiry().or(over.as_ref()).map(ToString::to_string);
        let reason = run.as_ref().and_then(|run| self.why(run));
        Ok(StatusReport {
            plan_id: plan_id.clone(),
            plan_hash: plan.created.plan_hash,
            correlation_id: plan.created.correlation_id.clone(),
            state,
            status: PlanStatus::of(&plan, state, run.as_ref())
                .checked(&plan, self.checking().as_ref()),
            risk: plan.risk,
            quality: plan.quality.map(Thousandths::new),
            decision: plan.decision,
            reasons: plan.reasons.clone(),
            created_at: plan.created_time.clone(),
            ended_because: rejected.or(expired),
            parent: plan.created.parent.clone(),
            replaced_by: plan.expiry().and_then(Cause::successor).cloned(),
            run_id: plan.run_id().cloned(),
            run_status: run.as_ref().and_then(|run| run.status),
            run_reason: reason.or_else(|| self.failed_start(&plan)),
            interrupted,
            expires_in_sec: live.then(|| plan.created.deadline.left(&now) / 1000),
            out_of_date: out_of_date.map(|cause| cause.to_string()),
            undone_by: run.and_then(|run| self.undone_by(&run.run_id)),
        })
    }

    /// The undo that a run's files are in, unless that was taken back in turn.
    #[must_use]
    pub fn undone_by(&self, run_id: &RunId) -> Option<RunId> {
        self.log.ledger().undone_by(run_id).cloned()
    }

    /// A run and every undo and redo of it, also those that did not complete.
    #[must_use]
    pub fn lineage(&self, run_id: &RunId) -> Vec<RunId> {
        let ledger = self.log.ledger();
        let mut line = vec![run_id.clone()];
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
