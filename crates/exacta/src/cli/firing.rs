//! Firing schedules: what is due is handed in as a fresh plan, like any other.
//!
//! Nothing here decides or widens anything. A schedule counts only while the run that made it
//! is on the record, completed, with exactly the arguments that a person approved.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use exacta_core::life::ledger::RunState;
use exacta_core::life::lifecycle::State;
use exacta_core::model::id::{CorrelationId, PlanId};
use exacta_core::model::plan::Action;
use exacta_core::read::recipe::{self, Extras};
use exacta_core::results::TaskStatus;
use exacta_engine::gate::{Caller, Gate, GateError, Propose, Proposed, Run, SourceKind};
use exacta_server::{AppState, Served};
use exacta_tools::schedule::{Progress, Schedule, Schedules, now_ms};
use serde_json::Value;

use super::recipe::fill;
use crate::cli::notices;

/// How often it is looked.
const LOOK: Duration = Duration::from_secs(1);
/// So many failures in a row are told.
const TELL_AFTER: u32 = 3;

/// Fires what is due, until the server stops.
pub(super) fn fire(state: &AppState) {
    while !state.stopping.is_cancelled() {
        for served in &state.projects {
            let schedules = Schedules::at(&crate::tools::memory(Path::new(&served.path)));
            // What cannot be read now is looked at next time.
            for (schedule, progress) in schedules.list().unwrap_or_default() {
                let due = schedule.due_ms(&progress);
                if due.is_some_and(|due| due <= now_ms()) && !state.stopping.is_cancelled() {
                    one(served, &schedules, &schedule, progress);
                }
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// What became of a firing.
struct Fired {
    plan_id: Option<PlanId>,
    outcome: String,
    failed: bool,
}

impl Fired {
    fn failed(outcome: impl Into<String>) -> Self {
        Self { plan_id: None, outcome: outcome.into(), failed: true }
    }
}

fn one(served: &Arc<Served>, schedules: &Schedules, schedule: &Schedule, before: Progress) {
    // First that it fired: whatever happens, it does not fire a second time for this.
    let mut progress = Progress { fired_ms: Some(now_ms()), ..before };
    if schedules.keep(&schedule.key, &progress).is_err() {
        return;
    }
    let fired = served
        .ask_here(|gate| hand_in(gate, schedule, progress.plan_id.as_deref()))
        .unwrap_or_else(|error| Fired::failed(error.to_string()));
    progress.failures = if fired.failed { progress.failures.saturating_add(1) } else { 0 };
    if let Some(plan_id) = &fired.plan_id {
        progress.plan_id = Some(plan_id.to_string());
    }
    progress.outcome = Some(fired.outcome.clone());
    let _ = schedules.keep(&schedule.key, &progress);
    if progress.failures == TELL_AFTER {
        notices::schedule_fails(served, schedule, &fired.outcome);
    }
}

fn hand_in(gate: &Gate<'_>, schedule: &Schedule, last: Option<&str>) -> Result<Fired, GateError> {
    gate.refresh()?;
    let correlation_id = match on_record(gate, schedule)? {
        Ok(correlation_id) => correlation_id,
        Err(why) => return Ok(Fired::failed(why)),
    };
    if let Some(open) = last.and_then(|id| PlanId::parse(id).ok()) {
        let waits = gate.status(&open).is_ok_and(|now| now.state == State::Pending);
        if waits {
            let outcome = "the plan of the last firing still waits for a person".into();
            return Ok(Fired { plan_id: Some(open), outcome, failed: false });
        }
    }
    let text = match draft(schedule) {
        Ok(text) => text,
        Err(why) => return Ok(Fired::failed(why)),
    };
    let intent = text_of(schedule, "intent").map(ToOwned::to_owned);
    let propose = Propose {
        intent,
        correlation_id: Some(correlation_id),
        ..Propose::new(SourceKind::Draft, text.into_bytes())
    };
    let plan = match gate.handle(&Caller::system(), propose)? {
        Proposed::Refused { issues, .. } => {
            let why = issues.first().map(|issue| issue.message.clone()).unwrap_or_default();
            return Ok(Fired::failed(format!("refused: {why}")));
        }
        Proposed::Plan { plan, .. } | Proposed::Again(plan) => plan,
    };
    let plan_id = Some(plan.plan_id.clone());
    match plan.state {
        State::AutoApproved => {
            let run = Run { plan_id: plan.plan_id, plan_hash: Some(plan.plan_hash) };
            let ran = gate.handle(&Caller::system(), run)?;
            let failed = ran.state != RunState::Completed;
            let why = ran.reason.map(|why| format!(": {why}")).unwrap_or_default();
            Ok(Fired { plan_id, outcome: format!("{}{why}", ran.state.as_str()), failed })
        }
        State::Pending | State::UserApproved => {
            Ok(Fired { plan_id, outcome: "waits for a person".into(), failed: false })
        }
        State::Rejected | State::Expired => {
            Ok(Fired { plan_id, outcome: plan.state.to_string(), failed: true })
        }
    }
}

/// The intent that a schedule belongs to, if the record bears it out; else what is wrong.
fn on_record(
    gate: &Gate<'_>,
    schedule: &Schedule,
) -> Result<Result<CorrelationId, String>, GateError> {
    let Ok(plan_id) = PlanId::parse(&schedule.plan_id) else {
        return Ok(Err("the schedule names no plan".into()));
    };
    let shown = gate.show(&plan_id)?;
    let run = shown.run.as_ref().filter(|run| {
        run.run_id.as_str() == schedule.run_id
            && run.status == Some(TaskStatus::Completed)
            && run.undone_by.is_none()
    });
    let approved = shown.examined.draft().steps.iter().any(|step| match &step.action {
        Action::Tool(call) => {
            step.step_id == schedule.step_id
                && call.name == "ScheduleRun"
                && serde_json::to_value(&call.args).is_ok_and(|args| args == schedule.args)
        }
        Action::File(_) => false,
    });
    Ok(if run.is_some() && approved {
        Ok(shown.entry.created.correlation_id)
    } else {
        Err("it is not what was approved on the record; it does not fire".into())
    })
}

fn text_of<'a>(schedule: &'a Schedule, name: &str) -> Option<&'a str> {
    schedule.args.get(name).and_then(Value::as_str)
}

fn draft(schedule: &Schedule) -> Result<String, String> {
    let name = text_of(schedule, "recipe").unwrap_or_default();
    let preset = recipe::preset(name).ok_or_else(|| format!("there is no recipe `{name}`"))?;
    let ignore = schedule.args.get("ignore").and_then(Value::as_array).into_iter().flatten();
    let extras = Extras {
        selector: text_of(schedule, "selector").map(Into::into),
        ignore: ignore.filter_map(Value::as_str).map(Into::into).collect(),
        inbox: None,
    };
    let intent = text_of(schedule, "intent").unwrap_or_default();
    fill(preset, intent, &extras).map_err(|fault| fault.to_string())
}
