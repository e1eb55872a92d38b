//! Input that means harm: bounded, visible, and never outside the project.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::project::{Project, Said};

/// Runs the check with at most this much address space.
fn confined(project: &Project, kib: u64, file: &str) -> (Said, Duration) {
    let start = Instant::now();
    let script = format!("ulimit -v {kib}; exec \"$0\" check --json {file}");
    let output =
        project.command("sh").args(["-c", &script, env!("CARGO_BIN_EXE_exacta")]).output().unwrap();
    (output.into(), start.elapsed())
}

#[test]
fn monsters_are_refused_in_bounded_time_and_memory() {
    let project = Project::of(&[("a.txt", "x\n")]);
    project.write("brackets.json", "[".repeat(100_000));
    project.write("body.json", vec![b' '; 64 << 20]);
    let keys: Vec<_> = (0..1_000_000).map(|k| format!("\"{k}\":0")).collect();
    project.write("keys.json", format!("{{\"inputs\":{{{}}}}}", keys.join(",")));
    let mut diff = String::from("--- a/a.txt\n+++ b/a.txt\n");
    for k in 1..=1_000_000 {
        writeln!(diff, "@@ -{k} +{k} @@").unwrap();
    }
    let plan = json!({"steps": [{"step_id": "s", "type": "file_modify", "target": "a.txt", "diff": diff}]});
    project.write("hunks.json", plan.to_string());
    for (file, code) in [
        ("brackets.json", "PLAN_SCHEMA_INVALID"),
        ("body.json", "PLAN_TOO_LARGE"),
        ("keys.json", "PLAN_TOO_LARGE"),
    ] {
        let (said, time) = confined(&project, 400 << 10, file);
        assert_eq!(said.code, 10, "{file}: {}{}", said.out, said.err);
        assert_eq!(said.codes(), [code], "{file}");
        assert!(time < Duration::from_secs(5), "{file}: {time:?}");
    }
    let (said, time) = confined(&project, 400 << 10, "hunks.json");
    assert_eq!(said.code, 10);
    assert!(said.codes().iter().any(|code| code.starts_with("DIFF_") || code == "PLAN_TOO_LARGE"));
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn links_and_special_files_are_never_followed() {
    let outside = Project::of(&[("secret.txt", "secret\n")]);
    let project = Project::of(&[("real/a.txt", "x\n"), ("linked.txt", "x\n")]);
    symlink(outside.path().join("secret.txt"), project.path().join("link.txt")).unwrap();
    symlink(outside.path(), project.path().join("folder")).unwrap();
    symlink(project.path().join("real"), project.path().join("inside")).unwrap();
    fs::hard_link(project.path().join("linked.txt"), project.path().join("twin.txt")).unwrap();
    assert!(Command::new("mkfifo").arg(project.path().join("pipe")).status().unwrap().success());
    for target in [
        "link.txt",
        "folder/secret.txt",
        "folder/new.txt",
        "inside/a.txt",
        "twin.txt",
        "pipe",
        "real",
        "linked.txt/x",
    ] {
        let plan = json!({"steps": [{"step_id": "s", "type": "file_modify", "target": target, "content": "y"}]});
        let said = project.exacta_with(&["check", "--json", "-"], plan.to_string());
        assert_eq!(said.codes(), ["FILE_REFUSED"], "{target}: {}", said.out);
    }
    assert_eq!(fs::read(outside.path().join("secret.txt")).unwrap(), b"secret\n");
}

#[test]
fn escapes_in_any_field_are_shown_and_never_obeyed() {
    let evil = "\u{1b}[2J\u{1b}]8;;http://x\u{7}\u{9b}31m\u{202e}\u{200b}";
    let project = Project::of(&[]);
    for plan in [
        json!({"goal": evil, "steps": []}),
        json!({(evil): 1, "steps": []}),
        json!({"steps": [{"step_id": evil, "type": "file_delete", "target": "x"}]}),
        json!({"steps": [{"step_id": "a", "type": "file_delete", "target": evil}]}),
        json!({"steps": [{"step_id": "a", "type": evil, "target": "x"}]}),
        json!({"steps": [{"step_id": "a", "tool": evil}]}),
        json!({"steps": [{"step_id": "a", "type": "file_delete", "target": "x", "dependencies": [evil]}]}),
        json!({"steps": [{"step_id": "a", "type": "file_create", "target": "x", "diff": evil}]}),
        json!({"constraints": [{"kind": evil}], "steps": []}),
    ] {
        for format in ["human", "github", "junit"] {
            let said = project.exacta_with(&["check", "-", "--format", format], plan.to_string());
            assert_eq!(said.code, 10);
            let bad =
                |c: char| matches!(c, '\u{1b}' | '\u{7}' | '\u{9b}' | '\u{202e}' | '\u{200b}');
            assert!(!said.out.contains(bad) && !said.err.contains(bad), "{format}: {:?}", said.out);
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let project = Project::of(&[]);
    let mut child = project
        .command(env!("CARGO_BIN_EXE_exacta"))
        .args(["schema", "draft"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_closed_pipe_does_not_change_the_exit_code() {
    let project = Project::of(&[]);
    project.write("bad.json", "{}");
    for format in ["human", "json", "sarif", "github", "junit"] {
        let script = format!(
            "(sleep 0.2; \"$0\" check bad.json --format {format}; echo $? >code) | true; while [ ! -s code ]; do sleep 0.1; done; cat code; rm code"
        );
        let output = project
            .command("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_exacta")])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "10", "{format}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn file_names_are_shown_and_never_obeyed() {
    let project = Project::of(&[]);
    let name = "a\u{1b}[2J\u{202e}\u{fffe}.json";
    project.write(name, "{}");
    for (file, code) in [(name, 10), ("missing\u{1b}[2J\u{202e}.json", 1)] {
        for format in ["human", "github", "junit"] {
            let said = project.exacta_with(&["check", file, "--format", format], String::new());
            assert_eq!(said.code, code);
            let bad = |c: char| matches!(c, '\u{1b}' | '\u{202e}' | '\u{fffe}');
            assert!(!said.out.contains(bad) && !said.err.contains(bad), "{format}: {:?}", said.out);
        }
    }
}
