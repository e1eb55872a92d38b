//! The web gate: what it refuses, what it contacts, and how it ends what does not end.

use std::io::Write as _;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use exacta_core::judge::policy::Policy;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::servers::{Answer, Asked, Site, ok, status, with};
use super::world::Here;
use crate::ToolContext;
use crate::error::ToolError;
use crate::http::{HttpRequest, HttpResponse};
use crate::kit;
use crate::net::address::Reach;
use crate::net::{Network, Resolver, WebGate};

const HOSTS: [&str; 2] = ["site.example", "other.example"];

fn get(url: &str) -> HttpRequest {
    HttpRequest {
        method: "GET".into(),
        url: url.into(),
        headers: Vec::new(),
        body: Vec::new(),
        max_bytes: 1 << 20,
        max_redirects: 3,
        timeout: Duration::from_secs(3),
        outside_effect: false,
    }
}

async fn site(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Site, Here) {
    let site = Site::start(&HOSTS, script).await;
    let here = Here::new(site.loopback(&HOSTS), Policy::default());
    (site, here)
}

async fn send(here: &Here, request: HttpRequest) -> Result<HttpResponse, ToolError> {
    let ctx: ToolContext = here.context("k");
    here.world.http.send(&ctx, request).await
}

async fn code(here: &Here, request: HttpRequest) -> &'static str {
    match send(here, request).await {
        Ok(answer) => panic!("{answer:?}"),
        Err(fault) => fault.code,
    }
}

#[tokio::test]
async fn an_allowed_page_is_read_over_tls_from_the_host_that_was_checked() {
    let (site, here) = site(|_| ok("text/html", "<p>hi</p>")).await;
    let answer = send(&here, get("https://site.example/a?b")).await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"<p>hi</p>"[..]));
    let asked = site.asked();
    assert_eq!(asked[0].path, "/a?b");
    assert_eq!(asked[0].header("host").as_deref(), Some("site.example"));
    assert_eq!(asked[0].header("accept-encoding").as_deref(), Some("gzip"));
}

