//! `hook`: whatever a host sends, a denied effect never reaches the disk, and every failure of
//! ours denies. The hosts here are simulated: each follows its documented rules.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::gated::Gated;
use crate::project::Said;

const BALANCED: &str = "version = 1\nprofile = \"balanced\"\n";
const MANUAL: &str = "version = 1\nprofile = \"manual\"\n";
const FILES: [(&str, &str); 2] =
    [("notes.md", "Hello.\n"), ("src/a.py", "def f():\n    return 1\n")];

/// A recorded payload and what must become of it.
struct Fixture {
    name: String,
    host: String,
    expect: String,
    files: Vec<String>,
    payload: Value,
}

fn fixtures() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/hooks");
    let mut all: Vec<Fixture> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let text = |key: &str| value[key].as_str().unwrap().to_owned();
            let files = value["files"].as_array().unwrap();
            Fixture {
                name: path.file_name().unwrap().to_str().unwrap().to_owned(),
                host: text("host"),
                expect: text("expect"),
                files: files.iter().map(|file| file.as_str().unwrap().to_owned()).collect(),
                payload: value["payload"].clone(),
            }
        })
        .collect();
    all.sort_by(|one, two| one.name.cmp(&two.name));
    assert!(all.len() >= 45, "only {} fixtures", all.len());
    all
}

fn gated(policy: &str) -> Gated {
    let gated = Gated::of(&FILES, policy);
    gated.json(&["init", "--json"], 0);
    gated
}

fn asked(gated: &Gated, host: &str, payload: impl AsRef<[u8]>) -> Said {
    use std::io::Write as _;
    let mut child = gated
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(["hook", host])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(payload.as_ref());
    child.wait_with_output().unwrap().into()
}

fn here(gated: &Gated, payload: &Value) -> String {
    payload.to_string().replace("{{project}}", gated.project.path().to_str().unwrap())
}

/// Whether the host's own tool runs after its hook said this. Where a host has a switch that
/// makes failures deny, it is off: the worst case.
fn tool_runs(host: &str, event: &str, said: &Said) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let out = json(&said.out);
    let specific = &out["hookSpecificOutput"];
    let denied = match host {
        "claude-code" | "codex" if event == "PermissionRequest" => {
            said.code == 0 && specific["decision"]["behavior"] == "deny"
        }
        "claude-code" => said.code == 2 || specific["permissionDecision"] == "deny",
        "codex" => {
            let reason = specific["permissionDecisionReason"].as_str().unwrap_or_default();
            let told = specific["permissionDecision"] == "deny" && !reason.is_empty();
            (said.code == 2 && !said.err.trim().is_empty()) || (said.code == 0 && told)
        }
        "gemini" => {
            let out = if said.out.trim().is_empty() { json(&said.err) } else { out.clone() };
            said.code == 2 || out["decision"] == "deny" || out["decision"] == "block"
        }
        "cursor" => said.code == 2 || out["permission"] == "deny",
        "copilot" => said.code != 0 || out["permissionDecision"] == "deny",
        "goose" => said.code == 2 || out["decision"] == "block",
        "cline" => said.code == 0 && out["cancel"] == true,
        "opencode" => said.code != 0,
        other => panic!("{other}"),
    };
    !denied
}

