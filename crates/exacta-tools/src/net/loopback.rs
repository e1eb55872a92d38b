//! Servers on this machine that stand for public ones. Only builds for tests have this:
//! the feature is switched on by development dependencies alone.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::Value;

/// The variable that names a file with [`Loopback::read`]'s form.
pub const VARIABLE: &str = "EXACTA_TEST_LOOPBACK";

/// Which names lead to which server here, and which certificates vouch for them.
#[derive(Clone, Debug, Default)]
pub struct Loopback {
    /// Servers by name; only addresses of the loopback interface count.
    pub hosts: BTreeMap<String, SocketAddr>,
    /// The only certificates that are trusted.
    pub roots: Vec<CertificateDer<'static>>,
}

impl Loopback {
    /// What the variable names, if it is set.
    pub fn from_environment() -> Option<Self> {
        let path = std::env::var_os(VARIABLE)?;
        Self::read(Path::new(&path))
    }

    /// Reads `{"hosts": {"site.example": "127.0.0.1:4000"}, "roots": "…PEM…"}`.
    pub fn read(path: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(path).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let hosts = value.get("hosts")?.as_object()?;
        let hosts = hosts
            .iter()
            .map(|(name, at)| Some((name.clone(), at.as_str()?.parse().ok()?)))
            .collect::<Option<_>>()?;
        let pem = value.get("roots").and_then(Value::as_str).unwrap_or_default();
        let roots = CertificateDer::pem_slice_iter(pem.as_bytes())
            .collect::<Result<Vec<_>, _>>()
            .ok()?
            .into_iter()
            .map(CertificateDer::into_owned)
            .collect();
        Some(Self { hosts, roots })
    }

    pub(super) fn find(&self, host: &str) -> Option<SocketAddr> {
        self.hosts.get(host).copied().filter(|at| at.ip().is_loopback())
    }
}
