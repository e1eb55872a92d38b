//! The commands that only talk: help, explain, schema, demo.

use serde_json::{Value, json};

use crate::project::Project;

#[test]
fn every_command_has_help_and_check_has_examples() {
    let project = Project::of(&[]);
    for command in ["check", "explain", "schema", "demo"] {
        let said = project.exacta(&[command, "--help"]);
        assert_eq!(said.code, 0, "{command}");
        assert!(said.out.contains("Usage:"), "{command}");
    }
    assert!(project.exacta(&["check", "--help"]).out.contains("Examples:"));
    assert!(project.exacta(&["--version"]).out.starts_with("exacta "));
}

#[test]
fn every_code_is_explained() {
    let project = Project::of(&[]);
    let list = project.exacta(&["explain", "--list"]).out;
    let codes: Vec<_> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(codes.len() > 30);
    for code in codes {
        let page = project.exacta(&["explain", code]);
        assert_eq!(page.code, 0, "{code}");
        assert!(page.out.starts_with(&format!("# {code}\n")), "{code}");
    }
    let unknown = project.exacta(&["explain", "NOPE"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("--list"));
}

#[test]
fn schemas_are_json_and_name_every_field() {
    let project = Project::of(&[]);
    for format in ["draft", "plan", "check"] {
        let schema = project.exacta(&["schema", format]).json();
        assert_eq!(schema["$schema"], json!("https://json-schema.org/draft/2020-12/schema"));
    }
    let schema = project.exacta(&["schema", "draft"]).json();
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["required"], json!(["steps"]));
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let step = &schema["$defs"]["Step"];
    assert_eq!(step["additionalProperties"], json!(false));
    for field in exacta_core::read::parse::STEP_FIELDS {
        assert!(names(&step["properties"]).contains(&field.name.to_owned()), "{}", field.name);
    }
    for field in exacta_core::read::parse::PLAN_FIELDS {
        assert!(names(&schema["properties"]).contains(&field.name.to_owned()), "{}", field.name);
    }
}

#[test]
fn the_demo_shows_five_plans_that_end_in_five_ways() {
    let project = Project::of(&[]);
    let said = project.exacta(&["demo"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for words in [
        "risk 5, quality 1.000 → auto_approved",
        "medium risk, good quality: runs alone under `balanced`, and you are told",
        "→ pending",
        "→ rejected",
        "the plan expired: files changed since: `README.md` has changed",
        "PLAN_DEPENDENCY_CYCLE",
        "A recipe",
        "the run is completed",
        "2 files restored",
        "is whole",
    ] {
        assert!(said.out.contains(words), "{words}\n{}", said.out);
    }
    assert!(project.snapshot().is_empty(), "the demo leaves nothing behind");
}