#[test]
fn a_denied_effect_never_reaches_the_disk_and_an_edit_is_made_by_exacta() {
    for fixture in fixtures() {
        let gated = gated(BALANCED);
        // The wiring may name another host than the one that calls.
        for named in [fixture.host.as_str(), "claude-code"] {
            let before = fs::read_to_string(gated.project.path().join("notes.md")).ok();
            let said = asked(&gated, named, here(&gated, &fixture.payload));
            let event = fixture.payload["hook_event_name"].as_str().unwrap_or_default();
            let runs = tool_runs(&fixture.host, event, &said);
            let name = &fixture.name;
            let all = format!("{name}: {} {} {}", said.code, said.out, said.err);
            match fixture.expect.as_str() {
                "silent" => {
                    assert!(runs, "{all}");
                    assert_eq!((said.out.as_str(), said.code), ("", 0), "{all}");
                }
                "refused" => {
                    assert!(!runs, "{all}");
                    let after = fs::read_to_string(gated.project.path().join("notes.md")).ok();
                    assert_eq!(before, after, "{all}");
                }
                "edit" => {
                    assert!(!runs, "{all}");
                    let words = [
                        "applied as run",
                        "waits for a person",
                        "nothing is left to do",
                        "is not there",
                        "does not occur",
                        "is there already",
                        "is refused",
                    ];
                    assert!(words.iter().any(|word| said.err.contains(word)), "{all}");
                }
                other => panic!("{other}"),
            }
            assert!(!said.out.contains("\"ask\"") && !said.out.contains("\"allow\""), "{all}");
        }
        let plans = gated.json(&["list", "--json"], 0);
        let count = plans.as_array().map_or(0, Vec::len);
        let wanted = usize::from(fixture.expect == "edit");
        assert_eq!(count, wanted, "{}: {plans}", fixture.name);
        if fixture.expect == "edit" {
            let id = plans[0]["plan_id"].as_str().unwrap();
            let shown = gated.json(&["show", id, "--json"], 0);
            let mut files: Vec<&str> = shown["files"]
                .as_array()
                .unwrap()
                .iter()
                .map(|f| f["path"].as_str().unwrap())
                .collect();
            let mut expected: Vec<&str> = fixture.files.iter().map(String::as_str).collect();
            files.sort_unstable();
            expected.sort_unstable();
            assert_eq!(files, expected, "{}", fixture.name);
        }
    }
}

#[test]
fn a_document_is_changed_at_once_and_the_same_call_again_is_one_record() {
    let gated = gated(BALANCED);
    let notes = gated.project.path().join("notes.md");
    let payload = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "t1",
        "cwd": gated.project.path(), "tool_name": "Edit", "tool_input": {
            "file_path": notes, "old_string": "Hello.", "new_string": "Hello there." } });
    let first = asked(&gated, "claude-code", payload.to_string());
    assert_eq!(first.code, 2);
    assert!(first.err.contains("applied as run"), "{}", first.err);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "Hello there.\n");
    let entries = gated.exacta(&["log", "--json"]).out.lines().count();
    let second = asked(&gated, "claude-code", payload.to_string());
    assert_eq!(second.err, first.err);
    assert_eq!(gated.exacta(&["log", "--json"]).out.lines().count(), entries);
    assert_eq!(fs::read_to_string(&notes).unwrap(), "Hello there.\n");
}

#[test]
fn what_needs_a_person_waits_and_changes_nothing() {
    let gated = gated(MANUAL);
    let before = fs::read(gated.project.path().join("notes.md")).unwrap();
    let payload = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "t1",
        "cwd": gated.project.path(), "tool_name": "Write", "tool_input": {
            "file_path": gated.project.path().join("notes.md"), "content": "Other.\n" } });
    for _ in 0..2 {
        let said = asked(&gated, "claude-code", payload.to_string());
        assert_eq!(said.code, 2);
        assert!(said.err.contains("waits for a person; call plan_wait"), "{}", said.err);
    }
    assert_eq!(fs::read(gated.project.path().join("notes.md")).unwrap(), before);
    assert_eq!(gated.json(&["list", "--json"], 0).as_array().unwrap().len(), 1);
}

