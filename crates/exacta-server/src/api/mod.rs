//! The HTTP API: one file for each thing that it is about.
//!
//! Input: JSON. Output: the gate's replies as JSON, or a [`Problem`](crate::Problem). Every
//! route is added with its description in one breath ([`doc`]), so that `/openapi.json` says
//! what the code does.

pub(crate) mod again;
mod audit;
pub(crate) mod body;
mod contract;
mod decide;
pub(crate) mod doc;
mod draft;
mod etag;
pub(crate) mod events;
mod find;
mod plans;
pub(crate) mod runs;
mod shapes;
pub(crate) mod start;
pub(crate) mod steps;

pub(crate) use shapes::EarlyState;
pub use shapes::lifecycle_name;

use axum::Router;

use crate::state::AppState;
use doc::Api;

/// Every route of the API, and the document about them.
pub(crate) fn router(state: &AppState) -> Router<AppState> {
    let api = whole();
    let document = std::sync::Arc::new(api.document());
    let remembered = axum::middleware::from_fn_with_state(state.clone(), again::again);
    api.router().route_layer(remembered).route(
        "/openapi.json",
        axum::routing::get(async move || axum::Json(document.as_ref().clone())),
    )
}

/// The document that `/openapi.json` serves, as it stands in the reference.
///
/// # Errors
/// Never for a document of ours; the writer's error is passed on.
pub fn openapi() -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(&whole().document())? + "\n")
}

fn whole() -> Api {
    let mut api = Api::new();
    draft::add(&mut api);
    plans::add(&mut api);
    decide::add(&mut api);
    runs::add(&mut api);
    steps::add(&mut api);
    audit::add(&mut api);
    events::add(&mut api);
    api
}
