//! Starting an approved plan. Whoever asks is told the id of the run at once; it goes on beside
//! everything else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use exacta_core::life::ledger::{PlanEntry, RunState};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::record::Actor;
use exacta_engine::gate::{Caller, Gate, GateError, NoteFailedStart, PrepareRun, Run};
use exacta_engine::run::Watch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::body::{Body, Key};
use super::decide::hash;
use super::find::find_plan;
use super::shapes::EarlyState;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::underway::{NotStarted, Underway};
use crate::who::{Asking, Visitor};

/// How long the first sign of life is waited for; one that waits for another run has none.
const SOON: Duration = Duration::from_secs(2);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// A plan to start.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    /// The plan.
    plan_id: String,
    /// Its hash.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    plan_hash: String,
}

/// A run that was started.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Started {
    /// The plan.
    plan_id: PlanId,
    /// Its hash.
    plan_hash: Digest,
    /// The run.
    run_id: RunId,
    /// `starting` or `checking` while nothing has moved, `running`, or how it ended if it did at
    /// once.
    state: String,
}

/// Lets somebody else stop a run.
struct Stoppable(Arc<AtomicBool>);

impl Watch for Stoppable {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What became of a run, or why it was none.
type Ended = Result<(RunId, RunState), GateError>;

/// A run that goes on beside everything else.
struct Begun {
    /// Its id, if it gets as far as the record.
    run_id: RunId,
    ended: oneshot::Receiver<Ended>,
}

/// How a run stands that somebody asked for.
pub(crate) type News = (RunId, String);

pub(super) async fn start(
    State(state): State<AppState>,
    visitor: Visitor,
    key: Key,
    Body(asked): Body<Start>,
) -> Result<Response, Problem> {
    let hash = hash(&asked.plan_hash)?;
    let (served, plan) = find_plan(&state, &visitor, &asked.plan_id).await?;
    let plan_id = plan.created.plan_id.clone();
    let key = key.of(visitor.actor());
    let news = started(&state, &served, visitor.actor(), &plan_id, hash, key.clone()).await;
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
    let place = format!("/api/v1/runs/{run_id}");
    let started = Started { plan_id, plan_hash: hash, run_id, state: run_state };
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(started)).into_response())
}

/// Starts a run, unless the plan's is under way already, and says how it stands a moment later.
pub(crate) async fn started(
    state: &AppState,
    served: &Arc<Served>,
    actor: &Actor,
    plan_id: &PlanId,
    hash: Digest,
    key: Option<String>,
) -> Result<News, Problem> {
    let wanted = plan_id.clone();
    let early = state.ask(served, move |gate| {
        let plan = gate.plan_named(&wanted)?;
        Gate::same_hash(&plan, Some(hash))?;
        Ok(plan.run_id().is_none())
    });
    let early = early.await?;
    let (fresh, since_ms) = (fresh_id(state)?, now(state)?);
    let (underway, is_first) = state.running.begin(plan_id, fresh, since_ms);
    if !is_first {
        state.running.end(plan_id);
        if !early {
            // The gate itself says that it was started.
            let prepare = PrepareRun { plan_id: plan_id.clone(), plan_hash: Some(hash) };
            let asking = Asking { actor: actor.clone(), key: None };
            state.ask(served, move |gate| gate.handle(&asking.caller(), prepare)).await?;
        }
        return standing(state, served, underway.run_id).await;
    }
    let begun = go(state, served, actor, plan_id, underway, (hash, key));
    first_news(state, served, plan_id, begun).await
}

fn fresh_id(state: &AppState) -> Result<RunId, Problem> {
    let id = state.machine.new_id().map_err(|error| Problem::internal(error.to_string()))?;
    RunId::parse(&id).map_err(|error| Problem::internal(error.to_string()))
}

fn now(state: &AppState) -> Result<u64, Problem> {
    let now = state.machine.now().map_err(|error| Problem::internal(error.to_string()))?;
    Ok(now.wall_ms)
}

/// How a run stands that is not on the record yet, or just is.
async fn standing(state: &AppState, served: &Arc<Served>, run_id: RunId) -> Result<News, Problem> {
    let (app, wanted) = (state.clone(), run_id.clone());
    let said = state.ask(served, move |gate| {
        gate.refresh()?;
        Ok(match gate.run_named(&wanted) {
            Ok(run) => run.state().map_or("running", RunState::as_str),
            Err(_) => EarlyState::of(gate, app.running.early(&wanted).as_ref()).as_str(),
        })
    });
    Ok((run_id, said.await?.into()))
}

