//! Passkeys over HTTP: what the browser is asked, and what comes back.
//!
//! A challenge is made here, is good once, for two minutes, and only for what it was made for.
//! The engine checks what was signed; see `exacta_engine::proof::Passkey`. At the door, the name
//! that lasts, a passkey begins no session: it gives a link into the room, which is good once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::post;
use axum::{Extension, Form, Json, Router};
use data_encoding::BASE64URL_NOPAD;
use exacta_core::model::digest::Digest;
use exacta_engine::proof::{
    AskedPasskey, NewPasskey, Passkey, PasskeyAnswer, Proof, Signed, challenge,
};
use exacta_engine::trust::TrustError;
use serde::{Deserialize, Serialize};

use crate::address::{Came, Entrance};
use crate::page::{Fields, ToSign, to_sign};
use crate::problem::Problem;
use crate::sign_in::cookie_of;
use crate::state::AppState;
use crate::who::Person;

/// How long a challenge is good.
const LASTS: Duration = Duration::from_mins(2);
/// So many are kept.
const MOST: usize = 256;
/// So many passkeys a user can have.
const MOST_PASSKEYS: usize = 20;

/// What passkeys were asked to sign and have not signed yet.
#[derive(Default)]
pub(crate) struct Challenges(Mutex<BTreeMap<Vec<u8>, (Asked, Instant)>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    /// The text whose hash is the challenge.
    act: String,
    /// The address of the page.
    origin: String,
    /// Whose session asked; nobody's at the door.
    word: Option<String>,
}

impl Challenges {
    fn add(&self, asked: Asked) -> Vec<u8> {
        let (made, now) = (challenge(&asked.act), Instant::now());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (_, since)| now.duration_since(*since) < LASTS);
        // Whoever stands at the door does not crowd out those who are in.
        let alike = |(other, _): &&(Asked, Instant)| other.word.is_some() == asked.word.is_some();
        if kept.values().filter(alike).count() >= MOST {
            let alike = kept.iter().filter(|(_, one)| alike(one));
            let oldest = alike.min_by_key(|(_, (_, since))| *since).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| kept.remove(&oldest));
        }
        kept.insert(made.clone(), (asked, now));
        made
    }

    /// Uses a challenge up.
    fn take(&self, challenge: &[u8]) -> Option<Asked> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (asked, since) = kept.remove(challenge)?;
        (since.elapsed() < LASTS).then_some(asked)
    }
}

pub(crate) fn router() -> Router<AppState> {
    Router::new()
        .route("/passkeys/ask", post(ask))
        .route("/passkeys/register", post(register))
        .route("/passkeys/remove", post(remove))
        .route("/sign-in/passkey", post(enter))
}

/// What a page wants a passkey for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case", tag = "for")]
enum Wanted {
    Register {},
    SignIn {},
    /// A form that is about to be sent: where to, and its fields.
    Act {
        to: String,
        fields: Fields,
    },
}

/// What the browser is asked.
#[derive(Serialize)]
struct Ask {
    challenge: String,
    rp_id: String,
    user: String,
    user_id: String,
    /// The passkeys that are known.
    keys: Vec<String>,
}

fn by_name(came: &Came) -> Result<(), Problem> {
    if came.entrance != Entrance::Loopback {
        return Ok(());
    }
    Err(Problem::not_allowed("passkeys are for the server's own name"))
}

fn nonce() -> Result<String, Problem> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(BASE64URL_NOPAD.encode(&random))
}

