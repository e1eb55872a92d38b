//! The result contract, sentence by sentence: one test a row of its tables and lists.

use serde_json::{Value, json};

use super::{assert_broken, list, plan, row, step, with};
use crate::model::plan::Execution;
use crate::results::PlanOutline;

/// `a`, then `b` which depends on it, then `c` which depends on nothing.
fn branches() -> PlanOutline {
    plan(vec![step("a", Some("t"), &[]), step("b", Some("t"), &["a"]), step("c", Some("t"), &[])])
}

fn blocked_row(id: &str) -> Value {
    with(row(id, '~'), "/reason", json!("blocked"))
}

// Execution semantics.

#[test]
fn dependency_does_not_exist_fails_fast() {
    let plan = plan(vec![step("a", Some("t"), &[]), step("b", Some("t"), &["nowhere"])]);
    let nothing = list(&[blocked_row("a"), blocked_row("b")], "BLOCKED", &["a", "b"]);
    assert_broken(&nothing, Some(&plan), &[]);
    let went_on = list(&[row("a", '+'), row("b", '-')], "FAILED", &[]);
    assert_broken(&went_on, Some(&plan), &["plan_unrunnable"]);
}

#[test]
fn dependency_cycle_fails_fast() {
    let plan = plan(vec![step("a", Some("t"), &["b"]), step("b", Some("t"), &["a"])]);
    let nothing = list(&[blocked_row("a"), blocked_row("b")], "BLOCKED", &["a", "b"]);
    assert_broken(&nothing, Some(&plan), &[]);
    let ran = list(&[row("a", '+'), row("b", '+')], "COMPLETED", &[]);
    assert_broken(&ran, Some(&plan), &["plan_unrunnable"]);
}

#[test]
fn dependency_failed_skips_the_step() {
    let kept = list(&[row("a", '-'), row("b", '~'), row("c", '+')], "FAILED", &["b"]);
    assert_broken(&kept, Some(&branches()), &[]);
    let ran = list(&[row("a", '-'), row("b", '+'), row("c", '+')], "FAILED", &[]);
    assert_broken(&ran, Some(&branches()), &["plan_dependency"]);
    let unlisted = list(&[row("a", '-'), row("b", '~'), row("c", '+')], "FAILED", &[]);
    assert_broken(&unlisted, Some(&branches()), &["plan_blocked"]);
}

#[test]
fn dependency_skipped_skips_the_step() {
    let kept = list(&[row("a", '~'), row("b", '~'), row("c", '+')], "PARTIAL", &[]);
    assert_broken(&kept, Some(&branches()), &[]);
    let ran = list(&[row("a", '~'), row("b", '+'), row("c", '+')], "PARTIAL", &[]);
    assert_broken(&ran, Some(&branches()), &["plan_dependency"]);
}

#[test]
fn tool_not_found_fails_the_step() {
    let missing = with(row("c", '-'), "/error", json!("there is no tool `t`"));
    let kept = list(&[row("a", '+'), row("b", '+'), missing], "FAILED", &[]);
    assert_broken(&kept, Some(&branches()), &[]);
    assert_broken(&with(kept, "/3/failed_steps", json!([])), None, &["failed_steps"]);
}

#[test]
fn tool_runtime_error_fails_the_step() {
    let kept = list(&[row("a", '-'), row("b", '~'), row("c", '+')], "FAILED", &["b"]);
    assert_broken(
        &with(kept, "/0/ok", json!(true)),
        None,
        &["failed_steps", "ok_error", "stats_count", "status_failed"],
    );
}

// Step result schema.

#[test]
fn a_row_has_every_field_but_output_which_may_be_anything() {
    let whole = list(&[row("a", '+')], "COMPLETED", &[]);
    for field in ["step_id", "tool", "ok", "skipped", "reason", "error"] {
        let mut lacking = whole.clone();
        lacking[0].as_object_mut().unwrap().remove(field);
        assert_broken(&lacking, None, &["missing_field"]);
    }
    for output in [json!(null), json!(1.5), json!([{"ok": "?"}]), json!({"step_id": "__meta__"})] {
        let mut more = whole.clone();
        more[0].as_object_mut().unwrap().insert("output".into(), output);
        assert_broken(&more, None, &[]);
    }
}

#[test]
fn skipped_means_not_ok() {
    let kept = list(&[row("a", '~')], "PARTIAL", &[]);
    assert_broken(&kept, None, &[]);
    assert_broken(&with(kept, "/0/ok", json!(true)), None, &["skipped_ok"]);
}

