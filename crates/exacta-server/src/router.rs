//! Which handler answers which address.

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::routing::{any, get};
use axum::{Router, middleware};
use exacta_core::model::code::Code;

use crate::guard::guard;
use crate::problem::Problem;
use crate::state::AppState;
use crate::{agents, api, page, passkey, sign_in};

/// No body is larger, whatever the route.
const LARGEST_BODY: usize = 1 << 20;

/// The whole server as one service.
pub fn router(state: AppState) -> Router {
    Router::new()
        .route("/healthz", get(async || "ok"))
        .route("/mcp", any(agents::enter))
        .merge(api::router(&state))
        .merge(sign_in::router())
        .merge(passkey::router())
        .merge(page::router())
        .fallback(async || nothing_here())
        .method_not_allowed_fallback(async || {
            let detail = "the route does not know this method";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, Code::RouteUnknown, detail)
        })
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(state.clone(), guard))
        .with_state(state)
}

fn nothing_here() -> Problem {
    let detail = "there is nothing at this address";
    Problem::new(StatusCode::NOT_FOUND, Code::RouteUnknown, detail)
}
