//! Parse rules, codes and caps of the plan contract (seed 003).

use exacta_core::model::plan::{Bucket, Confidence, CostBand};
use exacta_core::read::parse::json::MAX_INTEGER;
use exacta_testkit::Check;
use serde_json::{Value, json};

use super::{online, refused};

const PLAN: &str =
    r#"{"steps":[{"step_id":"step_1","type":"file_create","target":"a","content":"x"}]}"#;

fn codes(text: &str) -> Vec<&'static str> {
    Check::default().codes(text).into_iter().collect()
}

/// A plan of `count` notifications with these arguments.
fn calls(count: usize, args: &Value) -> Value {
    let steps: Vec<Value> = (1..=count)
        .map(|n| json!({"step_id": format!("step_{n}"), "tool": {"name": "NotifyUser", "args": args}}))
        .collect();
    json!({ "steps": steps })
}

#[test]
fn the_raw_object_and_the_one_fence_are_one_plan() {
    let raw = Check::default().sound(PLAN).plan_hash;
    let fenced = Check::default().sound(format!("\n```json\n{PLAN}\n```\n")).plan_hash;
    assert_eq!(raw, fenced);
}

#[test]
fn several_blocks_are_plan_parse_multiblock() {
    assert_eq!(
        codes(&format!("```json\n{PLAN}\n```\n\n```json\n{PLAN}\n```")),
        ["PLAN_PARSE_MULTIBLOCK"]
    );
    assert_eq!(
        codes(&format!("```json\n{PLAN}\n```\ntext\n```\nx\n```")),
        ["PLAN_PARSE_MULTIBLOCK"]
    );
}

#[test]
fn words_around_the_object_are_plan_parse_nonjson() {
    for text in [
        format!("Sure! {PLAN}"),
        format!("{PLAN}\nDone."),
        format!("Sure!\n```json\n{PLAN}\n```"),
        "I cannot do that.".to_owned(),
    ] {
        assert_eq!(codes(&text), ["PLAN_PARSE_NONJSON"], "{text}");
    }
}

#[test]
fn json_that_is_no_draft_is_plan_schema_invalid() {
    for text in ["[]", "null", "{}", r#"{"steps":1}"#, r#"{"steps":[{}]}"#, r#"{"step":[]}"#] {
        assert_eq!(codes(text), ["PLAN_SCHEMA_INVALID"], "{text}");
    }
}

#[test]
fn several_schema_faults_are_reported_at_once_with_their_places() {
    let text = "{\"goal\": 1,\n \"nope\": 2,\n \"steps\": [\n  {\"step_id\": \"step_1\", \"tool\": \"NotifyUser\", \"titel\": \"x\"}]}";
    let issues = Check::default().text(text).unwrap_err();
    let places: Vec<_> = issues
        .iter()
        .map(|issue| {
            let place = issue.place.unwrap();
            (issue.pointer.as_str(), place.line, place.column)
        })
        .collect();
    assert_eq!(places, [("/nope", 2, 2), ("/goal", 1, 10), ("/steps/0/titel", 4, 47)]);
}

#[test]
fn a_tool_outside_policy_is_plan_tool_not_allowed() {
    let draft = json!({"steps": [{"step_id": "s", "tool": "ScheduleRun"}]});
    refused(&Check::default(), &draft, "PLAN_TOOL_NOT_ALLOWED", "tool_allowed");
    let draft = json!({"steps": [{"step_id": "s", "tool": {"name": "ReadWeb", "args": {"url": "https://other.example/"}}}]});
    refused(&online(), &draft, "PLAN_TOOL_NOT_ALLOWED", "domain");
    let draft = json!({"steps": [{"step_id": "s", "tool": {"name": "SendEmail", "args": {"to": "e@evil.com"}}}]});
    refused(&online(), &draft, "PLAN_TOOL_NOT_ALLOWED", "recipient");
}

#[test]
fn more_steps_than_the_cap_is_plan_step_cap_exceeded() {
    Check::default().sound(calls(12, &json!({})).to_string());
    refused(&Check::default(), &calls(13, &json!({})), "PLAN_STEP_CAP_EXCEEDED", "max_steps");
}

