//! The contract a second time, naively: quadratic, recursive, yes or no.
//!
//! It shares nothing with the check but the words. It judges lists of the right shape
//! over plans of a few steps.

use alloc::vec::Vec;

use serde_json::Value;

use crate::model::plan::Execution;
use crate::results::PlanOutline;

/// Whether a well-shaped list keeps the contract for this plan.
pub(super) fn holds(results: &Value, plan: &PlanOutline) -> bool {
    let entries = results.as_array().unwrap();
    let Some((meta, rows)) = entries.split_last() else { return false };
    if meta["step_id"] != "__meta__" || rows.iter().any(|row| row["step_id"] == "__meta__") {
        return false;
    }
    rows.iter().all(row_holds) && meta_holds(meta, rows) && plan_holds(meta, rows, plan)
}

fn ok(row: &Value) -> bool {
    row["ok"] == true
}

fn skipped(row: &Value) -> bool {
    row["skipped"] == true
}

fn failed(row: &Value) -> bool {
    !ok(row) && !skipped(row)
}

fn says(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn row_holds(row: &Value) -> bool {
    let flags = match row["reason"].as_str() {
        Some("blocked" | "file_group_not_committed") => skipped(row),
        Some("outcome_unknown" | "rolled_back") => failed(row),
        _ => true,
    };
    let named = row["step_id"] != "" && row["tool"] != "";
    let error = if ok(row) { row["error"].is_null() } else { true };
    let explained = !failed(row) || says(&row["error"]) || says(&row["reason"]);
    named && flags && error && explained && !(ok(row) && skipped(row))
}

fn meta_holds(meta: &Value, rows: &[Value]) -> bool {
    let count = |kind: fn(&Value) -> bool| rows.iter().filter(|row| kind(row)).count();
    let blocked = meta["blocked_steps"].as_array().unwrap();
    let failed_ids: Vec<Value> =
        rows.iter().filter(|row| failed(row)).map(|row| row["step_id"].clone()).collect();
    let listed = |row: &Value| blocked.contains(&row["step_id"]);
    let status = meta["task_status"].as_str().unwrap();
    let right = match status {
        "COMPLETED" => rows.iter().all(ok) && blocked.is_empty(),
        "PARTIAL" => rows.iter().any(skipped) && !rows.iter().any(failed) && blocked.is_empty(),
        "FAILED" => rows.iter().any(failed),
        "BLOCKED" => {
            !rows.is_empty()
                && rows.iter().all(|row| skipped(row) && row["reason"] == "blocked" && listed(row))
        }
        _ => false,
    };
    right
        && meta["skipped"] == false
        && ok(meta) == (status == "COMPLETED")
        && (ok(meta) || says(&meta["reason"]))
        && meta["stats"]["total_steps"] == rows.len()
        && meta["stats"]["ok"] == count(ok)
        && meta["stats"]["skipped"] == count(skipped)
        && meta["stats"]["failed"] == count(failed)
        && meta["failed_steps"] == Value::Array(failed_ids)
        && blocked.iter().all(|id| blocked.iter().filter(|other| *other == id).count() == 1)
        && blocked.iter().all(|id| rows.iter().any(|row| row["step_id"] == *id && skipped(row)))
        && rows.iter().all(|row| row["reason"] != "blocked" || listed(row))
}

fn plan_holds(meta: &Value, rows: &[Value], plan: &PlanOutline) -> bool {
    let steps = plan.steps();
    let find = |id: &str| {
        let mut found = rows.iter().filter(|row| row["step_id"] == id);
        found.next().filter(|_| found.next().is_none())
    };
    if rows.len() != steps.len() {
        return false;
    }
    for step in steps {
        let Some(row) = find(&step.step_id) else { return false };
        if row["tool"].as_str() != step.tool.as_deref() {
            return false;
        }
    }
    let status = meta["task_status"].as_str().unwrap();
    if steps.iter().any(|step| !startable(plan, &step.step_id, steps.len())) {
        return status == "BLOCKED";
    }
    if status == "BLOCKED" {
        return false;
    }
    let files: Vec<&Value> = steps
        .iter()
        .filter(|step| step.tool.is_none())
        .filter_map(|step| find(&step.step_id))
        .collect();
    let held = |row: &Value| row["reason"] == "file_group_not_committed";
    let withdrawn = |row: &Value| held(row) || row["reason"] == "rolled_back";
    let together = files.iter().all(|row| ok(row)) || !files.iter().any(|row| ok(row));
    let cause = files.iter().any(|row| !ok(row) && !held(row));
    let words = steps.iter().all(|step| {
        !held(find(&step.step_id).unwrap())
            || (step.tool.is_none() && plan.execution() != Some(Execution::Atomic) && cause)
    });
    let order = steps.iter().all(|step| {
        let row = find(&step.step_id).unwrap();
        let started = !skipped(row) || withdrawn(row);
        !started
            || step.dependencies.iter().all(|id| {
                let needed = find(id).unwrap();
                ok(needed) || withdrawn(needed)
            })
    });
    let blocked = steps.iter().all(|step| {
        let listed =
            meta["blocked_steps"].as_array().unwrap().contains(&step.step_id.clone().into());
        listed == is_blocked(plan, &find, &step.step_id)
    });
    let unknown = rows.iter().any(|row| row["reason"] == "outcome_unknown");
    let atomic = plan.execution() != Some(Execution::Atomic)
        || (status != "PARTIAL"
            && (status != "FAILED" || unknown || !files.iter().any(|row| ok(row))));
    together && words && order && blocked && atomic
}

/// Whether the step could start within so many moves.
fn startable(plan: &PlanOutline, id: &str, moves: usize) -> bool {
    let Some(step) = plan.steps().iter().find(|step| step.step_id == id) else { return false };
    step.dependencies.iter().all(|needed| moves > 0 && startable(plan, needed, moves - 1))
}

/// Whether the step was skipped because of a failure before it.
fn is_blocked<'v>(plan: &PlanOutline, find: &impl Fn(&str) -> Option<&'v Value>, id: &str) -> bool {
    let row = find(id).unwrap();
    let step = plan.steps().iter().find(|step| step.step_id == id).unwrap();
    skipped(row)
        && row["reason"] != "file_group_not_committed"
        && step
            .dependencies
            .iter()
            .any(|needed| failed(find(needed).unwrap()) || is_blocked(plan, find, needed))
}
