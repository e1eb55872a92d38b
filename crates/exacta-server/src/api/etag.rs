//! Versions of a plan: a decision can say which one it is about.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use exacta_core::life::ledger::PlanEntry;
use exacta_core::model::code::Code;

use super::body::one;
use crate::problem::Problem;

/// The version that a request is about, if it says so.
pub(crate) struct IfMatch(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(one(&parts.headers, "if-match")?.map(Into::into)))
    }
}

impl IfMatch {
    /// Whether the plan is that version.
    pub(crate) fn holds(&self, plan: &PlanEntry) -> Result<(), Problem> {
        let Some(wanted) = &self.0 else { return Ok(()) };
        let now = etag(plan);
        if wanted == "*" || wanted.split(',').any(|one| one.trim() == now) {
            return Ok(());
        }
        let detail = format!("the plan is version {now}, and the request is about {wanted}");
        Err(Problem::new(StatusCode::PRECONDITION_FAILED, Code::PreconditionFailed, detail))
    }
}

/// The version of a plan: how many entries of the record are about it.
pub(crate) fn etag(plan: &PlanEntry) -> String {
    format!("\"{}-{}\"", plan.created.plan_id, plan.version)
}

/// The same as a header.
pub(crate) fn header(plan: &PlanEntry) -> HeaderValue {
    HeaderValue::from_str(&etag(plan)).unwrap_or(HeaderValue::from_static("\"\""))
}
