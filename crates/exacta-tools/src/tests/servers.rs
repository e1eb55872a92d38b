//! Servers that do what a script says.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::net::loopback::Loopback;

/// A certificate and its key.
pub(super) struct Identity {
    pub(super) certificate: CertificateDer<'static>,
    key: Vec<u8>,
    pub(super) pem: (String, String),
}

impl Identity {
    pub(super) fn of(hosts: &[&str]) -> Self {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let made = rcgen::generate_simple_self_signed(hosts).unwrap();
        Self {
            certificate: made.cert.der().clone(),
            key: made.signing_key.serialize_der(),
            pem: (made.cert.pem(), made.signing_key.serialize_pem()),
        }
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(self.key.clone()).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// A request as it arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) head: String,
    pub(super) body: String,
    pub(super) connection: usize,
}

impl Asked {
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let wanted = format!("{name}:");
        let found = self.head.lines().find(|line| line.to_lowercase().starts_with(&wanted))?;
        Some(found.split_once(':')?.1.trim().to_owned())
    }
}

/// What a site answers.
pub(super) enum Answer {
    Bytes(Vec<u8>),
    /// A piece, again and again, with a pause between.
    Forever(Vec<u8>, Duration),
    /// Takes the request and hangs up.
    HangUp,
    /// Takes the request and says nothing.
    Silence,
}

pub(super) fn ok(kind: &str, body: impl AsRef<[u8]>) -> Answer {
    with(&format!("content-type: {kind}"), body)
}

pub(super) fn with(headers: &str, body: impl AsRef<[u8]>) -> Answer {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\ncontent-length: {}\r\n\r\n", body.len());
    Answer::Bytes([head.as_bytes(), body].concat())
}

pub(super) fn status(code: u16, headers: &str) -> Answer {
    let headers = if headers.is_empty() { String::new() } else { format!("{headers}\r\n") };
    Answer::Bytes(format!("HTTP/1.1 {code} X\r\n{headers}content-length: 0\r\n\r\n").into_bytes())
}

type Script = dyn Fn(&Asked) -> Answer + Send + Sync;

/// A site on this machine.
pub(super) struct Site {
    pub(super) at: SocketAddr,
    pub(super) identity: Identity,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    pub(super) async fn start(
        hosts: &[&str],
        script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let identity = Identity::of(hosts);
        let acceptor = identity.acceptor();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (seen, script): (_, Arc<Script>) = (Arc::clone(&asked), Arc::new(script));
        tokio::spawn(async move {
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                connection += 1;
                let (acceptor, seen, script) =
                    (acceptor.clone(), Arc::clone(&seen), Arc::clone(&script));
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream, connection, &seen, &script).await;
                    }
                });
            }
        });
        Self { at, identity, asked }
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }

    /// These names lead here.
    pub(super) fn loopback(&self, hosts: &[&str]) -> Loopback {
        let hosts: BTreeMap<String, SocketAddr> =
            hosts.iter().map(|host| ((*host).to_owned(), self.at)).collect();
        Loopback { hosts, roots: vec![self.identity.certificate.clone()] }
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    connection: usize,
    seen: &Mutex<Vec<Asked>>,
    script: &Arc<Script>,
) {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let Ok(count) = stream.read(&mut part).await else { return };
        if count == 0 {
            return;
        }
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let asked = Asked { path, head: head.to_owned(), body: body.to_owned(), connection };
        let length = asked.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        if body.len() < length {
            continue;
        }
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
        bytes.clear();
        match script(&asked) {
            Answer::Bytes(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
                let _ = stream.flush().await;
            }
            Answer::Forever(piece, pause) => {
                // Bounded: a test that does not hang up fails by its own bound first.
                for _ in 0..100_000 {
                    if stream.write_all(&piece).await.is_err() || stream.flush().await.is_err() {
                        return;
                    }
                    tokio::time::sleep(pause).await;
                }
                return;
            }
            Answer::HangUp => return,
            Answer::Silence => {
                tokio::time::sleep(Duration::from_secs(30)).await;
                return;
            }
        }
    }
}
