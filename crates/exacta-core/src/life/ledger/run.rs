//! What the record says about one run.

use alloc::collections::BTreeMap;
use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::digest::Digest;
use crate::model::id::{PlanId, RunId, StepId};
use crate::record::{Provider, RunKind, StepEnd, StepSpend};
use crate::results::TaskStatus;

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStage {
    /// It was decided on; nothing has moved.
    Decided,
    /// Targets may have moved.
    Started,
    /// Every target has its after image.
    Completed,
    /// Every target has its before image.
    Aborted,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the record by itself")]
pub struct RunEntry {
    /// Its id.
    pub run_id: RunId,
    /// The plan.
    pub plan_id: PlanId,
    /// What it does.
    pub kind: RunKind,
    /// How many entries are about it.
    pub version: u64,
    /// How far it came.
    pub stage: RunStage,
    /// Hash of its manifest, once staged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Digest>,
    /// How it ended, for runs of plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// Hash of its result list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Digest>,
    /// Hash of the text that says why it did not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Digest>,
    /// The completed run that took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<RunId>,
    /// Whether its backup was deleted.
    pub forgotten: bool,
    /// When it was first on the record, for people.
    pub time: String,
    /// Who made its plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// Whether it began with its tools: files, if it has any, are a part of it.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub begun: bool,
    /// Whether somebody wants it to stop.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub cancelled: bool,
    /// Whether the step that cannot be taken back has begun while the files were in place: they
    /// stay, unless that step failed for certain.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub past_return: bool,
    /// Whether what its tool steps did was taken back.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub rolled_back: bool,
    /// Whether a person found out about a step since its result list was made.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub resolved: bool,
    /// What its tool steps spent.
    #[serde(default, skip_serializing_if = "StepSpend::is_nothing")]
    pub spent: StepSpend,
    /// Its tool steps that have begun, were decided on or ended.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steps: BTreeMap<StepId, StepEntry>,
}

/// How far a tool step came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepEntry {
    /// How often it was tried.
    pub attempts: u32,
    /// What the other side knows its outside effect by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// What a person is to decide about: its arguments and the question that shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<(Digest, Digest)>,
    /// What a person said about it: the arguments they saw, and whether it may act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<(Digest, bool)>,
    /// How it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<StepEnd>,
    /// Hash of what it put out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Digest>,
    /// Why it did not do what it promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether its outside effect happened is not known.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub unknown: bool,
    /// Whether what it did was taken back.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub compensated: bool,
}

impl StepEntry {
    /// Whether a person has to decide before it can act.
    #[must_use]
    pub fn waits(&self) -> bool {
        let open = self.end.is_none() && !self.unknown;
        let answered = |asked: Digest| self.decided.is_some_and(|(seen, _)| seen == asked);
        open && self.asked.is_some_and(|(arguments, _)| !answered(arguments))
    }
}

/// How a run ended, as every door says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Every step did what it promised.
    Completed,
    /// Everything is as it was before.
    RolledBack,
    /// Some steps were skipped, the others did what they promised.
    Partial,
    /// A step failed; what the others did stays.
    Failed,
    /// Nothing could start.
    Blocked,
    /// What happened is not known yet.
    Unknown,
    /// It has not ended: a person has to decide on a step first.
    Waiting,
}

impl RunState {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::RolledBack => "rolled_back",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
            Self::Waiting => "waiting",
        }
    }
}

impl RunEntry {
    /// Whether its result list is to be made again: a person found out about a step since.
    #[must_use]
    pub fn is_resolved(&self) -> bool {
        self.resolved && !self.steps.values().any(|step| step.unknown)
    }

    /// The steps that a person has to decide on before they can act.
    pub fn waiting_steps(&self) -> impl Iterator<Item = &str> {
        let open = self.status.is_none();
        self.steps.iter().filter(move |(_, step)| open && step.waits()).map(|(id, _)| id.as_str())
    }

    /// How it ended; `None` while it is under way.
    #[must_use]
    pub fn state(&self) -> Option<RunState> {
        if self.steps.values().any(|step| step.unknown) {
            return Some(RunState::Unknown);
        }
        let state = match (self.stage, self.status?) {
            (_, TaskStatus::Failed) if self.rolled_back => RunState::RolledBack,
            (RunStage::Aborted, _) if !self.begun => RunState::RolledBack,
            (_, TaskStatus::Completed) => RunState::Completed,
            (_, TaskStatus::Partial) => RunState::Partial,
            (_, TaskStatus::Blocked) => RunState::Blocked,
            // A run that failed before a file moved has left everything as it was.
            (RunStage::Decided, TaskStatus::Failed) if !self.begun && self.steps.is_empty() => {
                RunState::RolledBack
            }
            (_, TaskStatus::Failed) => RunState::Failed,
        };
        Some(state)
    }
}
