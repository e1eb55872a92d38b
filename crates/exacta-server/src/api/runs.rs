//! Running approved plans, and taking runs back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use exacta_core::life::ledger::RunState;
use exacta_core::model::code::Code;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::record::Actor;
use exacta_engine::gate::{
    Caller, CancelRun, Direction, Gate, GateError, NoteFailedStart, PrepareRun, ProposeUndo,
    Proposed, Redo, Run, Undo, UndoPart, UndoProposed, Undone,
};
use exacta_engine::run::Watch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::body::{Asked, Body, Key};
use super::contract::PlanContractV1;
use super::decide::hash;
use super::doc::{self, Api, Who};
use super::draft::shown;
use super::find::{self, find_plan, find_run};
use super::plans::{after, length, page};
use super::shapes::{Page, RunV1};
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::{Asking, Visitor};

/// How long a start is waited for before it is answered without the id of the run.
const START_LASTS: Duration = Duration::from_secs(5);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(10);

pub(super) fn add(api: &mut Api) {
    let operation = doc::post("/api/v1/runs", "startRun", "Start an approved plan.", Who::Either)
        .body::<Start>(api)
        .header("Idempotency-Key", "Two commands with the same key are one.")
        .reply::<Started>(api, 202, "it runs; `Location` says where to look")
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

/// A plan to start.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Start {
    /// The plan.
    plan_id: String,
    /// Its hash.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
}

/// A run that was started.
#[derive(Debug, Serialize, JsonSchema)]
struct Started {
    /// The plan.
    plan_id: PlanId,
    /// Its hash.
    plan_hash: Digest,
    /// The run; null when it waits for another run to end.
    run_id: Option<RunId>,
    /// `running`, or how it ended if it did at once.
    state: String,
}

/// Lets somebody else stop a run.
struct Stoppable(Arc<AtomicBool>);

impl Watch for Stoppable {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How a start ended before its run was on the record.
pub(crate) type Ended = Result<(RunId, RunState), GateError>;

async fn start(
    State(state): State<AppState>,
    visitor: Visitor,
    key: Key,
    Body(asked): Body<Start>,
) -> Result<Response, Problem> {
    let hash = hash(&asked.plan_hash)?;
    let (served, plan) = find_plan(&state, &visitor, &asked.plan_id).await?;
    let plan_id = plan.created.plan_id.clone();
    let key = key.of(visitor.actor());
    let news = first(&state, &served, &visitor, &plan_id, hash, key.clone()).await;
    let (run_id, run_state) = match (news, key) {
        // Another delivery of this very request may have been faster; then its answer is this
        // one's.
        (Err(problem), Some(key)) => {
            let wanted = plan_id.clone();
            let begun = state.ask(&served, move |gate| Ok(begun_under(gate, &key, wanted, hash)));
            begun.await?.ok_or(problem)?
        }
        (news, _) => news?,
    };
    let place = run_id.as_ref().map_or_else(
        || format!("/api/v1/plans/{plan_id}"),
        |run_id| format!("/api/v1/runs/{run_id}"),
    );
    let started = Started { plan_id, plan_hash: hash, run_id, state: run_state };
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(started)).into_response())
}

/// Starts a run and waits for its first sign of life.
async fn first(
    state: &AppState,
    served: &Arc<Served>,
    visitor: &Visitor,
    plan_id: &PlanId,
    hash: Digest,
    key: Option<String>,
) -> Result<(Option<RunId>, String), Problem> {
    let prepare = PrepareRun { plan_id: plan_id.clone(), plan_hash: Some(hash) };
    let asking = Asking { actor: visitor.actor().clone(), key: None };
    state.ask(served, move |gate| gate.handle(&asking.caller(), prepare)).await?;
    let ended = begin(state, served, visitor.actor(), plan_id, hash, key);
    first_news(state, served, plan_id, ended).await
}

/// The run that an earlier delivery of the same request began, and how it stands.
fn begun_under(
    gate: &Gate<'_>,
    key: &str,
    plan_id: PlanId,
    hash: Digest,
) -> Option<(Option<RunId>, String)> {
    let run_id = gate.made_by(key, &Run { plan_id, plan_hash: Some(hash) })?;
    let run = gate.run_named(&run_id).ok()?;
    let state = run.state().map_or("running", RunState::as_str);
    Some((Some(run.run_id), state.into()))
}