#[test]
fn ok_means_error_is_null() {
    let kept = list(&[row("a", '+')], "COMPLETED", &[]);
    assert_broken(&kept, None, &[]);
    assert_broken(&with(kept, "/0/error", json!("")), None, &["ok_error"]);
}

#[test]
fn not_ok_and_not_skipped_means_error_or_reason() {
    let error_only = list(&[row("a", '-')], "FAILED", &[]);
    assert_broken(&error_only, None, &[]);
    let neither = with(error_only, "/0/error", json!(null));
    assert_broken(&neither, None, &["failed_unexplained"]);
    assert_broken(&with(neither, "/0/reason", json!("timeout")), None, &[]);
}

// Meta summary.

#[test]
fn meta_exists_and_is_the_last_item() {
    let kept = list(&[row("a", '+')], "COMPLETED", &[]);
    let entries = kept.as_array().unwrap();
    assert_broken(&json!([entries[0]]), None, &["meta_missing"]);
    assert_broken(&json!([entries[1], entries[0]]), None, &["meta_last"]);
    assert_broken(&json!([entries[0], entries[1], entries[1]]), None, &["meta_repeated"]);
}

#[test]
fn meta_is_never_skipped() {
    let kept = list(&[row("a", '+')], "COMPLETED", &[]);
    assert_broken(&with(kept, "/1/skipped", json!(true)), None, &["meta_skipped"]);
}

#[test]
fn stats_are_present_and_equal_the_rows() {
    let kept = list(&[row("a", '+'), row("b", '~'), row("c", '-')], "FAILED", &[]);
    assert_broken(&kept, None, &[]);
    for field in ["total_steps", "ok", "skipped", "failed"] {
        let at = format!("/3/stats/{field}");
        assert_broken(&with(kept.clone(), &at, json!(9)), None, &["stats_count", "stats_total"]);
        let mut lacking = kept.clone();
        lacking[3]["stats"].as_object_mut().unwrap().remove(field);
        assert_broken(&lacking, None, &["missing_field"]);
    }
}

#[test]
fn failed_steps_are_the_failed_rows_in_their_order() {
    let kept = list(&[row("a", '-'), row("b", '~'), row("c", '-')], "FAILED", &[]);
    assert_broken(&kept, None, &[]);
    for (said, rule) in [
        (json!(["c", "a"]), "failed_steps_order"),
        (json!(["a"]), "failed_steps"),
        (json!(["a", "c", "c"]), "failed_steps"),
        (json!(["a", "b", "c"]), "failed_steps"),
    ] {
        assert_broken(&with(kept.clone(), "/3/failed_steps", said), None, &[rule]);
    }
}

#[test]
fn blocked_steps_are_skipped_rows_named_once() {
    let kept = list(&[row("a", '-'), row("b", '~'), row("c", '+')], "FAILED", &["b"]);
    assert_broken(&kept, None, &[]);
    for (said, rule) in [
        (json!(["b", "b"]), "blocked_repeated"),
        (json!(["b", "c"]), "blocked_skipped"),
        (json!(["b", "nobody"]), "blocked_skipped"),
    ] {
        assert_broken(&with(kept.clone(), "/3/blocked_steps", said), None, &[rule]);
    }
}

/// For these rows and this list of blocked steps only one status holds.
#[track_caller]
fn only_status(rows: &[Value], blocked: &[&str], right: &str) {
    for status in ["COMPLETED", "PARTIAL", "FAILED", "BLOCKED"] {
        let rule = format!("status_{}", status.to_lowercase());
        let rules = [rule.as_str()];
        let expected: &[&str] = if status == right { &[] } else { &rules };
        assert_broken(&list(rows, status, blocked), None, expected);
    }
}

#[test]
fn status_completed_means_all_steps_executed_successfully() {
    only_status(&[row("a", '+'), row("b", '+')], &[], "COMPLETED");
    only_status(&[], &[], "COMPLETED");
}

#[test]
fn status_partial_means_some_skipped_none_blocked_or_failed() {
    only_status(&[row("a", '+'), row("b", '~')], &[], "PARTIAL");
    only_status(&[row("a", '~'), row("b", '~')], &[], "PARTIAL");
    only_status(&[row("a", '~'), row("b", '~')], &["b"], "none of them");
}

#[test]
fn status_failed_means_at_least_one_step_failed() {
    only_status(&[row("a", '+'), row("b", '-')], &[], "FAILED");
    only_status(&[row("a", '-'), row("b", '~')], &["b"], "FAILED");
    only_status(&[row("a", '-'), blocked_row("b")], &["b"], "FAILED");
}

