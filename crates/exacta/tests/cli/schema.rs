//! The schema of a draft and the gate agree on shapes.

use exacta_core::read::parse::{Limits, draft};
use serde_json::{Value, json};

use crate::project::Project;

/// Whether `value` keeps `schema`. Knows the keywords that the schema uses, and stops at
/// any other, so that none is skipped.
fn keeps(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(rules) = schema.as_object() else { return schema == &json!(true) };
    let length = |value: &Value| value.as_str().map(|text| text.chars().count() as u64);
    let members = || value.as_object().into_iter().flatten();
    let list = |rule: &Value| rule.as_array().unwrap().clone();
    rules.iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$defs" | "title" | "description" | "default" | "format" | "writeOnly" => true,
        "$ref" => {
            let at = rule.as_str().unwrap().strip_prefix('#').unwrap();
            keeps(root, root.pointer(at).unwrap(), value)
        }
        "type" => {
            let kinds = if rule.is_array() { list(rule) } else { vec![rule.clone()] };
            kinds.iter().any(|kind| match kind.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                "integer" => value.is_u64() || value.is_i64(),
                other => panic!("type {other}"),
            })
        }
        "properties" => members()
            .all(|(name, member)| rule.get(name).is_none_or(|rule| keeps(root, rule, member))),
        "additionalProperties" => {
            let known = rules.get("properties");
            rule == &json!(true)
                || members().all(|(name, _)| known.is_some_and(|known| known.get(name).is_some()))
        }
        "required" => {
            !value.is_object()
                || list(rule).iter().all(|name| value.get(name.as_str().unwrap()).is_some())
        }
        "items" => value.as_array().into_iter().flatten().all(|item| keeps(root, rule, item)),
        "minItems" => {
            value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap())
        }
        "maxItems" => {
            value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap())
        }
        "minLength" => length(value).is_none_or(|length| length >= rule.as_u64().unwrap()),
        "maxLength" => length(value).is_none_or(|length| length <= rule.as_u64().unwrap()),
        "minimum" => value.as_i64().is_none_or(|number| number >= rule.as_i64().unwrap()),
        "maximum" => value.as_i64().is_none_or(|number| number <= rule.as_i64().unwrap()),
        "const" => value == rule,
        "enum" => list(rule).contains(value),
        "oneOf" => list(rule).iter().filter(|rule| keeps(root, rule, value)).count() == 1,
        "anyOf" => list(rule).iter().any(|rule| keeps(root, rule, value)),
        "not" => !keeps(root, rule, value),
        other => panic!("keyword {other}"),
    })
}

#[test]
fn schema_and_gate_agree_on_the_shape_of_a_draft() {
    let schema = Project::of(&[]).exacta(&["schema", "draft"]).json();
    let step = |step: Value| {
        let mut step = step;
        step["step_id"] = json!("step_1");
        json!({"steps": [step]})
    };
    let create = |more: Value| {
        let mut step = json!({"step_id": "s", "type": "file_create", "target": "a", "content": ""});
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"steps": [step]})
    };
    let plan = |name: &str, value: Value| {
        let mut plan = create(json!({}));
        plan[name] = value;
        plan
    };
    let constraint = |constraint: Value| plan("constraints", json!([constraint]));
    let mut drafts = vec![
        create(json!({})),
        create(json!({"mode": "0755", "order": 1, "dependencies": [], "risk_tier": "LOW"})),
        create(json!({"mode": "0777"})),
        create(json!({"order": 0})),
        create(json!({"unknown": 1})),
        create(json!({"title": null})),
        create(json!({"args": {}})),
        create(json!({"tool": "ReadWeb"})),
        json!({"steps": {}}),
        json!({}),
        json!([]),
        step(json!({"type": "file_delete", "target": "a"})),
        step(json!({"type": "file_delete", "target": "a", "mode": "0644"})),
        step(json!({"type": "file_delete"})),
        step(json!({"target": "a", "content": ""})),
        step(json!({"type": "file_modify", "target": "a", "edits": []})),
        step(json!({"type": "file_modify", "target": "a", "edits": [{"old": "", "new": ""}]})),
        step(json!({"type": "file_modify", "target": "a", "edits": [{"old": "x"}]})),
        step(json!({"type": "file_modify", "target": "a", "edits": [{"old": "x", "new": ""}]})),
        step(json!({"tool": "ReadWeb"})),
        step(json!({"tool": "ReadWeb", "args": {"url": 1}})),
        step(json!({"tool": "ReadWeb", "args": []})),
        step(json!({"tool": ""})),
        step(json!({"tool": {"name": "ReadWeb", "args": {}}})),
        step(json!({"tool": {"name": "ReadWeb"}, "args": {}})),
        step(json!({"tool": {"args": {}}})),
        step(json!({"tool": {"name": "ReadWeb", "more": 1}})),
        step(json!({"tool": 7})),
        step(json!({"tool": "ReadWeb", "target": "a"})),
        step(json!({"tool": "ReadWeb", "diff": ""})),
        step(json!({})),
        constraint(json!({"kind": "max_files", "max": -1})),
        constraint(json!({"kind": "max_files", "max": 3})),
        constraint(json!({"kind": "max_files"})),
        constraint(json!({"kind": "paths_within", "globs": []})),
        constraint(json!({"kind": "paths_within", "globs": ["a"]})),
        constraint(json!({"kind": "no_tool"})),
        constraint(json!({"kind": "no_tool", "tools": []})),
        constraint(json!({"kind": "no_tool", "tools": ["ReadWeb"]})),
        constraint(json!({"kind": "no_tool", "tools": ["Nothing"]})),
        constraint(json!({"kind": "no_delete", "max": 1})),
        constraint(json!({"kind": "unknown"})),
    ];
    for kind in ["file_create", "file_modify", "file_delete"] {
        for mask in 0..16 {
            let mut file = json!({"type": kind, "target": "a"});
            for (bit, (name, value)) in [
                ("diff", json!("x")),
                ("content", json!("x")),
                ("content_base64", json!("eA==")),
                ("edits", json!([{"old": "x", "new": "y"}])),
            ]
            .into_iter()
            .enumerate()
            {
                if mask & (1 << bit) != 0 {
                    file[name] = value;
                }
            }
            drafts.push(step(file));
        }
    }
    for name in [
        "plan_version",
        "goal",
        "assumptions",
        "inputs",
        "skill_id",
        "execution",
        "recipe",
        "intent",
        "provider",
        "estimated_tokens",
        "estimated_duration",
        "target_files",
        "allowed_primitives",
        "web_allowed_domains",
        "recipient_hints",
        "web_source_url",
        "inbox_source_text",
        "daily_sources",
        "status",
        "unknown",
    ] {
        for value in [
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(2),
            json!(-1),
            json!("text"),
            json!("atomic"),
            json!("Custom"),
            json!([]),
            json!(["a"]),
            json!([1]),
            json!({}),
            json!({"a": 1}),
        ] {
            drafts.push(plan(name, value));
        }
    }
    let mut accepted = 0;
    for text in &drafts {
        let gate = draft(text.to_string().as_bytes(), Limits::default());
        assert_eq!(keeps(&schema, &schema, text), gate.is_ok(), "{text}: {gate:?}");
        accepted += usize::from(gate.is_ok());
    }
    assert!(accepted > 50 && drafts.len() - accepted > 50, "{accepted} of {}", drafts.len());
    // No steps at all: the parser lets it through so that the rule PV-1 can name it.
    assert!(!keeps(&schema, &schema, &json!({"steps": []})));
}
