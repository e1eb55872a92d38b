//! Everything that can happen, as it is written down. Never file contents.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::{Approval, Assurance, PasskeyAssertion};
use super::part::{Beginning, PlanCreated, PolicySeen, Provider, RunKind, StepEnd, StepSpend};
use crate::judge::decide::{Kind, Spend};
use crate::life::lifecycle::Cause;
use crate::model::digest::Digest;
use crate::model::id::{CorrelationId, PlanId, ProjectId, RunId, StepId};
use crate::results::TaskStatus;

/// The form of entries that this version writes and reads; any other is refused.
pub const VERSION: u32 = 4;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The first entry, and the first after a project was taken over. What came before it
    /// counts for nothing.
    RecordBegun {
        /// How.
        beginning: Beginning,
        /// The public key that signs from here on.
        key: String,
        /// The project.
        project: ProjectId,
        /// The form that entries have from here on.
        version: u32,
    },
    /// The project was moved on this machine, and its record went on at the new place.
    RecordMoved {
        /// What the confirmation was proven by.
        assurance: Assurance,
        /// Where it lay.
        from: String,
        /// Where it lies.
        to: String,
    },
    /// A text that made no plan.
    Refused {
        /// The codes of the findings.
        codes: Vec<String>,
        /// The intent it served.
        correlation_id: CorrelationId,
        /// Hash of the text.
        text: Digest,
    },
    /// A plan came in.
    PlanCreated(Box<PlanCreated>),
    /// It was scored and decided on.
    PlanEvaluated {
        /// The decision.
        decision: Kind,
        /// The plan.
        plan_id: PlanId,
        /// Thousandths; null when a rule refused it first.
        quality: Option<u32>,
        /// Why.
        reasons: Vec<String>,
        /// 0 to 100; null when a rule refused it first.
        risk: Option<u32>,
    },
    /// It may run, once.
    PlanApproved {
        /// The approval.
        approval: Box<Approval>,
        /// What it takes out of the session budget, when nobody was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spend: Option<Spend>,
    },
    /// It will never run.
    PlanRejected {
        /// The plan.
        plan_id: PlanId,
        /// Why.
        reason: String,
    },
    /// It was made for another state of things.
    PlanExpired {
        /// Why.
        cause: Cause,
        /// The plan.
        plan_id: PlanId,
    },
    /// A person postponed it.
    PlanPaused {
        /// The plan.
        plan_id: PlanId,
    },
    /// A run is staged; targets may move from now on.
    RunStarted {
        /// What it does.
        kind: RunKind,
        /// Hash of the run's manifest.
        manifest: Digest,
        /// The plan.
        plan_id: PlanId,
        /// Who made the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Provider>,
        /// The run.
        run_id: RunId,
    },
    /// A run with tool steps begins: its approval is spent and its tools may act from now on.
    /// Its files, if it has any, move with a later `run_started`.
    RunBegun {
        /// The plan.
        plan_id: PlanId,
        /// Who made the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Provider>,
        /// The run.
        run_id: RunId,
    },
    /// A tool step may act from now on.
    StepStarted {
        /// 1 for the first try.
        attempt: u32,
        /// What the other side knows an outside effect by, so that it happens once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        idempotency_key: Option<String>,
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
    },
    /// A tool step ended.
    StepFinished {
        /// How.
        end: StepEnd,
        /// Hash of what it put out; of what went wrong, when it did not do what it promised.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Digest>,
        /// Why it did not do what it promised, as a stable word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The run.
        run_id: RunId,
        /// What it spent.
        #[serde(default, skip_serializing_if = "StepSpend::is_nothing")]
        spent: StepSpend,
        /// The step.
        step_id: StepId,
    },
    /// A person has to decide on one step before it can act.
    StepAsked {
        /// Hash of its arguments with every reference filled in.
        arguments: Digest,
        /// Hash of the question, which shows them.
        request: Digest,
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
    },
    /// A person decided on one step, with its arguments in view.
    StepDecided {
        /// Whether it may act.
        approved: bool,
        /// Hash of the arguments as they were shown.
        arguments: Digest,
        /// How sure the gate is of who decided.
        assurance: Assurance,
        /// What a passkey signed of it, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passkey: Option<Box<PasskeyAssertion>>,
        /// Why it may not act, in the person's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
    },
    /// Whether a step's outside effect happened is not known; it is never tried again by
    /// itself.
    StepUnknown {
        /// Hash of what is known of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Digest>,
        /// The run.
        run_id: RunId,
        /// What it spent.
        #[serde(default, skip_serializing_if = "StepSpend::is_nothing")]
        spent: StepSpend,
        /// The step.
        step_id: StepId,
    },
    /// A person found out whether an unknown effect happened.
    StepResolved {
        /// How sure the gate is of who decided.
        assurance: Assurance,
        /// Whether it did.
        happened: bool,
        /// What a passkey signed of it, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passkey: Option<Box<PasskeyAssertion>>,
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
    },
    /// Somebody wants a run with tool steps to stop: it starts nothing any more.
    RunCancelled {
        /// The run.
        run_id: RunId,
    },
    /// Every target has its after image.
    RunCompleted {
        /// Hash of the run's manifest.
        manifest: Digest,
        /// The run.
        run_id: RunId,
    },
    /// Every target has its before image again.
    RunAborted {
        /// Hash of the run's manifest.
        manifest: Digest,
        /// The run.
        run_id: RunId,
    },
    /// A run of a plan ended, with its result list.
    PlanExecuted {
        /// The plan.
        plan_id: PlanId,
        /// Hash of the result list.
        results: Digest,
        /// Whether what its tool steps did was taken back, so that everything is as it was.
        #[serde(default, skip_serializing_if = "core::ops::Not::not")]
        rolled_back: bool,
        /// The run.
        run_id: RunId,
        /// How it ended.
        status: TaskStatus,
        /// Hash of the text that says why it did not complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<Digest>,
    },
    /// Somebody decided that a run goes back, or forward again.
    UndoApproved {
        /// How sure the gate is of who decided.
        assurance: Assurance,
        /// What the inverse run does.
        kind: RunKind,
        /// What a passkey signed of it, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passkey: Option<Box<PasskeyAssertion>>,
        /// Hash of the plan that the run carried out.
        plan_hash: Digest,
        /// The plan.
        plan_id: PlanId,
        /// The inverse run.
        run_id: RunId,
    },
    /// The backup of a run was deleted.
    RunForgotten {
        /// The run.
        run_id: RunId,
    },
    /// What a plan that is over was made of was deleted.
    PlanForgotten {
        /// The plan.
        plan_id: PlanId,
    },
    /// A plan was blocked because policy is another one now, or policy changed once more
    /// since that was noted.
    PolicyChanged(PolicySeen),
}

