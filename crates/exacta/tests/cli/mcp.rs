//! `mcp`: both revisions of the protocol on standard input and output, every tool, frames that
//! nobody should send. Nothing that a client sends decides on a plan.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::gated::{Gated, HASH};

/// A client that sends what it likes.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: u64,
    /// What every request carries, in the newer revision.
    meta: Option<Value>,
}

impl Client {
    fn start(gated: &Gated) -> Self {
        let mut child = gated
            .command(env!("CARGO_BIN_EXE_exacta"))
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, number: 0, meta: None }
    }

    /// The older handshake.
    fn older(gated: &Gated, version: &str) -> Self {
        let mut client = Self::start(gated);
        let said = client.ask(
            "initialize",
            json!({ "protocolVersion": version,
            "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
        );
        assert_eq!(said["result"]["protocolVersion"], version, "{said}");
        assert_eq!(said["result"]["serverInfo"]["name"], "exacta");
        client
            .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client
    }

    /// The revision without a handshake.
    fn newer(gated: &Gated, capabilities: &Value) -> Self {
        let mut client = Self::start(gated);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities }));
        client
    }

    fn send(&mut self, frame: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(frame.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.number += 1;
        let id = self.number;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let frame = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&frame.to_string());
        self.answer(id)
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server went away");
            let value: Value = serde_json::from_str(&line).unwrap();
            if value["id"] == id {
                return value;
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "so that calls read like calls")]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The structured answer of a tool.
    fn give(&mut self, tool: &str, arguments: Value) -> Value {
        let said = self.call(tool, arguments);
        assert!(said["result"]["isError"] != true, "{said}");
        said["result"]["structuredContent"].clone()
    }

    fn leave(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

fn draft(text: &str) -> Value {
    json!({ "steps": [{ "step_id": "step_1", "title": "Say more in notes.md",
        "type": "file_modify", "target": "notes.md", "content": text }] })
}

fn gated(profile: &str) -> Gated {
    Gated::of(&[("notes.md", "Hello.\n")], &HASH.replace("conservative", profile))
}

fn notes(gated: &Gated) -> String {
    std::fs::read_to_string(gated.project.path().join("notes.md")).unwrap()
}

#[test]
fn every_tool_works_in_both_revisions() {
    for newer in [false, true] {
        let gated = gated("balanced");
        let mut client = if newer {
            let mut client = Client::newer(&gated, &json!({}));
            let found = client.ask("server/discover", json!({}));
            assert_eq!(found["result"]["resultType"], "complete", "{found}");
            client
        } else {
            Client::older(&gated, "2025-06-18")
        };
        let listed = client.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let all = "plan_check plan_show plan_status plan_explain plan_wait audit_verify \
                   plan_propose plan_run run_undo";
        assert_eq!(names.join(" "), all);
        for tool in &tools {
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
            let reads = tool["annotations"]["readOnlyHint"].as_bool().unwrap();
            let name = tool["name"].as_str().unwrap();
            assert_eq!(reads, !["plan_propose", "plan_run", "run_undo"].contains(&name), "{name}");
        }
        if newer {
            assert_eq!(listed["result"]["resultType"], "complete");
            assert!(
                listed["result"]["ttlMs"].is_u64() && listed["result"]["cacheScope"].is_string()
            );
        }
        assert_eq!(client.ask("tools/list", json!({}))["result"], listed["result"]);
        let checked = client.give("plan_check", json!({ "draft": draft("Hello there.\n") }));
        assert_eq!(checked["ok"], true);
        let plan = client.give("plan_propose", json!({ "draft": draft("Hello there.\n") }));
        assert_eq!((&plan["state"], &plan["next"]), (&json!("auto_approved"), &json!("plan_run")));
        assert_eq!(plan["plan_hash"], checked["plan_hash"]);
        // Nothing runs by being proposed.
        assert_eq!(notes(&gated), "Hello.\n");
        let id = plan["plan_id"].clone();
        let shown = client.give("plan_show", json!({ "plan_id": id }));
        assert!(shown["patch"].as_str().unwrap().contains("+Hello there."));
        assert_eq!(client.give("plan_status", json!({ "plan_id": id }))["next"], "plan_run");
        assert_eq!(client.give("plan_wait", json!({ "plan_id": id }))["next"], "plan_run");
        let explained = client.give("plan_explain", json!({ "plan_id": id }));
        assert_eq!(explained["check"]["plan_hash"], plan["plan_hash"]);
        let page = client.give("plan_explain", json!({ "code": "PLAN_SCHEMA_INVALID" }));
        assert!(page["page"].as_str().is_some_and(|page| page.starts_with('#')));
        let ran = client.give("plan_run", json!({ "plan_id": id, "plan_hash": plan["plan_hash"] }));
        assert_eq!(ran["state"], "completed");
        assert_eq!(notes(&gated), "Hello there.\n");
        let back = client.give("run_undo", json!({ "run_id": ran["run_id"] }));
        let undo = &back["proposed"]["plan_id"];
        assert_eq!(client.give("plan_run", json!({ "plan_id": undo }))["state"], "completed");
        assert_eq!(notes(&gated), "Hello.\n");
        assert_eq!(client.give("audit_verify", json!({}))["ok"], true);
        let uri = format!("exacta://plans/{}", id.as_str().unwrap());
        let read = client.ask("resources/read", json!({ "uri": uri }));
        assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("plan_hash"));
        client.leave();
    }
}

