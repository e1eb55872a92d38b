//! Bodies and parameters, read strictly: JSON routes take JSON and nothing else.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use exacta_core::model::code::Code;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let detail = "the body must be JSON, with `content-type: application/json`";
            return Err(Problem::new(status, Code::RequestInvalid, detail));
        }
        let bytes =
            Bytes::from_request(request, state).await.map_err(|rejection| unread(&rejection))?;
        let value = serde_json::from_slice(&bytes)
            .map_err(|error| Problem::invalid(format!("the body cannot be read: {error}")))?;
        Ok(Self(value))
    }
}

/// Exactly one content type, and it is JSON's; a form cannot send that without asking first.
fn is_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).iter();
    let (first, second) = (kinds.next(), kinds.next());
    let kind = first.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    second.is_none() && essence.eq_ignore_ascii_case("application/json")
}

fn unread(rejection: &BytesRejection) -> Problem {
    let status = rejection.status();
    Problem::new(status, Code::RequestInvalid, rejection.body_text())
}

/// Parameters of the address.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Query(asked) = Query::<T>::from_request_parts(parts, state)
            .await
            .map_err(|error| Problem::invalid(error.body_text()))?;
        Ok(Self(asked))
    }
}

/// The idempotency key of a command, if it has one.
pub(crate) struct Key(pub(crate) Option<String>);

/// What a key begins with in the record: two callers never share one.
impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        one(&parts.headers, "idempotency-key").map(|key| Self(key.map(Into::into)))
    }
}

impl Key {
    /// The key as the record has it: one caller's key says nothing about another's.
    pub(crate) fn of(self, actor: &exacta_core::record::Actor) -> Option<String> {
        self.0.map(|key| format!("http:{}:{key}", actor.name))
    }
}

/// A header that is there once or not at all.
pub(crate) fn one<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Problem> {
    const LONGEST: usize = 200;
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    let Some(first) = first else { return Ok(None) };
    let text = first.to_str().ok().filter(|text| !text.is_empty() && text.len() <= LONGEST);
    match (text, second) {
        (Some(text), None) => Ok(Some(text)),
        _ => Err(Problem::invalid(format!(
            "`{name}` must be one printable text of at most {LONGEST} characters"
        ))),
    }
}
