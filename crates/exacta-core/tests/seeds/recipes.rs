//! The rules of the shared recipe schema (seed 004).

use exacta_testkit::Check;
use serde_json::{Value, json};

use super::{issues, online, refused};

fn custom(steps: &Value) -> Value {
    json!({"recipe": "Custom", "intent": "watch https://ok.example/news", "steps": steps})
}

fn notify(count: usize) -> Value {
    (1..=count)
        .map(|n| json!({"id": format!("step_{n}"), "label": "tell", "primitive": "NotifyUser"}))
        .collect()
}

fn reads(url: &str) -> Value {
    json!([{"id": "step_1", "primitive": "ReadWeb", "args": {"url": url}}])
}

#[test]
fn a_plan_in_the_words_of_the_schema_is_a_draft() {
    let draft = json!({
        "schema_version": "1.0", "recipe": "WebsiteMonitor", "intent": "watch the page",
        "provider": {"id": "x", "tier": "free", "default_model": "y"},
        "web_source_url": "https://ok.example/news", "web_allowed_domains": ["ok.example"],
        "inbox_source_text": null, "daily_sources": [],
        "allowed_primitives": ["ReadWeb", "WriteOutcomeDraft"],
        "steps": [
            {"id": "step_1", "label": "read", "primitive": "ReadWeb",
             "requires_approval": false, "risk_tier": "Low"},
            {"id": "step_2", "label": "write", "primitive": "WriteOutcomeDraft",
             "requires_approval": true, "risk_tier": "Medium"}
        ]
    });
    online().sound(draft.to_string());
}

#[test]
fn a_custom_plan_has_ten_steps_at_most() {
    online().sound(custom(&notify(10)).to_string());
    refused(&online(), &custom(&notify(11)), "PLAN_STEP_CAP_EXCEEDED", "custom_steps");
    // Other recipes have the cap of policy.
    let mut preset = custom(&notify(11));
    preset.as_object_mut().unwrap().insert("recipe".into(), json!("DailyBrief"));
    online().sound(preset.to_string());
}

#[test]
fn a_custom_plan_neither_schedules_nor_reads_the_vault() {
    let mut check = online();
    for name in ["ScheduleRun", "ReadVaultFile"] {
        check.policy.primitives.insert(name.into());
    }
    for name in ["ScheduleRun", "ReadVaultFile"] {
        let steps = json!([{"id": "step_1", "primitive": name}]);
        refused(&check, &custom(&steps), "PLAN_TOOL_NOT_ALLOWED", "custom_tool");
        // Allowed by name, a preset recipe may use it.
        check.sound(json!({"recipe": "DailyBrief", "steps": steps}).to_string());
    }
}

#[test]
fn neither_is_allowed_unless_the_operator_names_it() {
    for name in ["ScheduleRun", "ReadVaultFile"] {
        let draft = json!({"steps": [{"id": "step_1", "primitive": name}]});
        refused(&online(), &draft, "PLAN_TOOL_NOT_ALLOWED", "tool_allowed");
    }
}

#[test]
fn an_unknown_primitive_makes_no_plan() {
    let draft = custom(&json!([{"id": "step_1", "primitive": "DeleteEverything"}]));
    refused(&online(), &draft, "PLAN_INVALID_TOOL", "tool_exists");
    assert!(online().text(draft.to_string()).unwrap().makes_no_plan());
    // A primitive that exists and is not allowed makes a rejected plan.
    let draft = custom(&json!([{"id": "step_1", "primitive": "ReadVaultFile"}]));
    assert!(!online().text(draft.to_string()).unwrap().makes_no_plan());
}

#[test]
fn a_custom_plan_reads_only_what_the_user_named() {
    online().sound(custom(&reads("https://ok.example/news")).to_string());
    for url in [
        "https://ok.example/other",
        "https://second.example/",
        // Part of an address that was named is another address.
        "https://ok.example/new",
        "https://ok.example/",
        "https://ok.example",
        "https://ok.example/news?to=evil",
    ] {
        refused(&online(), &custom(&reads(url)), "PLAN_TOOL_NOT_ALLOWED", "custom_url");
    }
}

#[test]
fn the_inputs_name_addresses_too() {
    let mut draft = custom(&reads("https://second.example/x"));
    draft
        .as_object_mut()
        .unwrap()
        .insert("inputs".into(), json!({"pages": ["see https://second.example/x."]}));
    online().sound(draft.to_string());
    // The schema's own fields are inputs.
    let mut draft = custom(&reads("https://second.example/x"));
    draft
        .as_object_mut()
        .unwrap()
        .insert("web_source_url".into(), json!("https://second.example/x"));
    online().sound(draft.to_string());
}

