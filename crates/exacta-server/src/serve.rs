//! Listening: connections in, requests to the router, and an orderly end.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

use crate::address::Address;
use crate::router::router;
use crate::state::{AppState, Config, Served};

/// So many connections are open at once; the next one waits to be taken.
const CONNECTIONS: usize = 2048;
/// How long the head of a request may take.
const HEAD_LASTS: Duration = Duration::from_secs(10);
/// So many headers has no request of ours.
const MOST_HEADERS: usize = 64;
/// The largest head of a request.
const HEAD_BYTES: usize = 32 << 10;
/// How long open requests may take to end when the server stops.
const LAST_REQUESTS: Duration = Duration::from_secs(20);

/// Why the server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is not free, or there are no sockets.
    #[error("port {port} of 127.0.0.1 cannot be listened on: {source}")]
    Listen {
        /// The port.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// The machine does not give what a server needs.
    #[error("the server cannot be started: {0}")]
    Start(io::Error),
    /// There is no random name.
    #[error("this machine has no random numbers: {0}")]
    Random(getrandom::Error),
}

/// A server that listens and does not serve yet.
pub struct Listening {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    /// Where it is called.
    pub address: Address,
}

/// What a server is made of besides its address.
pub struct Serving {
    /// What it serves.
    pub projects: Vec<Served>,
    /// Where the credential is kept.
    pub outer: exacta_engine::trust::TrustStore,
    /// Verifies orders for sign-in links.
    pub signer: exacta_engine::trust::Signer,
    /// Tells time and makes names.
    pub machine: Arc<dyn exacta_engine::machine::Machine>,
    /// The name under which a signed-in person is recorded.
    pub person: String,
    /// Writes what a plan does as a patch.
    pub patch: crate::state::Patch,
}

impl Listening {
    /// Listens on loopback; port 0 takes any that is free.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn on(port: u16) -> Result<Self, ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        let failed = |source| ServeError::Listen { port, source };
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = runtime.block_on(TcpListener::bind(here)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let address = Address::random(port).map_err(ServeError::Random)?;
        Ok(Self { runtime, listener, address })
    }
}

/// Serves until `stop` says so or a signal comes; running transactions finish first. `ready`
/// is called once requests are answered.
///
/// # Errors
/// When the runtime cannot go on.
pub fn serve(
    listening: Listening,
    serving: Serving,
    ready: impl FnOnce(&AppState),
) -> Result<(), ServeError> {
    let Listening { runtime, listener, address } = listening;
    let Serving { projects, outer, signer, machine, person, patch } = serving;
    let state = AppState::new(Config { address, projects, outer, signer, machine, person, patch });
    ready(&state);
    for served in &state.projects {
        runtime.spawn(crate::watch::watch(state.clone(), Arc::clone(served)));
    }
    runtime.block_on(accept(listener, state)).map_err(ServeError::Start)?;
    // Whatever still runs at the gate finishes or rolls back; nothing is cut off.
    drop(runtime);
    Ok(())
}

async fn accept(listener: TcpListener, state: AppState) -> io::Result<()> {
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    let mut end = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let (graceful, room) = (GracefulShutdown::new(), Arc::new(Semaphore::new(CONNECTIONS)));
    let app = router(state.clone());
    loop {
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await;
            (listener.accept().await, place)
        };
        tokio::select! {
            (taken, place) = accepted => {
                // A connection that broke off before it was taken says nothing about the next.
                let Ok((stream, peer)) = taken else { continue };
                let connection = connection(stream, peer, app.clone());
                let connection = graceful.watch(connection);
                tokio::spawn(async move {
                    let _place = place;
                    let _ = connection.await;
                });
            }
            _ = interrupt.recv() => break,
            _ = end.recv() => break,
            () = state.stopping.cancelled() => break,
        }
    }
    drop(listener);
    state.stopping.cancel();
    let _ = tokio::time::timeout(LAST_REQUESTS, graceful.shutdown()).await;
    Ok(())
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    app: axum::Router,
) -> http1::Connection<
    TokioIo<TcpStream>,
    impl hyper::service::HttpService<
        hyper::body::Incoming,
        ResBody = axum::body::Body,
        Error: std::error::Error + Send + Sync,
        Future: Send,
    >,
> {
    let _ = stream.set_nodelay(true);
    let app = app.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.map(axum::body::Body::new)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LASTS)
        .max_headers(MOST_HEADERS)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
}
