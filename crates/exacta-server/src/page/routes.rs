//! Which page is at which address, and what its forms do.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use exacta_core::model::id::{PlanId, RunId};
use exacta_engine::gate::{Gate, GateError};
use futures_util::stream;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use super::difference::Layout;
use super::forms;
use super::frame::{Frame, Here, Notice, frame};
use super::view::{self, Asked, Wanted};
use super::{
    acts, assets, decisions, door, early, editor, inbox, notes, passkeys, policy, record, run, way,
};
use crate::address::Came;
use crate::problem::Problem;
use crate::state::{AppState, Served};
use crate::who::Person;

/// The routes of the pages.
pub(crate) fn router() -> Router<AppState> {
    Router::new()
        .route("/", get(show_inbox))
        .route("/assets/{hash}/{name}", get(assets::serve))
        .route("/room/news", get(news))
        .route("/room/here", get(here))
        .route("/projects/{project}/plans/{plan}", get(show_plan))
        .route("/projects/{project}/plans/{plan}/standing", get(standing))
        .route("/projects/{project}/plans/{plan}/context", get(context))
        .route("/projects/{project}/plans/{plan}/notes", get(notes::get).post(notes::keep))
        .route("/projects/{project}/plans/{plan}/decide", post(decisions::decide))
        .route("/projects/{project}/runs/{run}", get(show_run))
        .route("/projects/{project}/runs/{run}/act", post(acts::act_on_run))
        .route("/projects/{project}/record", get(show_record))
        .route("/projects/{project}/checkpoint", get(checkpoint))
        .route("/projects/{project}/policy", get(show_policy))
        .route("/projects/{project}/plans/{plan}/open", post(editor::open))
        .route("/passkeys", get(passkeys::page))
        .merge(way::routes())
}

/// What a page says instead of itself.
pub(super) struct Fault(Response);

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        self.0
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        let status = problem.status();
        if status == StatusCode::UNAUTHORIZED {
            return Self(Redirect::to("/sign-in").into_response());
        }
        let hints: Vec<String> = problem.hints.iter().filter_map(forms::hint).collect();
        let page = door::fault(problem.code.summary(), &problem.detail, &hints);
        Self((status, page).into_response())
    }
}

fn to_sign_in() -> Fault {
    Fault(Redirect::to("/sign-in").into_response())
}

/// Whoever is signed in; everybody else is sent to sign in, and is shown nothing.
pub(super) fn signed_in(person: Option<Person>) -> Result<Person, Fault> {
    person.ok_or_else(to_sign_in)
}

pub(super) fn served(state: &AppState, project: &str) -> Result<Arc<Served>, Fault> {
    state.project(project).cloned().ok_or_else(|| Problem::no_such("project").into())
}

pub(super) fn plan_id(text: &str) -> Result<PlanId, Fault> {
    PlanId::parse(text).map_err(|_| Problem::no_such("plan").into())
}

pub(super) fn run_id(text: &str) -> Result<RunId, Fault> {
    RunId::parse(text).map_err(|_| Problem::no_such("run").into())
}

pub(super) fn named(served: &Served) -> (String, String) {
    (served.id.to_string(), served.name.clone())
}

async fn show_inbox(
    State(state): State<AppState>,
    person: Option<Person>,
) -> Result<Markup, Fault> {
    signed_in(person)?;
    let (mut items, mut projects) = (Vec::new(), Vec::new());
    for served in &state.projects {
        let (project, path) = (named(served), served.path.clone());
        let of = project.clone();
        // One project that cannot be looked at does not hide what waits in the others.
        let found = state.ask(served, move |gate| inbox::items(gate, &of)).await;
        let fault = match found {
            Ok(found) => {
                items.extend(found);
                None
            }
            Err(problem) => Some(problem.detail),
        };
        projects.push(inbox::Listed { project, path, fault });
    }
    items.sort_by(|one, other| other.created_at.cmp(&one.created_at));
    Ok(inbox::inbox(&items, &projects, None))
}

