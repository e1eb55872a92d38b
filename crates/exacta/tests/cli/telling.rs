//! What a command tells is what the next one would find.

use std::fs;

use serde_json::{Value, json};

use crate::gated::{Gated, HASH, MAIN, SMALL, WAITS, end, text};

const TOKEN: &str = "ghp_x8Kq2LmN4vR7tY1wZ3bC6dF9gH0jS5pA2eU7";

fn note(name: &str) -> String {
    json!({"goal": format!("Add {name}"), "steps": [{
        "step_id": "step_1", "title": format!("Add {name}"),
        "type": "file_create", "target": name, "content": "A note.\n"
    }]})
    .to_string()
}

fn checked(gated: &Gated, plan: &str, code: i32) -> Value {
    let path = gated.home().join("checked.json");
    fs::write(&path, plan).unwrap();
    gated.json(&["check", path.to_str().unwrap(), "--json"], code)
}

#[test]
fn check_counts_what_earlier_plans_took_out_of_the_session_budget() {
    let gated = Gated::of(&[MAIN], &format!("{HASH}[session_budget]\nfiles = 1\n"));
    assert_eq!(checked(&gated, &note("a.md"), 0)["decision"], "auto_silent");
    gated.propose(&note("a.md"), 0);
    let (check, told) = (checked(&gated, &note("b.md"), 11), gated.propose(&note("b.md"), 11));
    assert_eq!((&check["decision"], &check["reasons"]), (&told["decision"], &told["reasons"]));
    assert!(check["reasons"].to_string().contains("session_files"), "{}", check["reasons"]);
    assert_eq!(check["plan_hash"], told["plan_hash"]);
}

#[test]
fn a_refused_plan_is_a_rejected_one_in_every_report() {
    let gated = Gated::of(&[MAIN], HASH);
    let twice = json!({"steps": [
        {"step_id": "step_1", "type": "file_create", "target": "a.md", "content": "A note.\n"},
        {"step_id": "step_2", "type": "file_create", "target": "b.md", "content": "A note.\n",
         "dependencies": ["step_1", "step_1"]},
    ]});
    for draft in ["", "{\"steps\": 1}", &twice.to_string(), &note("../a.md")] {
        let check = checked(&gated, draft, 10);
        assert_eq!(
            (&check["ok"], &check["decision"]),
            (&false.into(), &"reject".into()),
            "{check}"
        );
    }
    // What does not have the form of a plan makes none.
    assert_eq!(gated.propose(&twice.to_string(), 10)["plan_id"], Value::Null);
    assert_eq!(gated.json(&["list", "--json"], 0), json!([]));
}

#[test]
fn secrets_in_what_was_asked_for_are_masked_wherever_it_is_cited() {
    let gated = Gated::of(&[MAIN], HASH);
    let path = gated.home().join("plan.json");
    fs::write(&path, SMALL).unwrap();
    let (path, intent) = (path.to_str().unwrap(), format!("use {TOKEN} for main.rs"));
    let check = gated.exacta(&["check", path, "--intent", &intent, "--json"]);
    assert!(!check.out.contains(TOKEN), "{}", check.out);
    let told = gated.exacta(&["propose", path, "--intent", &intent, "--no-run", "--json"]);
    assert!(!told.out.contains(TOKEN), "{}", told.out);
    assert_eq!(check.json()["plan_hash"], told.json()["plan_hash"]);
    let plan = text(&told.json()["plan_id"]);
    let shown = gated.exacta(&["show", &plan]).out;
    assert!(!shown.contains(TOKEN), "{shown}");
    assert!(!gated.read(&format!(".exacta/plans/{plan}.json")).contains(TOKEN));

    let edit = json!({"steps": [{"step_id": "step_1", "type": "file_modify", "target": MAIN.0,
        "edits": [{"old": format!("let key = \"{TOKEN}\";"), "new": "x"}]}]});
    fs::write(path, edit.to_string()).unwrap();
    let refused = gated.exacta(&["check", path]);
    assert_eq!(refused.code, 10, "{}", refused.out);
    assert!(!format!("{}{}", refused.out, refused.err).contains(TOKEN), "{}", refused.err);
}

