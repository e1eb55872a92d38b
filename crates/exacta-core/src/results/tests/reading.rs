//! The check takes any bytes: it reports, it never fails.

use alloc::string::String;
use alloc::vec::Vec;
use std::fs;
use std::path::Path;
use std::time::Instant;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{assert_broken, broken, list, plan, row, step, with};
use crate::model::code::Code;
use crate::model::plan::Execution;
use crate::read::parse::Limits;
use crate::results::{CONTRACT_VERSION, PlanOutline, check, schema};

#[test]
fn the_json_test_suite_is_read_strictly() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/jsontestsuite/test_parsing");
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let issues = check(&fs::read(&path).unwrap(), None);
        let broken = |rule: &str| issues.iter().any(|issue| issue.rule == rule);
        if name.starts_with("n_") {
            assert!(broken("json") || broken("too_large"), "{name}");
        }
        if name.starts_with("y_") {
            assert!(!broken("json") && !broken("too_large"), "{name}");
            let twice = name.starts_with("y_object_duplicated_key");
            assert_eq!(broken("duplicate_key"), twice, "{name}");
        }
        assert!(!issues.is_empty(), "{name}");
        read += 1;
    }
    assert!(read > 300, "{read}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![
            Just("__meta__"),
            Just("a"),
            Just(""),
            Just("FAILED"),
            Just("blocked"),
            Just("rolled_back")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, |inner| {
        let key = prop::sample::select(vec![
            "step_id",
            "tool",
            "ok",
            "skipped",
            "reason",
            "error",
            "output",
            "task_status",
            "stats",
            "blocked_steps",
            "failed_steps",
            "total_steps",
            "failed",
            "other",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::btree_map(key, inner, 0..9).prop_map(|map| {
                Value::Object(map.into_iter().map(|(k, v)| (k.into(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(super::property::config())]

    #[test]
    fn any_bytes_get_a_report(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(!check(&bytes, None).is_empty());
    }

    #[test]
    fn any_json_gets_a_report(value in any_json()) {
        let plan = plan(vec![step("a", None, &[]), step("b", Some("a"), &["a"])]);
        prop_assert!(!broken(&value, Some(&plan)).is_empty());
    }
}

/// Rules that compare every row with every other would take minutes here.
#[test]
fn fifty_thousand_rows_are_checked_in_one_pass() {
    const MANY: usize = 50_000;
    let ids: Vec<_> = (0..MANY).map(|n| format!("s{n}")).collect();
    let mut rows: Vec<Value> = ids.iter().map(|id| row(id, '~')).collect();
    rows[0] = row("s0", '-');
    let blocked: Vec<&str> = ids.iter().skip(1).map(String::as_str).collect();
    let results = list(&rows, "FAILED", &blocked);
    let chain = (0..MANY)
        .map(|n| match n.checked_sub(1) {
            Some(before) => step(&ids[n], Some("t"), &[&ids[before]]),
            None => step(&ids[n], Some("t"), &[]),
        })
        .collect();
    let started = Instant::now();
    assert_broken(&results, Some(&plan(chain)), &[]);
    let wrong = with(results, &format!("/{MANY}/blocked_steps"), json!(["s0"]));
    assert_broken(&wrong, None, &["blocked_skipped"]);
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn the_schema_requires_every_field_but_output() {
    let schema = serde_json::to_value(schema()).unwrap();
    assert_eq!(schema["x-contract-version"], CONTRACT_VERSION);
    let fields = |name: &str| {
        let object = &schema["$defs"][name];
        assert_eq!(object["additionalProperties"], false, "{name}");
        let required = object["required"].as_array().unwrap().len();
        (required, object["properties"].as_object().unwrap().len())
    };
    assert_eq!(fields("StepResult"), (6, 7));
    assert_eq!(fields("MetaResult"), (8, 8));
    assert_eq!(fields("Stats"), (4, 4));
    let row = &schema["$defs"]["StepResult"]["properties"];
    assert_eq!(row["tool"]["type"], json!(["string", "null"]));
}

#[test]
fn a_draft_gives_its_outline() {
    let read = |text: &str| PlanOutline::read(text.as_bytes(), Limits::default());
    let chain = read(
        r#"{"steps": [{"step_id": "a", "tool": {"name": "ReadWeb", "args": {}}},
            {"step_id": "b", "type": "file_delete", "target": "x"}]}"#,
    )
    .unwrap();
    assert_eq!(chain.steps()[0].tool.as_deref(), Some("ReadWeb"));
    assert_eq!(chain.steps()[1].tool, None);
    assert_eq!(chain.steps()[1].dependencies, ["a"]);
    assert_eq!(chain.execution(), None);
    let free = read(
        r#"{"execution": "atomic", "steps": [{"step_id": "a", "tool": "t"},
            {"step_id": "b", "tool": "t", "dependencies": []}]}"#,
    )
    .unwrap();
    assert!(free.steps().iter().all(|step| step.dependencies.is_empty()));
    assert_eq!(free.execution(), Some(Execution::Atomic));
    for (said, text) in [
        (
            Some(Execution::Contract),
            "```json\n{\"execution\": \"contract\", \"steps\": [{\"step_id\": \"a\", \"tool\": \"t\"}]}\n```",
        ),
        (None, "```json\n{\"steps\": [{\"step_id\": \"a\", \"tool\": \"t\"}]}\n```"),
    ] {
        assert_eq!(read(text).unwrap().execution(), said, "{text}");
    }
    let twice =
        read(r#"{"steps": [{"step_id": "a", "tool": "t"}, {"step_id": "a", "tool": "t"}]}"#);
    assert_eq!(twice.unwrap_err()[0].code, Code::PlanStepIdInvalid);
    assert!(read("[]").is_err());
}