#[test]
fn every_failure_of_ours_denies() {
    let gated = gated(BALANCED);
    let write = |cwd: &str| {
        json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "t1",
            "cwd": cwd, "tool_name": "Write",
            "tool_input": { "file_path": format!("{cwd}/x.md"), "content": "x\n" } })
        .to_string()
    };
    let here = gated.project.path().to_str().unwrap().to_owned();
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let empty = tempfile::TempDir::new().unwrap();
    let cases = [
        ("nothing", String::new()),
        ("prose", "hello".into()),
        ("a list", "[]".into()),
        ("too deep", deep),
        ("no tool", json!({ "hook_event_name": "PreToolUse", "cwd": here }).to_string()),
        ("an unknown event", json!({ "hook_event_name": "Fancy", "cwd": here }).to_string()),
        ("no such folder", write("/nowhere/at/all")),
        ("no record", write(empty.path().to_str().unwrap())),
        (
            "no content",
            json!({ "hook_event_name": "PreToolUse", "cwd": here, "tool_name": "Write",
            "tool_input": { "file_path": "x.md" } })
            .to_string(),
        ),
        (
            "content of another kind",
            json!({ "hook_event_name": "PreToolUse", "cwd": here,
            "tool_name": "Write", "tool_input": { "file_path": "x.md", "content": 1 } })
            .to_string(),
        ),
        (
            "our own folder",
            json!({ "hook_event_name": "PreToolUse", "cwd": here,
            "tool_name": "Write",
            "tool_input": { "file_path": ".exacta/policy.toml", "content": "" } })
            .to_string(),
        ),
        (
            "above the project",
            json!({ "hook_event_name": "PreToolUse", "cwd": here,
            "tool_name": "Write",
            "tool_input": { "file_path": "../x.md", "content": "" } })
            .to_string(),
        ),
    ];
    let before = gated.project.snapshot();
    for (what, payload) in cases {
        for host in ["claude-code", "codex", "gemini", "cursor", "copilot", "goose", "opencode"] {
            let said = asked(&gated, host, &payload);
            assert_eq!(said.code, 2, "{what} {host}: {} {}", said.out, said.err);
            assert!(!said.err.trim().is_empty(), "{what} {host}");
        }
        let said = asked(&gated, "cline", &payload);
        assert!(said.code == 2 || said.out.contains("\"cancel\":true"), "{what}: {}", said.out);
    }
    // Larger than anything that is read.
    let huge = format!("{{\"hook_event_name\": \"{}\"}}", "x".repeat(33 << 20));
    let said = asked(&gated, "claude-code", &huge);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("too large"), "{}", said.err);
    // A state folder that others can write to, and a record that cannot be read.
    let state = gated.home().join(".local/state/exacta");
    let rights = fs::metadata(&state).unwrap().permissions();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(asked(&gated, "claude-code", write(&here)).code, 2);
    fs::set_permissions(&state, rights).unwrap();
    let log = gated.project.path().join(".exacta/log/0001.jsonl");
    let kept = fs::read(&log).unwrap();
    fs::write(&log, "not a record\n").unwrap();
    assert_eq!(asked(&gated, "claude-code", write(&here)).code, 2);
    fs::write(&log, kept).unwrap();
    assert_eq!(gated.project.snapshot(), before);
    // A policy that cannot be read denies as well.
    gated.policy("version = 7\n");
    let said = asked(&gated, "claude-code", write(&here));
    assert_eq!(said.code, 2, "{}", said.err);
    assert_eq!(gated.project.snapshot(), before);
    assert!(!empty.path().join(".exacta").exists());
}

#[test]
fn the_operator_lets_commands_and_tools_through_and_a_project_cannot() {
    let gated = gated(BALANCED);
    let bash = json!({ "hook_event_name": "PreToolUse", "cwd": gated.project.path(),
        "tool_name": "Bash", "tool_input": { "command": "cargo test -q" } })
    .to_string();
    let tool = json!({ "hook_event_name": "PreToolUse", "cwd": gated.project.path(),
        "tool_name": "mcp__x__y", "tool_input": {} })
    .to_string();
    let text = "[hooks]\ncommands = [[\"cargo\", \"test\"]]\ntools = [\"mcp__x__y\"]\n";
    gated.project.write(".exacta/agents.toml", text);
    gated.project.write("agents.toml", text);
    assert_eq!(asked(&gated, "claude-code", &bash).code, 2);
    assert_eq!(asked(&gated, "claude-code", &tool).code, 2);
    let file = gated.home().join(".config/exacta/agents.toml");
    fs::write(&file, text).unwrap();
    assert_eq!(asked(&gated, "claude-code", &bash).code, 0);
    assert_eq!(asked(&gated, "claude-code", &tool).code, 0);
    let fresh = tool.replace("mcp__x__y", "FutureTool");
    assert_eq!(asked(&gated, "claude-code", &fresh).code, 2);
    fs::write(&file, "[hooks]\ntools = [\"FutureTool\"]\n").unwrap();
    assert_eq!(asked(&gated, "claude-code", &fresh).code, 0);
    assert_eq!(asked(&gated, "claude-code", &tool).code, 2);
    fs::write(&file, "[hooks]\ncommands = 1\n").unwrap();
    assert_eq!(asked(&gated, "claude-code", &bash).code, 2);
}

