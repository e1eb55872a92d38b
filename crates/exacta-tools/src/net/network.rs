//! Resolves a name once, judges every address of it, and says what to connect to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use super::public::is_public;
use crate::error::ToolError;

/// How long a name may take to resolve, and a connection to open.
const PATIENCE: Duration = Duration::from_secs(10);

/// Turns a name into addresses.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Every address of a name.
    ///
    /// # Errors
    /// When it cannot be resolved.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of this machine.
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        // The dot keeps the search list of this machine out: no other name is meant.
        let whole = if host.contains('.') { format!("{host}.") } else { host.to_owned() };
        Ok(lookup_host((whole.as_str(), 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The network of this machine.
#[derive(Clone)]
pub struct Network {
    resolver: Arc<dyn Resolver>,
    tls: Arc<ClientConfig>,
    #[cfg(any(test, feature = "loopback"))]
    loopback: Option<Arc<super::loopback::Loopback>>,
}

impl Network {
    /// The network with the certificates that this machine trusts.
    ///
    /// # Errors
    /// When the cryptography cannot be set up.
    pub fn new() -> Result<Self, ToolError> {
        let mut roots = RootCertStore::empty();
        // What cannot be read is not trusted; without any root every server is refused.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Ok(Self {
            resolver: Arc::new(SystemResolver),
            tls: Arc::new(tls(roots)?),
            #[cfg(any(test, feature = "loopback"))]
            loopback: None,
        })
    }

    /// The network as this machine has it; in builds for tests, with the servers that the
    /// environment names.
    ///
    /// # Errors
    /// When the cryptography cannot be set up.
    pub fn of_this_machine() -> Result<Self, ToolError> {
        let network = Self::new()?;
        #[cfg(any(test, feature = "loopback"))]
        if let Some(here) = super::loopback::Loopback::from_environment() {
            return network.with_loopback(here);
        }
        Ok(network)
    }

    /// The same with another resolver.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// The same with servers on this machine, for tests.
    ///
    /// # Errors
    /// When a certificate of theirs is not one.
    #[cfg(any(test, feature = "loopback"))]
    pub fn with_loopback(mut self, loopback: super::loopback::Loopback) -> Result<Self, ToolError> {
        let mut roots = RootCertStore::empty();
        for root in &loopback.roots {
            roots
                .add(root.clone())
                .map_err(|fault| ToolError::new("TLS_SETUP", fault.to_string()))?;
        }
        self.tls = Arc::new(tls(roots)?);
        self.loopback = Some(Arc::new(loopback));
        Ok(self)
    }

    pub(crate) fn tls(&self) -> &Arc<ClientConfig> {
        &self.tls
    }

    /// What to connect to for a public host: every address that its name has right now, all
    /// of them public. The caller connects to one of these and resolves nothing again.
    ///
    /// # Errors
    /// When the name does not resolve, or to anything that is not public.
    pub async fn public(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ToolError> {
        #[cfg(any(test, feature = "loopback"))]
        if let Some(found) = self.loopback.as_ref().and_then(|here| here.find(host)) {
            return Ok(vec![found]);
        }
        let addresses = self.resolve(host, port).await?;
        if let Some(inside) = addresses.iter().find(|address| !is_public(address.ip())) {
            let inside = inside.ip();
            return Err(ToolError::new(
                "ADDRESS_NOT_PUBLIC",
                format!("`{host}` leads to {inside}, which is not a public address"),
            ));
        }
        Ok(addresses)
    }

    /// Opens a connection to a server that the operator names, wherever it is.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, ToolError> {
        #[cfg(any(test, feature = "loopback"))]
        let found = self.loopback.as_ref().and_then(|here| here.find(host)).map(|at| vec![at]);
        #[cfg(not(any(test, feature = "loopback")))]
        let found: Option<Vec<SocketAddr>> = None;
        let addresses = match found {
            Some(addresses) => addresses,
            None => self.resolve(host, port).await?,
        };
        let unreachable = |why: String| {
            ToolError::new("CONNECT_FAILED", format!("`{host}` cannot be reached: {why}"))
                .retryable()
        };
        match timeout(PATIENCE, TcpStream::connect(addresses.as_slice())).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(fault)) => Err(unreachable(fault.to_string())),
            Err(_) => Err(unreachable("no answer within 10 s".into())),
        }
    }

    async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ToolError> {
        let failed = |why: String| {
            ToolError::new("RESOLVE_FAILED", format!("`{host}` does not resolve: {why}"))
                .retryable()
        };
        let addresses = match timeout(PATIENCE, self.resolver.resolve(host)).await {
            Ok(Ok(addresses)) => addresses,
            Ok(Err(fault)) => return Err(failed(fault.to_string())),
            Err(_) => return Err(failed("no answer within 10 s".into())),
        };
        if addresses.is_empty() {
            return Err(failed("it has no address".into()));
        }
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }
}

/// What TLS is spoken with: one provider, these roots, nothing of the environment.
fn tls(roots: RootCertStore) -> Result<ClientConfig, ToolError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|fault| ToolError::new("TLS_SETUP", fault.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}
