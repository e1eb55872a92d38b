//! Signing in and out.
//!
//! A link is shown on a person's terminal alone. Opening it changes nothing, so that a preview
//! or a prefetch does not use it up; the button on the page that it opens does.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use exacta_core::judge::policy::Decide;
use exacta_engine::proof::verify_credential;
use serde::{Deserialize, Serialize};

use crate::address::{Came, Entrance};
use crate::page;
use crate::problem::Problem;
use crate::state::AppState;
use crate::who::{COOKIE, Person};

/// How long a wrong credential keeps the next one waiting.
const AFTER_WRONG: Duration = Duration::from_secs(1);

pub(crate) fn router() -> Router<AppState> {
    Router::new()
        .route("/sign-in", get(ask).post(enter))
        .route("/sign-in/{link}", get(ask_with_link))
        .route("/sign-in/order", post(order))
        .route("/sign-out", post(leave))
}

async fn ask(
    State(state): State<AppState>,
    axum::Extension(came): axum::Extension<Came>,
) -> Response {
    // At the door there is no session, so there is nothing for a credential to begin.
    let credential = came.entrance != Entrance::Door && takes_credential(&state);
    page::sign_in(None, credential, has_passkeys(&state, &came)).into_response()
}

async fn ask_with_link(State(state): State<AppState>, Path(link): Path<String>) -> Response {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !link.chars().all(plain) {
        return (StatusCode::NOT_FOUND, page::not_signed_in()).into_response();
    }
    page::sign_in(Some(&link), takes_credential(&state), false).into_response()
}

/// Whether any project lets people decide with the credential.
fn takes_credential(state: &AppState) -> bool {
    state
        .projects
        .iter()
        .any(|served| (served.policy)().is_ok_and(|policy| policy.decide == Decide::Credential))
}

/// Whether there are passkeys that the page can ask for.
fn has_passkeys(state: &AppState, came: &Came) -> bool {
    let kept = state.outer.passkeys().unwrap_or_default();
    came.entrance != Entrance::Loopback && kept.iter().any(|key| key.rp_id == came.address.keys)
}

/// What the sign-in page sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The secret of the link.
    link: Option<String>,
    /// The credential.
    credential: Option<String>,
}

async fn enter(
    State(state): State<AppState>,
    axum::Extension(came): axum::Extension<Came>,
    peer: Option<axum::Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    Form(entry): Form<Entry>,
) -> Result<Response, Problem> {
    if came.entrance != Entrance::Name || !headers.contains_key(header::ORIGIN) {
        return Err(Problem::not_allowed("signing in takes the page under the server's own name"));
    }
    let session = match entry {
        Entry { link: Some(link), credential: None } => state.sign_ins.enter(&link, Instant::now()),
        Entry { link: None, credential: Some(secret) } => {
            let from = peer.map(|axum::Extension(ConnectInfo(peer))| peer.ip());
            with_credential(&state, from, secret).await?
        }
        _ => return Err(Problem::invalid("send either the link or the credential")),
    };
    let Some(session) = session else {
        return Ok((StatusCode::UNAUTHORIZED, page::not_signed_in()).into_response());
    };
    let mut response = Redirect::to("/signed-in").into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie_of(&session, &came)?);
    Ok(response)
}

/// The cookie of a session.
pub(crate) fn cookie_of(session: &str, came: &Came) -> Result<HeaderValue, Problem> {
    let secure = if came.address.tls { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie)
        .map_err(|_| Problem::internal("the session cannot be written as a cookie"))
}

async fn with_credential(
    state: &AppState,
    from: Option<IpAddr>,
    secret: String,
) -> Result<Option<String>, Problem> {
    if let Err(left) = state.rates.allow_guess(from, Instant::now()) {
        let seconds = left.as_secs() + 1;
        let detail = format!(
            "too many wrong credentials were tried; try again in {seconds} s, or sign in with a \
             passkey or with the link that `exacta review --web --credential FILE` shows"
        );
        return Err(Problem::too_many_for(detail, seconds));
    }
    let outer = state.outer.clone();
    let checked = tokio::task::spawn_blocking(move || {
        let kept = outer.credential().ok().flatten()?;
        verify_credential(secret.as_bytes(), &kept).ok()
    });
    let proof = checked.await.map_err(|_| Problem::internal("the credential was not checked"))?;
    if let Some(proof) = proof {
        state.rates.was_right(from);
        return Ok(state.sign_ins.enter_with(&proof, Instant::now()));
    }
    tokio::time::sleep(AFTER_WRONG).await;
    Ok(None)
}

/// An order for a link, signed with this user's key by a process that was shown the proof.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ordered {
    order: String,
}

/// Where the link leads.
#[derive(Serialize)]
struct Link {
    url: String,
}

async fn order(
    State(state): State<AppState>,
    Json(ordered): Json<Ordered>,
) -> Result<Response, Problem> {
    let wall_ms =
        state.machine.now().map_err(|error| Problem::internal(error.to_string()))?.wall_ms;
    // An order names the address that its link is for.
    let addresses = std::iter::once(&state.address).chain(&state.outside);
    let minted = addresses.map(|address| address.origin()).find_map(|origin| {
        let (order, now) = (&ordered.order, Instant::now());
        let link = state.sign_ins.mint_for(order, &origin, &state.signer, wall_ms, now)?;
        Some((origin, link))
    });
    let (origin, link) =
        minted.ok_or_else(|| Problem::not_allowed("the order is not this user's, or was used"))?;
    Ok(Json(Link { url: format!("{origin}/sign-in/{link}") }).into_response())
}

async fn leave(State(state): State<AppState>, person: Person) -> Response {
    state.sign_ins.leave(&person.signed_in);
    // Other pages of the session that are open learn that it is over.
    for served in &state.projects {
        served.tell();
    }
    let mut response = Redirect::to("/sign-in").into_response();
    let gone = format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    if let Ok(gone) = HeaderValue::from_str(&gone) {
        response.headers_mut().insert(header::SET_COOKIE, gone);
    }
    response
}
