//! Another protocol for agents at the same address: a service that whoever starts the server
//! brings along. It is reached only behind the guard and with an agent's token; who asks is
//! handed to it with the request, so that it need not look at a header.

use std::convert::Infallible;
use std::path::PathBuf;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use exacta_core::model::code::Code;
use futures_util::StreamExt as _;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt as _};

use crate::problem::Problem;
use crate::state::AppState;
use crate::who::Agent;

/// Who asks, as the service finds it among the extensions of a request.
#[derive(Clone, Debug)]
pub struct Guest {
    /// The folder of the project that its token is for.
    pub folder: PathBuf,
    /// Who, as policy registers them.
    pub proposer: Option<String>,
    /// How the record names them.
    pub name: String,
    /// What tells one token from another; it is not the token.
    pub principal: String,
    /// Where people find the way to a plan. It carries no credential and does not name the
    /// room: whoever knows that name can be sent the session of whoever is signed in.
    pub reviews: String,
}

/// A service for agents.
#[derive(Clone)]
pub struct AgentService(BoxCloneSyncService<Request, Response, Infallible>);

impl AgentService {
    /// Takes a service that answers everything at its address.
    pub fn new<S, B>(service: S) -> Self
    where
        S: Service<Request, Response = axum::http::Response<B>, Error = Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
        B: hyper::body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let answered = |answer: axum::http::Response<B>| answer.map(Body::new);
        Self(BoxCloneSyncService::new(service.map_response(answered)))
    }
}

/// Lets an agent in.
pub(crate) async fn enter(
    State(state): State<AppState>,
    agent: Agent,
    mut request: Request,
) -> Response {
    let Some(AgentService(service)) = state.agents.clone() else {
        let detail = "this server does not speak that protocol";
        return Problem::new(StatusCode::NOT_FOUND, Code::RouteUnknown, detail).into_response();
    };
    request.extensions_mut().insert(Guest {
        folder: PathBuf::from(&agent.project.path),
        proposer: agent.proposer,
        name: agent.actor.name,
        principal: agent.token.digest.to_string(),
        reviews: state.address.way_in(),
    });
    match service.oneshot(request).await {
        // A stream that waits for a person ends when the server does.
        Ok(answer) => answer.map(|body| {
            let over = state.stopping.clone().cancelled_owned();
            Body::from_stream(body.into_data_stream().take_until(over))
        }),
        Err(never) => match never {},
    }
}
