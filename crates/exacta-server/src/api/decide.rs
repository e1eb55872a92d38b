//! Deciding, for signed-in people alone. An approval never starts anything.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_engine::gate::{
    Approve, Command, Decided, Gate, GateError, Pause, Reject, Renew, RequestChanges, Selection,
};
use exacta_engine::proof::Proof;
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::{Body, Key};
use super::doc::{self, Api, Operation, Who};
use super::etag::{self, IfMatch};
use super::find::find_plan;
use crate::problem::Problem;
use crate::state::AppState;
use crate::who::{Asking, Person, Visitor};

pub(super) fn add(api: &mut Api) {
    let operation = doc::post(
        "/api/v1/plans/{plan_id}/approve",
        "approvePlan",
        "Say yes. Nothing runs.",
        Who::Person,
    );
    let operation = decides::<Approval>(operation, api);
    api.add(operation, approve);
    let operation =
        doc::post("/api/v1/plans/{plan_id}/reject", "rejectPlan", "Say no, for good.", Who::Person);
    let operation = decides::<Rejection>(operation, api);
    api.add(operation, reject);
    let operation = doc::post(
        "/api/v1/plans/{plan_id}/changes",
        "requestChanges",
        "Ask for another plan.",
        Who::Person,
    );
    let operation = decides::<Changes>(operation, api);
    api.add(operation, changes);
    let operation =
        doc::post("/api/v1/plans/{plan_id}/pause", "pausePlan", "Postpone it.", Who::Person);
    let operation = decides::<Sure>(operation, api);
    api.add(operation, pause);
    let operation = doc::post(
        "/api/v1/plans/{plan_id}/renew",
        "renewPlan",
        "Make a fresh plan of the same draft; it waits for a person.",
        Who::Person,
    );
    let operation = decides::<Sure>(operation, api);
    api.add(operation, renew);
}

fn decides<T: JsonSchema>(operation: Operation, api: &mut Api) -> Operation {
    operation
        .body::<T>(api)
        .header("If-Match", "The `ETag` of the plan that the decision is about.")
        .header("Idempotency-Key", "Two commands with the same key are one.")
        .reply::<Decided>(api, 200, "the resulting plan")
        .or(&[409, 410, 412])
}

/// A yes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Approval {
    /// The hash of the plan, as it was shown.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
    /// Only these steps; they become a plan of their own.
    steps: Option<Vec<String>>,
}

/// A no.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rejection {
    /// The hash of the plan, as it was shown.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
    /// Why.
    reason: String,
}

/// A request for another plan.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Changes {
    /// The hash of the plan, as it was shown.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
    /// What is wanted.
    request: String,
}

/// Which plan is meant.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sure {
    /// The hash of the plan, as it was shown.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
}

/// A hash as written: 64 lower-case hexadecimal digits.
pub(super) fn hash(text: &str) -> Result<Digest, Problem> {
    Digest::parse(text)
        .map_err(|error| Problem::invalid(format!("`plan_hash` is not a hash: {error}")))
}

/// Who decides on which version of which plan.
struct Act {
    person: Person,
    plan_id: String,
    hash: Digest,
    version: IfMatch,
    key: Option<String>,
}

impl Act {
    /// The same, as the API answers.
    async fn carry_out<C>(
        self,
        state: &AppState,
        command: impl FnOnce(PlanId, Digest, Proof) -> C,
    ) -> Result<Response, Problem>
    where
        C: Command<Reply = Decided> + Clone + Send + 'static,
    {
        let (decided, version) = self.decide(state, command).await?;
        Ok(([(header::ETAG, version)], Json(decided)).into_response())
    }

    /// Has the gate carry out a decision on exactly this plan.
    async fn decide<C>(
        self,
        state: &AppState,
        command: impl FnOnce(PlanId, Digest, Proof) -> C,
    ) -> Result<(Decided, HeaderValue), Problem>
    where
        C: Command<Reply = Decided> + Clone + Send + 'static,
    {
        let Self { person, plan_id, hash, version, key } = self;
        let visitor = Visitor::Person(person.clone());
        let (served, plan) = find_plan(state, &visitor, &plan_id).await?;
        // A command that is given again is answered as before, whatever became of the plan.
        let again = match key.clone() {
            Some(key) => {
                state.ask(&served, move |gate| Ok(gate.made_under(&key).is_some())).await?
            }
            None => false,
        };
        if !again {
            version.holds(&plan)?;
        }
        let command = command(plan.created.plan_id.clone(), hash, person.proof());
        let asking = Asking { actor: person.actor, key };
        state
            .ask(&served, move |gate| {
                Gate::same_hash(&plan, Some(hash))?;
                let decided = gate.handle(&asking.caller(), command)?;
                let plan = gate.plan_named(&decided.plan_id)?;
                Ok::<_, GateError>((decided, etag::header(&plan)))
            })
            .await
    }
}

async fn approve(
    State(state): State<AppState>,
    person: Person,
    Path(plan_id): Path<String>,
    version: IfMatch,
    key: Key,
    Body(said): Body<Approval>,
) -> Result<Response, Problem> {
    let (hash, key) = (hash(&said.plan_hash)?, key.of(&person.actor));
    let selection = said.steps.map_or(Selection::Whole, Selection::Steps);
    let act = Act { person, plan_id, hash, version, key };
    act.carry_out(&state, |plan_id, hash, proof| Approve {
        plan_id,
        plan_hash: Some(hash),
        selection,
        proof,
    })
    .await
}

async fn reject(
    State(state): State<AppState>,
    person: Person,
    Path(plan_id): Path<String>,
    version: IfMatch,
    key: Key,
    Body(said): Body<Rejection>,
) -> Result<Response, Problem> {
    let (hash, key) = (hash(&said.plan_hash)?, key.of(&person.actor));
    let act = Act { person, plan_id, hash, version, key };
    act.carry_out(&state, |plan_id, hash, proof| Reject {
        plan_id,
        plan_hash: Some(hash),
        reason: said.reason,
        proof,
    })
    .await
}

async fn changes(
    State(state): State<AppState>,
    person: Person,
    Path(plan_id): Path<String>,
    version: IfMatch,
    key: Key,
    Body(said): Body<Changes>,
) -> Result<Response, Problem> {
    let (hash, key) = (hash(&said.plan_hash)?, key.of(&person.actor));
    let act = Act { person, plan_id, hash, version, key };
    act.carry_out(&state, |plan_id, hash, proof| RequestChanges {
        plan_id,
        plan_hash: Some(hash),
        request: said.request,
        proof,
    })
    .await
}

async fn pause(
    State(state): State<AppState>,
    person: Person,
    Path(plan_id): Path<String>,
    version: IfMatch,
    key: Key,
    Body(said): Body<Sure>,
) -> Result<Response, Problem> {
    let (hash, key) = (hash(&said.plan_hash)?, key.of(&person.actor));
    let act = Act { person, plan_id, hash, version, key };
    act.carry_out(&state, |plan_id, _, _| Pause { plan_id }).await
}

async fn renew(
    State(state): State<AppState>,
    person: Person,
    Path(plan_id): Path<String>,
    version: IfMatch,
    key: Key,
    Body(said): Body<Sure>,
) -> Result<Response, Problem> {
    let (hash, key) = (hash(&said.plan_hash)?, key.of(&person.actor));
    let act = Act { person, plan_id, hash, version, key };
    act.carry_out(&state, |plan_id, hash, proof| Renew { plan_id, plan_hash: Some(hash), proof })
        .await
}