async fn ask(
    State(state): State<AppState>,
    person: Option<Person>,
    Extension(came): Extension<Came>,
    Json(wanted): Json<Wanted>,
) -> Result<Response, Problem> {
    by_name(&came)?;
    let word = person.as_ref().map(|person| person.signed_in.word_for("passkey"));
    let nonce = nonce()?;
    let (act, word) = match wanted {
        Wanted::SignIn {} => (format!("exacta/sign-in-passkey/v1\n{nonce}"), None),
        Wanted::Register {} => {
            let word = word.ok_or_else(Problem::not_signed_in)?;
            (format!("exacta/register-passkey/v1\n{nonce}"), Some(word))
        }
        Wanted::Act { to, fields } => {
            let word = word.ok_or_else(Problem::not_signed_in)?;
            let act = to_sign(&state, &to, fields).await?;
            (act.text(&nonce), Some(word))
        }
    };
    let keys = kept(&state)?;
    let keys = keys.into_iter().filter(|key| key.rp_id == came.address.keys);
    let asked = Asked { act, origin: came.origin(), word };
    let asks = Ask {
        challenge: BASE64URL_NOPAD.encode(&state.challenges.add(asked)),
        rp_id: came.address.keys.clone(),
        user: state.person.clone(),
        user_id: BASE64URL_NOPAD.encode(
            Digest::of(state.person.as_bytes())
                .to_string()
                .as_bytes()
                .get(..32)
                .unwrap_or_default(),
        ),
        keys: keys.map(|key| key.id).collect(),
    };
    Ok(Json(asks).into_response())
}

fn kept(state: &AppState) -> Result<Vec<Passkey>, Problem> {
    state.outer.passkeys().map_err(|error| Problem::internal(error.to_string()))
}

/// Changes the kept ones; they stay as they are where that fails.
fn change<T>(
    state: &AppState,
    change: impl FnOnce(&mut Vec<Passkey>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    state
        .outer
        .change_passkeys(|keys| change(keys).map_err(NotChanged))
        .map_err(|NotChanged(why)| why)
}

/// Why they stayed as they are.
struct NotChanged(Problem);

impl From<TrustError> for NotChanged {
    fn from(error: TrustError) -> Self {
        Self(Problem::internal(error.to_string()))
    }
}

fn bytes(text: &str) -> Result<Vec<u8>, Problem> {
    let text = text.trim_end_matches('=');
    BASE64URL_NOPAD
        .decode(text.as_bytes())
        .map_err(|_| Problem::invalid("a part of the passkey's answer is not base64url"))
}

/// A new passkey.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Registered {
    challenge: String,
    id: String,
    name: String,
    public_key: String,
    authenticator_data: String,
    client_data: String,
}

async fn register(
    State(state): State<AppState>,
    person: Person,
    Extension(came): Extension<Came>,
    Json(new): Json<Registered>,
) -> Result<Response, Problem> {
    by_name(&came)?;
    let wanted = bytes(&new.challenge)?;
    let asked = state.challenges.take(&wanted).ok_or_else(too_late)?;
    let ours = asked.act.starts_with("exacta/register-passkey/v1\n")
        && asked.origin == came.origin()
        && asked.word == Some(person.signed_in.word_for("passkey"));
    if !ours {
        return Err(too_late());
    }
    let asked =
        AskedPasskey { challenge: &wanted, origin: &asked.origin, rp_id: &came.address.keys };
    let (id, key) = (bytes(&new.id)?, bytes(&new.public_key)?);
    let (data, client) = (bytes(&new.authenticator_data)?, bytes(&new.client_data)?);
    let made = NewPasskey {
        id: &id,
        name: if new.name.trim().is_empty() { "passkey" } else { new.name.trim() },
        public_key: &key,
        authenticator_data: &data,
        client_data: &client,
    };
    let passkey = Passkey::register(&person.signed_in, &asked, &made)
        .map_err(|error| Problem::not_allowed(error.to_string()))?;
    change(&state, |keys| {
        if keys.len() >= MOST_PASSKEYS || keys.iter().any(|one| one.id == passkey.id) {
            return Err(Problem::invalid("this passkey is known already, or there are too many"));
        }
        keys.push(passkey);
        Ok(())
    })?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Which passkey goes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Removed {
    token: String,
    id: String,
}

async fn remove(
    State(state): State<AppState>,
    person: Person,
    Form(removed): Form<Removed>,
) -> Result<Response, Problem> {
    if removed.token != state.form_token(&person.signed_in, "passkeys") {
        return Err(Problem::not_allowed("the form was not made for this session"));
    }
    change(&state, |keys| {
        keys.retain(|key| key.id != removed.id);
        Ok(())
    })?;
    Ok(Redirect::to("/passkeys").into_response())
}

/// What a passkey signed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    challenge: String,
    id: String,
    authenticator_data: String,
    client_data: String,
    signature: String,
}

