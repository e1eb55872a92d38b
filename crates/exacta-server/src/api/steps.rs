//! What people say about single steps of a run: whether one may act, and whether one happened.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use exacta_core::life::ledger::RunEntry;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::record::Actor;
use exacta_engine::gate::{Gate, Ran, Resolve, StepDecide, StepDecided};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::{Body, Key};
use super::decide::hash;
use super::doc::{self, Api, Who};
use super::find::find_run;
use super::start::go_on;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::{Asking, Person, Visitor};

pub(super) fn add(api: &mut Api) {
    let operation = doc::post(
        "/api/v1/runs/{run_id}/steps/{step_id}/decide",
        "decideStep",
        "Say whether a step may act, with its arguments in view. The run goes on by itself once \
         no step waits.",
        Who::Person,
    )
    .body::<Decision>(api)
    .header("Idempotency-Key", "Two commands with the same key are one.")
    .reply::<StepDecided>(api, 200, "what was said, and which steps still wait")
    .or(&[409]);
    api.add(operation, decide);
    let operation = doc::post(
        "/api/v1/runs/{run_id}/resolve",
        "resolveRun",
        "Say whether a step happened whose answer was lost.",
        Who::Person,
    )
    .body::<Found>(api)
    .header("Idempotency-Key", "Two commands with the same key are one.")
    .reply::<Ran>(api, 200, "the run as it stands now")
    .or(&[409]);
    api.add(operation, resolve);
}

/// A word about one step.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// The hash of the run's plan.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
    /// The hash of the arguments, as they were shown: `asks[].arguments` of the run.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    arguments: String,
    /// Whether it may act.
    approve: bool,
    /// Why not.
    reason: Option<String>,
}

/// What somebody found out.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Found {
    /// The hash of the run's plan.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
    /// Whether it happened.
    happened: bool,
    /// The step, where several are unknown.
    step_id: Option<String>,
}

async fn decide(
    State(state): State<AppState>,
    person: Person,
    Path((run_id, step_id)): Path<(String, String)>,
    key: Key,
    Body(said): Body<Decision>,
) -> Result<Response, Problem> {
    let hash = hash(&said.plan_hash)?;
    let arguments = Digest::parse(&said.arguments)
        .map_err(|error| Problem::invalid(format!("`arguments` is not a hash: {error}")))?;
    let visitor = Visitor::Person(person.clone());
    let (served, run, _) = find_run(&state, &visitor, &run_id).await?;
    let asking = Asking { actor: person.actor.clone(), key: key.of(&person.actor) };
    let command = StepDecide {
        run_id: run.run_id.clone(),
        step_id: step_id.into(),
        arguments,
        approve: said.approve,
        reason: said.reason,
        plan_hash: Some(hash),
        proof: person.proof(),
    };
    let decided = decide_step(&state, &served, asking, command, &run.plan_id, hash).await?;
    Ok(Json(decided).into_response())
}

/// Puts the word on the record; once nothing waits any more, the run goes on.
pub(crate) async fn decide_step(
    state: &AppState,
    served: &Arc<Served>,
    asking: Asking,
    command: StepDecide,
    plan_id: &PlanId,
    hash: Digest,
) -> Result<StepDecided, Problem> {
    let (actor, run_id): (Actor, _) = (asking.actor.clone(), command.run_id.clone());
    let decided = state.ask(served, move |gate| gate.handle(&asking.caller(), command)).await?;
    if decided.waiting.is_empty() {
        go_on(state, served, &actor, (plan_id, run_id), hash)?;
    }
    Ok(decided)
}

async fn resolve(
    State(state): State<AppState>,
    person: Person,
    Path(run_id): Path<String>,
    key: Key,
    Body(said): Body<Found>,
) -> Result<Response, Problem> {
    let hash = hash(&said.plan_hash)?;
    let visitor = Visitor::Person(person.clone());
    let (served, run, plan) = find_run(&state, &visitor, &run_id).await?;
    Gate::same_hash(&plan, Some(hash))?;
    let asking = Asking { actor: person.actor.clone(), key: key.of(&person.actor) };
    let RunEntry { run_id, .. } = run;
    let (step_id, happened, plan_hash) = (said.step_id.map(Into::into), said.happened, Some(hash));
    let command = Resolve { run_id, step_id, happened, plan_hash, proof: person.proof() };
    let ran = state.ask(&served, move |gate| gate.handle(&asking.caller(), command));
    Ok(Json(ran.await?).into_response())
}
