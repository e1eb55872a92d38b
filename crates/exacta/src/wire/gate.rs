//! What the commands of the gate print as JSON.

use exacta_core::life::ledger::RunState;
use exacta_core::life::lifecycle::State;
use exacta_core::model::change::NetChange;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{CorrelationId, PlanId, RunId};
use exacta_engine::gate::{Ran, Recovery};
use exacta_engine::log::{Problem, Report};
use schemars::JsonSchema;
use serde::Serialize;

use super::check::CheckReport;
use crate::exit::Exit;

/// What `propose --json` prints: the check, and what became of the plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProposeReport {
    /// The check.
    #[serde(flatten)]
    pub(crate) check: CheckReport,
    /// The plan; null when the text made none.
    pub(crate) plan_id: Option<PlanId>,
    /// The intent that it belongs to.
    pub(crate) correlation_id: Option<CorrelationId>,
    /// Its state; null when there is no plan.
    pub(crate) state: Option<State>,
    /// Its run, when this command ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<Ran>,
    /// Its run, whether this command ran it or one before; what `undo` takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_id: Option<RunId>,
    /// Interrupted runs that were finished or rolled back first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) recovered: Vec<Recovery>,
}

/// How a command ends that ran a plan.
pub(crate) fn exit_of_run(ran: &Ran) -> Exit {
    match ran.state {
        RunState::Completed => Exit::Done,
        RunState::RolledBack if !ran.conflicts.is_empty() => Exit::Unsettled,
        RunState::RolledBack | RunState::Partial | RunState::Failed => Exit::RunFailed,
        RunState::Blocked => Exit::Refused,
        RunState::Unknown => Exit::Unsettled,
        RunState::Waiting => Exit::Waits,
    }
}

/// What `diff --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiffReport {
    /// The plan.
    pub(crate) plan_id: PlanId,
    /// Its hash.
    pub(crate) plan_hash: Digest,
    /// What becomes of each file.
    pub(crate) files: Vec<NetChange>,
    /// The patch that `git apply` takes; null when it holds bytes that are not text, which
    /// `diff` without `--json` writes as they are.
    pub(crate) patch: Option<String>,
}

/// What `verify --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct VerifyReport {
    /// Whether nothing is wrong.
    pub(crate) ok: bool,
    /// How many entries were read.
    pub(crate) entries: u64,
    /// The link of the newest one; null when nothing could be read.
    pub(crate) head: Option<Digest>,
    /// What is wrong.
    pub(crate) problems: Vec<Problem>,
    /// Whether a run was interrupted, which `exacta recover` finishes or rolls back. That is
    /// not tampering.
    pub(crate) recovery_needed: bool,
}

impl From<Report> for VerifyReport {
    fn from(report: Report) -> Self {
        Self {
            ok: report.problems.is_empty(),
            entries: report.entries,
            head: Some(report.head),
            problems: report.problems,
            recovery_needed: false,
        }
    }
}

/// What `checkpoint` prints, and what `verify --against` reads.
#[derive(Debug, Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointReport {
    /// Always `exacta/checkpoint/v1`.
    pub(crate) format: String,
    /// The project.
    pub(crate) project: String,
    /// How many entries its record has.
    pub(crate) entries: u64,
    /// The link of the newest one.
    pub(crate) head: Digest,
    /// When.
    pub(crate) time: String,
}