/// The median of a few: what a hook adds to starting the program.
#[test]
fn a_hook_call_costs_little_more_than_starting_the_program() {
    let gated = gated(MANUAL);
    let mut number = 0;
    let median = |act: &mut dyn FnMut()| {
        let mut took: Vec<Duration> = (0..9)
            .map(|_| {
                let start = Instant::now();
                act();
                start.elapsed()
            })
            .collect();
        took.sort_unstable();
        took[4]
    };
    let start = median(&mut || {
        gated.exacta(&["--version"]);
    });
    let hook = median(&mut || {
        number += 1;
        let payload = json!({ "hook_event_name": "PreToolUse", "session_id": "s",
            "tool_use_id": format!("t{number}"), "cwd": gated.project.path(), "tool_name": "Write",
            "tool_input": { "file_path": "notes.md", "content": format!("Hello {number}.\n") } });
        assert_eq!(asked(&gated, "claude-code", payload.to_string()).code, 2);
    });
    eprintln!("a hook call takes {hook:?}, starting the program {start:?}");
    // The bound holds for the released build on a quiet machine; here it is a fuse.
    assert!(hook < start + Duration::from_secs(5), "{hook:?} beside {start:?}");
    if std::env::var_os("EXACTA_TEST_FULL").is_some() && !cfg!(debug_assertions) {
        assert!(hook < start + Duration::from_millis(40), "{hook:?} beside {start:?}");
    }
}

/// The process that reads the change is killed at another moment each time: what it would have
/// proven is unknown then, and unknown never runs alone.
#[test]
fn when_the_reader_of_a_change_is_killed_the_call_is_denied_and_nothing_happens() {
    use std::io::Write as _;
    let added = |n| format!("\n\ndef added_{n}():\n    return {n}\n");
    let content = format!("{}{}", FILES[1].1, (0..120).map(added).collect::<String>());
    let mut killed = 0;
    for round in 0..12_u64 {
        let gated = gated(BALANCED);
        let path = gated.project.path().join("src/a.py");
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Write",
            "tool_use_id": format!("t{round}"), "cwd": gated.project.path(),
            "tool_input": { "file_path": path, "content": content },
        });
        let mut child = gated
            .command(env!("CARGO_BIN_EXE_exacta"))
            .args(["hook", "claude-code"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let hook = child.id();
        let mut to = child.stdin.take().unwrap();
        to.write_all(payload.to_string().as_bytes()).unwrap();
        drop(to);
        // Half of the time no reader lives long enough to say anything; else the first is met at
        // another moment each time, and one that takes its place is left alone.
        let every = round % 2 == 0 && round > 0;
        if !every {
            std::thread::sleep(Duration::from_millis(round));
        }
        let until = Instant::now() + Duration::from_secs(20);
        let mut met = 0;
        while round > 0 && Instant::now() < until && child.try_wait().unwrap().is_none() {
            let readers = children(hook).into_iter();
            met += readers.filter(|one| kill_process(*one, Signal::KILL).is_ok()).count();
            if met > 0 && !every {
                break;
            }
        }
        killed += met;
        let said: Said = child.wait_with_output().unwrap().into();
        let before = FILES[1].1;
        let after = gated.read("src/a.py");
        if round == 0 {
            // What would run alone if nobody were killed.
            assert_eq!(after, content, "{}", said.err);
        }
        if every {
            assert!(met > 0, "no reader was met");
            assert!(said.err.contains("waits for a person"), "{}", said.err);
        }
        assert!(!tool_runs("claude-code", "PreToolUse", &said), "{} {}", said.code, said.err);
        if said.err.contains("waits for a person") {
            assert_eq!(after, before, "{}", said.err);
        } else if after != before {
            // The reader had said all that it had to say: the change is on the record as applied.
            assert!(said.err.contains("applied as run"), "{}", said.err);
            assert_eq!(after, content);
        }
        assert_eq!(gated.exacta(&["verify"]).code, 0);
    }
    assert!(killed > 0, "no reader was met");
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<Pid> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let list = fs::read_to_string(path).unwrap_or_default();
    list.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

/// Whoever has the key can write what the gate believes.
#[test]
fn the_gates_own_key_is_not_read_through_the_host() {
    let gated = gated(BALANCED);
    let own = gated.home().join(".local/state/exacta");
    assert!(own.join("key").exists() || fs::read_dir(&own).unwrap().next().is_some());
    let shell = |line: &str| {
        json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
            "cwd": gated.project.path(), "tool_input": { "command": line } })
    };
    let read = |tool: &str, path: &Path| {
        json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": tool,
            "cwd": gated.project.path(), "tool_input": { "file_path": path, "path": path } })
    };
    let key = own.join("key");
    for payload in [
        shell(&format!("cat {}", key.display())),
        shell(&format!("head -c 99 '{}/key'", own.display())),
        shell(&format!("grep -r . {}", gated.home().display())),
        shell(&format!("cat {}/.local/st*/exacta/key", gated.home().display())),
        read("Read", &key),
        read("Grep", gated.home()),
    ] {
        let said = asked(&gated, "claude-code", payload.to_string());
        assert!(!tool_runs("claude-code", "PreToolUse", &said), "{payload}");
        assert!(said.err.contains("Exacta's own"), "{payload}: {}", said.err);
    }
    for payload in [shell("cat notes.md"), read("Read", &gated.project.path().join("notes.md"))] {
        let said = asked(&gated, "claude-code", payload.to_string());
        assert!(tool_runs("claude-code", "PreToolUse", &said), "{payload}: {}", said.err);
    }
}

