//! Listening: connections in, requests to the router, and an orderly end.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use crate::address::Address;
use crate::crowd::{Crowd, Guest};
use crate::router::router;
use crate::state::{AppState, Config, Served};

/// So many connections are open at once; the next one waits to be taken.
const CONNECTIONS: usize = 2048;
/// So many threads wait for files and the gate. Each keeps memory of its own; a thousand event
/// streams must not start one each.
const THREADS: usize = 96;
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
    #[error("{at} cannot be listened on: {source}")]
    Listen {
        /// Where.
        at: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Certificate and key do not do.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
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
    outside: Option<(TcpListener, TlsAcceptor, Address)>,
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
    /// Another protocol for agents, at `/mcp`.
    pub agents: Option<crate::agents::AgentService>,
    /// Asks the operator's model for a draft.
    pub planner: Option<crate::state::AskPlanner>,
}

/// Another address, over TLS.
pub struct Outside {
    /// Where to listen.
    pub address: IpAddr,
    /// The port; 0 takes any that is free.
    pub port: u16,
    /// The name that people use.
    pub host: String,
    /// The certificates, as PEM, its own first.
    pub certificates: Vec<u8>,
    /// The private key, as PEM.
    pub key: Vec<u8>,
}

impl Listening {
    /// Listens on loopback; port 0 takes any that is free. `kept` is the `*.localhost` name
    /// that passkeys are for, if there are some.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn on(port: u16, kept: Option<&str>) -> Result<Self, ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .max_blocking_threads(THREADS)
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let (listener, port) = bind(&runtime, here)?;
        let address = Address::random(port, kept).map_err(ServeError::Random)?;
        Ok(Self { runtime, listener, address, outside: None })
    }

    /// Listens on another address too; never without TLS.
    ///
    /// # Errors
    /// When the port is taken, or certificate and key do not do.
    pub fn and_outside(mut self, outside: &Outside) -> Result<Self, ServeError> {
        let acceptor = acceptor(outside)?;
        let there = SocketAddr::from((outside.address, outside.port));
        let (listener, port) = bind(&self.runtime, there)?;
        let address = Address::outside(&outside.host, port);
        self.outside = Some((listener, acceptor, address));
        Ok(self)
    }

    /// Where it is called from elsewhere.
    #[must_use]
    pub fn outside(&self) -> Option<&Address> {
        self.outside.as_ref().map(|(_, _, address)| address)
    }
}

fn bind(
    runtime: &tokio::runtime::Runtime,
    at: SocketAddr,
) -> Result<(TcpListener, u16), ServeError> {
    let failed = |source| ServeError::Listen { at, source };
    let listener = runtime.block_on(TcpListener::bind(at)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok((listener, port))
}

fn acceptor(outside: &Outside) -> Result<TlsAcceptor, ServeError> {
    let wrong = |why: String| ServeError::Tls(why);
    let certificates = CertificateDer::pem_slice_iter(&outside.certificates)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|fault| wrong(format!("the certificate cannot be read: {fault}")))?;
    let key = PrivateKeyDer::from_pem_slice(&outside.key)
        .map_err(|fault| wrong(format!("the key cannot be read: {fault}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|fault| wrong(fault.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|fault| wrong(format!("certificate and key do not fit: {fault}")))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
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
    let Listening { runtime, listener, address, outside } = listening;
    let Serving { projects, outer, signer, machine, person, patch, agents, planner } = serving;
    let (outside, called) = match outside {
        Some((listener, acceptor, address)) => (Some((listener, acceptor)), Some(address)),
        None => (None, None),
    };
    let config = Config {
        address,
        outside: called,
        projects,
        outer,
        signer,
        machine,
        person,
        patch,
        agents,
        planner,
    };
    let state = AppState::new(config);
    ready(&state);
    for served in &state.projects {
        runtime.spawn(crate::watch::watch(state.clone(), Arc::clone(served)));
    }
    runtime.block_on(accept(listener, outside, state)).map_err(ServeError::Start)?;
    // Whatever still runs at the gate finishes or rolls back; nothing is cut off.
    drop(runtime);
    Ok(())
}

/// A connection from elsewhere; from nowhere where there is no such listener.
async fn from_outside(
    outside: Option<&(TcpListener, TlsAcceptor)>,
) -> io::Result<(TcpStream, SocketAddr)> {
    match outside {
        Some((listener, _)) => listener.accept().await,
        None => std::future::pending().await,
    }
}

async fn accept(
    listener: TcpListener,
    outside: Option<(TcpListener, TlsAcceptor)>,
    state: AppState,
) -> io::Result<()> {
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    let mut end = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let (graceful, crowd) = (GracefulShutdown::new(), Crowd::new(CONNECTIONS));
    let app = router(state.clone());
    loop {
        let accepted = async {
            let place = crowd.place().await;
            tokio::select! {
                taken = listener.accept() => (taken, false, place),
                taken = from_outside(outside.as_ref()) => (taken, true, place),
            }
        };
        tokio::select! {
            (taken, from_elsewhere, place) = accepted => {
                // A connection that broke off before it was taken says nothing about the next.
                let (Ok((stream, peer)), Some(place)) = (taken, place) else { continue };
                let _ = stream.set_nodelay(true);
                let (watcher, app) = (graceful.watcher(), app.clone());
                let tls = outside.as_ref().filter(|_| from_elsewhere);
                let tls = tls.map(|(_, acceptor)| acceptor.clone());
                let address = state.outside.as_ref().filter(|_| from_elsewhere);
                let address = Arc::clone(address.unwrap_or(&state.address));
                tokio::spawn(async move {
                    let guest = Arc::clone(&place.guest);
                    let served = async {
                        if let Some(tls) = tls {
                            let shaken = tokio::time::timeout(HEAD_LASTS, tls.accept(stream)).await;
                            let Ok(Ok(stream)) = shaken else { return };
                            let one = connection(stream, peer, address, guest, app);
                            let _ = watcher.watch(one).await;
                        } else {
                            let one = connection(stream, peer, address, guest, app);
                            let _ = watcher.watch(one).await;
                        }
                    };
                    tokio::select! {
                        () = served => {}
                        () = place.guest.has_to_go() => {}
                    }
                });
            }
            _ = interrupt.recv() => break,
            _ = end.recv() => break,
            () = state.stopping.cancelled() => break,
        }
    }
    drop((listener, outside));
    state.stopping.cancel();
    let _ = tokio::time::timeout(LAST_REQUESTS, graceful.shutdown()).await;
    Ok(())
}

fn connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    peer: SocketAddr,
    address: Arc<Address>,
    guest: Arc<Guest>,
    app: axum::Router,
) -> http1::Connection<
    TokioIo<S>,
    impl hyper::service::HttpService<
        hyper::body::Incoming,
        ResBody = axum::body::Body,
        Error: std::error::Error + Send + Sync,
        Future: Send,
    >,
> {
    let app = app.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(Arc::clone(&address));
        request.extensions_mut().insert(Arc::clone(&guest));
        request.map(axum::body::Body::new)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LASTS)
        .max_headers(MOST_HEADERS)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app))
}