#[test]
fn status_blocked_means_dependency_resolution_prevented_execution() {
    only_status(&[blocked_row("a"), blocked_row("b")], &["a", "b"], "BLOCKED");
    let nothing = list(&[blocked_row("a")], "BLOCKED", &["a"]);
    let sound = plan(vec![step("a", Some("t"), &[])]);
    assert_broken(&nothing, Some(&sound), &["plan_runnable"]);
}

#[test]
fn only_the_four_statuses_exist() {
    for status in ["", "completed", "SUCCESS", "COMPLETED ", "UNKNOWN"] {
        let other = list(&[row("a", '+')], status, &[]);
        assert_broken(&other, None, &["task_status"]);
    }
}

#[test]
fn meta_ok_is_completed_and_everything_else_has_a_reason() {
    let done = list(&[row("a", '+')], "COMPLETED", &[]);
    assert_broken(&with(done.clone(), "/1/reason", json!("all done")), None, &[]);
    assert_broken(&with(done, "/1/ok", json!(false)), None, &["meta_ok", "meta_reason"]);
    let part = list(&[row("a", '~')], "PARTIAL", &[]);
    assert_broken(&with(part.clone(), "/1/ok", json!(true)), None, &["meta_ok"]);
    assert_broken(&with(part, "/1/reason", json!(null)), None, &["meta_reason"]);
}

// How a run of ours ends.

#[test]
fn file_steps_have_no_tool() {
    let plan = plan(vec![step("a", None, &[])]);
    let named = list(&[row("a", '+')], "COMPLETED", &[]);
    assert_broken(&named, Some(&plan), &["plan_tool"]);
    assert_broken(&with(named, "/0/tool", json!(null)), Some(&plan), &[]);
}

#[test]
fn a_lost_answer_is_a_failed_row_and_keeps_committed_files() {
    let plan = plan(vec![step("f", None, &[]), step("t", Some("t"), &["f"])])
        .with_execution(Execution::Atomic);
    let file = with(row("f", '+'), "/tool", json!(null));
    let failed = list(&[file, row("t", '-')], "FAILED", &[]);
    assert_broken(&failed, Some(&plan), &["atomic_kept"]);
    let lost = with(failed, "/1/reason", json!("outcome_unknown"));
    assert_broken(&lost, Some(&plan), &[]);
}

#[test]
fn a_declined_step_is_partial_in_contract_runs_and_failed_in_atomic_ones() {
    let steps = || plan(vec![step("a", Some("t"), &[]), step("b", Some("t"), &[])]);
    let skipped = list(&[row("a", '+'), row("b", '~')], "PARTIAL", &[]);
    let failed = list(&[row("a", '+'), row("b", '-')], "FAILED", &[]);
    let contract = steps().with_execution(Execution::Contract);
    let atomic = steps().with_execution(Execution::Atomic);
    assert_broken(&skipped, Some(&contract), &[]);
    assert_broken(&skipped, Some(&atomic), &["atomic_partial"]);
    assert_broken(&failed, Some(&atomic), &[]);
    assert_broken(&skipped, Some(&steps()), &[]);
}

#[test]
fn a_rolled_back_row_failed_and_does_not_unsay_the_reads_after_it() {
    let plan = plan(vec![
        step("w", Some("t"), &[]),
        step("r", Some("t"), &["w"]),
        step("x", Some("t"), &["r"]),
    ]);
    let failed = list(&[row("w", '-'), row("r", '+'), row("x", '-')], "FAILED", &[]);
    assert_broken(&failed, Some(&plan), &["plan_dependency"]);
    let rolled_back = with(failed, "/0/reason", json!("rolled_back"));
    assert_broken(&rolled_back, Some(&plan), &[]);
}

#[test]
fn file_steps_of_a_contract_run_go_in_together() {
    let plan = plan(vec![step("f", None, &[]), step("g", None, &["f"])])
        .with_execution(Execution::Contract);
    let file = |id, kind| with(row(id, kind), "/tool", json!(null));
    let kept = list(&[file("f", '+'), file("g", '-')], "FAILED", &[]);
    assert_broken(&kept, Some(&plan), &["plan_files"]);
    let held = with(file("f", '~'), "/reason", json!("file_group_not_committed"));
    assert_broken(&list(&[held, file("g", '-')], "FAILED", &[]), Some(&plan), &[]);
}