/// Runs the plan, or goes on with its run, beside everything else; whoever asked is not kept
/// waiting.
pub(crate) fn begin(
    state: &AppState,
    served: &Arc<Served>,
    actor: &Actor,
    plan_id: &PlanId,
    hash: Digest,
    key: Option<String>,
) -> oneshot::Receiver<Ended> {
    let (tell, told) = oneshot::channel();
    let (served, plan_id, actor) = (Arc::clone(served), plan_id.clone(), actor.clone());
    let stop = state.running.begin(&plan_id);
    let state = state.clone();
    tokio::task::spawn_blocking(move || {
        let watch = Stoppable(stop);
        let ended = served.ask_here(|gate| {
            let caller = Caller::new(actor).with_key(key).watched(&watch);
            let run = Run { plan_id: plan_id.clone(), plan_hash: Some(hash) };
            let ran = gate.handle(&caller, run);
            if let Err(error) = &ran
                && error.code() != Code::ApprovalUsed
            {
                let note = NoteFailedStart { plan_id: plan_id.clone(), why: error.to_string() };
                // What cannot be noted is still the answer, if somebody waits for it.
                let _ = gate.handle(&Caller::system(), note);
            }
            ran.map(|ran| (ran.run_id, ran.state))
        });
        state.running.end(&plan_id);
        let _ = tell.send(ended);
    });
    told
}

/// What can be said of a start soon: that it runs, how it ended, or why it did not begin.
pub(crate) async fn first_news(
    state: &AppState,
    served: &Arc<Served>,
    plan_id: &PlanId,
    mut ended: oneshot::Receiver<Ended>,
) -> Result<(Option<RunId>, String), Problem> {
    let until = tokio::time::Instant::now() + START_LASTS;
    while tokio::time::Instant::now() < until {
        match tokio::time::timeout(LOOK, &mut ended).await {
            Ok(Ok(Ok((run_id, state)))) => return Ok((Some(run_id), state.as_str().into())),
            Ok(Ok(Err(error))) => return Err(error.into()),
            Ok(Err(_)) => return Err(Problem::internal("the run broke off; `recover` settles it")),
            Err(_) => {
                let plan_id = plan_id.clone();
                let run =
                    state.ask(served, move |gate| Ok(gate.plan_named(&plan_id)?.run_id().cloned()));
                if let Some(run_id) = run.await? {
                    return Ok((Some(run_id), "running".into()));
                }
            }
        }
    }
    Ok((None, "waiting".into()))
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
        let found = state.ask(&served, move |gate| {
            let mut runs = gate.runs();
            runs.sort_by(|a, b| b.run_id.cmp(&a.run_id));
            let wanted = runs.iter().filter(|run| {
                cursor.as_deref().is_none_or(|cursor| run.run_id.as_str() < cursor)
                    && gate.plan_named(&run.plan_id).is_ok_and(|plan| visitor.sees(gate, &plan))
            });
            let rows = wanted.take(length + 1).map(|run| RunV1::of(gate, run, &project, false));
            Ok(rows.collect::<Vec<_>>())
        });
        rows.extend(found.await?);
    }
    rows.sort_by(|a, b| b.run_id.cmp(&a.run_id));
    Ok(Json(page(rows, length, |row| row.run_id.to_string())))
}

async fn get(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<RunV1>, Problem> {
    let (served, run, _) = find_run(&state, &visitor, &id).await?;
    let project = served.id.clone();
    let run = state.ask(&served, move |gate| Ok(RunV1::of(gate, &run, &project, true)));
    Ok(Json(run.await?))
}

async fn cancel(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (served, run, plan) = find_run(&state, &visitor, &id).await?;
    let (project, run_id) = (served.id.clone(), run.run_id);
    stop(&state, &served, visitor.actor(), plan.id(), &run_id).await?;
    let run = state.ask(&served, move |gate| {
        let run = gate.run_named(&run_id)?;
        Ok(RunV1::of(gate, &run, &project, true))
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
