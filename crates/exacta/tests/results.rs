//! The corpus of the result contract, through the command line.

#![expect(clippy::unwrap_used, reason = "a test may stop where it fails")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn exacta(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_exacta"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments need not read.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

struct Case {
    name: String,
    results: Vec<u8>,
    plan: Option<Value>,
    rules: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/results");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let case: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let results = match case.get("text") {
            Some(text) => text.as_str().unwrap().into(),
            None => serde_json::to_vec(case.get("results").unwrap()).unwrap(),
        };
        cases.push(Case {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            results,
            plan: case.get("plan").cloned(),
            rules: serde_json::from_value(case.get("rules").unwrap().clone()).unwrap(),
        });
    }
    cases
}

#[test]
fn every_case_of_the_corpus_ends_with_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let plan_file = folder.path().join("plan.json");
    for Case { name, results, plan, rules } in cases() {
        let mut args = vec!["results", "check", "-", "--json"];
        if let Some(plan) = &plan {
            fs::write(&plan_file, plan.to_string()).unwrap();
            args.extend(["--plan", plan_file.to_str().unwrap()]);
        }
        let output = exacta(&args, &results);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut broken: Vec<String> = report["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["rule"].as_str().unwrap().into())
            .collect();
        broken.sort();
        broken.dedup();
        assert_eq!(broken, rules, "{name}");
        let code = if rules.is_empty() { 0 } else { 15 };
        assert_eq!(output.status.code(), Some(code), "{name}");
        assert_eq!(report["exit_code"], code, "{name}");
        assert_eq!(report["ok"], rules.is_empty(), "{name}");
        assert_eq!(report["against_plan"], plan.is_some(), "{name}");
    }
}

#[test]
fn people_see_rule_place_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.json");
    fs::write(&file, "[\n  {\"step_id\": \"a\", \"tool\": null, \"ok\": true, \"skipped\": true,\n   \"reason\": null, \"error\": null}\n]\n").unwrap();
    let output = exacta(&["results", "check", file.to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(15));
    let shown = text(&output.stdout);
    for part in [
        "error[RESULTS_ROW] (skipped_ok)",
        "results.json:2:",
        "error[RESULTS_META] (meta_missing)",
        "help: append the summary",
        "broken: 2 errors against contract 1.0.0",
        "exacta explain RESULTS_",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(output.stderr.is_empty());
}

#[test]
fn what_cannot_be_checked_is_not_called_broken() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    fs::write(&plan, "{\"steps\": 1}").unwrap();
    let plan = plan.to_str().unwrap();
    let bad_plan = exacta(&["results", "check", "-", "--plan", plan], b"[]");
    assert_eq!(bad_plan.status.code(), Some(10));
    assert!(text(&bad_plan.stdout).contains("no results were checked"));
    assert_eq!(exacta(&["results", "check", "/nowhere/at/all"], b"").status.code(), Some(1));
    assert_eq!(
        exacta(&["results", "check", "-", "--plan", "/nowhere"], b"").status.code(),
        Some(1)
    );
    assert_eq!(exacta(&["results", "check", "-", "--plan", "-"], b"[]").status.code(), Some(2));
    assert_eq!(exacta(&["results", "check"], b"").status.code(), Some(2));
    assert_eq!(exacta(&["results"], b"").status.code(), Some(2));
}
