//! Foreign pages, other ports, rebinding, spoofed headers: every route of the document is
//! tried, and nothing happens.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use exacta_server::Address;
use serde_json::Value;

use crate::world::{HOST, ORIGIN, World, request};

/// Every route, with ids that exist.
async fn routes(world: &World) -> Vec<(String, String)> {
    let plan = world.plan(0).await;
    let document = world.send(request("GET", "/openapi.json", None, &[])).await.body;
    let mut routes = vec![
        ("GET".into(), "/".into()),
        ("POST".into(), "/sign-in".into()),
        ("POST".into(), "/sign-out".into()),
    ];
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let path = path
                .replace("{plan_id}", plan["plan_id"].as_str().unwrap())
                .replace("{correlation_id}", plan["correlation_id"].as_str().unwrap())
                .replace("{run_id}", plan["plan_id"].as_str().unwrap());
            routes.push((method.to_uppercase(), path));
        }
    }
    assert!(routes.len() > 20, "{routes:?}");
    routes
}

#[tokio::test(flavor = "multi_thread")]
async fn no_foreign_page_and_no_forwarded_request_reaches_any_route() {
    let world = World::new();
    let cookie = world.cookie();
    let token = format!("Bearer {}", world.tokens[0]);
    let routes = routes(&world).await;
    let head =
        world.person(&cookie, "GET", "/api/v1/audit/checkpoint", None).await.body["head"].clone();
    let attacks: [&[(&str, &str)]; 16] = [
        &[("host", "evil.example:4100")],
        &[("host", "new.abc.localhost:4101")],
        &[("host", "old.abc.localhost:4100")],
        &[("host", "new.abc.localhost.evil.example:4100")],
        &[("host", HOST), ("host", "evil.example")],
        &[("host", HOST), ("origin", "http://evil.example")],
        &[("host", HOST), ("origin", "http://localhost:3000")],
        &[("host", HOST), ("origin", "http://new.abc.localhost:3000")],
        &[("host", HOST), ("origin", "https://new.abc.localhost:4100")],
        &[("host", HOST), ("origin", "http://evil.abc.localhost:4100")],
        &[("host", HOST), ("origin", "http://abc.localhost:4100")],
        &[("host", HOST), ("origin", "null")],
        &[("host", HOST), ("origin", ORIGIN), ("x-forwarded-for", "127.0.0.1")],
        &[("host", HOST), ("origin", ORIGIN), ("forwarded", "for=127.0.0.1")],
        &[("host", HOST), ("origin", ORIGIN), ("x-forwarded-host", HOST)],
        &[("host", HOST), ("origin", ORIGIN), ("sec-fetch-site", "same-site")],
    ];
    for (method, path) in &routes {
        for attack in attacks {
            for right in [("cookie", cookie.as_str()), ("authorization", token.as_str())] {
                let mut request = Request::builder().method(method.as_str()).uri(path.as_str());
                for (name, value) in attack.iter().chain([&right]) {
                    request = request.header(*name, *value);
                }
                let request = request.header("content-type", "application/json");
                let answer = world.send(request.body(Body::from("{}")).unwrap()).await;
                let refused = matches!(
                    answer.status,
                    StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST
                );
                assert!(refused, "{method} {path} {attack:?}: {}", answer.status);
            }
        }
    }
    let now =
        world.person(&cookie, "GET", "/api/v1/audit/checkpoint", None).await.body["head"].clone();
    assert_eq!(head, now, "something was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_is_dressed_and_json_routes_take_json_only() {
    let world = World::new();
    let cookie = world.cookie();
    for path in ["/", "/healthz", "/openapi.json", "/sign-in", "/nowhere", "/api/v1/plans"] {
        let answer = world.person(&cookie, "GET", path, None).await;
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{path}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{path}");
        assert!(answer.headers.contains_key("cache-control"), "{path}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        let request = Request::post("/api/v1/plans/draft")
            .header("host", HOST)
            .header("origin", ORIGIN)
            .header("cookie", &cookie)
            .header("content-type", kind)
            .body(Body::from("{\"draft\": {\"steps\": []}}"))
            .unwrap();
        assert_eq!(world.send(request).await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let preflight = Request::builder()
        .method("OPTIONS")
        .uri("/api/v1/plans/draft")
        .header("host", HOST)
        .header("origin", ORIGIN)
        .body(Body::empty())
        .unwrap();
    let answer = world.send(preflight).await;
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    let _: Value = answer.body;
}

/// A request as it comes over the outside address, from a peer.
fn outside(path: &str, headers: &[(&str, &str)], peer: &str) -> Request<Body> {
    let address = Address::outside("gate.example", 8443);
    let mut request = request("GET", path, None, headers);
    let peer: std::net::SocketAddr = peer.parse().unwrap();
    request.extensions_mut().insert(std::sync::Arc::new(address));
    request.extensions_mut().insert(axum::extract::ConnectInfo(peer));
    request
}

#[tokio::test(flavor = "multi_thread")]
async fn the_outside_address_has_one_name_and_nothing_forwarded_is_local() {
    let world = World::new();
    let own = ("host", "gate.example:8443");
    let far = "203.0.113.9:5000";
    let answer = world.send(outside("/sign-in", &[own], far)).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.headers.contains_key("strict-transport-security"));
    for (headers, peer) in [
        (&[("host", HOST)][..], far),
        (&[("host", "127.0.0.1:8443")][..], "127.0.0.1:5000"),
        (&[("host", "localhost:8443")][..], "127.0.0.1:5000"),
        (&[own, ("x-forwarded-for", "127.0.0.1")][..], "127.0.0.1:5000"),
        (&[own, ("forwarded", "for=127.0.0.1")][..], far),
        (&[own, ("via", "1.1 proxy")][..], far),
        (&[own, ("origin", ORIGIN)][..], far),
    ] {
        let answer = world.send(outside("/sign-in", headers, peer)).await;
        let refused = [StatusCode::MISDIRECTED_REQUEST, StatusCode::FORBIDDEN];
        assert!(refused.contains(&answer.status), "{headers:?} {}", answer.status);
    }
    // Without TLS nobody else is served, whatever name they use.
    let mut plain = request("GET", "/sign-in", None, &[]);
    let peer: std::net::SocketAddr = far.parse().unwrap();
    plain.extensions_mut().insert(axum::extract::ConnectInfo(peer));
    assert_eq!(world.send(plain).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_goes_to_an_address_reads_a_page_and_a_program_reads_json() {
    let world = World::new();
    let goes = |site: &'static str| {
        [("sec-fetch-site", site), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
    };
    let mut foreign = goes("none").to_vec();
    foreign.push(("host", "old.abc.localhost:4100"));
    for (path, headers, status) in [
        ("/nowhere", goes("none").to_vec(), StatusCode::NOT_FOUND),
        ("/", foreign, StatusCode::MISDIRECTED_REQUEST),
    ] {
        let page = world.send(request("GET", path, None, &headers)).await;
        assert_eq!(page.status, status, "{path}");
        assert!(page.headers["content-type"].to_str().unwrap().starts_with("text/html"));
        assert!(page.headers.contains_key("content-security-policy"), "{path}");
        assert!(page.body.as_str().unwrap().contains("<h1>"), "{path}: {}", page.body);
    }
    for (path, headers) in [("/nowhere", Vec::new()), ("/api/v1/plans", goes("none").to_vec())] {
        let json = world.send(request("GET", path, None, &headers)).await;
        assert_eq!(json.headers["content-type"], "application/problem+json", "{path}");
        assert!(json.body["code"].is_string(), "{path}");
    }
}
