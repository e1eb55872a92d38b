//! What the page of a run does: undo and redo, a word about one step, cancel, and what became
//! of a step whose answer was lost.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{PlanId, RunId};
use exacta_engine::gate::{Gate, GateError, Redo, Resolve, StepDecide, Undo, UndoState, Undone};
use exacta_engine::proof::Proof;

use super::decisions::genuine;
use super::forms::{self, Fields, field};
use super::frame::Notice;
use super::routes::{Fault, painted_run, run_id, served, signed_in};
use super::signing::ToSign;
use crate::address::Came;
use crate::api::runs::stop;
use crate::api::steps::decide_step;
use crate::passkey::proof_of;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::{Asking, Person};

/// What is asked about which run, by whom.
struct Act {
    state: AppState,
    served: Arc<Served>,
    person: Person,
    run_id: RunId,
    plan_id: PlanId,
    hash: Digest,
}

/// What a form lets happen, or says of a step.
enum Asks {
    Undo(Undo),
    Redo(Redo),
    Step(StepDecide),
    Found(Resolve),
}

impl Asks {
    /// The command of a form; `None` where it only stops something.
    fn of(fields: &Fields, run_id: &RunId, hash: Digest) -> Result<Option<Self>, Problem> {
        let (run_id, plan_hash, proof) = (run_id.clone(), Some(hash), Proof::none());
        let step = field(fields, "step");
        Ok(Some(match field(fields, "act").unwrap_or_default() {
            "undo" => Self::Undo(Undo { run_id, plan_hash, proof }),
            "redo" => Self::Redo(Redo { run_id, plan_hash, proof }),
            word @ ("allow" | "decline") => {
                let arguments = field(fields, "arguments").unwrap_or_default();
                let arguments = Digest::parse(arguments).map_err(|_| {
                    Problem::invalid("the form does not say which arguments were shown")
                })?;
                let reason = field(fields, "reason").map(str::trim);
                let reason = reason.filter(|reason| !reason.is_empty()).map(Into::into);
                let (step_id, approve) = (step.unwrap_or_default().into(), word == "allow");
                Self::Step(StepDecide {
                    run_id,
                    step_id,
                    arguments,
                    approve,
                    reason,
                    plan_hash,
                    proof,
                })
            }
            word @ ("happened" | "not") => {
                let (step_id, happened) = (step.map(Into::into), word == "happened");
                Self::Found(Resolve { run_id, step_id, happened, plan_hash, proof })
            }
            _ => return Ok(None),
        }))
    }

    fn to_sign(&self, plan_id: &PlanId, hash: Digest) -> Result<Option<ToSign>, Problem> {
        match self {
            Self::Undo(command) => ToSign::of(command, plan_id, hash),
            Self::Redo(command) => ToSign::of(command, plan_id, hash),
            Self::Step(command) => ToSign::of(command, plan_id, hash),
            Self::Found(command) => ToSign::of(command, plan_id, hash),
        }
    }
}

/// What a passkey is asked to sign for a form of a run's page.
pub(super) async fn to_sign(
    state: &AppState,
    project: &str,
    run: &str,
    fields: &Fields,
) -> Result<Option<ToSign>, Problem> {
    let served = state.project(project).ok_or_else(|| Problem::no_such("project"))?;
    let run_id = RunId::parse(run).map_err(|_| Problem::no_such("run"))?;
    let hash = hash_of(fields)?;
    let plan_id = plan_of(state, served, &run_id, hash).await?;
    match Asks::of(fields, &run_id, hash)? {
        Some(asks) => asks.to_sign(&plan_id, hash),
        None => Ok(None),
    }
}

fn hash_of(fields: &Fields) -> Result<Digest, Problem> {
    let hash = field(fields, "plan_hash").unwrap_or_default();
    Digest::parse(hash).map_err(|_| Problem::invalid("`plan_hash` is not a hash"))
}

/// The plan of a run, if it has this hash.
async fn plan_of(
    state: &AppState,
    served: &Arc<Served>,
    run_id: &RunId,
    hash: Digest,
) -> Result<PlanId, Problem> {
    let (of, app) = (run_id.clone(), state.clone());
    let plan_id = state.ask(served, move |gate| {
        let plan_id = match (gate.run_named(&of), app.running.early(&of)) {
            (Err(_), Some(early)) => early.plan_id().clone(),
            (run, _) => run?.plan_id,
        };
        Gate::same_hash(&gate.plan_named(&plan_id)?, Some(hash))?;
        Ok::<_, GateError>(plan_id)
    });
    plan_id.await
}

