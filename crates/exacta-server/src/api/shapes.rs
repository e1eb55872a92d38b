//! What the API hands out besides plans: events, runs, lists.

use exacta_core::judge::decide::Kind;
use exacta_core::life::ledger::{RunEntry, RunStage, RunState};
use exacta_core::model::id::{CorrelationId, PlanId, ProjectId, RunId};
use exacta_core::record::{Actor, Entry, Event, RunKind};
use exacta_core::results::TaskStatus;
use exacta_engine::gate::{Gate, StepQuestion};
use exacta_engine::machine::time_text;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::underway::{Early, NotStarted};

/// Something that happened, as the record has it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct EventV1 {
    /// Its number on the project's record.
    pub(crate) seq: u64,
    /// When.
    pub(crate) time: String,
    /// What: `draft`, `validated`, `rejected`, `approved`, or the record's own name.
    pub(crate) event: String,
    /// The record's own name for it.
    pub(crate) record_event: String,
    /// The project.
    pub(crate) project_id: ProjectId,
    /// The plan that it is about.
    pub(crate) plan_id: Option<PlanId>,
    /// The run that it is about.
    pub(crate) run_id: Option<RunId>,
    /// Who.
    pub(crate) actor: Actor,
    /// Everything that the record says about it.
    pub(crate) data: Value,
}

impl EventV1 {
    pub(crate) fn of(entry: &Entry, project: &ProjectId) -> Self {
        let mut data = serde_json::to_value(&entry.event).unwrap_or(Value::Null);
        without_passkey(&mut data);
        Self {
            seq: entry.seq,
            time: entry.time.clone(),
            event: lifecycle_name(&entry.event).into(),
            record_event: entry.event.name().into(),
            project_id: project.clone(),
            plan_id: entry.event.plan_id().cloned(),
            run_id: entry.event.run_id().cloned(),
            actor: entry.actor.clone(),
            data,
        }
    }
}

/// What a passkey signed names the room, which agents must not learn. It stays on the record.
fn without_passkey(data: &mut Value) {
    for event in data.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        let Some(event) = event.as_object_mut() else { continue };
        event.remove("passkey");
        if let Some(approval) = event.get_mut("approval").and_then(Value::as_object_mut) {
            approval.remove("passkey");
        }
    }
}

/// What the lifecycle of the plan contract calls an event.
#[must_use]
pub fn lifecycle_name(event: &Event) -> &'static str {
    match event {
        Event::PlanCreated(_) => "draft",
        // A plan that scores too low is rejected in the same breath.
        Event::PlanEvaluated { decision: Kind::Reject, .. } => "plan_evaluated",
        Event::PlanEvaluated { .. } => "validated",
        Event::PlanApproved { .. } => "approved",
        Event::PlanRejected { .. } => "rejected",
        other => other.name(),
    }
}

/// Things, newest first, and where the next ones begin.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page<T> {
    /// They.
    pub(crate) items: Vec<T>,
    /// What `cursor` has to be for the next ones; null when these were the last.
    pub(crate) next_cursor: Option<String>,
}

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunV1 {
    /// The run.
    pub(crate) run_id: RunId,
    /// The plan.
    pub(crate) plan_id: PlanId,
    /// The project.
    pub(crate) project_id: ProjectId,
    /// `plan`, `undo` or `redo`.
    pub(crate) kind: &'static str,
    /// The run that it takes back, for an undo or redo.
    pub(crate) of: Option<RunId>,
    /// `starting` or `checking` while nothing has moved, `running`, `waiting` for a person,
    /// `completed`, `rolled_back`, how the tool steps ended, or `not_started` with a reason.
    pub(crate) state: String,
    /// The status of the result list, once there is one.
    pub(crate) status: Option<TaskStatus>,
    /// When it was asked for; once it is on the record, since when.
    pub(crate) started_at: String,
    /// Why it did not complete.
    pub(crate) reason: Option<String>,
    /// The run that took it back.
    pub(crate) undone_by: Option<RunId>,
    /// A row for each step, and one about all of them; once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) results: Option<Value>,
    /// How far its tool steps came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<Value>,
    /// What a person has to decide on before it goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) asks: Vec<StepQuestion>,
}

impl RunV1 {
    pub(crate) fn of(gate: &Gate<'_>, run: &RunEntry, project: &ProjectId, whole: bool) -> Self {
        let (kind, of) = match &run.kind {
            RunKind::Plan => ("plan", None),
            RunKind::Undo { of } => ("undo", Some(of.clone())),
            RunKind::Redo { of } => ("redo", Some(of.clone())),
        };
        let state = match (run.stage, run.status) {
            (RunStage::Completed, _) => "completed".into(),
            (RunStage::Aborted, _) => "rolled_back".into(),
            // Its files had not begun to move.
            (RunStage::Decided, Some(_)) if run.state() == Some(RunState::RolledBack) => {
                "rolled_back".into()
            }
            (RunStage::Decided | RunStage::Started, Some(status)) => status.as_str().to_owned(),
            (_, None) if run.waiting_steps().next().is_some() => "waiting".into(),
            (RunStage::Decided | RunStage::Started, None) => "running".into(),
        };
        let read = |digest| serde_json::from_slice(gate.object(&digest).ok()?.bytes()).ok();
        Self {
            run_id: run.run_id.clone(),
            plan_id: run.plan_id.clone(),
            project_id: project.clone(),
            kind,
            of,
            state,
            status: run.status,
            started_at: run.time.clone(),
            reason: gate.why(run),
            undone_by: gate.undone_by(&run.run_id),
            results: run.results.filter(|_| whole).and_then(read),
            steps: (whole && !run.steps.is_empty())
                .then(|| serde_json::to_value(&run.steps).unwrap_or(Value::Null)),
            asks: if whole { gate.questions(run).unwrap_or_default() } else { Vec::new() },
        }
    }
}

/// How a run stands that is not on the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EarlyState {
    Starting,
    Checking,
    NotStarted,
}

impl EarlyState {
    pub(crate) fn of(gate: &Gate<'_>, early: Option<&Early>) -> Self {
        match early {
            Some(Early::Underway { plan_id, .. }) if gate.checking().as_ref() == Some(plan_id) => {
                Self::Checking
            }
            Some(Early::Underway { .. }) => Self::Starting,
            Some(Early::NotStarted(_)) | None => Self::NotStarted,
        }
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Checking => "checking",
            Self::NotStarted => "not_started",
        }
    }
}

impl RunV1 {
    /// One that is not on the record.
    pub(crate) fn early(
        gate: &Gate<'_>,
        run_id: &RunId,
        early: &Early,
        project: &ProjectId,
    ) -> Self {
        let state = EarlyState::of(gate, Some(early)).as_str().into();
        let (since_ms, reason) = match early {
            Early::Underway { since_ms, cancelled, .. } => {
                (*since_ms, cancelled.then(|| "it was asked to stop".to_owned()))
            }
            Early::NotStarted(NotStarted { since_ms, why, .. }) => (*since_ms, Some(why.clone())),
        };
        Self {
            run_id: run_id.clone(),
            plan_id: early.plan_id().clone(),
            project_id: project.clone(),
            kind: "plan",
            of: None,
            state,
            status: None,
            started_at: time_text(since_ms),
            reason,
            undone_by: None,
            results: None,
            steps: None,
            asks: Vec::new(),
        }
    }
}

/// Everything that happened for one intent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditV1 {
    /// The intent.
    pub(crate) correlation_id: CorrelationId,
    /// What happened, oldest first.
    pub(crate) events: Vec<EventV1>,
}
