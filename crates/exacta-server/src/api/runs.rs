//! Looking at runs, stopping them, and taking them back.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::id::{PlanId, ProjectId, RunId};
use exacta_core::record::Actor;
use exacta_engine::gate::{
    CancelRun, Direction, Gate, GateError, ProposeUndo, Proposed, Redo, Undo, UndoPart,
    UndoProposed, Undone,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::{Asked, Body, Key};
use super::contract::PlanContractV1;
use super::decide::hash;
use super::doc::{self, Api, Who};
use super::draft::shown;
use super::find::{self, Found, find_run, look_for_run};
use super::plans::{after, length, page};
use super::shapes::{Page, RunV1};
use super::start::{Start, Started, start};
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::{Asking, Visitor};

pub(super) fn add(api: &mut Api) {
    let operation = doc::post("/api/v1/runs", "startRun", "Start an approved plan.", Who::Either)
        .body::<Start>(api)
        .header("Idempotency-Key", "Two commands with the same key are one.")
        .reply::<Started>(api, 202, "it is under way; `Location` says where to look")
        .or(&[409, 410]);
    api.add(operation, start);
    let operation = doc::get("/api/v1/runs", "listRuns", "Runs, newest first.", Who::Either)
        .query::<WhichRuns>(api)
        .reply::<Page<RunV1>>(api, 200, "the runs");
    api.add(operation, list);
    let operation =
        doc::get("/api/v1/runs/{run_id}", "getRun", "A run with its results.", Who::Either)
            .reply::<RunV1>(api, 200, "the run");
    api.add(operation, get);
    let operation = doc::post(
        "/api/v1/runs/{run_id}/cancel",
        "cancelRun",
        "Stop it; files go back.",
        Who::Either,
    )
    .reply::<RunV1>(api, 202, "it was asked to stop")
    .or(&[409]);
    api.add(operation, cancel);
    for (path, id, says, direction) in [
        ("/api/v1/runs/{run_id}/undo", "undoRun", "Take it back.", Direction::Undo),
        ("/api/v1/runs/{run_id}/redo", "redoRun", "Take its undo back.", Direction::Redo),
    ] {
        let operation = doc::post(path, id, says, Who::Either)
            .body::<TakeBack>(api)
            .header("Idempotency-Key", "Two commands with the same key are one.")
            .reply::<Undone>(api, 200, "done, or in conflict with later work")
            .reply::<PlanContractV1>(api, 201, "for an agent: the plan that takes it back")
            .or(&[409, 410]);
        api.add(operation, async move |state, visitor, id, key, body| {
            take_back(direction, state, visitor, id, key, body).await
        });
    }
}

/// Which runs are listed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WhichRuns {
    /// How many.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u16>,
    /// Where to go on: the `next_cursor` of the answer before.
    #[schemars(regex(pattern = r"^[0-9a-z-]{1,64}$"))]
    cursor: Option<String>,
    /// Only this project.
    project: Option<String>,
}

async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
    Asked(which): Asked<WhichRuns>,
) -> Result<Json<Page<RunV1>>, Problem> {
    let (length, cursor) = (length(which.limit)?, after(which.cursor)?);
    let projects = match &which.project {
        Some(id) => vec![find::project(&state, &visitor, Some(id))?],
        None => visitor.projects(&state),
    };
    let mut rows = Vec::new();
    for served in projects {
        let (visitor, cursor, project) = (visitor.clone(), cursor.clone(), served.id.clone());
        let app = state.clone();
        let found = state.ask(&served, move |gate| {
            let mut runs = gate.runs();
            runs.sort_by(|a, b| b.run_id.cmp(&a.run_id));
            let wanted = runs.iter().filter(|run| {
                cursor.as_deref().is_none_or(|cursor| run.run_id.as_str() < cursor)
                    && gate.plan_named(&run.plan_id).is_ok_and(|plan| visitor.sees(gate, &plan))
            });
            let rows = wanted.take(length + 1).map(|run| RunV1::of(gate, run, &project, false));
            let early = underway(gate, &app, &visitor, &project, cursor.as_deref());
            Ok(rows.chain(early).collect::<Vec<_>>())
        });
        rows.extend(found.await?);
    }
    rows.sort_by(|a, b| b.run_id.cmp(&a.run_id));
    Ok(Json(page(rows, length, |row| row.run_id.to_string())))
}