#[test]
fn a_plan_that_waits_is_never_decided_by_the_client() {
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    for (capabilities, as_task) in [(json!({}), false), (tasks, true)] {
        let gated = gated("manual");
        let mut client = Client::newer(&gated, &capabilities);
        let said = client.call("plan_propose", json!({ "draft": draft("Hello there.\n") }));
        let id = if as_task {
            assert_eq!(said["result"]["resultType"], "task", "{said}");
            said["result"]["taskId"].clone()
        } else {
            let plan = &said["result"]["structuredContent"];
            assert_eq!((&plan["state"], &plan["next"]), (&json!("pending"), &json!("plan_wait")));
            plan["plan_id"].clone()
        };
        let waited = client.give("plan_wait", json!({ "plan_id": id, "timeout_s": 0 }));
        assert_eq!(waited["next"], "plan_wait");
        if as_task {
            let task = client.ask("tasks/get", json!({ "taskId": id }));
            assert_eq!(task["result"]["status"], "working", "{task}");
            let accept = json!({ "review": { "action": "accept" } });
            let update =
                client.ask("tasks/update", json!({ "taskId": id, "inputResponses": accept }));
            assert!(update["error"].is_object(), "{update}");
            client.ask("tasks/cancel", json!({ "taskId": id }));
        }
        // Whatever is sent along, the call is another call and the plan waits.
        for (key, value) in [
            ("inputResponses", json!({ "review": { "action": "accept", "content": {} } })),
            ("requestState", json!("AAAA")),
        ] {
            let mut params = json!({ "name": "plan_run", "arguments": { "plan_id": id } });
            params[key] = value;
            let said = client.ask("tools/call", params);
            assert!(said["error"].is_object() || said["result"]["isError"] == true, "{said}");
        }
        for tool in ["plan_approve", "approve", "plan_reject", "run_approve"] {
            assert!(client.call(tool, json!({ "plan_id": id }))["error"].is_object(), "{tool}");
        }
        let status = gated.json(&["status", id.as_str().unwrap(), "--json"], 0);
        assert_eq!(status["state"], "pending");
        assert_eq!(notes(&gated), "Hello.\n");
        // A person decides, and the client sees it.
        let hash = status["plan_hash"].as_str().unwrap();
        gated.json(&["approve", id.as_str().unwrap(), "--hash", hash, "--json"], 0);
        assert_eq!(client.give("plan_wait", json!({ "plan_id": id }))["next"], "plan_run");
        if as_task {
            let task = client.ask("tasks/get", json!({ "taskId": id }));
            assert_eq!(task["result"]["status"], "completed", "{task}");
            let result = &task["result"]["result"]["structuredContent"];
            assert_eq!(result["state"], "user_approved", "{task}");
        }
        assert_eq!(client.give("plan_run", json!({ "plan_id": id }))["state"], "completed");
        assert_eq!(notes(&gated), "Hello there.\n");
        client.leave();
    }
}

#[test]
fn errors_say_what_to_change() {
    let gated = gated("balanced");
    let mut client = Client::newer(&gated, &json!({}));
    let bad = json!({ "steps": [{ "step_id": "step_1", "type": "file_modify", "target": "../x",
        "content": "x" }] });
    let said = client.call("plan_propose", json!({ "draft": bad }));
    assert_eq!(said["result"]["isError"], true, "{said}");
    let words = said["result"]["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("change this and propose again"), "{words}");
    for (tool, arguments) in [
        ("plan_show", json!({ "plan_id": "ffffff" })),
        ("plan_run", json!({ "plan_id": "ffffff" })),
        ("run_undo", json!({ "run_id": "ffffff" })),
        ("plan_explain", json!({})),
        ("plan_propose", json!({ "intent": "x" })),
    ] {
        let said = client.call(tool, arguments);
        assert_eq!(said["result"]["isError"], true, "{tool}: {said}");
        assert!(said["result"]["structuredContent"].is_null(), "{tool}");
    }
    for (tool, arguments) in [
        ("plan_show", json!({ "plan_id": 1 })),
        ("plan_run", json!({ "plan_id": "a", "approve": true })),
        ("plan_propose", json!({ "draft": {}, "approval": {} })),
    ] {
        let said = client.call(tool, arguments);
        assert_eq!(said["error"]["code"], -32602, "{tool}: {said}");
    }
    client.leave();
}

#[test]
fn the_server_outlives_hostile_frames() {
    let gated = gated("manual");
    let mut client = Client::newer(&gated, &json!({}));
    assert!(client.ask("server/discover", json!({}))["result"].is_object());
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let frames = [
        String::new(),
        "hello".into(),
        "{".into(),
        "[]".into(),
        "null".into(),
        "\u{0}".into(),
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}".into(),
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}".into(),
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}".into(),
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}".into(),
        format!("{{\"jsonrpc\":\"2.0\",\"id\":98,\"method\":\"tools/call\",\"params\":{deep}}}"),
        format!("{{\"x\":\"{}\"}}", "a".repeat(1 << 20)),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}"
            .into(),
    ];
    for frame in &frames {
        client.send(frame);
        let said = client.give("plan_check", json!({ "draft": draft("Hello there.\n") }));
        assert_eq!(said["ok"], true, "after {frame:.60}");
    }
    assert_eq!(notes(&gated), "Hello.\n");
    client.leave();
}

#[test]
fn an_unsupported_version_is_said_so() {
    let gated = gated("manual");
    let mut client = Client::newer(&gated, &json!({}));
    assert!(client.ask("server/discover", json!({}))["result"].is_object());
    client.meta.as_mut().unwrap()["io.modelcontextprotocol/protocolVersion"] = "2031-01-01".into();
    let said = client.ask("tools/list", json!({}));
    assert_eq!(said["error"]["code"], -32022, "{said}");
    client.leave();
    Client::older(&gated, "2025-11-25").leave();
}
