//! `acp`: between an editor and an agent. The agent works on the copy, has no way to the editor's
//! files or terminal, and each turn ends in one question that shows the effect. What the editor's
//! user clicks decides nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::gated::{Gated, text};

/// An agent that tries every way it has.
const AGENT: &str = r#"
import json, sys, os
def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()
def ask(id, method, params):
    send({"id": id, "method": method, "params": params})
    while True:
        answer = json.loads(sys.stdin.readline())
        if answer.get("id") == id and "method" not in answer:
            return answer
for line in sys.stdin:
    asked = json.loads(line)
    method, id = asked.get("method"), asked.get("id")
    if method == "initialize":
        send({"id": id, "result": {"protocolVersion": 1, "agentCapabilities": {},
              "_meta": asked["params"]["clientCapabilities"]}})
    elif method == "session/new":
        send({"id": id, "result": {"sessionId": "s1"}})
    elif method == "session/prompt":
        heard = [part["text"] for part in asked["params"]["prompt"]]
        before = open("notes.md").read()
        open("notes.md", "w").write(heard[-1] + "\n")
        wrote = ask("w1", "fs/write_text_file", {"sessionId": "s1",
                    "path": os.path.join(os.getcwd(), "notes.md"), "content": "past the gate\n"})
        ran = ask("t1", "terminal/create", {"sessionId": "s1", "command": "touch", "args": ["x"]})
        may = ask("p1", "session/request_permission", {"sessionId": "s1",
                  "toolCall": {"toolCallId": "c1", "title": "own question"}, "options": []})
        said = json.dumps([wrote.get("error", {}).get("code"), ran.get("error", {}).get("code"),
                           may.get("result"), before, heard[:-1]])
        send({"method": "session/update", "params": {"sessionId": "s1", "update": {
              "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": said}}}})
        send({"id": id, "result": {"stopReason": "end_turn"}})
"#;

struct Editor {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    number: u64,
    /// Where the user rejects the plan before answering the editor.
    reject: Option<Gated>,
    /// Which of the options of ours the user chooses.
    chooses: usize,
}

impl Editor {
    fn start(gated: &Gated) -> Self {
        let mut child = gated
            .command(env!("CARGO_BIN_EXE_exacta"))
            .args(["acp", "--", "/usr/bin/python3", "agent.py"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, number: 100, reject: None, chooses: 0 }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the agent went away");
        serde_json::from_str(&line).unwrap()
    }

    /// Asks and answers every question on the way; gives what came until the answer.
    fn ask(&mut self, method: &str, params: &Value) -> (Value, Vec<Value>) {
        self.number += 1;
        let id = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut heard = Vec::new();
        loop {
            let message = self.hear();
            if message["id"] == id && message["method"].is_null() {
                return (message, heard);
            }
            if message["method"] == "session/request_permission" {
                if let (Some(gated), Some(id)) = (&self.reject, message["id"].as_str())
                    && let Some(plan) = id.strip_prefix("exacta-")
                {
                    let hash = gated.hash(plan);
                    let said = gated.exacta(&[
                        "reject",
                        plan,
                        "--reason",
                        "not like this",
                        "--hash",
                        &hash,
                    ]);
                    assert_eq!(said.code, 0, "{}", said.err);
                }
                let options = message["params"]["options"].as_array().unwrap();
                let option = options.get(self.chooses).map(|one| one["optionId"].clone());
                let outcome = json!({ "outcome": "selected", "optionId": option });
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"],
                    "result": { "outcome": outcome } }));
            }
            heard.push(message);
        }
    }
}

