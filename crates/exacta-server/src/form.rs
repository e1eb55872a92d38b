//! Deciding without scripts: forms of our own pages.
//!
//! A form counts only when the page that sent it is ours (Origin, Sec-Fetch-Site) and when it
//! carries the word that the session knows for the hash of this very plan.

use axum::Router;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::post;
use exacta_engine::gate::{Approve, Decided, Pause, Reject, Renew, RequestChanges, Selection};

use crate::api::decide::{Act, hash};
use crate::problem::Problem;
use crate::state::AppState;
use crate::who::Person;

pub(crate) fn router() -> Router<AppState> {
    Router::new().route("/plans/{plan_id}/decide/{act}", post(decide))
}

/// Reads the fields of a form; a name that must be there once must not be there twice.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn one(&self, name: &str) -> Result<&str, Problem> {
        let mut found = self.0.iter().filter(|(field, _)| field == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Ok(value),
            _ => Err(Problem::invalid(format!("the form needs `{name}`, once"))),
        }
    }

    fn all(&self, name: &str) -> Vec<String> {
        let found = self.0.iter().filter(|(field, _)| field == name);
        found.map(|(_, value)| value.clone()).collect()
    }
}

async fn decide(
    State(state): State<AppState>,
    person: Person,
    Path((plan_id, act)): Path<(String, String)>,
    headers: HeaderMap,
    form: Result<Form<Vec<(String, String)>>, FormRejection>,
) -> Result<Response, Problem> {
    let Form(fields) = form.map_err(|error| Problem::invalid(error.body_text()))?;
    let fields = Fields(fields);
    let ours = headers
        .get(header::ORIGIN)
        .is_some_and(|origin| origin.as_bytes() == state.address.origin().as_bytes());
    let site = headers.get("sec-fetch-site").map(axum::http::HeaderValue::as_bytes);
    if !ours || !matches!(site, None | Some(b"same-origin")) {
        return Err(Problem::not_allowed(
            "a page of ours did not send this form; nothing was done",
        ));
    }
    let hash = hash(fields.one("plan_hash")?)?;
    if fields.one("token")? != state.form_token(&person.signed_in, &hash.to_string()) {
        return Err(Problem::not_allowed(
            "the form was not made for you and this plan; nothing was done",
        ));
    }
    let deciding = Act { person, plan_id, hash, version: None, key: None };
    let decided: Decided = match act.as_str() {
        "approve" => {
            let steps = fields.all("step");
            let some = fields.all("selected") == ["steps"];
            let selection = if some { Selection::Steps(steps) } else { Selection::Whole };
            let approve =
                |plan_id, hash, proof| Approve { plan_id, plan_hash: Some(hash), selection, proof };
            deciding.decide(&state, approve).await?.0
        }
        "reject" => {
            let reason = fields.one("reason")?.to_owned();
            let reject = |plan_id, _, proof| Reject { plan_id, reason, proof };
            deciding.decide(&state, reject).await?.0
        }
        "changes" => {
            let request = fields.one("request")?.to_owned();
            let changes = |plan_id, _, proof| RequestChanges { plan_id, request, proof };
            deciding.decide(&state, changes).await?.0
        }
        "pause" => deciding.decide(&state, |plan_id, _, _| Pause { plan_id }).await?.0,
        "renew" => deciding.decide(&state, |plan_id, _, proof| Renew { plan_id, proof }).await?.0,
        _ => return Err(Problem::no_such("decision")),
    };
    Ok(Redirect::to(&format!("/plans/{}", decided.plan_id)).into_response())
}