#[tokio::test]
async fn a_host_that_is_not_listed_is_never_contacted() {
    let (site, here) = site(|_| ok("text/html", "x")).await;
    for url in [
        "https://evil.example/",
        "http://site.example/",
        "https://site.example:8443/",
        "https://127.0.0.1/",
        "https://localhost/",
    ] {
        assert_eq!(code(&here, get(url)).await, "ADDRESS_REFUSED", "{url}");
    }
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn every_redirect_goes_through_the_same_gate() {
    let (site, here) = site(|asked| match asked.path.as_str() {
        "/inside" => status(302, "location: https://169.254.169.254/latest"),
        "/elsewhere" => status(302, "location: https://evil.example/"),
        "/plain" => status(301, "location: http://site.example/"),
        "/file" => status(302, "location: file:///etc/passwd"),
        "/user" => status(302, "location: https://site.example@evil.example/"),
        "/loop" => status(302, "location: /loop"),
        "/three" => status(302, "location: /two"),
        "/two" => status(307, "location: https://other.example/one"),
        "/one" => status(308, "location: ../last"),
        _ => ok("text/plain", "there"),
    })
    .await;
    for path in ["inside", "elsewhere", "plain", "file", "user"] {
        let url = format!("https://site.example/{path}");
        assert_eq!(code(&here, get(&url)).await, "ADDRESS_REFUSED", "{path}");
    }
    assert_eq!(code(&here, get("https://site.example/loop")).await, "HTTP_REDIRECTS");
    assert_eq!(site.paths().iter().filter(|path| *path == "/loop").count(), 4);
    let answer = send(&here, get("https://site.example/three")).await.unwrap();
    assert_eq!(
        (answer.url.as_str(), answer.body.as_slice()),
        ("https://other.example/last", &b"there"[..])
    );
    let mut two = get("https://site.example/three");
    two.max_redirects = 2;
    assert_eq!(code(&here, two).await, "HTTP_REDIRECTS");
}

#[tokio::test]
async fn secrets_do_not_follow_a_redirect_to_another_host_and_effects_follow_none() {
    let (site, here) = site(|asked| match asked.path.as_str() {
        "/go" => status(302, "location: https://other.example/end"),
        _ => ok("text/plain", "end"),
    })
    .await;
    let mut request = get("https://site.example/go");
    request.headers = vec![
        ("authorization".into(), "Bearer s3cret".into()),
        ("x-key".into(), "s3cret".into()),
        ("accept".into(), "text/plain".into()),
    ];
    send(&here, request.clone()).await.unwrap();
    let last = site.asked().pop().unwrap();
    assert_eq!(last.path, "/end");
    assert!(!last.head.contains("s3cret"), "{}", last.head);
    assert_eq!(last.header("accept").as_deref(), Some("text/plain"));
    request.outside_effect = true;
    assert_eq!(send(&here, request).await.unwrap().status, 302);
    assert_eq!(site.paths(), ["/go", "/end", "/go"]);
}

#[tokio::test]
async fn no_connection_is_shared() {
    let (site, here) = site(|_| ok("text/plain", "x")).await;
    for host in ["site", "other", "site"] {
        send(&here, get(&format!("https://{host}.example/"))).await.unwrap();
    }
    let mut connections: Vec<usize> = site.asked().iter().map(|asked| asked.connection).collect();
    connections.dedup();
    assert_eq!(connections.len(), 3);
}

#[tokio::test]
async fn a_wrong_certificate_is_refused() {
    let site = Site::start(&["else.example"], |_| ok("text/plain", "x")).await;
    let here = Here::new(site.loopback(&["site.example"]), Policy::default());
    assert_eq!(code(&here, get("https://site.example/")).await, "HTTP_FAILED");
    let stranger = Site::start(&["site.example"], |_| ok("text/plain", "x")).await;
    let mut loopback = stranger.loopback(&["site.example"]);
    loopback.roots = vec![site.identity.certificate.clone()];
    let here = Here::new(loopback, Policy::default());
    assert_eq!(code(&here, get("https://site.example/")).await, "HTTP_FAILED");
    assert!(site.asked().is_empty() && stranger.asked().is_empty());
}

#[tokio::test]
async fn bombs_long_slow_endless_and_silent_answers_end() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b'a'; 64 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    let (_site, here) = site(move |asked| match asked.path.as_str() {
        "/bomb" => with("content-encoding: gzip", &bomb),
        "/brotli" => with("content-encoding: br", "x"),
        "/long" => with("content-type: text/plain", vec![b'a'; 2 << 20]),
        "/lies" => {
            Answer::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\nshort".to_vec())
        }
        "/endless" => Answer::Forever(vec![b'a'; 65536], Duration::ZERO),
        "/headers" => Answer::Forever(b"HTTP/1.1 200 OK\r\nx: ".repeat(1000), Duration::ZERO),
        "/drip" => Answer::Forever(b"H".to_vec(), Duration::from_millis(100)),
        "/silent" => Answer::Silence,
        "/gone" => Answer::HangUp,
        _ => ok("text/plain", "x"),
    })
    .await;
    let begun = Instant::now();
    for (path, codes) in [
        ("bomb", &["HTTP_BOMB", "HTTP_TOO_LONG"][..]),
        ("brotli", &["HTTP_ENCODING"]),
        ("long", &["HTTP_TOO_LONG"]),
        ("lies", &["HTTP_TIMEOUT", "HTTP_FAILED"]),
        ("endless", &["HTTP_TOO_LONG", "HTTP_FAILED"]),
        ("headers", &["HTTP_FAILED"]),
        ("drip", &["HTTP_TIMEOUT", "HTTP_FAILED"]),
        ("silent", &["HTTP_TIMEOUT"]),
        ("gone", &["HTTP_FAILED"]),
    ] {
        let mut request = get(&format!("https://site.example/{path}"));
        request.timeout = Duration::from_millis(800);
        let found = code(&here, request).await;
        assert!(codes.contains(&found), "{path}: {found}");
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// Gives another address each time it is asked.
struct Rebinding(AtomicUsize);

#[async_trait]
impl Resolver for Rebinding {
    async fn resolve(&self, host: &str) -> std::io::Result<Vec<IpAddr>> {
        let turn = self.0.fetch_add(1, Ordering::SeqCst);
        Ok(match host {
            "mixed.example" => vec!["8.8.8.8".parse().unwrap(), "127.0.0.1".parse().unwrap()],
            "mapped.example" => vec!["::ffff:10.0.0.1".parse().unwrap()],
            "nat.example" => vec!["64:ff9b::7f00:1".parse().unwrap()],
            "none.example" => Vec::new(),
            // Documentation addresses are not public, so nothing is ever contacted here.
            _ if turn == 0 => vec!["192.0.2.1".parse().unwrap()],
            _ => vec!["127.0.0.1".parse().unwrap()],
        })
    }
}

#[tokio::test]
async fn names_that_lead_inside_are_not_followed() {
    let resolver = Arc::new(Rebinding(AtomicUsize::new(0)));
    let network = Network::new().unwrap().with_resolver(Arc::clone(&resolver) as Arc<dyn Resolver>);
    let hosts =
        ["mixed.example", "mapped.example", "nat.example", "none.example", "rebind.example"];
    let reach = Reach {
        domains: hosts.iter().map(|host| (*host).to_owned()).collect(),
        ports: [443].into(),
    };
    let folder = tempfile::tempdir().unwrap();
    let mut world = kit::world(folder.path());
    world.http = Arc::new(WebGate::new(network, reach));
    let ctx = kit::context(world);
    for (host, expected) in [
        ("rebind.example", "ADDRESS_NOT_PUBLIC"),
        ("rebind.example", "ADDRESS_NOT_PUBLIC"),
        ("mixed.example", "ADDRESS_NOT_PUBLIC"),
        ("mapped.example", "ADDRESS_NOT_PUBLIC"),
        ("nat.example", "ADDRESS_NOT_PUBLIC"),
        ("none.example", "RESOLVE_FAILED"),
    ] {
        let fault = ctx.world.http.send(&ctx, get(&format!("https://{host}/"))).await.unwrap_err();
        assert_eq!(fault.code, expected, "{host}");
    }
    // Once a request: there is no second look that could differ from the first.
    assert_eq!(resolver.0.load(Ordering::SeqCst), 6);
}
