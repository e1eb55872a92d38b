//! The corpus of the result contract, through the command line.

#![expect(clippy::unwrap_used, reason = "a test may stop where it fails")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

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

/// An executor in shell that gives the same answer to every plan.
fn verify(answer: &str, more: &[&str]) -> (Option<i32>, Value) {
    let mut args = vec!["results", "verify", "--json"];
    args.extend(more);
    args.extend(["--", "sh", "-c", answer]);
    let output = exacta(&args, b"");
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

/// A small executor of its own: one tool, `noop`. With `EXECUTOR_GOES_ON` it does not care
/// whether what a step depends on was done.
fn foreign_executor(plan: &Value) -> Value {
    let steps = plan["steps"].as_array().unwrap();
    let id = |step: &Value| step["step_id"].as_str().unwrap().to_owned();
    let name = |step: &Value| {
        step.pointer("/tool/name").unwrap_or(&step["tool"]).as_str().unwrap().to_owned()
    };
    let needs = |step: &Value| -> Vec<String> {
        serde_json::from_value(step["dependencies"].clone()).unwrap()
    };
    let goes_on = std::env::var_os("EXECUTOR_GOES_ON").is_some();
    let mut ends: Vec<(String, &str)> = Vec::new();
    let end_of = |ends: &[(String, &'static str)], id: &str| {
        ends.iter().find(|(own, _)| own == id).map(|(_, end)| *end)
    };
    while let Some(step) = steps.iter().find(|step| {
        end_of(&ends, &id(step)).is_none()
            && needs(step).iter().all(|need| end_of(&ends, need).is_some())
    }) {
        let ready = needs(step).iter().all(|need| end_of(&ends, need) == Some("ok"));
        let end = match name(step).as_str() {
            _ if !ready && !goes_on => "skipped",
            "noop" => "ok",
            _ => "failed",
        };
        ends.push((id(step), end));
    }
    let stuck = ends.len() < steps.len();
    let ids = |wanted: &str| -> Vec<String> {
        let own = |step: &&Value| end_of(&ends, &id(step)) == Some(wanted);
        steps.iter().filter(own).map(&id).collect()
    };
    let rows = steps.iter().map(|step| {
        let end = if stuck { "skipped" } else { end_of(&ends, &id(step)).unwrap() };
        let reason = (end == "skipped").then_some(if stuck { "blocked" } else { "left out" });
        let error = (end == "failed").then_some("no such tool");
        json!({"step_id": id(step), "tool": name(step), "ok": end == "ok",
            "skipped": end == "skipped", "reason": reason, "error": error})
    });
    let mut list: Vec<Value> = rows.collect();
    let (failed, skipped) = (if stuck { vec![] } else { ids("failed") }, ids("skipped"));
    let (status, blocked) = if stuck {
        ("BLOCKED", steps.iter().map(id).collect())
    } else if failed.is_empty() {
        ("COMPLETED", skipped)
    } else {
        ("FAILED", skipped)
    };
    let left_out = if stuck { steps.len() } else { blocked.len() };
    let done = status == "COMPLETED";
    list.push(json!({"step_id": "__meta__", "ok": done, "skipped": false,
        "reason": (!done).then_some("see the rows"), "task_status": status,
        "stats": {"total_steps": steps.len(), "ok": steps.len() - left_out - failed.len(),
            "skipped": left_out, "failed": failed.len()},
        "blocked_steps": blocked, "failed_steps": failed}));
    Value::Array(list)
}

/// Not a test: what the tests below start as a foreign executor.
#[test]
#[ignore = "started by other tests"]
fn as_an_executor() {
    let Some(out) = std::env::var_os("EXECUTOR_OUT") else { return };
    let plan: Value = serde_json::from_reader(std::io::stdin()).unwrap();
    fs::write(out, foreign_executor(&plan).to_string()).unwrap();
}

#[test]
fn an_executor_that_keeps_the_contract_passes_every_case() {
    let folder = tempfile::tempdir().unwrap();
    let command = |before: &str| {
        format!(
            "export EXECUTOR_OUT='{}' {before}; '{}' as_an_executor --exact --ignored > /dev/null; cat \"$EXECUTOR_OUT\"",
            folder.path().join("out").display(),
            std::env::current_exe().unwrap().display()
        )
    };
    let (code, report) = verify(&command(""), &["--tool", "noop"]);
    assert_eq!((code, &report["left_out"]), (Some(0), &0.into()), "{report:#}");
    assert!(report["cases"].as_array().unwrap().len() >= 19);
    let (code, fewer) = verify(&command(""), &[]);
    assert_eq!(code, Some(0));
    assert!(fewer["left_out"].as_u64().unwrap() >= 6);
    // A tool that the executor does not have is not taken for one that works.
    let (code, _) = verify(&command(""), &["--tool", "other"]);
    assert_eq!(code, Some(15));
    // An executor that goes on after a failure breaks exactly the cases about that.
    let (code, report) = verify(&command("EXECUTOR_GOES_ON=1"), &["--tool", "noop"]);
    assert_eq!(code, Some(15));
    let broken = |name: &str| {
        let cases = report["cases"].as_array().unwrap();
        cases.iter().find(|case| case["name"] == name).unwrap()["ok"] == false
    };
    assert!(broken("dependency-failed") && broken("one-need-failed"), "{report:#}");
    assert!(!broken("tool-not-found") && !broken("cycle-of-two") && !broken("chain-works"));
}

#[test]
fn executors_that_answer_wrongly_late_or_never_are_broken_and_end() {
    let problem = |report: &Value| report["cases"][0]["problems"][0].as_str().unwrap().to_owned();
    let (code, report) = verify("cat > /dev/null; exit 3", &[]);
    assert_eq!(code, Some(15));
    assert!(problem(&report).contains("wrote nothing") && problem(&report).contains('3'));
    let (code, report) = verify("cat > /dev/null; echo '[]'", &[]);
    assert_eq!(code, Some(15));
    assert_eq!(report["cases"][0]["issues"][0]["rule"], "meta_missing");
    let began = std::time::Instant::now();
    // The first time it hangs, and so does a child of it that holds the output open.
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let hang = format!("[ -e '{0}' ] && exit; touch '{0}'; sleep 300 & sleep 300", seen.display());
    let (code, report) = verify(&hang, &["--timeout", "1"]);
    assert_eq!(code, Some(15));
    assert!(problem(&report).contains("did not end within 1 s"), "{report:#}");
    assert!(began.elapsed().as_secs() < 60);
    let missing = exacta(&["results", "verify", "--", "/nowhere/at/all"], b"");
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("cannot be started"));
    assert_eq!(exacta(&["results", "verify"], b"").status.code(), Some(2));
    let args = ["results", "verify", "--tool", "a", "--tool-args", "[]", "--", "true"];
    assert_eq!(exacta(&args, b"").status.code(), Some(2));
}