fn too_late() -> Problem {
    Problem::not_allowed("the passkey was asked for something else, or too long ago; try again")
}

/// Checks what a passkey signed, and notes its counter.
fn checked(
    state: &AppState,
    came: &Came,
    given: &Given,
    is_meant: impl FnOnce(&Asked) -> bool,
) -> Result<Signed, Problem> {
    let wanted = bytes(&given.challenge)?;
    let asked = state.challenges.take(&wanted).ok_or_else(too_late)?;
    if !is_meant(&asked) || asked.origin != came.origin() {
        return Err(too_late());
    }
    let unknown = || Problem::not_allowed("this passkey is not registered here");
    let id = BASE64URL_NOPAD.encode(&bytes(&given.id)?);
    let (data, client) = (bytes(&given.authenticator_data)?, bytes(&given.client_data)?);
    let signature = bytes(&given.signature)?;
    let answer =
        PasskeyAnswer { authenticator_data: &data, client_data: &client, signature: &signature };
    let of = AskedPasskey { challenge: &wanted, origin: &asked.origin, rp_id: &came.address.keys };
    // The counter counts only once it is kept.
    change(state, |keys| {
        let key = keys.iter_mut().find(|key| key.id == id).ok_or_else(unknown)?;
        key.verify(&of, &asked.act, &answer)
            .map_err(|error| Problem::not_allowed(error.to_string()))
    })
}

/// The way from the door into the room.
#[derive(Serialize)]
struct Way {
    to: String,
}

async fn enter(
    State(state): State<AppState>,
    Extension(came): Extension<Came>,
    Json(given): Json<Given>,
) -> Result<Response, Problem> {
    by_name(&came)?;
    let meant = |asked: &Asked| asked.act.starts_with("exacta/sign-in-passkey/v1\n");
    let signed = checked(&state, &came, &given, meant)?;
    if came.entrance == Entrance::Door {
        let link = state.sign_ins.mint_signed(&signed, Instant::now());
        let link = link.ok_or_else(|| Problem::internal("there is no link"))?;
        let to = format!("{}/sign-in/{link}#go", came.address.origin());
        return Ok(Json(Way { to }).into_response());
    }
    let session = state.sign_ins.enter_signed(&signed, Instant::now());
    let session = session.ok_or_else(|| Problem::internal("there is no session"))?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie_of(&session, &came)?);
    Ok(response)
}

/// What shows the right to decide: the session, and what a passkey signed of exactly this act,
/// as a form carries it. What was signed for anything else is refused, never left out.
pub(crate) fn proof_of(
    state: &AppState,
    person: &Person,
    came: &Came,
    given: Option<&str>,
    act: Option<&ToSign>,
) -> Result<Proof, Problem> {
    let (Some(act), Some(given)) = (act, given.filter(|given| !given.is_empty())) else {
        return Ok(person.proof());
    };
    let given: Given = serde_json::from_str(given)
        .map_err(|_| Problem::invalid("what the passkey signed cannot be read"))?;
    let word = person.signed_in.word_for("passkey");
    let signed = checked(state, came, &given, |asked| {
        asked.act.starts_with(&act.text("")) && asked.word.as_deref() == Some(&word)
    })?;
    let other = || {
        Problem::not_allowed(
            "this passkey stands for another proof than the one you signed in with",
        )
    };
    person.signed_in.proof_with(&signed).ok_or_else(other)
}
