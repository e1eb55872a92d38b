//! Names that could be taken for others: what they mean is refused, or a person is asked.

use serde_json::{Value, json};

use crate::project::Project;

fn plan(targets: &[&str]) -> String {
    let steps: Vec<Value> = targets
        .iter()
        .enumerate()
        .map(|(at, target)| {
            json!({
                "step_id": format!("step_{}", at + 1),
                "title": format!("Add {target} with a note"),
                "type": "file_create",
                "target": target,
                "content": "A note.\n",
            })
        })
        .collect();
    json!({ "steps": steps }).to_string()
}

/// The decision, and why a person is asked.
fn judged(project: &Project, targets: &[&str]) -> (String, Vec<String>) {
    let said = project.exacta_with(&["check", "--json", "-"], plan(targets)).json();
    let reasons = said["reasons"].as_array().into_iter().flatten();
    let kinds = reasons.filter_map(|reason| reason["kind"].as_str()).map(Into::into).collect();
    (said["decision"].as_str().unwrap_or("none").into(), kinds)
}

#[test]
fn look_alikes_ask_in_every_component() {
    let project = Project::of(&[
        ("sub/K.txt", "x\n"),
        ("src/a.txt", "x\n"),
        ("lib/util/io.txt", "x\n"),
        ("n", "x\n"),
    ]);
    for targets in [
        &["sub/k.txt"][..],
        &["SUB/K.txt"],
        &["Sub/k.txt"],
        &["SRC/b.txt"],
        &["lib/UTIL/b.txt"],
        &["l\u{131}b/util/b.txt"],
        &["\u{ff4e}"],
        &["d/x.txt", "D/y.txt"],
        &["src\u{2044}b.txt"],
        &["src\u{ff0f}b.txt"],
        &["a\u{2216}b.txt"],
        &["conf\u{442}est.py"],
        &[".g\u{131}tmodules"],
    ] {
        let (decision, reasons) = judged(&project, targets);
        assert_eq!(decision, "wait", "{targets:?}");
        assert!(reasons.iter().any(|kind| kind == "look_alike_name"), "{targets:?}: {reasons:?}");
    }
    for targets in [&["sub/L.txt"][..], &["src/b.txt"], &["lib/util/b.txt", "new/deep/c.txt"]] {
        let (_, reasons) = judged(&project, targets);
        assert!(!reasons.iter().any(|kind| kind == "look_alike_name"), "{targets:?}: {reasons:?}");
    }
}

#[test]
fn what_reads_as_a_reserved_path_or_a_device_is_refused() {
    let project = Project::of(&[]);
    for (target, code) in [
        (".git\u{2044}hooks\u{2044}pre-commit", "PLAN_PATH_RESERVED"),
        (".exacta\u{2215}policy.toml", "PLAN_PATH_RESERVED"),
        ("\u{b7}git/config", "PLAN_PATH_RESERVED"),
        ("clock$", "PLAN_PATH_INVALID"),
        ("nu\u{217c}", "PLAN_PATH_INVALID"),
    ] {
        let said = project.exacta_with(&["check", "--json", "-"], plan(&[target]));
        assert_eq!(said.codes(), [code], "{target}: {}", said.out);
    }
}