/// Tells an open page that something is new, and nothing else; what, it asks for itself.
async fn news(
    State(state): State<AppState>,
    person: Option<Person>,
) -> Result<Sse<impl futures_util::Stream<Item = Result<Sent, Infallible>>>, Fault> {
    // A stream that a browser is not to ask for again ends so, and nothing is led elsewhere.
    let person = person.ok_or_else(|| Fault(StatusCode::NO_CONTENT.into_response()))?;
    let (told, heard) = tokio::sync::mpsc::channel::<()>(1);
    for served in &state.projects {
        let (mut news, told) = (served.news(), told.clone());
        tokio::spawn(async move {
            news.mark_unchanged();
            while news.changed().await.is_ok() {
                // One that is waiting to be sent stands for this one too.
                if let Err(tokio::sync::mpsc::error::TrySendError::Closed(())) = told.try_send(()) {
                    return;
                }
                if told.is_closed() {
                    return;
                }
            }
        });
    }
    let stopping = state.stopping.clone();
    let parts = (heard, state, person, stopping);
    let events = stream::unfold(parts, |(mut heard, state, person, stopping)| async move {
        let next = tokio::select! {
            next = heard.recv() => next,
            () = stopping.cancelled() => None,
        };
        next?;
        // Whose session has ended hears nothing more.
        if !state.sign_ins.holds(&person.signed_in, std::time::Instant::now()) {
            return None;
        }
        // Browsers drop an event without data.
        let event = Ok(Sent::default().event("news").data("more"));
        Some((event, (heard, state, person, stopping)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// Whether a page that is open can go on.
async fn here(person: Option<Person>) -> Json<serde_json::Value> {
    Json(serde_json::json!({ "signed_in": person.is_some() }))
}

/// What an address of a plan's page carries.
#[derive(Debug, Default, Deserialize)]
struct PlanQuery {
    view: Option<String>,
    done: Option<String>,
}

/// What was just done, from the word in the address.
fn done(word: Option<&str>) -> Option<Notice> {
    Some(Notice::good(match word? {
        "approved" => "Approved. It is good for one run, until its deadline.",
        "parts" => "Approved what was ticked, as a plan of its own. The rest was sent back.",
        "selected" => "Approved what was ticked, as a plan of its own.",
        "rejected" => "Rejected. It will never run.",
        "changes" => "Sent back. The plan is over; the next one can name it.",
        "paused" => "Postponed. It stays and waits.",
        "renewed" => "A fresh plan of the same draft, for the files as they are.",
        _ => return None,
    }))
}

async fn show_plan(
    State(state): State<AppState>,
    person: Option<Person>,
    Extension(came): Extension<Came>,
    Path((project, plan)): Path<(String, String)>,
    Query(query): Query<PlanQuery>,
) -> Result<Markup, Fault> {
    let person = signed_in(person)?;
    let served = served(&state, &project)?;
    let notice = done(query.done.as_deref());
    let asked = Asked {
        project: named(&served),
        layout: Layout::named(query.view.as_deref()),
        notice,
        kept: None,
        editor: editor::is_there(&served, &came),
        passkey: person.signed_in.by_passkey(),
    };
    painted(&state, &served, &person, plan_id(&plan)?, asked).await
}

/// The page of a plan.
pub(super) async fn painted(
    state: &AppState,
    served: &Arc<Served>,
    person: &Person,
    plan_id: PlanId,
    asked: Asked,
) -> Result<Markup, Fault> {
    let (looks, signed_in, app) = (served.looks.clone(), person.signed_in.clone(), state.clone());
    let page = move |gate: &Gate<'_>| {
        view::page(gate, &plan_id, &asked, &looks, &|hash| app.form_token(&signed_in, hash))
    };
    Ok(state.ask(served, page).await?)
}

/// How a plan stands, for a page that is open.
#[derive(Debug, Serialize)]
struct Standing {
    status: &'static str,
    words: String,
    out_of_date: bool,
}

async fn standing(
    State(state): State<AppState>,
    person: Option<Person>,
    Path((project, plan)): Path<(String, String)>,
) -> Result<Json<Standing>, Fault> {
    signed_in(person)?;
    let (served, plan_id) = (served(&state, &project)?, plan_id(&plan)?);
    let status = state.ask(&served, move |gate| gate.status(&plan_id)).await?;
    let words = status.status.as_str();
    Ok(Json(Standing {
        status: words,
        words: words.replace('_', " "),
        out_of_date: status.out_of_date.is_some(),
    }))
}

#[derive(Debug, Deserialize)]
struct ContextQuery {
    path: String,
    step: String,
    before: u32,
    after: u32,
    count: u32,
    view: Option<String>,
}

async fn context(
    State(state): State<AppState>,
    person: Option<Person>,
    Path((project, plan)): Path<(String, String)>,
    Query(query): Query<ContextQuery>,
    headers: HeaderMap,
) -> Result<Markup, Fault> {
    signed_in(person)?;
    let (served, plan_id) = (served(&state, &project)?, plan_id(&plan)?);
    let wanted = Wanted {
        path: query.path.clone(),
        step: Some(query.step).filter(|step| !step.is_empty()),
        before: query.before,
        after: query.after,
        count: query.count,
        layout: Layout::named(query.view.as_deref()),
    };
    let layout = wanted.layout;
    let (project_id, name) = named(&served);
    let rows = state.ask(&served, move |gate| view::context(gate, &plan_id, &wanted)).await?;
    let rows = rows.ok_or_else(|| Fault::from(Problem::no_such("file in the plan")))?;
    if headers.contains_key("x-part") {
        return Ok(rows);
    }
    // Without a script the lines are a page of their own.
    let about = Frame {
        title: &query.path,
        here: Here::Plan,
        project: Some((&project_id, &name)),
        notice: None,
        kind: "lines",
    };
    let split = layout == Layout::Split;
    Ok(frame(
        &about,
        &html! {
            h1 { code { (query.path) } }
            p { a href={ "/projects/" (project_id) "/plans/" (plan) } { "Back to the plan" } }
            table.diff.split[split] { tbody { (rows) } }
        },
    ))
}

async fn show_run(
    State(state): State<AppState>,
    person: Option<Person>,
    Path((project, run)): Path<(String, String)>,
) -> Result<Markup, Fault> {
    let person = signed_in(person)?;
    let served = served(&state, &project)?;
    painted_run(&state, &served, &person, run_id(&run)?, None, Vec::new()).await
}

pub(super) async fn painted_run(
    state: &AppState,
    served: &Arc<Served>,
    person: &Person,
    run_id: RunId,
    notice: Option<Notice>,
    conflicts: Vec<String>,
) -> Result<Markup, Fault> {
    let (signed_in, app, project) = (person.signed_in.clone(), state.clone(), named(served));
    let page = move |gate: &Gate<'_>| {
        let token = |hash: &str| app.form_token(&signed_in, hash);
        let passkey = signed_in.by_passkey();
        gate.refresh()?;
        if let (Err(_), Some(early)) = (gate.run_named(&run_id), app.running.early(&run_id)) {
            return early::page(gate, &project, &run_id, &early, &token, notice.as_ref());
        }
        run::page(gate, &project, &run_id, &token, passkey, notice.as_ref(), &conflicts)
    };
    Ok(state.ask(served, page).await?)
}

#[derive(Debug, Default, Deserialize)]
struct RecordQuery {
    verify: Option<String>,
    intent: Option<String>,
    before: Option<u64>,
}

async fn show_record(
    State(state): State<AppState>,
    person: Option<Person>,
    Path(project): Path<String>,
    Query(query): Query<RecordQuery>,
) -> Result<Markup, Fault> {
    signed_in(person)?;
    let served = served(&state, &project)?;
    let project = named(&served);
    let page = move |gate: &Gate<'_>| {
        let (verify, intent) = (query.verify.is_some(), query.intent.as_deref());
        record::page(gate, &project, &record::Look { verify, intent, before: query.before })
    };
    Ok(state.ask(&served, page).await?)
}

async fn checkpoint(
    State(state): State<AppState>,
    person: Option<Person>,
    Path(project): Path<String>,
) -> Result<Response, Fault> {
    signed_in(person)?;
    let served = served(&state, &project)?;
    let now = state.machine.now().map_err(|error| Problem::internal(error.to_string()))?;
    let head = state.ask(&served, |gate| Ok::<_, GateError>(gate.head())).await?;
    let mut response = Json(record::Checkpoint::of(&head, now.wall_ms)).into_response();
    let kept = HeaderValue::from_static("attachment; filename=\"checkpoint.json\"");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, kept);
    Ok(response)
}

async fn show_policy(
    State(state): State<AppState>,
    person: Option<Person>,
    Path(project): Path<String>,
) -> Result<Markup, Fault> {
    signed_in(person)?;
    let served = served(&state, &project)?;
    let asked = state.ask(&served, |gate| Ok::<_, GateError>(gate.asked_most())).await?;
    let loading = Arc::clone(&served);
    let loaded =
        tokio::task::spawn_blocking(move || loading.looks.layers.as_ref().map(|load| load()));
    let loaded = loaded.await.map_err(|_| Problem::internal("the policy was not loaded"))?;
    policy::page(&named(&served), served.policy.as_ref(), loaded, &asked)
        .map_err(|detail| Problem::internal(detail).into())
}
