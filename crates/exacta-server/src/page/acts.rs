//! What the page of a run does: undo and redo, a word about one step, cancel, and what became
//! of a step whose answer was lost.

use std::sync::Arc;

use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{PlanId, RunId};
use exacta_engine::gate::{Gate, GateError, Redo, Resolve, StepDecide, Undo, UndoState, Undone};

use super::decisions::genuine;
use super::forms::{self, Fields, field};
use super::frame::Notice;
use super::routes::{Fault, painted_run, run_id, served, signed_in};
use crate::api::runs::stop;
use crate::api::steps::decide_step;
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
    Path((project, run)): Path<(String, String)>,
    Form(fields): Form<Fields>,
) -> Result<Response, Fault> {
    let person = signed_in(person)?;
    let (served, id) = (served(&state, &project)?, run_id(&run)?);
    let hash = field(&fields, "plan_hash").unwrap_or_default();
    genuine(&state, &person, &fields, hash)?;
    let hash = Digest::parse(hash).map_err(|_| Problem::invalid("`plan_hash` is not a hash"))?;
    let of = id.clone();
    let plan_id = state.ask(&served, move |gate| {
        let run = gate.run_named(&of)?;
        Gate::same_hash(&gate.plan_named(&run.plan_id)?, Some(hash))?;
        Ok::<_, GateError>(run.plan_id)
    });
    let plan_id = plan_id.await?;
    let act = Act { state, served, person, run_id: id, plan_id, hash };
    let outcome = act.carry_out(&fields).await;
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

    async fn carry_out(&self, fields: &Fields) -> Result<Outcome, Problem> {
        let (run_id, plan_hash) = (self.run_id.clone(), Some(self.hash));
        match field(fields, "act").unwrap_or_default() {
            "undo" => {
                let command = Undo { run_id, plan_hash, proof: self.person.proof() };
                let asking = self.asking();
                let asked = self
                    .state
                    .ask(&self.served, move |gate| gate.handle(&asking.caller(), command));
                Ok(undone(asked.await?))
            }
            "redo" => {
                let command = Redo { run_id, plan_hash, proof: self.person.proof() };
                let asking = self.asking();
                let asked = self
                    .state
                    .ask(&self.served, move |gate| gate.handle(&asking.caller(), command));
                Ok(undone(asked.await?))
            }
            "allow" => self.decide(fields, true).await,
            "decline" => self.decide(fields, false).await,
            "cancel" => {
                let actor = &self.person.actor;
                stop(&self.state, &self.served, actor, &self.plan_id, &run_id).await?;
                Ok(Outcome::See(run_id))
            }
            "happened" => self.resolve(fields, true).await,
            "not" => self.resolve(fields, false).await,
            _ => Err(Problem::invalid("the form does not say what to do")),
        }
    }

    async fn decide(&self, fields: &Fields, approve: bool) -> Result<Outcome, Problem> {
        let arguments = field(fields, "arguments").unwrap_or_default();
        let arguments = Digest::parse(arguments)
            .map_err(|_| Problem::invalid("the form does not say which arguments were shown"))?;
        let reason = field(fields, "reason").map(str::trim).filter(|reason| !reason.is_empty());
        let command = StepDecide {
            run_id: self.run_id.clone(),
            step_id: field(fields, "step").unwrap_or_default().into(),
            arguments,
            approve,
            reason: reason.map(Into::into),
            plan_hash: Some(self.hash),
            proof: self.person.proof(),
        };
        decide_step(&self.state, &self.served, self.asking(), command, &self.plan_id, self.hash)
            .await?;
        Ok(Outcome::See(self.run_id.clone()))
    }

    async fn resolve(&self, fields: &Fields, happened: bool) -> Result<Outcome, Problem> {
        let command = Resolve {
            run_id: self.run_id.clone(),
            step_id: field(fields, "step").map(Into::into),
            happened,
            plan_hash: Some(self.hash),
            proof: self.person.proof(),
        };
        let asking = self.asking();
        let asked =
            self.state.ask(&self.served, move |gate| gate.handle(&asking.caller(), command));
        Ok(Outcome::See(asked.await?.run_id))
    }
}

fn undone(undone: Undone) -> Outcome {
    match undone.state {
        UndoState::Conflict => Outcome::Conflict(undone.conflicts),
        _ => Outcome::See(undone.run_id),
    }
}