#[test]
fn a_plan_names_the_one_it_was_made_in_place_of() {
    let gated = Gated::of(&[MAIN], HASH);
    let first = text(&gated.propose(WAITS, 11)["plan_id"]);
    gated.json(&["changes", &first, "smaller", "--hash", &gated.hash(&first), "--json"], 0);
    let path = gated.home().join("plan.json");
    let args = ["propose", path.to_str().unwrap(), "--parent", &first, "--json"];
    let next = text(&gated.json(&args, 11)["plan_id"]);
    assert_eq!(gated.json(&["status", &next, "--json"], 0)["parent"], first.as_str());
    for command in ["status", "show"] {
        let said = gated.exacta(&[command, &next]).out;
        assert!(said.contains(end(&first)), "{command}: {said}");
    }
    let audit = gated.json(&["status", &next, "--json"], 0);
    let file = format!(".exacta/audit-log/{}.json", text(&audit["correlation_id"]));
    let entries: Value = serde_json::from_str(&gated.read(&file)).unwrap();
    let mut all = entries.as_array().unwrap().iter();
    let evaluated = all.rfind(|entry| entry["event"] == "plan_evaluated").unwrap();
    let reasons = audit["reasons"].as_array().unwrap().iter().map(text).collect::<Vec<_>>();
    assert_eq!(evaluated["reason"], reasons.join("; ").as_str(), "every reason counts");
}

/// Whether any file below a folder holds a text.
fn holds(folder: &std::path::Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        let found = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).contains(text);
        if path.is_dir() { holds(&path, text) } else { fs::read(&path).is_ok_and(found) }
    })
}

#[test]
fn what_was_forgotten_is_nowhere_after_a_collection() {
    let gated = Gated::of(&[("NOTES.md", "old gold\n"), MAIN], HASH);
    let draft = json!({"goal": "Change NOTES.md", "steps": [{
        "step_id": "step_1", "title": "Change NOTES.md", "type": "file_modify",
        "target": "NOTES.md", "content": "new silver\n"}]});
    let told = gated.propose(&draft.to_string(), 0);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let run = text(&told["run"]["run_id"]);
    gated.propose(SMALL, 0);
    let state = gated.project.path().join(".exacta");
    for word in ["old gold", "new silver"] {
        assert!(holds(&state, word), "{word}");
    }
    gated.json(&["forget", &run, "--hash", &hash, "--json"], 0);
    assert!(gated.json(&["gc", "--json"], 0)["deleted"].as_u64().unwrap() >= 3);
    for word in ["old gold", "new silver"] {
        assert!(!holds(&state, word), "{word}");
    }
    gated.json(&["verify", "--json"], 0);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["standing"], "executed");
    let hash = gated.hash(&plan);
    for (command, more) in [("show", vec![]), ("diff", vec![]), ("renew", vec!["--hash", &hash])] {
        let said = gated.exacta(&[vec![command, &plan], more].concat());
        assert!(said.code == 10 && said.err.contains("was deleted"), "{command}: {}", said.err);
    }
    assert!(gated.exacta(&["log", "--plan", &plan]).out.contains("plan_forgotten"));
    // Derived files come back without it, and one that is put back is found.
    fs::remove_dir_all(state.join("plans")).unwrap();
    gated.json(&["recover", "--json"], 0);
    gated.json(&["verify", "--json"], 0);
    fs::write(state.join(format!("plans/{plan}.json")), "{}").unwrap();
    gated.json(&["verify", "--json"], 15);
}

#[test]
fn the_environment_lowers_caps() {
    let gated = Gated::of(&[MAIN], HASH);
    let path = gated.home().join("plan.json");
    fs::write(&path, note("a.md")).unwrap();
    let under = |value: &str, args: &[&str]| {
        let mut command = gated.command(env!("CARGO_BIN_EXE_exacta"));
        let said = command.env("EXACTA_MAX_FILES", value).args(args).output().unwrap();
        crate::project::Said::from(said)
    };
    let check = ["check", path.to_str().unwrap(), "--json"];
    assert_eq!(under("1", &check).code, 0);
    let over = under("0", &check);
    assert_eq!(over.code, 10, "{}", over.out);
    assert!(over.out.contains("at most 0 files") || over.out.contains("max_files"), "{}", over.out);
    let wrong = under("many", &check);
    assert_eq!(wrong.code, 10, "{}", wrong.out);
    let show = under("3", &["policy", "show"]).out;
    assert!(show.contains("environment"), "{show}");
}

#[test]
fn small_words_of_the_command_line_hold() {
    let gated = Gated::of(&[MAIN], HASH);
    let told = gated.propose(WAITS, 11);
    let (plan, hash) = (text(&told["plan_id"]), text(&told["plan_hash"]));
    let empty = gated.exacta(&["approve", &plan, "--hash", &hash, "--steps", ""]);
    assert_eq!(empty.code, 10, "{}", empty.err);
    assert_eq!(gated.json(&["status", &plan, "--json"], 0)["state"], "pending");
    assert!(gated.json(&["checkpoint", "--json"], 0)["head"].is_string());
    gated.json(&["schema", "draft", "--json"], 0);
    gated.project.write(".exacta/policy.toml", "profile = \"manual\"\n");
    let check = gated.json(&["policy", "check", ".exacta/policy.toml", "--json"], 0);
    assert_eq!(check["files"][0]["layer"], "project");
}