#[test]
fn what_the_person_said_counts_before_what_the_draft_claims_they_said() {
    let mut check = online();
    check.context.intent = Some("read <https://second.example/a_(b)>, please".into());
    check.sound(custom(&reads("https://second.example/a_(b)")).to_string());
    let draft = custom(&reads("https://ok.example/news"));
    refused(&check, &draft, "PLAN_TOOL_NOT_ALLOWED", "custom_url");
}

#[test]
fn a_custom_reader_needs_an_address() {
    for name in ["ReadWeb", "ReadSources"] {
        let steps = json!([{"id": "step_1", "primitive": name}]);
        refused(&online(), &custom(&steps), "PLAN_TOOL_NOT_ALLOWED", "custom_url");
    }
}

#[test]
fn named_by_the_user_is_not_allowed_by_policy() {
    let draft = json!({"recipe": "Custom", "intent": "read https://evil.example/", "steps": reads("https://evil.example/")});
    refused(&online(), &draft, "PLAN_TOOL_NOT_ALLOWED", "domain");
}

#[test]
fn a_step_outside_its_own_lists_is_refused() {
    let steps = json!([{"id": "step_1", "primitive": "ReadWeb", "args": {"url": "https://ok.example/news"}}]);
    let with = |field: &str, value: Value| {
        let mut draft = custom(&steps);
        draft.as_object_mut().unwrap().insert(field.into(), value);
        draft
    };
    online()
        .sound(with("web_allowed_domains", json!(["ok.example", "second.example"])).to_string());
    refused(
        &online(),
        &with("web_allowed_domains", json!(["second.example"])),
        "PLAN_CLAIM_CONTRADICTED",
        "web_allowed_domains",
    );
    refused(
        &online(),
        &with("allowed_primitives", json!([])),
        "PLAN_CLAIM_CONTRADICTED",
        "allowed_primitives",
    );
    let send = json!({"recipient_hints": [], "steps": [
        {"id": "step_1", "primitive": "SendEmail", "args": {"to": "ok@corp.com"}}
    ]});
    refused(&online(), &send, "PLAN_CLAIM_CONTRADICTED", "recipient_hints");
}

#[test]
fn recipes_and_versions_are_closed_lists() {
    let mut draft = custom(&notify(1));
    draft.as_object_mut().unwrap().insert("recipe".into(), json!("custom"));
    refused(&online(), &draft, "PLAN_SCHEMA_INVALID", "value");
    for (field, value) in [
        ("schema_version", json!("2.0")),
        ("schema_version", json!(1)),
        ("plan_version", json!(2)),
        ("plan_version", json!("1.0")),
        ("version", json!(0)),
    ] {
        let mut draft = custom(&notify(1));
        draft.as_object_mut().unwrap().insert(field.into(), value);
        refused(&online(), &draft, "PLAN_SCHEMA_INVALID", "plan_version");
    }
}

#[test]
fn an_earlier_output_never_fills_an_address() {
    for (args, fine) in [
        (json!({"subject": {"$ref": "step_1.output"}, "to": "ok@corp.com"}), true),
        (json!({"to": {"$ref": "step_1.output"}}), false),
        (json!({"to": [{"$ref": "step_1.output"}]}), false),
        (json!({"to": "ok@corp.com", "attachments": [{"$ref": "step_1.output"}]}), false),
    ] {
        let draft = json!({"steps": [
            {"step_id": "step_1", "tool": "NotifyUser"},
            {"step_id": "step_2", "tool": {"name": "SendEmail", "args": args}}
        ]});
        if fine {
            online().sound(draft.to_string());
        } else {
            refused(&online(), &draft, "PLAN_TOOL_NOT_ALLOWED", "ref_target");
        }
    }
}

#[test]
fn a_reference_names_a_step_that_comes_before() {
    let draft = json!({"steps": [
        {"step_id": "step_1", "tool": "NotifyUser", "dependencies": []},
        {"step_id": "step_2", "tool": {"name": "NotifyUser", "args": {"message": {"$ref": "step_1.output"}}}}
    ]});
    refused(&Check::default(), &draft, "PLAN_SCHEMA_INVALID", "ref");
    assert!(!issues(&Check::default(), &draft).is_empty());
}
