//! `connect` and what `doctor` says of it; `receipt` and its verification.

use std::fs;

use serde_json::{Value, json};

use crate::gated::{Gated, HASH};

#[test]
fn an_agent_is_wired_probed_and_unwired() {
    for (agent, file) in [
        ("claude-code", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("cursor", ".cursor/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", ".opencode/plugins/exacta.ts"),
    ] {
        let gated = Gated::of(&[("a.md", "a\n")], HASH);
        gated.json(&["init", "--json"], 0);
        let before = gated.project.snapshot();
        let done = gated.json(&["connect", agent, "--json"], 0);
        assert_eq!(done["refuses_probe"], true, "{agent}");
        assert!(gated.project.path().join(file).is_file(), "{agent}");
        assert!(!gated.project.path().join("must-not-run").exists());
        let again = gated.json(&["connect", agent, "--json"], 0);
        assert_eq!(again["written"], json!([]), "{agent}");
        let doctor = gated.exacta(&["doctor"]);
        assert!(doctor.out.contains("its hook refuses what it must"), "{agent}: {}", doctor.out);
        gated.json(&["connect", agent, "--undo", "--json"], 0);
        let mut after = gated.project.snapshot();
        after.retain(|path, _| !path.is_dir());
        let mut before = before;
        before.retain(|path, _| !path.is_dir());
        assert_eq!(after, before, "{agent}");
    }
    let gated = Gated::of(&[("a.md", "a\n")], HASH);
    for agent in ["copilot", "goose", "cline", "zed"] {
        let said = gated.json(&["connect", agent, "--json"], 0);
        assert!(said["printed"].as_str().is_some_and(|text| text.contains("exacta")), "{agent}");
        assert_eq!(said["written"], json!([]));
    }
}

#[test]
fn a_wiring_that_lost_its_switch_is_noticed() {
    let gated = Gated::of(&[("a.md", "a\n")], HASH);
    gated.json(&["connect", "cursor", "--json"], 0);
    let file = gated.project.path().join(".cursor/hooks.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"failClosed\": true", "\"failClosed\": false", 1)).unwrap();
    let doctor = gated.exacta(&["doctor"]);
    assert!(doctor.out.contains("wired in part"), "{}", doctor.out);
    assert_eq!(doctor.code, 1);
}

/// `connect` alone is enough: the record is made, files come back byte for byte, and switches
/// that keep a host from asking are found.
#[test]
fn a_fresh_project_is_wired_by_one_command_and_settings_come_back_byte_for_byte() {
    let settings = "{\n  // the user's own\n  \"model\": \"x\", /* why */\n  \"hooks\": {},\n}\n";
    let files = [("a.md", "a\n"), (".claude/settings.json", settings), (".mcp.json", "{}")];
    let gated = Gated::of(&files, HASH);
    gated.json(&["connect", "claude-code", "--json"], 0);
    assert!(gated.project.path().join(".exacta").is_dir());
    let wired = gated.read(".claude/settings.json");
    assert!(wired.contains("// the user's own") && wired.contains("/* why */"), "{wired}");
    assert!(wired.contains("\"onFailure\": \"block\""), "{wired}");
    gated.project.write(".claude/settings.local.json", "{\"disableAllHooks\": true}");
    let doctor = gated.exacta(&["doctor"]);
    assert!(doctor.out.contains("calls no hook here"), "{}", doctor.out);
    assert_eq!(doctor.code, 1);
    gated.json(&["connect", "claude-code", "--undo", "--json"], 0);
    assert_eq!(gated.read(".claude/settings.json"), settings);
    assert_eq!(gated.read(".mcp.json"), "{}");
}

