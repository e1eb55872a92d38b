//! The way from an address that agents may know to the room, whose name they must not know.
//!
//! A session's cookie goes to every port of the room's name, so whoever knows that name can put
//! a server of its own there and be sent the cookie. Agents are told `/open/PLAN` at the plain
//! loopback address instead. The page there holds nothing; its script finds the room's name in
//! what this browser stores for exactly that address and port, where `/remember` put it after
//! somebody had signed in. Without it the page says in words what to do.

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_engine::gate::Gate;
use maud::{DOCTYPE, Markup, html};

use super::assets;
use super::routes::{Fault, plan_id, signed_in};
use crate::address::{Address, Came, Entrance};
use crate::problem::Problem;
use crate::state::AppState;
use crate::who::Person;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/open", get(open_inbox))
        .route("/open/{plan}", get(open_plan))
        .route("/remember", get(remember))
        .route("/signed-in", get(after_sign_in))
}

/// What a page of this kind has besides its words.
#[derive(Default)]
struct Bare<'a> {
    kind: &'a str,
    /// By which its script knows the room's name again, without being told it.
    room: Option<&'a str>,
    /// The path that is meant.
    path: Option<&'a str>,
    /// Where its script goes.
    next: Option<&'a str>,
    /// Where the browser goes by itself, and when it runs no script.
    refresh: Option<&'a str>,
    without_script: Option<&'a str>,
}

fn bare(title: &str, about: &Bare<'_>, body: &Markup) -> Markup {
    let again = |to: &str| format!("0;url={to}");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                @if let Some(to) = about.refresh { meta http-equiv="refresh" content=(again(to)); }
                @if let Some(to) = about.without_script {
                    noscript { meta http-equiv="refresh" content=(again(to)); }
                }
                title { (title) " · Exacta" }
                link rel="icon" type="image/svg+xml" href=(assets::ICON.href());
                link rel="stylesheet" href=(assets::STYLE.href());
                @if about.refresh.is_none() { script src=(assets::WAY.href()) defer {} }
            }
            body data-kind=(about.kind) data-room=[about.room] data-path=[about.path] data-next=[about.next] {
                main #main { div.door { h1 { (title) } (body) } }
            }
        }
    }
}

/// By what a page knows the room's name again. The name is random and long, so that this does
/// not tell it.
fn tag(address: &Address) -> String {
    Digest::of(format!("exacta/room/v1\n{}", address.host).as_bytes()).to_string()
}

/// Only under the address that agents are told: what a browser stores belongs to it alone.
fn at_plain_address(came: &Came, headers: &HeaderMap) -> Result<(), Fault> {
    let host = headers.get(header::HOST).map(header::HeaderValue::as_bytes);
    let plain = format!("127.0.0.1:{}", came.address.port);
    if came.entrance == Entrance::Loopback && host == Some(plain.as_bytes()) {
        return Ok(());
    }
    Err(Problem::no_such("page under this name").into())
}

async fn open_inbox(
    person: Option<Person>,
    Extension(came): Extension<Came>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    if came.entrance == Entrance::Loopback {
        return outside_the_room(&came, &headers, "/open", None);
    }
    within(Comes { person, headers, query }, "/open", "/")
}

async fn open_plan(
    State(state): State<AppState>,
    person: Option<Person>,
    Extension(came): Extension<Came>,
    Path(plan): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let plan_id = plan_id(&plan)?;
    let path = format!("/open/{plan_id}");
    if came.entrance == Entrance::Loopback {
        return outside_the_room(&came, &headers, &path, Some(&plan_id));
    }
    let comes = Comes { person, headers, query };
    if let Some(page) = comes.once_more(&path) {
        return Ok(page);
    }
    signed_in(comes.person)?;
    for served in &state.projects {
        let wanted = plan_id.clone();
        let known = move |gate: &Gate<'_>| {
            Ok(gate.plan_named(wanted.as_str()).is_ok_and(|plan| *plan.id() == wanted))
        };
        if state.ask(served, known).await? {
            let to = format!("/projects/{}/plans/{plan_id}", served.id);
            return Ok(Redirect::to(&to).into_response());
        }
    }
    Err(Problem::no_such("plan").into())
}

/// The page for whoever comes with an address that an agent was told.
fn outside_the_room(
    came: &Came,
    headers: &HeaderMap,
    path: &str,
    plan: Option<&PlanId>,
) -> Result<Response, Fault> {
    at_plain_address(came, headers)?;
    let tag = tag(&came.address);
    let about = Bare { kind: "open", room: Some(&tag), path: Some(path), ..Bare::default() };
    let words = html! {
        p { "Plans are decided in the review room, and this is only the way there. This browser does not know the room." }
        p { "Open the room where you have it open already; the plan is in its inbox. Or run this at a terminal, in the project's folder:" }
        p { code { "exacta review --web" } }
        @if let Some(plan) = plan { p.quiet { "To look at it at the terminal: " code.break { "exacta review " (plan) } } }
    };
    Ok(bare("To the review room", &about, &words).into_response())
}

/// What the address of a page carries that has asked for itself already.
const HERE: &str = "here";

/// Who comes to a page that leads on into the room.
struct Comes {
    person: Option<Person>,
    headers: HeaderMap,
    query: Option<String>,
}

impl Comes {
    /// The page that asks for itself once more, where that may bring the session along.
    fn once_more(&self, path: &str) -> Option<Response> {
        let from = self.headers.get("sec-fetch-site").map(header::HeaderValue::as_bytes);
        // The session does not come along with a link from elsewhere, and the plain address is
        // elsewhere. It does when this very page asks again.
        let elsewhere = matches!(from, Some(b"cross-site" | b"same-site"));
        if self.person.is_some() || !elsewhere || self.query.as_deref() == Some(HERE) {
            return None;
        }
        let again = format!("{path}?{HERE}");
        let about = Bare { kind: "way", refresh: Some(&again), ..Bare::default() };
        Some(bare("One moment", &about, &html! {}).into_response())
    }
}

/// On to a page of the room.
fn within(comes: Comes, path: &str, to: &str) -> Result<Response, Fault> {
    if let Some(page) = comes.once_more(path) {
        return Ok(page);
    }
    signed_in(comes.person)?;
    Ok(Redirect::to(to).into_response())
}

async fn remember(Extension(came): Extension<Came>, headers: HeaderMap) -> Result<Markup, Fault> {
    at_plain_address(&came, &headers)?;
    let tag = tag(&came.address);
    let about = Bare { kind: "remember", room: Some(&tag), ..Bare::default() };
    let words = html! { p { "You are signed in. Go on in the review room." } };
    Ok(bare("To the review room", &about, &words))
}

/// Where everybody comes who has just signed in: on into the room, by way of the plain address,
/// which then knows the room. What is stored there is worth nothing once this server has ended,
/// so that another program may listen at its port then and read it.
async fn after_sign_in(
    person: Option<Person>,
    Extension(came): Extension<Came>,
) -> Result<Response, Fault> {
    signed_in(person)?;
    if came.address.tls {
        return Ok(Redirect::to("/").into_response());
    }
    let next = format!("{}/remember#{}", came.address.loopback(), came.address.host);
    let about =
        Bare { kind: "signed-in", next: Some(&next), without_script: Some("/"), ..Bare::default() };
    let words = html! { p { a.button href="/" { "Go on" } } };
    Ok(bare("Signed in", &about, &words).into_response())
}
