//! Everything that can happen, as it is written down. Never file contents.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::{Approval, Assurance};
use crate::judge::decide::{Kind, Spend};
use crate::judge::policy::Profile;
use crate::life::binding::{ProviderClass, Source};
use crate::life::lifecycle::{Cause, Deadline};
use crate::model::digest::Digest;
use crate::model::id::{CorrelationId, PlanId, ProjectId, RunId};
use crate::results::TaskStatus;

/// The form of entries that this version writes and reads; any other is refused.
pub const VERSION: u32 = 3;

/// How a record begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// The project had none.
    Started,
    /// A person took over a project that was moved, copied or brought along.
    Adopted,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RunKind {
    /// It carries out an approved plan.
    Plan,
    /// It takes a run back.
    Undo {
        /// The run it takes back.
        of: RunId,
    },
    /// It takes an undo back.
    Redo {
        /// The undo it takes back.
        of: RunId,
    },
}

/// A plan as it enters the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanCreated {
    /// Hash of the binding record.
    pub binding: Digest,
    /// The intent it serves.
    pub correlation_id: CorrelationId,
    /// When it expires.
    pub deadline: Deadline,
    /// The plan whose steps it selects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived_from: Option<PlanId>,
    /// What it is for, shortened; what looks like a secret is masked.
    pub goal: String,
    /// The plan that a person wanted changed, or that this one renews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<PlanId>,
    /// Its hash.
    pub plan_hash: Digest,
    /// Its id.
    pub plan_id: PlanId,
    /// Who handed it in, if the door knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposer: Option<String>,
    /// The object that holds it.
    pub record: Digest,
    /// The session it belongs to.
    pub session: String,
    /// The run that it takes back, when it is an undo or redo handed in as a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<RunId>,
}

/// Who made the plan that a run carries out, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// How far it is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ProviderClass>,
    /// Such as `openai`, `anthropic`, `ollama`.
    pub id: String,
    /// The model, in the provider's words.
    pub model: String,
    /// How this is known.
    pub source: Source,
    /// What the draft claims about itself, such as a tier; nobody has checked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// It did what it promised.
    Ok,
    /// It failed, and its effect has not happened.
    Failed,
    /// It was not begun.
    Skipped,
    /// A person said no to it.
    Declined,
    /// It was stopped before its effect.
    Cancelled,
    /// Its effect was taken back.
    Compensated,
}

/// The policy that commands met from some point on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicySeen {
    /// The ceiling.
    pub autonomy_ceiling: Profile,
    /// The hash of everything but profile and ceiling.
    pub policy_hash: Digest,
    /// The profile.
    pub profile: Profile,
}

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
        step_id: String,
    },
    /// A tool step ended.
    StepFinished {
        /// How.
        end: StepEnd,
        /// Hash of what it put out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Digest>,
        /// Why it did not do what it promised, as a stable word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: String,
    },
    /// A person decided on one step, with its arguments in view.
    StepDecided {
        /// Whether it may act.
        approved: bool,
        /// Hash of the arguments as they were shown.
        arguments: Digest,
        /// How sure the gate is of who decided.
        assurance: Assurance,
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: String,
    },
    /// Whether a step's outside effect happened is not known; it is never tried again by
    /// itself.
    StepUnknown {
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: String,
    },
    /// A person found out whether an unknown effect happened.
    StepResolved {
        /// How sure the gate is of who decided.
        assurance: Assurance,
        /// Whether it did.
        happened: bool,
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: String,
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
    pub const NAMES: [&'static str; 22] = [
        "record_begun",
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
        "step_decided",
        "step_unknown",
        "step_resolved",
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
            Self::StepDecided { .. } => "step_decided",
            Self::StepUnknown { .. } => "step_unknown",
            Self::StepResolved { .. } => "step_resolved",
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
            | Self::Refused { .. }
            | Self::RunCompleted { .. }
            | Self::RunAborted { .. }
            | Self::RunForgotten { .. }
            | Self::StepStarted { .. }
            | Self::StepFinished { .. }
            | Self::StepDecided { .. }
            | Self::StepUnknown { .. }
            | Self::StepResolved { .. }
            | Self::PolicyChanged(_) => None,
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
            | Self::StepDecided { run_id, .. }
            | Self::StepUnknown { run_id, .. }
            | Self::StepResolved { run_id, .. }
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