/// Where a host takes another of two readings, what was judged is not what runs.
#[test]
fn what_can_be_read_two_ways_does_not_run() {
    let gated = gated(BALANCED);
    let here = gated.project.path();
    let call = |input: Value| {
        json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
            "cwd": here, "tool_input": input })
        .to_string()
    };
    fs::create_dir_all(here.join("fixture.git/objects")).unwrap();
    fs::write(here.join("fixture.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    for payload in [
        call(json!({ "command": "ls", "cmd": "rm -rf x" })),
        call(json!({ "command": "ls", "shell": "./evil.sh" })),
        call(json!({ "command": "ls", "env": { "LD_PRELOAD": "./x.so" } })),
        call(json!({ "command": "git status", "workdir": "fixture.git" })),
        call(json!({ "command": "git status", "cwd": here.join("fixture.git/objects") })),
        call(json!({ "command": "echo 'a\\' '; rm -rf x #'" })),
        call(json!({ "command": "ls" }))
            .replace("\"command\":\"ls\"", "\"command\":\"ls\",\"command\":\"rm x\""),
        call(json!({ "command": "ls" })).replacen("{\"", "{\"tool_name\":\"Read\",\"", 1),
    ] {
        let said = asked(&gated, "claude-code", &payload);
        assert!(!tool_runs("claude-code", "PreToolUse", &said), "{payload}: {}", said.out);
    }
    let fine = call(json!({ "command": "git status", "workdir": here, "timeout": 1000 }));
    let said = asked(&gated, "claude-code", &fine);
    assert!(tool_runs("claude-code", "PreToolUse", &said), "{}", said.err);
}

/// A host that waits too long lets the tool run: checks that take long run by themselves.
#[test]
fn slow_checks_do_not_hold_a_call() {
    let policy = format!("{BALANCED}[checks.slow]\ncommand = [\"sleep\", \"30\"]\n");
    let gated = gated(&policy);
    let payload = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Write",
        "tool_use_id": "t1", "cwd": gated.project.path(),
        "tool_input": { "file_path": gated.project.path().join("notes.md"),
                        "content": "Hello there.\n" } });
    let began = Instant::now();
    let said = asked(&gated, "codex", payload.to_string());
    assert!(began.elapsed() < Duration::from_secs(18), "{:?}", began.elapsed());
    assert!(!tool_runs("codex", "PreToolUse", &said), "{}", said.err);
    assert!(said.err.contains("is being checked"), "{}", said.err);
    assert_eq!(gated.read("notes.md"), "Hello.\n");
}
