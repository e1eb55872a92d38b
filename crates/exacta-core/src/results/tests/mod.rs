//! Tests of the result contract: the corpus, the sentences of the contract one by one,
//! and the builder and the check against each other and against a naive model.

mod contract;
mod corpus;
mod model;
mod mutation;
mod property;
mod reading;

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::{OutlineStep, PlanOutline, check};

/// The names of the rules that a list breaks.
fn broken(results: &Value, plan: Option<&PlanOutline>) -> BTreeSet<String> {
    check(&serde_json::to_vec(results).unwrap(), plan)
        .into_iter()
        .map(|issue| issue.rule.to_string())
        .collect()
}

/// Asserts exactly these rules.
#[track_caller]
fn assert_broken(results: &Value, plan: Option<&PlanOutline>, rules: &[&str]) {
    let expected: BTreeSet<String> = rules.iter().map(ToString::to_string).collect();
    assert_eq!(broken(results, plan), expected, "{results:#}");
}

fn step(id: &str, tool: Option<&str>, dependencies: &[&str]) -> OutlineStep {
    OutlineStep {
        step_id: id.into(),
        tool: tool.map(String::from),
        dependencies: dependencies.iter().map(ToString::to_string).collect(),
    }
}

fn plan(steps: Vec<OutlineStep>) -> PlanOutline {
    PlanOutline::new(steps).unwrap()
}

/// A row: `+` ok, `~` skipped, `-` failed.
fn row(id: &str, kind: char) -> Value {
    json!({
        "step_id": id, "tool": "t", "ok": kind == '+', "skipped": kind == '~',
        "reason": null, "error": if kind == '-' { json!("broke") } else { Value::Null }
    })
}

/// A list of these rows, with a summary that agrees with them.
fn list(rows: &[Value], status: &str, blocked: &[&str]) -> Value {
    let count = |ok: bool, skipped: bool| {
        rows.iter().filter(|row| row["ok"] == ok && row["skipped"] == skipped).count()
    };
    let failed: Vec<&Value> = rows
        .iter()
        .filter(|row| row["ok"] == false && row["skipped"] == false)
        .map(|row| &row["step_id"])
        .collect();
    let done = status == "COMPLETED";
    let meta = json!({
        "step_id": "__meta__", "ok": done, "skipped": false,
        "reason": if done { Value::Null } else { json!("because") }, "task_status": status,
        "stats": {
            "total_steps": rows.len(), "ok": count(true, false),
            "skipped": count(false, true), "failed": count(false, false)
        },
        "blocked_steps": blocked, "failed_steps": failed
    });
    rows.iter().cloned().chain([meta]).collect()
}

/// Replaces a field.
fn with(mut value: Value, pointer: &str, new: Value) -> Value {
    *value.pointer_mut(pointer).unwrap() = new;
    value
}
