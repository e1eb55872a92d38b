//! What the tools take and give. Unknown arguments are refused.

use exacta_core::life::lifecycle::State;
use exacta_engine::gate::{Ran, StatusReport, Undone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::{CheckReport, ProposeReport};

/// A draft or a patch, and what was asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Handed {
    /// The plan as a JSON object, or its text. Give this or `patch`.
    #[serde(default)]
    pub(crate) draft: Option<Value>,
    /// A patch as `git diff` writes it. Give this or `draft`.
    #[serde(default)]
    pub(crate) patch: Option<String>,
    /// What the user asked for, in plain words.
    #[serde(default)]
    pub(crate) intent: Option<String>,
    /// Constraints that the plan must keep, as `kind` or `kind=value,value`.
    #[serde(default)]
    pub(crate) constraints: Vec<String>,
    /// The plan that this one answers a request for changes of.
    #[serde(default)]
    pub(crate) parent: Option<String>,
    /// Two calls with the same key are one.
    #[serde(default)]
    pub(crate) idempotency_key: Option<String>,
}

/// The name of a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThisPlan {
    /// The plan's id.
    pub(crate) plan_id: String,
}

/// How long to wait for a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Patience {
    /// The plan's id.
    pub(crate) plan_id: String,
    /// How many seconds at most; 45 is the longest.
    #[serde(default)]
    #[schemars(range(min = 0, max = 45))]
    pub(crate) timeout_s: Option<u64>,
}

/// A plan, or the code of a finding.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The plan's id. Give this or `code`.
    #[serde(default)]
    pub(crate) plan_id: Option<String>,
    /// A code as a finding shows it, such as `PLAN_PATH_INVALID`. Give this or `plan_id`.
    #[serde(default)]
    pub(crate) code: Option<String>,
}

/// A plan to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToRun {
    /// The plan's id.
    pub(crate) plan_id: String,
    /// Its hash, to be sure that it is the one that you mean.
    #[serde(default)]
    pub(crate) plan_hash: Option<String>,
}

/// A run to take back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToUndo {
    /// The run's id.
    pub(crate) run_id: String,
}

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// What to do next with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Next {
    /// It waits for a person: call `plan_wait`.
    PlanWait,
    /// It may run: call `plan_run`.
    PlanRun,
    /// Change the draft as the issues say and propose it again.
    Propose,
    /// Nothing is left to do.
    Done,
}

impl Next {
    /// What follows from a state; an executed plan keeps its state and has a run.
    pub(crate) fn after(state: Option<State>, ran: bool) -> Self {
        match state {
            Some(State::AutoApproved | State::UserApproved) if ran => Self::Done,
            Some(State::AutoApproved | State::UserApproved) => Self::PlanRun,
            Some(State::Pending) => Self::PlanWait,
            Some(State::Rejected | State::Expired) | None => Self::Propose,
        }
    }
}

/// A plan that was handed in, or that is shown.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanAnswer {
    /// The plan, as `propose --json` prints it.
    #[serde(flatten)]
    pub(crate) plan: ProposeReport,
    /// What to do next.
    pub(crate) next: Next,
    /// The same in words.
    pub(crate) say: String,
    /// Where a person reviews it, while it waits and a review room is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) review_url: Option<String>,
    /// The patch of what it does, as `git diff` writes it; null when it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patch: Option<String>,
}

/// Where a plan stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusAnswer {
    /// The plan, as `status --json` prints it.
    #[serde(flatten)]
    pub(crate) status: StatusReport,
    /// What to do next.
    pub(crate) next: Next,
    /// The same in words.
    pub(crate) say: String,
}

/// Why a plan was judged as it was, or what a code means.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explanation {
    /// The check of the plan, with every point and its evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<CheckReport>,
    /// The code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'static str>,
    /// Its page, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<&'static str>,
}

/// What became of a wish to take a run back.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UndoAnswer {
    /// The plan that takes it back; it runs with `plan_run` once it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proposed: Option<PlanAnswer>,
    /// Why nothing was handed in: later work would be lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conflict: Option<Undone>,
}

/// What a run did.
pub(crate) type RunAnswer = Ran;
