//! Limits for those who show no right, and commands that come twice.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use exacta_core::model::digest::Digest;
use exacta_engine::proof::{SESSION_LASTS, hash_credential};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::world::{HOST, ORIGIN, World, draft, request};

fn form(path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(path)
        .header("host", HOST)
        .header("origin", ORIGIN)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body.into())
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_without_a_right_has_little_time() {
    let world = World::new();
    let started = Instant::now();
    let never = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"link="))])
        .chain(stream::pending());
    let slow = world.send(form("/sign-in", Body::from_stream(never))).await;
    assert_eq!(slow.status, StatusCode::REQUEST_TIMEOUT);
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    // One that is too large is not read, and its right is asked for as before.
    let large = json!({"draft": draft(&"x".repeat(100_000))});
    let answer = world.send(request("POST", "/api/v1/plans/draft", Some(large.clone()), &[])).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{}", answer.body);
    let token = format!("Bearer {}", world.tokens[0]);
    let headers = [("authorization", token.as_str())];
    let answer = world.send(request("POST", "/api/v1/plans/draft", Some(large), &headers)).await;
    assert_ne!(answer.status, StatusCode::UNAUTHORIZED, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_credentials_delay_the_next_one_and_no_link() {
    let world = World::new();
    world.state.outer.keep_credential(&hash_credential(b"right").unwrap()).unwrap();
    let tries = (0..8).map(|number| world.send(form("/sign-in", format!("credential=w{number}"))));
    let answers = futures_util::future::join_all(tries).await;
    let refused = |status| answers.iter().filter(|one| one.status == status).count();
    assert_eq!(refused(StatusCode::UNAUTHORIZED), 5);
    assert_eq!(refused(StatusCode::TOO_MANY_REQUESTS), 3);
    let late = answers.iter().find(|one| one.status == StatusCode::TOO_MANY_REQUESTS).unwrap();
    let wait: u64 = late.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!(wait <= 60, "{wait}");
    // The link is good all the while, and after the delay so is the credential.
    let proof = exacta_engine::proof::Proof::for_tests(exacta_core::record::Assurance::Terminal);
    let link = world.state.sign_ins.mint(&proof, Instant::now()).unwrap();
    let entered = world.send(form("/sign-in", format!("link={link}"))).await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER);
    tokio::time::sleep(Duration::from_secs(wait)).await;
    let entered = world.send(form("/sign-in", "credential=right")).await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER, "{}", entered.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_not_used_for_long_hears_nothing_more() {
    let world = World::new();
    let cookie = world.cookie();
    let secret = cookie.split_once('=').unwrap().1;
    let person = world.state.sign_ins.person(secret, Instant::now()).unwrap();
    let later = Instant::now() + SESSION_LASTS + Duration::from_secs(1);
    assert!(world.state.sign_ins.holds(&person, Instant::now()));
    assert!(!world.state.sign_ins.holds(&person, later));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_no_way_around_a_version() {
    let world = World::new();
    let cookie = world.cookie();
    let plan = world.plan(0).await;
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    let read = world.person(&cookie, "GET", &format!("/api/v1/plans/{id}"), None).await;
    let now = read.headers["etag"].to_str().unwrap().to_owned();
    let decide = |version: &str, key: &str| {
        let headers = [
            ("cookie", cookie.as_str()),
            ("origin", ORIGIN),
            ("if-match", version),
            ("idempotency-key", key),
        ];
        let body = json!({"plan_hash": hash});
        world.send(request("POST", &format!("/api/v1/plans/{id}/approve"), Some(body), &headers))
    };
    let stale = decide("\"nonsense\"", "k").await;
    assert_eq!(stale.status, StatusCode::PRECONDITION_FAILED, "{}", stale.body);
    let first = decide(&now, "k").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.body);
    // Given again, it is answered as before, although the plan has moved on.
    let again = decide(&now, "k").await;
    assert_eq!((again.status, &again.body), (StatusCode::OK, &first.body));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn one_start_under_one_key_is_answered_alike_however_often_it_comes() {
    let world = World::new();
    let cookie = world.cookie();
    let plan = world.plan(0).await;
    let (id, hash) = (&plan["plan_id"], &plan["plan_hash"]);
    let path = format!("/api/v1/plans/{}/approve", id.as_str().unwrap());
    let approved = world.person(&cookie, "POST", &path, Some(json!({"plan_hash": hash}))).await;
    assert_eq!(approved.status, StatusCode::OK, "{}", approved.body);
    let start = || {
        let headers = [("cookie", cookie.as_str()), ("origin", ORIGIN), ("idempotency-key", "run")];
        let body = json!({"plan_id": id, "plan_hash": hash});
        world.send(request("POST", "/api/v1/runs", Some(body), &headers))
    };
    let answers = futures_util::future::join_all((0..40).map(|_| start())).await;
    let seen: BTreeSet<(StatusCode, String)> =
        answers.iter().map(|one| (one.status, one.body["run_id"].to_string())).collect();
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(seen.first().unwrap().0, StatusCode::ACCEPTED);
    // Without the key an approval is good once.
    let body = json!({"plan_id": id, "plan_hash": hash});
    let other = world.person(&cookie, "POST", "/api/v1/runs", Some(body)).await;
    assert_eq!(other.body["code"], "APPROVAL_USED", "{}", other.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn one_plan_is_renewed_once() {
    let world = World::new();
    let cookie = world.cookie();
    let renew = |plan: &Value| {
        let path = format!("/api/v1/plans/{}/renew", plan["plan_id"].as_str().unwrap());
        let body = json!({"plan_hash": plan["plan_hash"]});
        let headers = [("cookie", cookie.as_str()), ("origin", ORIGIN)];
        world.send(request("POST", &path, Some(body), &headers))
    };
    let plan = world.plan(0).await;
    let answers = futures_util::future::join_all((0..12).map(|_| renew(&plan))).await;
    let fresh: BTreeSet<String> =
        answers.iter().map(|one| one.body["plan_id"].to_string()).collect();
    assert!(answers.iter().all(|one| one.status == StatusCode::OK), "{fresh:?}");
    assert_eq!(fresh.len(), 1, "{fresh:?}");
    // So it is for one that was over before, and for whoever names the first of the chain.
    let second = answers.first().unwrap().body.clone();
    let path = format!("/api/v1/plans/{}/reject", second["plan_id"].as_str().unwrap());
    let body = json!({"plan_hash": second["plan_hash"], "reason": "no"});
    assert_eq!(world.person(&cookie, "POST", &path, Some(body)).await.status, StatusCode::OK);
    let answers = futures_util::future::join_all((0..12).map(|_| renew(&plan))).await;
    let third: BTreeSet<String> =
        answers.iter().map(|one| one.body["plan_id"].to_string()).collect();
    assert_eq!(third.len(), 1, "{third:?}");
    assert!(third.is_disjoint(&fresh));
    let listed = world.person(&cookie, "GET", "/api/v1/plans?status=validated", None).await;
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 1, "{}", listed.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_words_are_spelled_out_on_every_page() {
    let world = World::new();
    let cookie = world.cookie();
    let words = "abc\u{202e}gnp.exe\u{202c} \u{200b} \u{1b}[31m \u{feff} \u{e0041}";
    let mut hostile = draft("b.txt");
    hostile["goal"] = words.into();
    hostile["steps"][0]["title"] = words.into();
    let body = json!({"draft": hostile, "intent": words});
    let made = world.agent(1, "POST", "/api/v1/plans/draft", Some(body)).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let (project, plan) = (&made.body["project_id"], &made.body["plan_id"]);
    let base = format!("/projects/{}", project.as_str().unwrap());
    let asked = "%E2%80%AEx%E2%80%8B%1B";
    // A reason is somebody's words, too.
    let path = format!("/api/v1/plans/{}/reject", plan.as_str().unwrap());
    let no = Some(json!({"plan_hash": made.body["plan_hash"], "reason": words}));
    assert_eq!(world.person(&cookie, "POST", &path, no).await.status, StatusCode::OK);
    for path in [
        "/".to_owned(),
        format!("{base}/plans/{}", plan.as_str().unwrap()),
        format!("{base}/record"),
        format!("{base}/record?intent={asked}"),
        format!("/sign-in/{asked}"),
    ] {
        let page = world.person(&cookie, "GET", &path, None).await;
        let text = page.body.as_str().unwrap();
        let hidden = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
                || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
        };
        assert_eq!(
            text.chars().find(|c| hidden(*c)),
            None,
            "{path}: {}",
            Digest::of(text.as_bytes())
        );
    }
    let inbox = world.person(&cookie, "GET", "/", None).await;
    assert!(inbox.body.as_str().unwrap().contains("abc&lt;U+202E&gt;gnp"), "{}", inbox.body);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn one_token_does_not_fill_the_memory_and_keeps_nobody_out() {
    let world = World::new();
    let text = "x".repeat(12 << 20);
    let body = Bytes::from(json!({"draft": text}).to_string());
    let large = |which: usize| {
        let token = &world.tokens[which];
        let request = Request::post("/api/v1/plans/check")
            .header("host", HOST)
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .header("content-length", body.len())
            // It comes slowly, so that all of them are there at once.
            .body(Body::from_stream(stream::unfold(body.clone(), |mut left| async move {
                if left.is_empty() {
                    return None;
                }
                tokio::time::sleep(Duration::from_millis(150)).await;
                let piece = left.split_to(left.len().min(256 << 10));
                Some((Ok::<_, std::io::Error>(piece), left))
            })));
        world.send(request.unwrap())
    };
    let many = futures_util::future::join_all((0..20).map(|_| large(1)));
    let others = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        for _ in 0..10 {
            let body = json!({"draft": draft("b.txt")});
            let small = world.agent(1, "POST", "/api/v1/plans/check", Some(body)).await;
            assert_eq!(small.status, StatusCode::OK, "{}", small.body);
        }
        large(2).await
    };
    let (many, other) = futures_util::future::join(many, others).await;
    assert_ne!(other.status, StatusCode::TOO_MANY_REQUESTS, "{}", other.body);
    let late: Vec<_> =
        many.iter().filter(|one| one.status == StatusCode::TOO_MANY_REQUESTS).collect();
    assert!((10..20).contains(&late.len()), "{}", late.len());
    assert!(late.iter().all(|one| one.headers.contains_key("retry-after")));
    assert!(many.iter().all(|one| one.status.as_u16() < 500));
}