fn words(heard: &[Value]) -> String {
    let text = |message: &Value| {
        message.pointer("/params/update/content/text").and_then(Value::as_str).map(str::to_owned)
    };
    heard.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_editors_yes_decides_nothing_and_the_agent_has_no_way_past() {
    let files = [("notes.md", "Hello.\n"), ("agent.py", AGENT)];
    let policy = "version = 1\nprofile = \"manual\"\ndecide = \"hash\"\n";
    let gated = Gated::of(&files, policy);
    let mut editor = Editor::start(&gated);
    let can = json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true });
    let hello = json!({ "protocolVersion": 1, "clientCapabilities": can });
    let (said, _) = editor.ask("initialize", &hello);
    assert_eq!(said["result"]["_meta"]["fs"]["writeTextFile"], false, "{said}");
    assert_eq!(said["result"]["_meta"]["terminal"], false, "{said}");
    let (refused, _) = editor.ask("session/new", &json!({ "cwd": "/etc", "mcpServers": [] }));
    assert!(refused["error"].is_object(), "{refused}");
    let here = json!({ "cwd": gated.project.path(), "mcpServers": [] });
    assert_eq!(editor.ask("session/new", &here).0["result"]["sessionId"], "s1");
    let prompt =
        |text: &str| json!({ "sessionId": "s1", "prompt": [{ "type": "text", "text": text }] });
    let (ended, heard) = editor.ask("session/prompt", &prompt("First."));
    assert_eq!(ended["result"]["stopReason"], "end_turn");
    assert!(words(&heard).contains("[-32601, -32601,"), "{}", words(&heard));
    // Nothing of the editor's files or terminal was asked for, and one question is ours.
    let methods: Vec<&str> = heard.iter().filter_map(|one| one["method"].as_str()).collect();
    assert!(methods.iter().all(|method| method.starts_with("session/")), "{methods:?}");
    let ours: Vec<&Value> = heard
        .iter()
        .filter(|one| one["id"].as_str().is_some_and(|id| id.starts_with("exacta-")))
        .collect();
    assert_eq!(ours.len(), 1, "{heard:?}");
    let diff = &ours[0]["params"]["toolCall"]["content"][0];
    assert_eq!((&diff["type"], &diff["oldText"]), (&json!("diff"), &json!("Hello.\n")));
    assert_eq!(diff["newText"], "First.\n");
    assert!(words(&heard).contains("still waits"), "{}", words(&heard));
    assert_eq!(gated.read("notes.md"), "Hello.\n", "a click in the editor is not an approval");
    // A person decides in Exacta.
    let plans = gated.json(&["list", "--json"], 0);
    let id = text(&plans[0]["plan_id"]);
    let hash = gated.hash(&id);
    assert_eq!(gated.exacta(&["approve", &id, "--hash", &hash, "--run"]).code, 0);
    assert_eq!(gated.read("notes.md"), "First.\n");
    assert!(!gated.project.path().join("x").exists());
    // The next turn goes on from what was approved, and loses nothing.
    let (_, heard) = editor.ask("session/prompt", &prompt("Second."));
    let ours =
        heard.iter().find(|one| one["id"].as_str().is_some_and(|id| id.starts_with("exacta-")));
    let diff = &ours.unwrap()["params"]["toolCall"]["content"][0];
    assert_eq!((&diff["oldText"], &diff["newText"]), (&json!("First.\n"), &json!("Second.\n")));
    assert!(words(&heard).contains("First.\\n"), "{}", words(&heard));
    // What became of the first turn reached the agent with the second.
    assert!(words(&heard).contains("still waits; the project is as it was"), "{}", words(&heard));
    // What a person rejects is taken back in the copy, and the agent hears why.
    editor.reject = Some(gated);
    let (_, heard) = editor.ask("session/prompt", &prompt("Third."));
    let gated = editor.reject.take().unwrap();
    assert!(words(&heard).contains("was rejected"), "{}", words(&heard));
    assert_eq!(gated.read("notes.md"), "First.\n");
    let (_, heard) = editor.ask("session/prompt", &prompt("Fourth."));
    let told = words(&heard);
    assert!(told.contains("not like this") && told.contains("\"First.\\n\""), "{told}");
    drop(editor.to.take());
    assert!(editor.child.wait().unwrap().success());
}

#[test]
fn an_editors_yes_counts_where_the_operator_says_so_and_the_editor_shows_everything() {
    let files = [("notes.md", "Hello.\n"), ("agent.py", AGENT)];
    let policy = "version = 1\nprofile = \"manual\"\neditor_decides = true\n";
    let gated = Gated::of(&files, policy);
    let mut editor = Editor::start(&gated);
    let hello = json!({ "protocolVersion": 1, "clientCapabilities": {} });
    editor.ask("initialize", &hello);
    let here = json!({ "cwd": gated.project.path(), "mcpServers": [] });
    editor.ask("session/new", &here);
    let prompt =
        |text: &str| json!({ "sessionId": "s1", "prompt": [{ "type": "text", "text": text }] });
    // Later: nothing is decided.
    editor.chooses = 2;
    let (_, heard) = editor.ask("session/prompt", &prompt("First."));
    assert!(words(&heard).contains("still waits"), "{}", words(&heard));
    assert_eq!(gated.read("notes.md"), "Hello.\n");
    // Rejected: the copy goes back.
    editor.chooses = 1;
    let (_, heard) = editor.ask("session/prompt", &prompt("Second."));
    assert!(words(&heard).contains("was rejected"), "{}", words(&heard));
    assert_eq!(gated.read("notes.md"), "Hello.\n");
    // Approved: exactly what was shown happens, and the record says how it was decided.
    editor.chooses = 0;
    let (_, heard) = editor.ask("session/prompt", &prompt("Third."));
    assert!(words(&heard).contains("applied"), "{}", words(&heard));
    assert_eq!(gated.read("notes.md"), "Third.\n");
    let log = gated.exacta(&["log", "--json"]);
    assert!(log.out.contains("\"assurance\":\"editor\""), "{}", log.out);
    // What an editor cannot show is left to Exacta.
    let (_, heard) = editor.ask("session/prompt", &prompt("Right to left: \u{202e}."));
    assert!(words(&heard).contains("still waits"), "{}", words(&heard));
    assert_eq!(gated.read("notes.md"), "Third.\n");
    drop(editor.to.take());
    assert!(editor.child.wait().unwrap().success());
}
