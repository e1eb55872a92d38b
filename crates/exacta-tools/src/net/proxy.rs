//! A proxy for commands that reach some hosts only: `CONNECT` to a named host, port 443, and only
//! where its name leads to public addresses.

use std::collections::BTreeSet;
use std::net::TcpListener as StdListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use exacta_engine::checks::Proxy;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::network::Network;

/// The port of everything that may be reached.
const HTTPS: u16 = 443;
/// The most bytes of a request.
const REQUEST: usize = 8 * 1024;
/// How long a request and a connection may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most connections at a time.
const CONNECTIONS: usize = 128;
/// The most different names that are kept of what was refused.
const KEPT: usize = 20;

/// Lets through what goes to a host of its list.
#[derive(Clone)]
pub struct HostProxy(Arc<Shared>);

struct Shared {
    network: Network,
    hosts: BTreeSet<String>,
    refused: Mutex<BTreeSet<String>>,
}

impl HostProxy {
    /// A proxy to these hosts.
    #[must_use]
    pub fn new(network: Network, hosts: impl IntoIterator<Item = String>) -> Self {
        let hosts = hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect();
        Self(Arc::new(Shared { network, hosts, refused: Mutex::default() }))
    }

    /// What was asked for and not reached since the last time, by name.
    #[must_use]
    pub fn take_refused(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.0.refused.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Proxy for HostProxy {
    fn serve(&self, listener: StdListener) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        runtime.block_on(self.accept(listener));
        runtime.shutdown_background();
    }
}

impl HostProxy {
    async fn accept(&self, listener: StdListener) {
        let listener =
            listener.set_nonblocking(true).and_then(|()| TcpListener::from_std(listener));
        let Ok(listener) = listener else { return };
        let slots = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
            // A socket that was shut down fails from now on.
            let Ok((stream, _)) = listener.accept().await else { return };
            let proxy = self.clone();
            tokio::spawn(async move {
                // Whoever asked sees the end of the connection.
                let _ = proxy.answer(stream).await;
                drop(slot);
            });
        }
    }

    async fn answer(&self, mut from: TcpStream) -> std::io::Result<()> {
        let asked = timeout(PATIENCE, request(&mut from)).await.ok().and_then(Result::ok).flatten();
        let Some(target) = asked else {
            return refuse(&mut from, "400 Bad Request", "only CONNECT is understood").await;
        };
        let Some(host) = self.allowed(&target) else {
            self.note(&target);
            return refuse(&mut from, "403 Forbidden", "this host was not named").await;
        };
        let reached = async {
            let addresses = self.0.network.public(&host, HTTPS).await.ok()?;
            TcpStream::connect(addresses.as_slice()).await.ok()
        };
        let Some(mut to) = timeout(PATIENCE, reached).await.ok().flatten() else {
            self.note(&target);
            return refuse(&mut from, "502 Bad Gateway", "the host cannot be reached").await;
        };
        from.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        copy_bidirectional(&mut from, &mut to).await.map(drop)
    }

    /// The host, when it is one of the list and the port is right.
    fn allowed(&self, target: &str) -> Option<String> {
        let (host, port) = target.rsplit_once(':')?;
        let host = host.to_ascii_lowercase();
        (port.parse() == Ok(HTTPS) && self.0.hosts.contains(&host)).then_some(host)
    }

    fn note(&self, target: &str) {
        let mut refused = self.0.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < KEPT {
            refused.insert(target.to_owned());
        }
    }
}

/// What `CONNECT` names, with its port; `None` when the request is anything else.
async fn request(from: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut head = Vec::new();
    let mut byte = [0_u8; 1];
    // One byte at a time: what comes after the request is not ours to read.
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == REQUEST || from.read(&mut byte).await? == 0 {
            return Ok(None);
        }
        head.extend_from_slice(&byte);
    }
    let head = String::from_utf8(head).unwrap_or_default();
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let asked = match (words.next(), words.next(), words.next(), words.next()) {
        (Some("CONNECT"), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) => Some(target),
        _ => None,
    };
    let plain = |target: &&str| target.bytes().all(|b| b.is_ascii_graphic()) && target.len() < 300;
    Ok(asked.filter(plain).map(ToOwned::to_owned))
}

async fn refuse(to: &mut TcpStream, status: &str, why: &str) -> std::io::Result<()> {
    let length = why.len() + 1;
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{why}\n"
    );
    to.write_all(text.as_bytes()).await?;
    to.shutdown().await
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Shutdown, TcpStream as StdStream};

    use super::super::loopback::Loopback;
    use super::*;

    /// What a server behind the proxy and the proxy itself answer.
    fn asked(request: &[u8]) -> (String, BTreeSet<String>) {
        let server = StdListener::bind("127.0.0.1:0").unwrap();
        let hosts = [("named.example".to_owned(), server.local_addr().unwrap())].into();
        let network = Network::new().unwrap();
        let network = network.with_loopback(Loopback { hosts, roots: Vec::new() }).unwrap();
        let proxy = HostProxy::new(network, ["Named.Example".to_owned(), "localhost".into()]);
        let listener = StdListener::bind("127.0.0.1:0").unwrap();
        let (at, twin) = (listener.local_addr().unwrap(), listener.try_clone().unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| proxy.serve(listener));
            scope.spawn(|| {
                server.set_nonblocking(true).unwrap();
                for _ in 0..200 {
                    if let Ok((mut stream, _)) = server.accept() {
                        stream.write_all(b"hello").unwrap();
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
            let mut stream = StdStream::connect(at).unwrap();
            stream.write_all(request).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            rustix::net::shutdown(&twin, rustix::net::Shutdown::Both).unwrap();
            (answer, proxy.take_refused())
        })
    }

    #[test]
    fn a_named_host_is_reached_and_nothing_else() {
        let (answer, refused) = asked(b"CONNECT named.example:443 HTTP/1.1\r\nhost: x\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("hello"), "{answer}");
        assert!(refused.is_empty());
        for other in ["other.example:443", "named.example:80", "named.example.evil.example:443"] {
            let (answer, refused) = asked(format!("CONNECT {other} HTTP/1.1\r\n\r\n").as_bytes());
            assert!(answer.starts_with("HTTP/1.1 403 "), "{other}: {answer}");
            assert_eq!(refused, BTreeSet::from([other.to_owned()]));
        }
        // Named, but it leads to this machine.
        let (answer, _) = asked(b"CONNECT localhost:443 HTTP/1.1\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
        for other in ["GET http://named.example/ HTTP/1.1\r\n\r\n", "CONNECT\r\n\r\n", "nonsense"] {
            let (answer, _) = asked(other.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 400 "), "{other}: {answer}");
        }
    }
}