impl Event {
    /// The name of every event.
    pub const NAMES: [&'static str; 25] = [
        "record_begun",
        "record_moved",
        "refused",
        "plan_created",
        "plan_evaluated",
        "plan_approved",
        "plan_rejected",
        "plan_expired",
        "plan_paused",
        "run_started",
        "run_begun",
        "step_started",
        "step_finished",
        "step_asked",
        "step_decided",
        "step_unknown",
        "step_resolved",
        "run_cancelled",
        "run_completed",
        "run_aborted",
        "plan_executed",
        "undo_approved",
        "run_forgotten",
        "plan_forgotten",
        "policy_changed",
    ];

    /// The stable name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::RecordBegun { .. } => "record_begun",
            Self::RecordMoved { .. } => "record_moved",
            Self::Refused { .. } => "refused",
            Self::PlanCreated(_) => "plan_created",
            Self::PlanEvaluated { .. } => "plan_evaluated",
            Self::PlanApproved { .. } => "plan_approved",
            Self::PlanRejected { .. } => "plan_rejected",
            Self::PlanExpired { .. } => "plan_expired",
            Self::PlanPaused { .. } => "plan_paused",
            Self::RunStarted { .. } => "run_started",
            Self::RunBegun { .. } => "run_begun",
            Self::StepStarted { .. } => "step_started",
            Self::StepFinished { .. } => "step_finished",
            Self::StepAsked { .. } => "step_asked",
            Self::StepDecided { .. } => "step_decided",
            Self::StepUnknown { .. } => "step_unknown",
            Self::StepResolved { .. } => "step_resolved",
            Self::RunCancelled { .. } => "run_cancelled",
            Self::RunCompleted { .. } => "run_completed",
            Self::RunAborted { .. } => "run_aborted",
            Self::PlanExecuted { .. } => "plan_executed",
            Self::UndoApproved { .. } => "undo_approved",
            Self::RunForgotten { .. } => "run_forgotten",
            Self::PlanForgotten { .. } => "plan_forgotten",
            Self::PolicyChanged(_) => "policy_changed",
        }
    }

    /// The plan it is about, if it names one.
    #[must_use]
    pub fn plan_id(&self) -> Option<&PlanId> {
        match self {
            Self::PlanCreated(created) => Some(&created.plan_id),
            Self::PlanApproved { approval, .. } => Some(&approval.plan_id),
            Self::PlanEvaluated { plan_id, .. }
            | Self::PlanRejected { plan_id, .. }
            | Self::PlanExpired { plan_id, .. }
            | Self::PlanPaused { plan_id }
            | Self::PlanForgotten { plan_id }
            | Self::RunStarted { plan_id, .. }
            | Self::RunBegun { plan_id, .. }
            | Self::PlanExecuted { plan_id, .. }
            | Self::UndoApproved { plan_id, .. } => Some(plan_id),
            Self::RecordBegun { .. }
            | Self::RecordMoved { .. }
            | Self::Refused { .. }
            | Self::RunCancelled { .. }
            | Self::RunCompleted { .. }
            | Self::RunAborted { .. }
            | Self::RunForgotten { .. }
            | Self::StepStarted { .. }
            | Self::StepFinished { .. }
            | Self::StepAsked { .. }
            | Self::StepDecided { .. }
            | Self::StepUnknown { .. }
            | Self::StepResolved { .. }
            | Self::PolicyChanged(_) => None,
        }
    }

    /// What a passkey signed of it, if one did.
    #[must_use]
    pub fn passkey(&self) -> Option<&PasskeyAssertion> {
        match self {
            Self::PlanApproved { approval, .. } => approval.passkey.as_ref(),
            Self::StepDecided { passkey, .. }
            | Self::StepResolved { passkey, .. }
            | Self::UndoApproved { passkey, .. } => passkey.as_deref(),
            _ => None,
        }
    }

    /// The run it is about, if it names one.
    #[must_use]
    pub fn run_id(&self) -> Option<&RunId> {
        match self {
            Self::RunStarted { run_id, .. }
            | Self::RunBegun { run_id, .. }
            | Self::StepStarted { run_id, .. }
            | Self::StepFinished { run_id, .. }
            | Self::StepAsked { run_id, .. }
            | Self::StepDecided { run_id, .. }
            | Self::StepUnknown { run_id, .. }
            | Self::StepResolved { run_id, .. }
            | Self::RunCancelled { run_id }
            | Self::RunCompleted { run_id, .. }
            | Self::RunAborted { run_id, .. }
            | Self::PlanExecuted { run_id, .. }
            | Self::UndoApproved { run_id, .. }
            | Self::RunForgotten { run_id } => Some(run_id),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_names_is_whole() {
        let schema = serde_json::to_value(schemars::schema_for!(Event)).unwrap();
        let kinds = schema["oneOf"].as_array().unwrap();
        assert_eq!(kinds.len(), Event::NAMES.len());
        for name in Event::NAMES {
            let named = |kind: &serde_json::Value| kind["required"][0] == *name;
            assert!(kinds.iter().any(named), "{name}");
        }
    }
}
