//! What the forms of a plan's page do: each turns into a command of the gate.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_engine::gate::{
    Approve, Caller, Command, DecideParts, Decided, Pause, Reject, Renew, RequestChanges, Selection,
};
use exacta_engine::proof::Proof;

use super::difference::Layout;
use super::forms::{self, Fields, field};
use super::frame::Notice;
use super::notes;
use super::routes::{Fault, named, painted, plan_id, served, signed_in};
use super::signing::ToSign;
use super::view::Asked;
use crate::address::Came;
use crate::api::start::started;
use crate::passkey::proof_of;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::Person;

/// A form's token must be the one that its page was given for this thing.
pub(super) fn genuine(
    state: &AppState,
    person: &Person,
    fields: &Fields,
    what: &str,
) -> Result<(), Fault> {
    genuine_token(state, person, field(fields, "token").unwrap_or_default(), what)
}

/// The same, for what a script of ours sends.
pub(super) fn genuine_token(
    state: &AppState,
    person: &Person,
    token: &str,
    what: &str,
) -> Result<(), Fault> {
    let given = Digest::of(token.as_bytes());
    let made = Digest::of(state.form_token(&person.signed_in, what).as_bytes());
    if given == made {
        return Ok(());
    }
    let detail = "the form was not made for this plan and this session; nothing was done";
    Err(Problem::not_allowed(detail).into())
}

/// A decision as a form says it.
enum Decision {
    Approve,
    Parts,
    Reject,
    Changes,
    Pause,
    Renew,
    Run,
}

/// What a form approves.
enum Approves {
    Whole(Approve),
    Parts(DecideParts),
}

impl Approves {
    /// The command of a form; `None` where it approves nothing.
    fn of(fields: &Fields, plan_id: &PlanId, hash: Digest) -> Option<Self> {
        let (plan_id, plan_hash, proof) = (plan_id.clone(), Some(hash), Proof::none());
        let words = field(fields, "act").unwrap_or_default();
        match words {
            "approve" => {
                let selection = Selection::Whole;
                Some(Self::Whole(Approve { plan_id, plan_hash, selection, proof }))
            }
            "selected" | "parts" => {
                let with_rest = words == "parts";
                let rest = field(fields, "request").map(Into::into).filter(|_| with_rest);
                let comments = if with_rest { forms::comments(fields) } else { Vec::new() };
                let parts = forms::parts(fields);
                Some(Self::Parts(DecideParts { plan_id, plan_hash, parts, rest, comments, proof }))
            }
            _ => None,
        }
    }

    fn to_sign(&self, plan_id: &PlanId, hash: Digest) -> Result<Option<ToSign>, Problem> {
        match self {
            Self::Whole(command) => ToSign::of(command, plan_id, hash),
            Self::Parts(command) => ToSign::of(command, plan_id, hash),
        }
    }
}

/// What a passkey is asked to sign for a form of a plan's page.
pub(super) fn to_sign(plan: &str, fields: &Fields) -> Result<Option<ToSign>, Problem> {
    let plan_id = PlanId::parse(plan).map_err(|_| Problem::no_such("plan"))?;
    let hash = field(fields, "plan_hash").unwrap_or_default();
    let hash = Digest::parse(hash).map_err(|_| Problem::invalid("`plan_hash` is not a hash"))?;
    match Approves::of(fields, &plan_id, hash) {
        Some(approves) => approves.to_sign(&plan_id, hash),
        None => Ok(None),
    }
}

/// Carries a command to the gate.
async fn carry<C: Command<Reply = Decided> + Clone + Send + 'static>(
    state: &AppState,
    served: &Arc<Served>,
    person: &Person,
    command: C,
) -> Result<Decided, Problem> {
    let actor = person.actor.clone();
    state.ask(served, move |gate| gate.handle(&Caller::new(actor), command)).await
}