/// The runs that are under way and not on the record yet.
fn underway(
    gate: &Gate<'_>,
    state: &AppState,
    visitor: &Visitor,
    project: &ProjectId,
    cursor: Option<&str>,
) -> Vec<RunV1> {
    let mut early = state.running.all();
    early.retain(|id| cursor.is_none_or(|cursor| id.as_str() < cursor));
    early.retain(|id| gate.run_named(id).is_err());
    let row = |id: RunId| {
        let early = state.running.early(&id)?;
        let plan = gate.plan_named(early.plan_id()).ok()?;
        visitor.sees(gate, &plan).then(|| RunV1::early(gate, &id, &early, project))
    };
    early.into_iter().filter_map(row).collect()
}

async fn get(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<RunV1>, Problem> {
    Ok(Json(match look_for_run(&state, &visitor, &id).await? {
        (served, Found::Recorded(run, _)) => {
            let project = served.id.clone();
            state.ask(&served, move |gate| Ok(RunV1::of(gate, &run, &project, true))).await?
        }
        (served, Found::Early(run_id, early, _)) => {
            let project = served.id.clone();
            let run = move |gate: &Gate<'_>| Ok(RunV1::early(gate, &run_id, &early, &project));
            state.ask(&served, run).await?
        }
    }))
}

async fn cancel(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (served, run_id, plan) = match look_for_run(&state, &visitor, &id).await? {
        (served, Found::Recorded(run, plan)) => (served, run.run_id, plan),
        (served, Found::Early(run_id, _, plan)) => (served, run_id, plan),
    };
    let project = served.id.clone();
    stop(&state, &served, visitor.actor(), plan.id(), &run_id).await?;
    let app = state.clone();
    let run = state.ask(&served, move |gate| {
        // It may be over by now, and have left nothing on the record.
        match (gate.run_named(&run_id), app.running.early(&run_id)) {
            (Err(_), Some(early)) => Ok(RunV1::early(gate, &run_id, &early, &project)),
            (run, _) => Ok(RunV1::of(gate, &run?, &project, true)),
        }
    });
    Ok((StatusCode::ACCEPTED, Json(run.await?)).into_response())
}

/// Stops a run, whether this server has it under way or it waits for a person.
pub(crate) async fn stop(
    state: &AppState,
    served: &Arc<Served>,
    actor: &Actor,
    plan_id: &PlanId,
    run_id: &RunId,
) -> Result<(), Problem> {
    if state.running.stop(plan_id) {
        return Ok(());
    }
    let asking = Asking { actor: actor.clone(), key: None };
    let command = CancelRun { run_id: run_id.clone() };
    state.ask(served, move |gate| gate.handle(&asking.caller(), command)).await?;
    Ok(())
}

/// Which run is meant.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TakeBack {
    /// The hash of the run's plan.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
}

async fn take_back(
    direction: Direction,
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    key: Key,
    Body(asked): Body<TakeBack>,
) -> Result<Response, Problem> {
    let hash = hash(&asked.plan_hash)?;
    let (served, run, plan) = find_run(&state, &visitor, &id).await?;
    Gate::same_hash(&plan, Some(hash))?;
    let asking = Asking { actor: visitor.actor().clone(), key: key.of(visitor.actor()) };
    let run_id = run.run_id;
    match visitor {
        Visitor::Person(person) => {
            let (plan_hash, proof) = (Some(hash), person.proof());
            let undone = state.ask(&served, move |gate| match direction {
                Direction::Undo => gate.handle(&asking.caller(), Undo { run_id, plan_hash, proof }),
                Direction::Redo => gate.handle(&asking.caller(), Redo { run_id, plan_hash, proof }),
            });
            Ok(Json(undone.await?).into_response())
        }
        // Whoever may not decide hands in the inverse as a plan of its own.
        Visitor::Agent(agent) => {
            let project = served.id.clone();
            let part = UndoPart::Whole;
            let command = ProposeUndo { run_id, direction, part, proposer: agent.proposer };
            let answered = state.ask(&served, move |gate| {
                let proposed = match gate.handle(&asking.caller(), command)? {
                    UndoProposed::Conflict(undone) => return Ok(Err(undone)),
                    UndoProposed::Proposed(proposed) => proposed,
                };
                let plan_id = match *proposed {
                    Proposed::Refused { issues, .. } => return Err(GateError::Invalid(issues)),
                    Proposed::Plan { plan, .. } | Proposed::Again(plan) => plan.plan_id,
                };
                shown(gate, &plan_id, &project).map(Ok)
            });
            match answered.await? {
                Err(undone) => Ok(Json(*undone).into_response()),
                Ok((contract, version)) => {
                    let headers = [(header::ETAG, version)];
                    Ok((StatusCode::CREATED, headers, Json(contract)).into_response())
                }
            }
        }
    }
}
