//! How clients reach the server: standard input and output, or HTTP behind the guard of
//! `exacta serve`.
//!
//! Over HTTP nothing is kept between two requests: who asks is in every one of them, with the
//! token that the guard has looked at, also for clients of the older revisions.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use exacta_server::{Address, AgentService};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::desk::Desk;
use super::server::Server;

/// The largest request: the cap of drafts, and what surrounds it.
const LARGEST: usize = (16 << 20) + (64 << 10);
/// How often a stream that waits says that it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Serves one client on standard input and output until it goes.
///
/// # Errors
/// When the connection fails.
pub(crate) fn serve_stdio(desk: Desk) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let server = Server::of_one(desk)?;
    runtime.block_on(async {
        match rmcp::serve_server(server, rmcp::transport::stdio()).await {
            Ok(running) => match running.waiting().await {
                Ok(_) => Ok(()),
                Err(error) => Err(io::Error::other(error.to_string())),
            },
            // Whoever leaves without a word is gone, which is their right.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    })
}

/// The same for every agent with a token, as a service of an HTTP server at this address.
///
/// # Errors
/// When the machine has no random bytes.
pub(crate) fn http(address: &Address) -> io::Result<AgentService> {
    let server = Server::of_guests()?;
    let hosts = [address.host.as_str(), "127.0.0.1", "localhost", "::1"];
    let mut config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_allowed_hosts(hosts)
        .with_allowed_origins([address.origin()])
        .enforce_origin_validation()
        .with_sse_keep_alive(Some(KEEP_ALIVE));
    config.max_request_body_bytes = LARGEST;
    let sessions = Arc::new(NeverSessionManager::default());
    Ok(AgentService::new(StreamableHttpService::new(move || Ok(server.clone()), sessions, config)))
}
