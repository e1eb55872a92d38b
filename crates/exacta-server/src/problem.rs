//! Errors as responses: `application/problem+json` with our codes and hints.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use exacta_core::life::lifecycle::Refusal;
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::Issue;
use exacta_engine::gate::{ErrorKind, GateError, Hint};
use schemars::JsonSchema;
use serde::Serialize;

/// What a page says of a problem, for a person whose browser goes to an address.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) title: &'static str,
    pub(crate) detail: String,
    pub(crate) hints: Vec<Hint>,
}

/// Something that was not done, and why.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// Names the kind of problem: `urn:exacta:` and the code.
    #[serde(rename = "type")]
    kind: String,
    /// What the code means.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// What is wrong.
    pub detail: String,
    /// The stable code; `exacta explain CODE` prints its page.
    pub code: Code,
    /// What to do, as data.
    pub hints: Vec<Hint>,
    /// Every finding, where a draft is refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// After how many seconds it can be tried again, where that is known.
    #[serde(skip)]
    retry: Option<u64>,
}

impl Problem {
    /// A problem with this status and code.
    #[must_use]
    pub fn new(status: StatusCode, code: Code, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:exacta:{}", code.as_str()),
            title: code.summary(),
            status: status.as_u16(),
            detail: detail.into(),
            code,
            hints: Vec::new(),
            issues: Vec::new(),
            retry: None,
        }
    }

    /// The request makes no sense.
    #[must_use]
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::RequestInvalid, detail)
    }

    /// Nobody is signed in.
    #[must_use]
    pub fn not_signed_in() -> Self {
        let detail = "the request carries neither a person's session nor an agent's token";
        Self::new(StatusCode::UNAUTHORIZED, Code::NotSignedIn, detail)
    }

    /// Whoever asks may not.
    #[must_use]
    pub fn not_allowed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, Code::NotAllowed, detail)
    }

    /// There is no such plan or run, as far as whoever asks may know.
    #[must_use]
    pub fn no_such(what: &str) -> Self {
        let detail = format!("there is no {what} with this id");
        Self::new(StatusCode::NOT_FOUND, Code::IdUnknown, detail)
    }

    /// The server has too much to do.
    #[must_use]
    pub fn too_many(detail: impl Into<String>) -> Self {
        Self::too_many_for(detail, 1)
    }

    /// The same where it takes longer.
    #[must_use]
    pub fn too_many_for(detail: impl Into<String>, seconds: u64) -> Self {
        let mut problem = Self::new(StatusCode::TOO_MANY_REQUESTS, Code::TooManyRequests, detail);
        problem.retry = Some(seconds);
        problem
    }

    /// A fault of this program.
    #[must_use]
    pub fn internal(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, Code::Internal, detail)
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// The status that says most about an error of the gate.
fn status(error: &GateError) -> StatusCode {
    match error {
        GateError::NoSuchPlan(_)
        | GateError::NoSuchRun(_)
        | GateError::TooShort(_)
        | GateError::NotARun { .. }
        | GateError::NotAPlan { .. }
        | GateError::Ambiguous { .. } => StatusCode::NOT_FOUND,
        GateError::NotEntitled { .. } | GateError::NotSigned | GateError::NoSuchProposer(_) => {
            StatusCode::FORBIDDEN
        }
        GateError::Constraint(_) | GateError::Select { .. } | GateError::Invalid(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        GateError::Forgotten { .. }
        | GateError::Refusal { refusal: Refusal::Expired { .. }, .. } => StatusCode::GONE,
        GateError::Busy => StatusCode::TOO_MANY_REQUESTS,
        other if other.code() == Code::ProjectBusy => StatusCode::TOO_MANY_REQUESTS,
        other => match other.kind() {
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            ErrorKind::Unverified => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Usage => StatusCode::BAD_REQUEST,
            ErrorKind::Refused
            | ErrorKind::Waits
            | ErrorKind::Stale
            | ErrorKind::Failed
            | ErrorKind::Unsettled => StatusCode::CONFLICT,
        },
    }
}

impl From<GateError> for Problem {
    fn from(error: GateError) -> Self {
        let status = status(&error);
        let mut problem = Self::new(status, error.code(), error.to_string());
        problem.retry = (status == StatusCode::TOO_MANY_REQUESTS).then_some(1);
        problem.hints = error.hints();
        if let GateError::Invalid(issues) = error {
            problem.issues = issues;
        }
        problem
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, retry) = (self.status(), self.retry);
        let (detail, hints) = (self.detail.clone(), self.hints.clone());
        let said = Said { title: self.title, detail, hints };
        let mut response = (status, Json(self)).into_response();
        response.extensions_mut().insert(said);
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        if let Some(seconds) = retry {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
