//! The examples for continuous integration, driven as they stand in `examples/ci`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::gated::Gated;

const WHO: [&str; 4] = ["-c", "user.name=x", "-c", "user.email=x@x"];

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// What follows a key until the indentation ends, as one script.
fn script(text: &str, key: &str, number: usize) -> String {
    let (_, rest) = text.match_indices(key).nth(number).map(|(at, _)| text.split_at(at)).unwrap();
    let (first, more) = rest.split_once('\n').unwrap();
    let first = first.trim_start_matches(key).trim();
    if !first.is_empty() && !matches!(first, "|" | ">-") {
        return first.to_owned();
    }
    let indent = more.len() - more.trim_start().len();
    let lines = more.lines().take_while(|line| line.len() - line.trim_start().len() >= indent);
    let joint = if first == ">-" { " " } else { "\n" };
    lines.map(str::trim).collect::<Vec<_>>().join(joint)
}

fn repository() -> Gated {
    let gated = Gated::of(&[("a.md", "Hello.\n"), ("run.sh", "echo 1\n")], "version = 1\n");
    gated.project.git(&["init", "-q", "-b", "main"]);
    gated.project.git(&["add", "."]);
    gated.project.git(&[&WHO[..], &["commit", "-qm", "begin"]].concat());
    gated
}

fn shell(gated: &Gated, script: &str) -> (i32, String, String) {
    let bin = Path::new(env!("CARGO_BIN_EXE_exacta")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command: Command = gated.command("sh");
    let done = command
        .env("PATH", path)
        .env("RUNNER_TEMP", gated.home())
        .args(["-c", script])
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code().unwrap_or(-1), text(&done.stdout), text(&done.stderr))
}

#[test]
fn the_action_annotates_and_feeds_code_scanning() {
    let action = example("github-action.yml");
    for (content, passes) in [("echo 2\n", true), ("", true)] {
        let gated = repository();
        gated.project.git(&["checkout", "-qb", "topic"]);
        gated.project.write("run.sh", content);
        gated.project.git(&[&WHO[..], &["commit", "-qam", "more"]].concat());
        gated.project.git(&["checkout", "-q", "main"]);
        let patch = script(&action, "run:", 0)
            .replace("${{ github.event.pull_request.base.sha }}", "main")
            .replace("${{ github.event.pull_request.head.sha }}", "topic");
        assert_eq!(shell(&gated, &patch).0, 0, "{patch}");
        let (code, out, err) = shell(&gated, &script(&action, "run:", 1));
        assert_eq!(code == 0, passes, "{out}\n{err}");
        let sarif: Value = serde_json::from_str(&gated.read("exacta.sarif")).unwrap();
        assert_eq!(sarif["version"], "2.1.0");
        assert!(sarif["runs"][0]["tool"]["driver"]["name"].is_string(), "{sarif}");
    }
    // A patch that does not fit is refused, with an annotation at its place.
    let gated = repository();
    let bad = "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-echo 9\n+echo 2\n";
    fs::write(gated.home().join("merge.patch"), bad).unwrap();
    let (code, out, _) = shell(&gated, &script(&action, "run:", 1));
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("::error"), "{out}");
    let sarif: Value = serde_json::from_str(&gated.read("exacta.sarif")).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty(), "{sarif}");
}

#[test]
fn the_pre_commit_hook_passes_what_waits_and_refuses_what_breaks_a_rule() {
    let entry = script(&example("pre-commit-config.yaml"), "entry:", 0);
    let gated = repository();
    gated.project.write("run.sh", "echo 2\n");
    gated.project.git(&["add", "."]);
    let (code, out, err) = shell(&gated, &entry);
    assert_eq!(code, 0, "{out}\n{err}");
    gated.policy("version = 1\n[[rule]]\nmatch = { paths = [\"**\"] }\nthen = \"deny\"\nreason = \"scripts stay\"\n");
    let (code, out, err) = shell(&gated, &entry);
    assert_ne!(code, 0, "{out}\n{err}");
}
