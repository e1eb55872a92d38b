//! Who may what: agents never decide and see only what is theirs; links are good once.

use std::time::Instant;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use exacta_core::record::Assurance;
use exacta_engine::proof::Proof;
use serde_json::{Value, json};

use crate::world::{HOST, ORIGIN, World, request};

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_decides_nothing_and_sees_nothing_of_others() {
    let world = World::new();
    let plan = world.plan(1).await;
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    for (act, body) in [
        ("approve", json!({"plan_hash": hash})),
        ("reject", json!({"plan_hash": hash, "reason": "no"})),
        ("changes", json!({"plan_hash": hash, "request": "other"})),
        ("pause", json!({"plan_hash": hash})),
        ("renew", json!({"plan_hash": hash})),
    ] {
        for which in 0..3 {
            let refused = world
                .agent(which, "POST", &format!("/api/v1/plans/{id}/{act}"), Some(body.clone()))
                .await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{act}: {}", refused.body);
        }
        let nobody = world
            .send(request("POST", &format!("/api/v1/plans/{id}/{act}"), Some(body), &[]))
            .await;
        assert_eq!(nobody.status, StatusCode::UNAUTHORIZED);
    }
    for path in [
        format!("/api/v1/plans/{id}"),
        format!("/api/v1/plans/{id}/diff"),
        format!("/api/v1/plans/{id}/events"),
        format!("/api/v1/audit/{}", plan["correlation_id"].as_str().unwrap()),
    ] {
        assert_eq!(world.agent(1, "GET", &path, None).await.status, StatusCode::OK, "{path}");
        for other in [0, 2] {
            let hidden = world.agent(other, "GET", &path, None).await;
            assert_eq!(hidden.status, StatusCode::NOT_FOUND, "{path}: {}", hidden.body);
        }
    }
    let listed = world.agent(2, "GET", "/api/v1/plans", None).await;
    assert_eq!(listed.body["items"], json!([]));
    let run = world
        .agent(2, "POST", "/api/v1/runs", Some(json!({"plan_id": id, "plan_hash": hash})))
        .await;
    assert_eq!(run.status, StatusCode::NOT_FOUND);
    // The plan is as it was.
    let now = world.agent(1, "GET", &format!("/api/v1/plans/{id}"), None).await;
    assert_eq!(now.body["status"], "validated");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_ends_with_its_file() {
    let world = World::new();
    world.plan(0).await;
    let file = world.state.projects[0].tokens[0].file.clone();
    std::fs::remove_file(file).unwrap();
    assert_eq!(world.agent(0, "GET", "/api/v1/plans", None).await.status, StatusCode::UNAUTHORIZED);
}

fn enter(link: &str, origin: Option<&str>, host: &str) -> Request<Body> {
    let mut request = Request::post("/sign-in")
        .header("host", host)
        .header("content-type", "application/x-www-form-urlencoded");
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    request.body(Body::from(format!("link={link}"))).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_used_by_the_button_of_its_page_once() {
    let world = World::new();
    let proof = Proof::for_tests(Assurance::Terminal);
    let link = world.state.sign_ins.mint(&proof, Instant::now()).unwrap();
    // A prefetch, a preview, a foreign page, a plain address: nothing is used up.
    for _ in 0..3 {
        let page = world.send(request("GET", &format!("/sign-in/{link}"), None, &[])).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(!page.headers.contains_key("set-cookie"));
    }
    for refused in [
        enter(&link, Some("http://evil.example"), HOST),
        enter(&link, Some("http://new.abc.localhost:4101"), HOST),
        enter(&link, None, HOST),
        enter(&link, Some(ORIGIN), "127.0.0.1:4100"),
    ] {
        let answer = world.send(refused).await;
        assert!(answer.status.is_client_error(), "{}", answer.status);
        assert!(!answer.headers.contains_key("set-cookie"));
    }
    let entered = world.send(enter(&link, Some(ORIGIN), HOST)).await;
    assert_eq!(entered.status, StatusCode::SEE_OTHER);
    let cookie = entered.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(
        cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Strict")
            && !cookie.contains("Domain")
    );
    let again = world.send(enter(&link, Some(ORIGIN), HOST)).await;
    assert_eq!(again.status, StatusCode::UNAUTHORIZED);
    let cookie = cookie.split(';').next().unwrap().to_owned();
    assert_eq!(world.person(&cookie, "GET", "/api/v1/plans", None).await.status, StatusCode::OK);
    // The same cookie at a plain address, which other programs on this machine share.
    let shared =
        request("GET", "/api/v1/plans", None, &[("cookie", &cookie), ("host", "127.0.0.1:4100")]);
    assert_eq!(world.send(shared).await.status, StatusCode::UNAUTHORIZED);
    world.person(&cookie, "POST", "/sign-out", None).await;
    assert_eq!(
        world.person(&cookie, "GET", "/api/v1/plans", None).await.status,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_decides_only_with_the_word_for_this_plan() {
    let world = World::new();
    let (cookie, plan) = (world.cookie(), world.plan(0).await);
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    let secret = cookie.split_once('=').unwrap().1;
    let project = plan["project_id"].as_str().unwrap();
    let person = world.state.sign_ins.person(secret, Instant::now()).unwrap();
    let form = |token: &str, origin: &str, site: &str| {
        Request::post(format!("/projects/{project}/plans/{id}/decide"))
            .header("host", HOST)
            .header("cookie", &cookie)
            .header("origin", origin)
            .header("sec-fetch-site", site)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(format!("act=approve&seen=all&plan_hash={hash}&token={token}")))
            .unwrap()
    };
    let right = world.state.form_token(&person, hash);
    let other = world.state.form_token(&person, &"0".repeat(64));
    for refused in [
        form(&other, ORIGIN, "same-origin"),
        form(&right, "http://localhost:3000", "same-site"),
        form(&right, ORIGIN, "same-site"),
        form(&right, ORIGIN, "cross-site"),
        form(&right, "null", "same-origin"),
    ] {
        assert_eq!(world.send(refused).await.status, StatusCode::FORBIDDEN);
    }
    let state = world.agent(0, "GET", &format!("/api/v1/plans/{id}"), None).await;
    assert_eq!(state.body["status"], "validated");
    let done = world.send(form(&right, ORIGIN, "same-origin")).await;
    assert!(!done.status.is_client_error(), "{}: {}", done.status, done.body);
    let state = world.agent(0, "GET", &format!("/api/v1/plans/{id}"), None).await;
    assert_eq!(state.body["status"], "approved");
}

#[tokio::test(flavor = "multi_thread")]
async fn drafting_by_intent_is_a_right_of_people() {
    let world = World::new();
    let wish = || Some(json!({"intent": "add a file planned.txt that says two"}));
    for which in 0..3 {
        let refused = world.agent(which, "POST", "/api/v1/plans/draft", wish()).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.body);
    }
    let cookie = world.cookie();
    let made = world.person(&cookie, "POST", "/api/v1/plans/draft", wish()).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    assert_eq!(made.body["intent"], "add a file planned.txt that says two");
    assert_eq!(made.body["binding"]["source"], "measured", "{}", made.body["binding"]);
    // The draft claims `r-1`; what was measured counts.
    assert_eq!(made.body["llm"]["request_id"], made.body["binding"]["request_hash"]);
    assert_eq!(made.body["llm"]["provider_request_id"], Value::Null, "{}", made.body["llm"]);
    assert_eq!(made.body["llm"]["preference"], "configured");
    let named = Some(json!({"intent": "add a file planned.txt that says two, named so"}));
    let named = world.person(&cookie, "POST", "/api/v1/plans/draft", named).await;
    assert_eq!(named.body["llm"]["provider_request_id"], "req_011C", "{}", named.body["llm"]);
    // It stays when a person renews the plan; what an agent hands in stays a claim.
    let id = named.body["plan_id"].as_str().unwrap();
    let hash = Some(json!({"plan_hash": named.body["plan_hash"]}));
    let fresh = format!("/api/v1/plans/{id}/renew");
    let fresh = world.person(&cookie, "POST", &fresh, hash).await;
    let fresh = format!("/api/v1/plans/{}", fresh.body["plan_id"].as_str().unwrap());
    let fresh = world.person(&cookie, "GET", &fresh, None).await;
    assert_eq!(fresh.body["llm"]["provider_request_id"], "req_011C", "{}", fresh.body);
    let claimed = world.plan(1).await;
    assert_eq!(claimed["llm"]["provider_request_id"], "claimed");
    assert_eq!(
        (&claimed["llm"]["preference"], &claimed["llm"]["source"]),
        (&json!("quality"), &json!("claimed"))
    );
    // What the model wrote waits like any other plan, and what goes wrong makes none.
    assert_eq!(made.body["status"], "validated");
    for (body, words) in [
        (json!({"intent": "fail"}), "cannot be reached"),
        (json!({"intent": "  "}), "give a `draft`"),
        (json!({}), "give a `draft`"),
    ] {
        let refused = world.person(&cookie, "POST", "/api/v1/plans/draft", Some(body)).await;
        assert!(refused.status.is_client_error(), "{}", refused.body);
        assert!(refused.body.to_string().contains(words), "{}", refused.body);
    }
    let listed = world.person(&cookie, "GET", "/api/v1/plans", None).await;
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 4, "{}", listed.body);
}

/// An answer that is given again is no way around a right, and never older than the record.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_given_again_is_the_callers_own_and_as_new_as_the_record() {
    let world = World::new();
    let plan = world.plan(1).await;
    let path = format!("/api/v1/plans/{}", plan["plan_id"].as_str().unwrap());
    for _ in 0..3 {
        assert_eq!(world.agent(1, "GET", &path, None).await.status, StatusCode::OK);
        assert_eq!(world.agent(2, "GET", &path, None).await.status, StatusCode::NOT_FOUND);
        let listed = world.agent(1, "GET", "/api/v1/plans", None).await;
        assert_eq!(listed.body["items"].as_array().unwrap().len(), 1);
        let other = world.agent(2, "GET", "/api/v1/plans", None).await;
        assert_eq!(other.body["items"], json!([]));
    }
    // What a person decides is seen by the next read, however soon it comes.
    let cookie = world.cookie();
    let mine = world.person(&cookie, "GET", &path, None).await;
    assert_eq!(mine.body["status"], "validated");
    let body = json!({"plan_hash": plan["plan_hash"], "reason": "no"});
    let rejected = world
        .send(request(
            "POST",
            &format!("{path}/reject"),
            Some(body),
            &[("cookie", &cookie), ("origin", ORIGIN)],
        ))
        .await;
    assert_eq!(rejected.status, StatusCode::OK, "{}", rejected.body);
    assert_eq!(world.agent(1, "GET", &path, None).await.body["status"], "rejected");
    assert_eq!(world.person(&cookie, "GET", &path, None).await.body["status"], "rejected");
    // A right that ends, ends at once.
    std::fs::remove_file(&world.state.projects[0].tokens[1].file).unwrap();
    assert_eq!(world.agent(1, "GET", &path, None).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_tokens_share_one_allowance_and_take_nothing_from_others() {
    let world = World::new();
    for (name, scheme) in [("authorization", "Bearer exacta_agent_"), ("cookie", "exacta_session=")]
    {
        let mut last = StatusCode::UNAUTHORIZED;
        for number in 0..50_000 {
            let guess = format!("{scheme}{number}");
            let guess = request("GET", "/api/v1/plans", None, &[(name, &guess)]);
            last = world.send(guess).await.status;
            if last != StatusCode::UNAUTHORIZED {
                break;
            }
        }
        assert_eq!(last, StatusCode::TOO_MANY_REQUESTS, "{name}");
    }
    assert_eq!(world.agent(0, "GET", "/api/v1/plans", None).await.status, StatusCode::OK);
    let nobody = world.send(request("GET", "/sign-in", None, &[])).await;
    assert_eq!(nobody.status, StatusCode::OK);
    let person = world.person(&world.cookie(), "GET", "/api/v1/plans", None).await;
    assert_eq!(person.status, StatusCode::OK);
}