/// What came of it.
enum Outcome {
    /// The run that shows it.
    See(RunId),
    /// Files that were changed since stand in the way.
    Conflict(Vec<String>),
}

pub(super) async fn act_on_run(
    State(state): State<AppState>,
    person: Option<Person>,
    Extension(came): Extension<Came>,
    Path((project, run)): Path<(String, String)>,
    Form(fields): Form<Fields>,
) -> Result<Response, Fault> {
    let (person, fields) = (signed_in(person)?, forms::normal(fields));
    let (served, id) = (served(&state, &project)?, run_id(&run)?);
    let hash = field(&fields, "plan_hash").unwrap_or_default();
    genuine(&state, &person, &fields, hash)?;
    let hash = hash_of(&fields)?;
    let plan_id = plan_of(&state, &served, &id, hash).await?;
    let act = Act { state, served, person, run_id: id, plan_id, hash };
    let outcome = act.carry_out(&came, &fields).await;
    let Act { state, served, person, run_id: id, .. } = act;
    match outcome {
        Ok(Outcome::See(run)) => {
            Ok(Redirect::to(&format!("/projects/{}/runs/{run}", served.id)).into_response())
        }
        Ok(Outcome::Conflict(conflicts)) => {
            let notice = Some(Notice::bad("Nothing was taken back; every file is as it was."));
            let page = painted_run(&state, &served, &person, id, notice, conflicts).await?;
            Ok((StatusCode::CONFLICT, page).into_response())
        }
        Err(problem) => {
            let status = problem.status();
            let mut notice = Notice::bad(problem.detail.clone());
            notice.hints = problem.hints.iter().filter_map(forms::hint).collect();
            let page = painted_run(&state, &served, &person, id, Some(notice), Vec::new()).await?;
            Ok((status, page).into_response())
        }
    }
}

impl Act {
    fn asking(&self) -> Asking {
        Asking { actor: self.person.actor.clone(), key: None }
    }

    async fn carry_out(&self, came: &Came, fields: &Fields) -> Result<Outcome, Problem> {
        let Some(asks) = Asks::of(fields, &self.run_id, self.hash)? else {
            return self.stop(fields).await;
        };
        let act = asks.to_sign(&self.plan_id, self.hash)?;
        let given = field(fields, "passkey");
        let proof = proof_of(&self.state, &self.person, came, given, act.as_ref())?;
        let (state, served, asking) = (&self.state, &self.served, self.asking());
        match asks {
            Asks::Undo(command) => {
                let command = Undo { proof, ..command };
                let asked = state.ask(served, move |gate| gate.handle(&asking.caller(), command));
                Ok(undone(asked.await?))
            }
            Asks::Redo(command) => {
                let command = Redo { proof, ..command };
                let asked = state.ask(served, move |gate| gate.handle(&asking.caller(), command));
                Ok(undone(asked.await?))
            }
            Asks::Step(command) => {
                let command = StepDecide { proof, ..command };
                decide_step(state, served, asking, command, &self.plan_id, self.hash).await?;
                Ok(Outcome::See(self.run_id.clone()))
            }
            Asks::Found(command) => {
                let command = Resolve { proof, ..command };
                let asked = state.ask(served, move |gate| gate.handle(&asking.caller(), command));
                Ok(Outcome::See(asked.await?.run_id))
            }
        }
    }

    async fn stop(&self, fields: &Fields) -> Result<Outcome, Problem> {
        if field(fields, "act") != Some("cancel") {
            return Err(Problem::invalid("the form does not say what to do"));
        }
        let actor = &self.person.actor;
        stop(&self.state, &self.served, actor, &self.plan_id, &self.run_id).await?;
        Ok(Outcome::See(self.run_id.clone()))
    }
}

fn undone(undone: Undone) -> Outcome {
    match undone.state {
        UndoState::Conflict => Outcome::Conflict(undone.conflicts),
        _ => Outcome::See(undone.run_id),
    }
}