#[test]
fn more_calls_than_the_cap_is_plan_tool_call_cap_exceeded() {
    Check::default().sound(calls(2, &json!({"calls": 20})).to_string());
    let draft = calls(2, &json!({"calls": 21}));
    refused(&Check::default(), &draft, "PLAN_TOOL_CALL_CAP_EXCEEDED", "max_tool_calls");
}

#[test]
fn more_pages_than_the_cap_is_plan_page_cap_exceeded() {
    Check::default().sound(calls(2, &json!({"pages": 100})).to_string());
    refused(
        &Check::default(),
        &calls(2, &json!({"pages": 101})),
        "PLAN_PAGE_CAP_EXCEEDED",
        "max_pages",
    );
    let mut draft = calls(1, &json!({}));
    draft.as_object_mut().unwrap().insert("inputs".into(), json!({"pages": vec!["p"; 201]}));
    refused(&Check::default(), &draft, "PLAN_PAGE_CAP_EXCEEDED", "max_pages");
}

#[test]
fn more_cost_than_the_cap_is_plan_cost_cap_exceeded() {
    let mut check = Check::default();
    check.policy.token_budget = MAX_INTEGER.unsigned_abs();
    let claiming = |tokens: u64| {
        let mut draft = calls(1, &json!({}));
        draft.as_object_mut().unwrap().insert("estimated_tokens".into(), json!(tokens));
        draft
    };
    check.sound(claiming(2_500_000).to_string());
    refused(&check, &claiming(2_500_001), "PLAN_COST_CAP_EXCEEDED", "max_cost_usd");
}

#[test]
fn estimates_are_ours_and_a_claim_counts_only_where_it_is_larger() {
    let small = calls(1, &json!({}));
    let ours = Check::default().sound(small.to_string()).estimates;
    assert_eq!(ours.estimated_tokens, 1200 + 220 + 320);
    assert_eq!(ours.estimated_runtime_sec, 20);
    assert_eq!(ours.estimated_tokens_bucket, Bucket::Low);
    assert_eq!(ours.estimated_cost_usd_band, CostBand::Low);
    assert_eq!(ours.confidence_band, Confidence::Low);
    for (claim, tokens) in [(0, 1740), (1739, 1740), (1741, 1741)] {
        let mut draft = small.clone();
        draft.as_object_mut().unwrap().insert("estimatedTokens".into(), json!(claim));
        assert_eq!(Check::default().sound(draft.to_string()).estimates.estimated_tokens, tokens);
    }
}

#[test]
fn a_plan_that_cannot_be_taken_back_as_a_whole_is_plan_not_atomic() {
    let send = json!({"name": "SendEmail", "args": {"to": "ok@corp.com"}});
    let one = json!({"steps": [
        {"step_id": "step_1", "tool": "NotifyUser"}, {"step_id": "step_2", "tool": send}
    ]});
    online().sound(one.to_string());
    let two = json!({"steps": [{"step_id": "step_1", "tool": send}, {"step_id": "step_2", "tool": send}]});
    refused(&online(), &two, "PLAN_NOT_ATOMIC", "atomic");
    let waited_for = json!({"steps": [
        {"step_id": "step_1", "tool": send}, {"step_id": "step_2", "tool": "NotifyUser"}
    ]});
    refused(&online(), &waited_for, "PLAN_NOT_ATOMIC", "atomic");
    let mut contract = two;
    contract.as_object_mut().unwrap().insert("execution".into(), json!("contract"));
    online().sound(contract.to_string());
}

#[test]
fn only_the_irreversible_step_may_wait_for_files() {
    let after_file = |tool: Value| {
        json!({"steps": [
            {"step_id": "step_1", "type": "file_create", "target": "x", "content": "x"},
            {"step_id": "step_2", "tool": tool}
        ]})
    };
    refused(&online(), &after_file(json!("NotifyUser")), "PLAN_NOT_ATOMIC", "atomic");
    let send = json!({"name": "SendEmail", "args": {"to": "ok@corp.com"}});
    online().sound(after_file(send).to_string());
}
