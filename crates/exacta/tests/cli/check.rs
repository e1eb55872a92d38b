//! `exacta check` from the outside: exit codes, the JSON shape, nothing changed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::gated::Gated;
use crate::project::Project;

const MAIN: &str = "fn main() {\n    println!();\n    // we say hi to all\n}\n";

fn edit_plan() -> String {
    json!({"steps": [
        {"step_id": "step_1", "type": "file_modify", "target": "src/main.rs",
         "edits": [{"old": "hi", "new": "hello"}]},
        {"step_id": "step_2", "type": "file_create", "target": "docs/note.md", "content": "note\n"},
    ]})
    .to_string()
}

#[test]
fn a_sound_plan_ends_with_0_and_changes_nothing() {
    let project = Project::of(&[("src/main.rs", MAIN), ("plan.json", &edit_plan())]);
    let before = project.snapshot();
    let said = project.exacta(&["check", "plan.json"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    assert!(said.out.contains("modify 0644 src/main.rs  +1 -1"), "{}", said.out);
    assert!(said.out.contains("nothing was changed"));
    assert_eq!(project.snapshot(), before);
}

#[test]
fn arguments_that_a_tool_does_not_take_refuse_the_plan_wherever_it_is_handed_in() {
    let step = json!({"step_id": "step_1", "title": "Report the end of the build",
        "tool": {"name": "NotifyUser", "args": {"message": 5}}});
    let plan = json!({"goal": "report it", "steps": [step]}).to_string();
    let project = Gated::of(&[("src/main.rs", MAIN), ("plan.json", &plan)], "version = 1\n");
    for args in [&["check", "plan.json"][..], &["propose", "plan.json", "--no-run"]] {
        let said = project.exacta(args);
        assert_eq!(said.code, 10, "{args:?}: {}{}", said.out, said.err);
        assert!(!said.out.contains("sound") && !said.out.contains("runs alone"), "{}", said.out);
        let json = project.exacta(&[args, &["--json"]].concat()).json();
        assert_eq!((&json["ok"], &json["exit_code"]), (&json!(false), &json!(10)), "{json}");
        assert_eq!(json["issues"][0]["rule"], "tool_args");
        assert!(json["decision"] != "auto_silent" && json["decision"] != "wait", "{json}");
    }
}

#[test]
fn the_json_shape_is_the_documented_one() {
    let project = Project::of(&[("src/main.rs", MAIN), ("plan.json", &edit_plan())]);
    let report = project.exacta(&["check", "plan.json", "--json"]).json();
    for key in [
        "risk",
        "quality",
        "decision",
        "ok",
        "exit_code",
        "plan_hash",
        "effect_hash",
        "issues",
        "estimates",
        "reasons",
        "files",
    ] {
        assert!(report.get(key).is_some(), "{key}");
    }
    assert_eq!(report["ok"], json!(true));
    assert_eq!(report["exit_code"], json!(0));
    assert_eq!(report["decision"], json!("auto_silent"));
    assert_eq!(report["risk"]["factors"].as_array().unwrap().len(), 6);
    assert_eq!(report["quality"]["dimensions"].as_object().unwrap().len(), 5);
    assert_eq!(report["plan_hash"].as_str().unwrap().len(), 64);
    let files = report["files"].as_array().unwrap();
    let ops: Vec<_> =
        files.iter().map(|file| (&file["path"], &file["op"], &file["mode"])).collect();
    assert_eq!(
        ops,
        [
            (&json!("docs/note.md"), &json!("create"), &json!("0644")),
            (&json!("src/main.rs"), &json!("modify"), &json!("0644")),
        ]
    );
    assert_eq!(files[0]["before"], Value::Null);
    assert!(report["estimates"]["estimated_tokens"].as_u64().unwrap() > 1200);
}

#[test]
fn the_same_plan_has_the_same_hash_in_another_folder() {
    let hashes: Vec<_> = (0..2)
        .map(|_| {
            let project = Project::of(&[("src/main.rs", MAIN), ("plan.json", &edit_plan())]);
            project.exacta(&["check", "plan.json", "--json"]).json()["plan_hash"].clone()
        })
        .collect();
    assert_eq!(hashes[0], hashes[1]);
    let project =
        Project::of(&[("src/main.rs", &format!("{MAIN}\n")), ("plan.json", &edit_plan())]);
    let other = project.exacta(&["check", "plan.json", "--json"]).json()["plan_hash"].clone();
    assert_ne!(hashes[0], other, "other bytes before are another plan");
}

#[test]
fn a_refused_plan_ends_with_10_and_says_where() {
    let plan = "{\n \"steps\": [\n  {\"step_id\": \"step_1\", \"type\": \"file_delete\", \"target\": \"nope.txt\"}\n ]\n}\n";
    let project = Project::of(&[("plan.json", plan)]);
    let said = project.exacta(&["check", "plan.json"]);
    assert_eq!(said.code, 10);
    assert!(said.out.contains("error[FILE_MISSING]"), "{}", said.out);
    assert!(said.out.contains("plan.json:3:58"), "{}", said.out);
    assert!(said.out.contains('^'));
    let report = project.exacta(&["check", "plan.json", "--json"]).json();
    assert_eq!((&report["ok"], &report["exit_code"]), (&json!(false), &json!(10)));
    assert_eq!(report["issues"][0]["pointer"], json!("/steps/0/target"));
    assert_eq!(report["issues"][0]["place"], json!({"line": 3, "column": 58}));
}

#[test]
fn every_finding_comes_in_one_pass() {
    let plan = json!({"goal": 5, "nonsense": 1, "status": "approved", "steps": [
        {"step_id": "step_1", "type": "file_create", "target": "a", "contents": "x"},
        {"step_id": "step_2", "tool": "ReadWeb", "type": "file_delete"},
    ]});
    let project = Project::of(&[("plan.json", &plan.to_string())]);
    let said = project.exacta(&["check", "--json", "plan.json"]);
    let rules: Vec<_> = said.json()["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["rule"].as_str().unwrap().to_owned())
        .collect();
    for rule in ["type", "unknown_field", "server_owned", "payload", "one_action"] {
        assert!(rules.iter().any(|found| found == rule), "{rule} in {rules:?}");
    }
    assert!(
        said.json()["issues"]
            .as_array()
            .unwrap()
            .iter()
            .all(|issue| issue["place"]["line"].is_u64())
    );
}

#[test]
fn standard_input_fences_and_the_project_above() {
    let project = Project::of(&[("src/main.rs", MAIN), (".exacta/.gitignore", "*\n")]);
    let fenced = format!("```json\n{}\n```\n", edit_plan());
    assert_eq!(project.exacta_with(&["check", "-"], &fenced).code, 0);
    // From a folder inside the project, targets are still relative to its root.
    let src = project.path().join("src");
    assert_eq!(project.exacta_with(&["-C", src.to_str().unwrap(), "check", "-"], &fenced).code, 0);
}

#[test]
fn a_git_patch_is_checked_as_it_is() {
    let project =
        Project::of(&[("src/main.rs", MAIN), ("old.txt", "a\nb\nc\nd\n"), ("run.sh", "echo\n")]);
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]);
    let kept = project.snapshot();
    project.write("src/main.rs", MAIN.replace("hi", "bye"));
    fs::rename(project.path().join("old.txt"), project.path().join("späte.txt")).unwrap();
    fs::set_permissions(project.path().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    project.git(&["add", "-A"]);
    let patch = project.git(&["diff", "--cached", "-M"]);
    project.git(&["reset", "-q", "--hard"]);
    assert_eq!(
        project.snapshot().keys().filter(|p| !p.starts_with(project.path().join(".git"))).count(),
        kept.keys().filter(|p| !p.starts_with(project.path().join(".git"))).count()
    );
    let said = project.exacta_with(&["check", "--patch", "-", "--json"], patch);
    // A rename takes a file away and a mode changes, so a person is asked.
    assert_eq!(said.code, 11, "{}", said.out);
    let report = said.json();
    assert_eq!((&report["ok"], &report["decision"]), (&json!(true), &json!("wait")));
    let ops: Vec<_> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            (f["path"].as_str().unwrap(), f["op"].as_str().unwrap(), f["mode"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        ops,
        [
            ("old.txt", "delete", "0644"),
            ("run.sh", "modify", "0755"),
            ("späte.txt", "create", "0644"),
            ("src/main.rs", "modify", "0644"),
        ]
    );
}

#[test]
fn constraints_of_a_person_bind() {
    let project = Project::of(&[("src/main.rs", MAIN), ("plan.json", &edit_plan())]);
    for (constraint, code) in [
        ("paths_within=src/**,docs/**", 0),
        ("paths_within=src/**", 10),
        ("paths_except=docs/*", 10),
        ("max_files=2", 0),
        ("max_files=1", 10),
        ("max_changed_lines=3", 0),
        ("max_changed_lines=2", 10),
        ("must_touch=docs/**", 0),
        ("must_touch=tests/**", 10),
        ("tests_required", 10),
        ("no_delete", 0),
        ("no_tool", 0),
        ("{\"kind\": \"no_new_dependencies\"}", 0),
        ("no_such_kind", 2),
        ("max_files", 2),
        ("max_files=many", 2),
    ] {
        let said = project.exacta(&["check", "plan.json", "--constraint", constraint]);
        assert_eq!(said.code, code, "{constraint}: {}{}", said.out, said.err);
    }
}

#[test]
fn a_test_beside_its_code_is_a_test() {
    let (code, tests) =
        ("pub fn f() {}\n", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn g() {}\n}\n");
    let plan = |content: &str| {
        format!(
            r#"{{"goal":"write","steps":[{{"step_id":"s1","title":"Write it","type":"file_create",
            "target":"src/lib.rs","content":{content:?}}}]}}"#
        )
    };
    for (content, code) in [(code.to_owned(), 10), (format!("{code}{tests}"), 11)] {
        let project = Project::of(&[("plan.json", &plan(&content))]);
        let said = project.exacta(&["check", "plan.json", "--constraint", "tests_required"]);
        assert_eq!(said.code, code, "{}{}", said.out, said.err);
        assert_eq!(said.out.contains("code changes and no test does"), code == 10, "{}", said.out);
    }
}

#[test]
fn wrong_words_end_with_2_and_unreadable_files_with_1() {
    let project = Project::of(&[]);
    for args in
        [&["check"][..], &["check", "a", "--patch", "b"], &["nonsense"], &["schema", "nope"], &[]]
    {
        let said = project.exacta(args);
        assert_eq!(said.code, 2, "{args:?}");
        assert!(said.out.is_empty() && !said.err.is_empty(), "{args:?}");
    }
    for args in [&["check", "missing.json"][..], &["check", "."], &["-C", "missing", "check", "-"]]
    {
        let said = project.exacta(args);
        assert_eq!(said.code, 1, "{args:?}: {}", said.err);
        assert!(said.err.contains("error") && said.err.contains("help"), "{}", said.err);
    }
}