#[test]
fn a_hook_that_was_put_in_place_by_hand_is_probed() {
    let gated = Gated::of(&[("a.md", "a\n")], HASH);
    for (agent, file) in [
        ("copilot", ".github/hooks/exacta.json"),
        ("goose", ".agents/plugins/exacta/hooks/hooks.json"),
        ("cline", ".clinerules/hooks/PreToolUse"),
    ] {
        let said = gated.json(&["connect", agent, "--json"], 0);
        let printed = said["printed"].as_str().unwrap();
        gated.project.write(file, printed);
        let doctor = gated.exacta(&["doctor"]).out;
        let name = said["agent"].as_str().unwrap();
        assert!(doctor.contains(&format!("{name} (")), "{doctor}");
        assert!(doctor.contains("its hook refuses what it must"), "{doctor}");
        fs::remove_file(gated.project.path().join(file)).unwrap();
    }
    let said = gated.json(&["connect", "goose", "--json"], 0);
    let without = said["printed"].as_str().unwrap().replace("on_failure", "off");
    gated.project.write(".agents/plugins/exacta/hooks/hooks.json", &without);
    let doctor = gated.exacta(&["doctor"]);
    assert!(doctor.out.contains("without `on_failure`"), "{}", doctor.out);
    assert_eq!(doctor.code, 1);
}

#[test]
fn a_receipt_holds_and_an_altered_one_does_not() {
    let gated = Gated::of(&[("a.md", "Hello.\n")], &HASH.replace("conservative", "balanced"));
    let plan = json!({ "steps": [{ "step_id": "step_1", "title": "Say more in a.md",
        "type": "file_modify", "target": "a.md", "content": "Hello there.\n" }] });
    let file = gated.project.write("plan.json", plan.to_string());
    let ran = gated.json(&["propose", file.to_str().unwrap(), "--json"], 0);
    let run = ran["run_id"].as_str().unwrap();
    let said = gated.exacta(&["receipt", run]);
    assert_eq!(said.code, 0, "{}", said.err);
    let receipt = gated.home().join("receipt.json");
    fs::write(&receipt, &said.out).unwrap();
    let name = receipt.to_str().unwrap();
    let held = gated.json(&["verify", "--receipt", name, "--json"], 0);
    assert_eq!(held["receipt"]["run_id"], run);
    assert_eq!(held["receipt"]["plan_hash"], ran["plan_hash"]);
    let key = held["key"].as_str().unwrap().to_owned();
    // Without the project and without the key of this machine, the key must be named.
    let other = Gated::of(&[], HASH);
    assert_eq!(other.exacta(&["verify", "--receipt", name, "--key", &key]).code, 0);
    let wrong = "00".repeat(32);
    assert_eq!(other.exacta(&["verify", "--receipt", name, "--key", &wrong]).code, 15);
    let mut altered: Value = serde_json::from_str(&said.out).unwrap();
    let payload = altered["payload"].as_str().unwrap().replace('e', "f");
    altered["payload"] = payload.into();
    fs::write(&receipt, altered.to_string()).unwrap();
    assert_eq!(gated.exacta(&["verify", "--receipt", name]).code, 15);
    fs::write(&receipt, "{}").unwrap();
    assert_eq!(gated.exacta(&["verify", "--receipt", name]).code, 15);
}

#[test]
fn a_merge_is_approved_until_somebody_pushes() {
    let gated = Gated::of(&[("a.md", "Hello.\n")], &HASH.replace("conservative", "manual"));
    let git = |args: &[&str]| gated.project.git(args);
    let commit = |text: &str| {
        gated.project.write("a.md", text);
        git(&["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-aqm", text]);
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "a.md"]);
    commit("Hello!\n");
    git(&["checkout", "-qb", "topic"]);
    commit("Hello there.\n");
    git(&["checkout", "-q", "main"]);
    let verify = |code: i32| gated.json(&["verify", "--approved", "topic", "--json"], code);
    let plan =
        gated.json(&["propose", "--branch", "topic", "--no-run", "--no-review", "--json"], 11);
    assert_eq!(verify(15)["ok"], false);
    let (id, hash) = (plan["plan_id"].as_str().unwrap(), plan["plan_hash"].as_str().unwrap());
    gated.json(&["approve", id, "--hash", hash, "--json"], 0);
    assert_eq!(verify(0)["plan_id"], id);
    git(&["checkout", "-q", "topic"]);
    commit("Hello there, friend.\n");
    git(&["checkout", "-q", "main"]);
    assert_eq!(verify(15)["ok"], false);
}
