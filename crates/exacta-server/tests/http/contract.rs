//! The plan contract: its fields, its events, approval that starts nothing, runs, versions.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::world::{World, draft, request};

fn names(events: &Value) -> Vec<String> {
    events.as_array().unwrap().iter().map(|e| e["event"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_lives_from_draft_to_run_and_back() {
    let world = World::new();
    let cookie = world.cookie();
    let plan = world.plan(1).await;
    for field in [
        "plan_version",
        "plan_id",
        "plan_hash",
        "skill_id",
        "goal",
        "assumptions",
        "inputs",
        "steps",
        "estimates",
        "risk",
        "validation_issues",
        "policy_context",
        "llm",
        "status",
        "approval",
        "quality",
        "binding",
        "derived_from",
    ] {
        assert!(plan.get(field).is_some(), "{field} is missing in {plan}");
    }
    for field in
        ["policy_preset", "model", "max_steps", "max_tool_calls", "max_pages", "max_cost_usd"]
    {
        assert!(!plan["policy_context"][field].is_null(), "{field}");
    }
    assert_eq!(plan["llm"]["task_class"], "edit");
    assert_eq!(plan["llm"]["request_id"], "r-1");
    assert_eq!(plan["policy_context"]["max_cost_usd"], 5.0);
    assert!(plan.get("llm_model").is_none());
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    let at = |rest: &str| format!("/api/v1/plans/{id}{rest}");

    // Not approved: nothing runs.
    let start = json!({"plan_id": id, "plan_hash": hash});
    let early = world.agent(1, "POST", "/api/v1/runs", Some(start.clone())).await;
    assert_eq!(early.status, StatusCode::CONFLICT);
    assert_eq!(early.body["code"], "PLAN_NOT_APPROVED");
    assert_eq!(early.headers["content-type"], "application/problem+json");

    // Approving never executes.
    let approved =
        world.person(&cookie, "POST", &at("/approve"), Some(json!({"plan_hash": hash}))).await;
    assert_eq!(approved.status, StatusCode::OK, "{}", approved.body);
    assert_eq!(approved.body["state"], "user_approved");
    assert!(!world.folder.path().join("b.txt").exists());
    let read = world.agent(1, "GET", &at(""), None).await;
    assert_eq!(read.body["status"], "approved");
    assert_eq!(read.body["approval"]["assurance"], "signed_in");

    let ran = world.agent(1, "POST", "/api/v1/runs", Some(start.clone())).await;
    assert_eq!(ran.status, StatusCode::ACCEPTED, "{}", ran.body);
    let run_id = ran.body["run_id"].as_str().unwrap().to_owned();
    let place = ran.headers["location"].to_str().unwrap().to_owned();
    let mut run = Value::Null;
    for _ in 0..200 {
        run = world.agent(1, "GET", &place, None).await.body;
        if run["state"] == "completed" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(run["state"], "completed", "{run}");
    assert_eq!(std::fs::read_to_string(world.folder.path().join("b.txt")).unwrap(), "two\n");
    // Once.
    let again = world.agent(1, "POST", "/api/v1/runs", Some(start)).await;
    assert_eq!(again.body["code"], "APPROVAL_USED", "{}", again.body);

    let events = world.agent(1, "GET", &at("/events"), None).await.body;
    assert_eq!(names(&events)[..3], ["draft", "validated", "approved"]);
    let audit = format!("/api/v1/audit/{}", plan["correlation_id"].as_str().unwrap());
    let audit = world.agent(1, "GET", &audit, None).await.body;
    assert_eq!(names(&audit["events"])[..3], ["draft", "validated", "approved"]);

    // An agent hands in the inverse; a person takes it back.
    let back = json!({"plan_hash": hash});
    let proposed =
        world.agent(1, "POST", &format!("/api/v1/runs/{run_id}/undo"), Some(back.clone())).await;
    assert_eq!(proposed.status, StatusCode::CREATED, "{}", proposed.body);
    assert!(world.folder.path().join("b.txt").exists());
    let undone =
        world.person(&cookie, "POST", &format!("/api/v1/runs/{run_id}/undo"), Some(back)).await;
    assert_eq!(undone.body["state"], "undone", "{}", undone.body);
    assert!(!world.folder.path().join("b.txt").exists());
    let verified = world.person(&cookie, "GET", "/api/v1/audit/verify", None).await;
    assert_eq!(verified.body["ok"], true, "{}", verified.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_keys_and_pages() {
    let world = World::new();
    let cookie = world.cookie();
    let plan = world.plan(0).await;
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    let read = world.person(&cookie, "GET", &format!("/api/v1/plans/{id}"), None).await;
    let version = read.headers["etag"].to_str().unwrap().to_owned();
    let decide = |act: &str, version: &str, body: Value| {
        let path = format!("/api/v1/plans/{id}/{act}");
        request(
            "POST",
            &path,
            Some(body),
            &[("cookie", &cookie), ("origin", crate::world::ORIGIN), ("if-match", version)],
        )
    };
    let paused = world.send(decide("pause", &version, json!({"plan_hash": hash}))).await;
    assert_eq!(paused.status, StatusCode::OK, "{}", paused.body);
    let stale = world.send(decide("approve", &version, json!({"plan_hash": hash}))).await;
    assert_eq!(stale.status, StatusCode::PRECONDITION_FAILED, "{}", stale.body);
    let zeros = "0".repeat(64);
    let wrong = world.send(decide("approve", "*", json!({"plan_hash": zeros}))).await;
    assert_eq!(wrong.body["code"], "HASH_MISMATCH", "{}", wrong.body);

    // The same key is the same command, also when it is answered twice.
    let token = format!("Bearer {}", world.tokens[1]);
    let send = |path: &str| {
        let body = Some(json!({"draft": draft(path)}));
        request(
            "POST",
            "/api/v1/plans/draft",
            body,
            &[("authorization", &token), ("idempotency-key", "k1")],
        )
    };
    let first = world.send(send("c.txt")).await;
    let second = world.send(send("c.txt")).await;
    assert_eq!((first.status, second.status), (StatusCode::CREATED, StatusCode::OK));
    assert_eq!(first.body["plan_id"], second.body["plan_id"]);
    let other = world.send(send("d.txt")).await;
    assert_eq!(other.body["code"], "KEY_TAKEN", "{}", other.body);

    let mut seen = Vec::new();
    let mut path = "/api/v1/plans?limit=1".to_owned();
    loop {
        let page = world.person(&cookie, "GET", &path, None).await.body;
        seen.extend(page["items"].as_array().unwrap().iter().map(|p| p["plan_id"].clone()));
        match page["next_cursor"].as_str() {
            Some(next) => path = format!("/api/v1/plans?limit=1&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, [first.body["plan_id"].clone(), plan["plan_id"].clone()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_plan_is_a_problem_with_our_codes() {
    let world = World::new();
    for (draft, code) in [
        (json!({"steps": [], "steps2": 1}), "PLAN_SCHEMA_INVALID"),
        (json!("no json"), "PLAN_PARSE_NONJSON"),
        (json!("```json\n{}\n```\n```json\n{}\n```"), "PLAN_PARSE_MULTIBLOCK"),
    ] {
        let refused =
            world.agent(0, "POST", "/api/v1/plans/draft", Some(json!({"draft": draft}))).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
        assert_eq!(refused.body["issues"][0]["code"], code, "{}", refused.body);
        let checked =
            world.agent(0, "POST", "/api/v1/plans/check", Some(json!({"draft": draft}))).await;
        assert_eq!(checked.body["issues"][0]["code"], code);
    }
    // A key that is there twice reaches the strict reader as it was written.
    let raw = r#"{"draft": {"steps": [{"step_id": "step_1", "step_id": "step_1"}]}}"#;
    let token = format!("Bearer {}", world.tokens[0]);
    let mut request = request(
        "POST",
        "/api/v1/plans/check",
        None,
        &[("authorization", &token), ("content-type", "application/json")],
    );
    *request.body_mut() = axum::body::Body::from(raw);
    let checked = world.send(request).await;
    assert_eq!(checked.body["ok"], false, "{}", checked.body);
}
