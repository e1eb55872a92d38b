//! The Model Context Protocol over the server's HTTP: every tool in both revisions, nobody
//! without a token, no foreign page, and a wait that decides nothing whatever is sent.

use serde_json::{Value, json};

use crate::gated::{Gated, HASH, text};
use crate::room::Room;

const OTHER: &str = "[proposers.other]\nprovider = \"p\"\nmodel = \"m\"\nclass = \"LOCAL_ONLY\"\n";

fn gated(profile: &str) -> Gated {
    let policy = format!("{}{OTHER}", HASH.replace("conservative", profile));
    Gated::of(&[("notes.md", "Hello.\n")], &policy)
}

fn draft(text: &str) -> Value {
    json!({ "steps": [{ "step_id": "step_1", "title": "Say more in notes.md",
        "type": "file_modify", "target": "notes.md", "content": text }] })
}

/// A client with a token and a revision.
struct Client<'r> {
    room: &'r Room,
    token: String,
    newer: Option<Value>,
}

impl<'r> Client<'r> {
    fn of(room: &'r Room, proposer: Option<&str>, newer: Option<Value>) -> Self {
        Self { room, token: format!("Bearer {}", room.token(proposer)), newer }
    }

    fn post(&self, more: &[(&str, &str)], method: &str, mut params: Value) -> (u16, Value) {
        let mut headers = vec![
            ("Authorization", self.token.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let name = params["name"].as_str().or(params["uri"].as_str()).or(params["taskId"].as_str());
        let name = name.unwrap_or_default().to_owned();
        if let Some(capabilities) = &self.newer {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": capabilities });
            headers.extend([("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)]);
            if !name.is_empty() {
                headers.push(("Mcp-Name", &name));
            }
        } else if method != "initialize" {
            headers.push(("MCP-Protocol-Version", "2025-06-18"));
        }
        headers.retain(|(old, _)| !more.iter().any(|(new, _)| old.eq_ignore_ascii_case(new)));
        headers.extend(more.iter().filter(|(_, value)| !value.is_empty()));
        let frame = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let (status, _, body) = self.room.send("POST", "/mcp", &headers, &frame.to_string());
        let events = body.lines().filter_map(|line| line.strip_prefix("data:"));
        let answers = events.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        let answer = answers.into_iter().find(|answer| answer["id"] == 7);
        (status, answer.or_else(|| serde_json::from_str(&body).ok()).unwrap_or(Value::Null))
    }

    fn ask(&self, method: &str, params: Value) -> Value {
        let (_, answer) = self.post(&[], method, params);
        answer
    }

    #[expect(clippy::needless_pass_by_value, reason = "so that calls read like calls")]
    fn give(&self, tool: &str, arguments: Value) -> Value {
        let said = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(
            said["result"]["isError"] == false || said["result"]["isError"].is_null(),
            "{said}"
        );
        assert!(said["error"].is_null(), "{tool}: {said}");
        said["result"]["structuredContent"].clone()
    }
}

#[test]
fn every_tool_works_over_http_in_both_revisions() {
    let gated = gated("balanced");
    let room = Room::open(&gated);
    assert!(room.said["mcp_url"].as_str().unwrap().ends_with("/mcp"));
    for newer in [None, Some(json!({}))] {
        let client = Client::of(&room, None, newer.clone());
        if newer.is_some() {
            let found = client.ask("server/discover", json!({}));
            assert_eq!(found["result"]["resultType"], "complete", "{found}");
        } else {
            let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } });
            let said = client.ask("initialize", hello);
            assert_eq!(said["result"]["protocolVersion"], "2025-06-18", "{said}");
        }
        let listed = client.ask("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 9, "{listed}");
        assert_eq!(client.give("plan_check", json!({ "draft": draft("Hi.\n") }))["ok"], true);
        let plan = client.give("plan_propose", json!({ "draft": draft("Hi.\n") }));
        assert_eq!(plan["next"], "plan_run", "{plan}");
        let id = plan["plan_id"].clone();
        for tool in ["plan_show", "plan_status", "plan_wait", "plan_explain"] {
            client.give(tool, json!({ "plan_id": id }));
        }
        let ran = client.give("plan_run", json!({ "plan_id": id }));
        assert_eq!(gated.read("notes.md"), "Hi.\n");
        let back = client.give("run_undo", json!({ "run_id": ran["run_id"] }));
        client.give("plan_run", json!({ "plan_id": back["proposed"]["plan_id"] }));
        assert_eq!(gated.read("notes.md"), "Hello.\n");
        assert_eq!(client.give("audit_verify", json!({}))["ok"], true);
        let read = client.ask("resources/read", json!({ "uri": "exacta://record" }));
        let entries = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(entries.contains(id.as_str().unwrap()), "{entries}");
        // Another agent's plans are not there for this one.
        let other = Client::of(&room, Some("other"), newer);
        for (tool, arguments) in [
            ("plan_show", json!({ "plan_id": id })),
            ("plan_status", json!({ "plan_id": id })),
            ("plan_run", json!({ "plan_id": id })),
            ("run_undo", json!({ "run_id": ran["run_id"] })),
            ("plan_propose", json!({ "draft": draft("Hi.\n"), "parent": id })),
        ] {
            let said = other.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
            assert_eq!(said["result"]["isError"], true, "{tool}: {said}");
        }
        let read = other.ask("resources/read", json!({ "uri": "exacta://record" }));
        assert!(!read.to_string().contains(id.as_str().unwrap()), "{read}");
        let uri = format!("exacta://runs/{}", text(&ran["run_id"]));
        let read = other.ask("resources/read", json!({ "uri": uri }));
        assert!(read["error"].is_object(), "{read}");
    }
    let list = gated.json(&["list", "--json"], 0);
    assert_eq!(list.as_array().unwrap().len(), 4);
}

#[test]
fn nobody_comes_in_without_a_token_or_from_a_foreign_page() {
    let gated = gated("balanced");
    let room = Room::open(&gated);
    for newer in [None, Some(json!({}))] {
        let client = Client::of(&room, None, newer);
        let port = room.port();
        let propose = || json!({ "name": "plan_propose", "arguments": { "draft": draft("x\n") } });
        let (loopback, evil) = (format!("http://127.0.0.1:{port}"), "https://evil.example");
        for (name, value, expected) in [
            ("Authorization", "", 401),
            ("Authorization", "Bearer wrong", 401),
            ("Authorization", "Basic eDp5", 401),
            ("Host", "evil.example", 421),
            ("Host", "127.0.0.1:1", 421),
            ("Origin", evil, 403),
            ("Origin", "null", 403),
            ("Origin", &loopback, 403),
            ("Sec-Fetch-Site", "cross-site", 403),
            ("X-Forwarded-For", "127.0.0.1", 403),
        ] {
            let (status, said) = client.post(&[(name, value)], "tools/call", propose());
            assert_eq!(status, expected, "{name}: {value}: {said}");
        }
        let token = [("Authorization", client.token.as_str())];
        for method in ["GET", "DELETE", "PUT"] {
            let (status, ..) = room.send(method, "/mcp", &token, "");
            assert!((400..500).contains(&status), "{method} {status}");
        }
    }
    // Headers that say something else than the body are refused; so is an unknown revision.
    let client = Client::of(&room, None, Some(json!({})));
    for (name, value) in [
        ("Mcp-Method", "tools/list"),
        ("Mcp-Name", "plan_check"),
        ("MCP-Protocol-Version", "2025-06-18"),
        ("MCP-Protocol-Version", "2031-01-01"),
    ] {
        let propose = json!({ "name": "plan_propose", "arguments": { "draft": draft("x\n") } });
        let (_, said) = client.post(&[(name, value)], "tools/call", propose);
        assert!(said["error"].is_object(), "{name}: {value}: {said}");
    }
    let frames = ["", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"}", "[[[[[[[[", "\u{0}"];
    for frame in frames {
        let token = client.token.as_str();
        let headers = [
            ("Authorization", token),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let (status, ..) = room.send("POST", "/mcp", &headers, frame);
        assert!((400..500).contains(&status), "{frame:?} {status}");
    }
    assert_eq!(client.give("audit_verify", json!({}))["ok"], true);
    let list = gated.json(&["list", "--json"], 0);
    assert_eq!(list.as_array().unwrap().len(), 0);
}

#[test]
fn a_page_to_open_is_bound_to_its_call_and_decides_nothing() {
    let gated = gated("manual");
    let room = Room::open(&gated);
    let opens = json!({ "elicitation": { "url": {} } });
    let client = Client::of(&room, None, Some(opens.clone()));
    let arguments = json!({ "draft": draft("Hi.\n") });
    let call = |client: &Client<'_>, arguments: &Value, state: &Value| {
        let mut params = json!({ "name": "plan_propose", "arguments": arguments,
            "inputResponses": { "review": { "action": "accept", "content": {} } } });
        if !state.is_null() {
            params["requestState"] = state.clone();
        }
        client.ask("tools/call", params)
    };
    let said = client.ask("tools/call", json!({ "name": "plan_propose", "arguments": arguments }));
    assert_eq!(said["result"]["resultType"], "input_required", "{said}");
    let asked = &said["result"]["inputRequests"]["review"];
    assert_eq!(asked["method"], "elicitation/create", "{said}");
    assert_eq!(asked["params"]["mode"], "url");
    let (state, url) = (said["result"]["requestState"].clone(), text(&asked["params"]["url"]));
    let list = gated.json(&["list", "--json"], 0);
    let id = text(&list[0]["plan_id"]);
    assert_eq!(url, format!("{}/open/{id}", text(&room.said["api_url"])));
    assert!(!url.contains(&room.token(None)), "{url}");
    // Accepting means that the page was opened, and nothing else.
    let again = call(&client, &arguments, &state);
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    // Altered, for another call, of another caller, or none at all.
    let text_state = text(&state);
    let other_id = id.replace(|c: char| c.is_ascii_digit(), "0");
    for altered in [
        json!(text_state.replace(&id, &other_id)),
        json!(format!("{text_state}0")),
        json!(text_state.to_uppercase()),
        json!("AAAA"),
        json!(""),
        Value::Null,
    ] {
        let said = call(&client, &arguments, &altered);
        assert!(said["error"].is_object(), "{altered}: {said}");
    }
    let said = call(&client, &json!({ "draft": draft("Other.\n") }), &state);
    assert!(said["error"].is_object(), "{said}");
    let other = Client::of(&room, Some("other"), Some(opens));
    assert!(call(&other, &arguments, &state)["error"].is_object());
    for tool in ["plan_run", "plan_wait", "plan_status"] {
        let said = client.ask(
            "tools/call",
            json!({ "name": tool, "requestState": state,
            "arguments": { "plan_id": id } }),
        );
        assert!(said["error"].is_object(), "{tool}: {said}");
    }
    let list = gated.json(&["list", "--json"], 0);
    assert_eq!((list.as_array().unwrap().len(), &list[0]["state"]), (1, &json!("pending")));
    assert_eq!(gated.read("notes.md"), "Hello.\n");
    // A person decides, and the same call learns it, as often as it likes.
    let hash = gated.hash(&id);
    gated.json(&["approve", &id, "--hash", &hash, "--json"], 0);
    for _ in 0..2 {
        let said = call(&client, &arguments, &state);
        let plan = &said["result"]["structuredContent"];
        assert_eq!((&plan["plan_id"], &plan["next"]), (&json!(id), &json!("plan_run")), "{said}");
    }
    assert_eq!(gated.json(&["list", "--json"], 0).as_array().unwrap().len(), 1);
    assert_eq!(client.give("plan_run", json!({ "plan_id": id }))["state"], "completed");
    assert_eq!(gated.read("notes.md"), "Hi.\n");
    // A client that can do neither is told where the page is.
    let other = Client::of(&room, None, None);
    let plan = other.give("plan_propose", json!({ "draft": draft("Once more.\n") }));
    assert_eq!((&plan["state"], &plan["next"]), (&json!("pending"), &json!("plan_wait")));
    let page = plan["review_url"].as_str().unwrap();
    assert_eq!(page, format!("{}/open/{}", text(&room.said["api_url"]), text(&plan["plan_id"])));
    // Whoever knows the room's name could be sent the session of whoever is signed in there.
    let name = text(&room.said["url"]).replace("http://", "");
    let name = name.split(':').next().unwrap();
    let shown = other.give("plan_show", json!({ "plan_id": plan["plan_id"] }));
    assert!(name.ends_with(".localhost"));
    assert!(!plan.to_string().contains(name) && !shown.to_string().contains(name), "{shown}");
}

#[test]
fn a_task_over_http_is_nobody_elses() {
    let gated = gated("manual");
    let room = Room::open(&gated);
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let client = Client::of(&room, None, Some(tasks.clone()));
    let arguments = json!({ "draft": draft("Hi.\n") });
    let said = client.ask("tools/call", json!({ "name": "plan_propose", "arguments": arguments }));
    assert_eq!(said["result"]["resultType"], "task", "{said}");
    let id = text(&said["result"]["taskId"]);
    let task = client.ask("tasks/get", json!({ "taskId": id }));
    assert_eq!(task["result"]["status"], "working", "{task}");
    let other = Client::of(&room, Some("other"), Some(tasks));
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params =
            json!({ "taskId": id, "inputResponses": { "review": { "action": "accept" } } });
        assert!(other.ask(method, params)["error"].is_object(), "{method}");
    }
    let accept = json!({ "taskId": id, "inputResponses": { "review": { "action": "accept" } } });
    assert!(client.ask("tasks/update", accept)["error"].is_object());
    assert_eq!(gated.json(&["status", &id, "--json"], 0)["state"], "pending");
    let hash = gated.hash(&id);
    gated.json(&["approve", &id, "--hash", &hash, "--json"], 0);
    let task = client.ask("tasks/get", json!({ "taskId": id }));
    assert_eq!(task["result"]["status"], "completed", "{task}");
}