/// The run that an earlier delivery of the same request began, and how it stands.
fn begun_under(gate: &Gate<'_>, key: &str, plan_id: PlanId, hash: Digest) -> Option<News> {
    let run_id = gate.made_by(key, &Run { plan_id, plan_hash: Some(hash) })?;
    let run = gate.run_named(&run_id).ok()?;
    let state = run.state().map_or("running", RunState::as_str);
    Some((run.run_id, state.into()))
}

/// Goes on with a run beside everything else; nobody is kept waiting.
pub(crate) fn go_on(
    state: &AppState,
    served: &Arc<Served>,
    actor: &Actor,
    (plan_id, run_id): (&PlanId, RunId),
    hash: Digest,
) -> Result<(), Problem> {
    let (underway, _) = state.running.begin(plan_id, run_id, now(state)?);
    // Its end is on the record.
    drop(go(state, served, actor, plan_id, underway, (hash, None)));
    Ok(())
}

/// Runs the plan, or goes on with its run.
fn go(
    state: &AppState,
    served: &Arc<Served>,
    actor: &Actor,
    plan_id: &PlanId,
    underway: Underway,
    (hash, key): (Digest, Option<String>),
) -> Begun {
    let (tell, ended) = oneshot::channel();
    let (served, plan_id, actor) = (Arc::clone(served), plan_id.clone(), actor.clone());
    let (state, run_id) = (state.clone(), underway.run_id.clone());
    tokio::task::spawn_blocking(move || {
        let (watch, run_id) = (Stoppable(underway.stop), underway.run_id);
        let since_ms = underway.since_ms;
        let named = run_id.clone();
        let ended = served.ask_here(|gate| {
            let caller = Caller::new(actor).with_key(key).watched(&watch).naming(named);
            let run = Run { plan_id: plan_id.clone(), plan_hash: Some(hash) };
            let ran = gate.handle(&caller, run);
            if let Err(error) = &ran {
                let why = error.to_string();
                // Why a plan that may start did not, unless it did: by another run.
                let may = |plan: PlanEntry| plan.state().is_approved() && plan.run_id().is_none();
                if gate.plan_named(&plan_id).is_ok_and(may) {
                    let note = NoteFailedStart { plan_id: plan_id.clone(), why: why.clone() };
                    // What cannot be noted is still the answer, if somebody waits for it.
                    let _ = gate.handle(&Caller::system(), note);
                }
                let (run_id, plan_id) = (run_id, plan_id.clone());
                state.running.not_started(NotStarted { run_id, plan_id, since_ms, why });
            }
            ran.map(|ran| (ran.run_id, ran.state))
        });
        state.running.end(&plan_id);
        // Nothing may be on the record of it; open pages look all the same.
        served.tell();
        let _ = tell.send(ended);
    });
    Begun { run_id, ended }
}

/// What can be said of a start soon: that it is under way, how it ended, or why it did not begin.
async fn first_news(
    state: &AppState,
    served: &Arc<Served>,
    plan_id: &PlanId,
    mut begun: Begun,
) -> Result<News, Problem> {
    let until = tokio::time::Instant::now() + SOON;
    loop {
        match tokio::time::timeout(LOOK, &mut begun.ended).await {
            Ok(Ok(Ok((run_id, state)))) => return Ok((run_id, state.as_str().into())),
            Ok(Ok(Err(error))) => return Err(error.into()),
            Ok(Err(_)) => return Err(Problem::internal("the run broke off; `recover` settles it")),
            Err(_) => {
                let (wanted, plan_id) = (begun.run_id.clone(), plan_id.clone());
                let can_be_seen = state.ask(served, move |gate| {
                    Ok(gate.run_named(&wanted).is_ok() || gate.checking() == Some(plan_id))
                });
                if can_be_seen.await? {
                    return standing(state, served, begun.run_id).await;
                }
            }
        }
        if tokio::time::Instant::now() >= until {
            return standing(state, served, begun.run_id).await;
        }
    }
}
