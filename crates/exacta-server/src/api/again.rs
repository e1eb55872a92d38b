//! Reads that were answered a moment ago, and are answered so again.
//!
//! What a read says follows from the record, the policy and the clock. While the record has not
//! grown, an answer of the last few milliseconds is as good as one made now. The caller's right
//! and the size of the record are looked at each time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::digest::Digest;

use crate::state::{AppState, Served};
use crate::who::Visitor;

/// How old an answer may be.
const LASTS: Duration = Duration::from_millis(50);
/// So many are kept.
const MOST: usize = 256;
/// Longer ones are made anew each time.
const LONGEST: u64 = 256 << 10;

/// The answers of the last moments.
#[derive(Default)]
pub(crate) struct Answers(Mutex<HashMap<Question, Answer>>);

/// Who asks what. People see the same; each agent sees its own.
#[derive(PartialEq, Eq, Hash)]
struct Question {
    agent: Option<Digest>,
    address: String,
}

#[derive(Clone)]
struct Answer {
    made: Instant,
    /// How many entries each record had that it was made from.
    entries: Arc<[u64]>,
    headers: HeaderMap,
    body: Bytes,
}

impl Answers {
    fn find(&self, question: &Question, entries: &[u64]) -> Option<Answer> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.get(question)?;
        (answer.made.elapsed() < LASTS && *answer.entries == *entries).then(|| answer.clone())
    }

    fn keep(&self, question: Question, answer: Answer) {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MOST {
            answers.retain(|_, answer| answer.made.elapsed() < LASTS);
        }
        if answers.len() < MOST {
            answers.insert(question, answer);
        }
    }
}

/// Answers a read as it was answered a moment ago, or has it answered and keeps that.
pub(crate) async fn again(State(state): State<AppState>, request: Request, next: Next) -> Response {
    // A stream is never over, and a record is checked when somebody asks.
    let path = request.uri().path();
    let lasting = !path.starts_with("/api/v1/events") && !path.starts_with("/api/v1/audit/");
    if request.method() != Method::GET || !lasting {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let visitor = match Visitor::from_request_parts(&mut parts, &state).await {
        Ok(visitor) => visitor,
        Err(problem) => return problem.into_response(),
    };
    let question = Question {
        agent: match &visitor {
            Visitor::Person(_) => None,
            Visitor::Agent(agent) => Some(agent.token.digest),
        },
        address: parts.uri.to_string(),
    };
    let projects = visitor.projects(&state);
    let entries = read_so_far(&projects);
    if let Some(answer) =
        entries.as_ref().and_then(|entries| state.answers.find(&question, entries))
    {
        return (answer.headers, answer.body).into_response();
    }
    let made = Instant::now();
    let response = next.run(Request::from_parts(parts, body)).await;
    // What grew meanwhile may be in the answer or not.
    let Some(entries) =
        read_so_far(&projects).filter(|now| entries.as_ref().is_none_or(|before| before == now))
    else {
        return response;
    };
    kept(&state, question, entries.into(), made, response).await
}

async fn kept(
    state: &AppState,
    question: Question,
    entries: Arc<[u64]>,
    made: Instant,
    response: Response,
) -> Response {
    let length = response.body().size_hint().exact();
    if response.status() != StatusCode::OK || length.is_none_or(|length| length > LONGEST) {
        return response;
    }
    let (head, body) = response.into_parts();
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
        return Response::from_parts(head, Body::empty());
    };
    let mut headers = head.headers.clone();
    headers.remove(header::CONTENT_LENGTH);
    state.answers.keep(question, Answer { made, entries, headers, body: body.clone() });
    Response::from_parts(head, Body::from(body))
}

/// How many entries the records have; nothing where one of them has more than was read.
fn read_so_far(projects: &[Arc<Served>]) -> Option<Vec<u64>> {
    projects.iter().map(|served| served.project.entries_if_read()).collect()
}