pub(super) async fn decide(
    State(state): State<AppState>,
    person: Option<Person>,
    Extension(came): Extension<Came>,
    Path((project, plan)): Path<(String, String)>,
    Form(fields): Form<Fields>,
) -> Result<Response, Fault> {
    let (person, fields) = (signed_in(person)?, forms::normal(fields));
    let (served, plan_id) = (served(&state, &project)?, plan_id(&plan)?);
    let hash = field(&fields, "plan_hash").unwrap_or_default();
    genuine(&state, &person, &fields, hash)?;
    let hash = Digest::parse(hash).map_err(|_| Problem::invalid("`plan_hash` is not a hash"))?;
    let words = field(&fields, "act").unwrap_or_default();
    let decision = match words {
        "approve" => Decision::Approve,
        "selected" | "parts" => Decision::Parts,
        "reject" => Decision::Reject,
        "changes" => Decision::Changes,
        "pause" => Decision::Pause,
        "renew" => Decision::Renew,
        "run" => Decision::Run,
        _ => return Err(Problem::invalid("the form does not say what to do").into()),
    };
    let seen = field(&fields, "seen") == Some("all") || field(&fields, "unseen").is_some();
    let approves = matches!(decision, Decision::Approve | Decision::Parts);
    let refused = |notice: Notice| async {
        let asked = Asked {
            project: named(&served),
            layout: Layout::default(),
            notice: Some(notice),
            kept: field(&fields, "request").map(Into::into),
            editor: super::editor::is_there(&served, &came),
            passkey: person.signed_in.by_passkey(),
        };
        painted(&state, &served, &person, plan_id.clone(), asked).await
    };
    if approves && !seen {
        let notice = Notice::bad(
            "Nothing was approved: not all of it was on screen. Tick the box beside the button to \
             decide all the same.",
        );
        let page = refused(notice).await?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    if matches!(decision, Decision::Run) {
        return start(&state, &served, &person, plan_id, hash).await;
    }
    let made = Approves::of(&fields, &plan_id, hash);
    let proof = match proof(&state, &person, &came, &fields, &plan_id, hash, made.as_ref()) {
        Ok(proof) => proof,
        Err(problem) => {
            let page = refused(Notice::bad(problem.detail.clone())).await?;
            return Ok((problem.status(), page).into_response());
        }
    };
    let id = plan_id.clone();
    let plan_hash = Some(hash);
    let (reply, word) = match (decision, made) {
        (_, Some(Approves::Whole(command))) => {
            let command = Approve { proof, ..command };
            (carry(&state, &served, &person, command).await, "approved")
        }
        (_, Some(Approves::Parts(command))) => {
            let with_rest = words == "parts";
            if with_rest && forms::request(&fields).is_empty() {
                let notice = Notice::bad("Nothing was decided: say what should be different.");
                let page = refused(notice).await?;
                return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
            }
            let word = if with_rest { "parts" } else { "selected" };
            let command = DecideParts { proof, ..command };
            (carry(&state, &served, &person, command).await, word)
        }
        (Decision::Reject, None) => {
            let reason = field(&fields, "reason").unwrap_or_default().trim().to_owned();
            if reason.is_empty() {
                let page =
                    refused(Notice::bad("Nothing was decided: say why it is rejected.")).await?;
                return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
            }
            let command = Reject { plan_id: id, plan_hash, reason, proof };
            (carry(&state, &served, &person, command).await, "rejected")
        }
        (Decision::Changes, None) => {
            let request = forms::request(&fields);
            if request.is_empty() {
                let notice = Notice::bad("Nothing was decided: say what should be different.");
                let page = refused(notice).await?;
                return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
            }
            let command = RequestChanges { plan_id: id, plan_hash, request, proof };
            (carry(&state, &served, &person, command).await, "changes")
        }
        (Decision::Pause, None) => {
            (carry(&state, &served, &person, Pause { plan_id: id }).await, "paused")
        }
        (Decision::Approve | Decision::Parts, None) => {
            return Err(Problem::invalid("the form does not say what to do").into());
        }
        (Decision::Renew | Decision::Run, None) => {
            let command = Renew { plan_id: id, plan_hash, proof };
            (carry(&state, &served, &person, command).await, "renewed")
        }
    };
    match reply {
        Ok(decided) => {
            if !matches!(word, "paused" | "renewed") {
                let goes_on = matches!(word, "parts" | "changes");
                notes::decided(&state, &served, plan_id.clone(), goes_on).await;
            }
            let to = format!("/projects/{}/plans/{}?done={word}", served.id, decided.plan_id);
            Ok(Redirect::to(&to).into_response())
        }
        Err(problem) => {
            let status = problem.status();
            let mut notice = Notice::bad(problem.detail.clone());
            notice.hints = problem.hints.iter().filter_map(forms::hint).collect();
            Ok((status, refused(notice).await?).into_response())
        }
    }
}

/// What shows the right to decide: the session, and what a passkey signed of the act. Whoever
/// signed in with a passkey approves with it.
fn proof(
    state: &AppState,
    person: &Person,
    came: &Came,
    fields: &Fields,
    plan_id: &PlanId,
    hash: Digest,
    made: Option<&Approves>,
) -> Result<Proof, Problem> {
    let act = made.map(|made| made.to_sign(plan_id, hash)).transpose()?.flatten();
    let given = field(fields, "passkey").filter(|given| !given.is_empty());
    if act.is_some() && given.is_none() && person.signed_in.by_passkey() {
        return Err(Problem::not_allowed(
            "Nothing was approved: you signed in with a passkey, so it has to sign what you \
             approve.",
        ));
    }
    proof_of(state, person, came, given, act.as_ref())
}

/// Starts a run, and shows it.
async fn start(
    state: &AppState,
    served: &Arc<Served>,
    person: &Person,
    plan_id: PlanId,
    hash: Digest,
) -> Result<Response, Fault> {
    let (run, _) = started(state, served, &person.actor, &plan_id, hash, None).await?;
    Ok(Redirect::to(&format!("/projects/{}/runs/{run}", served.id)).into_response())
}
