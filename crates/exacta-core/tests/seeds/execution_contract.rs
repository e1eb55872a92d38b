//! The plan payload of the execution contract (seed 002 §3).

use exacta_testkit::Check;
use serde_json::{Value, json};

use super::{online, refused};

fn plan(steps: &Value) -> Value {
    json!({ "steps": steps })
}

#[test]
fn a_payload_of_steps_alone_is_a_plan() {
    let check = online();
    check.sound(
        plan(&json!([
            {"step_id": "step_1", "title": "read", "dependencies": [], "tool": "NotifyUser"},
            {"step_id": "step_2", "dependencies": ["step_1"],
             "tool": {"name": "ReadWeb", "args": {"url": "https://ok.example/"}}}
        ]))
        .to_string(),
    );
}

#[test]
fn steps_are_required() {
    refused(&Check::default(), &json!({}), "PLAN_SCHEMA_INVALID", "missing_field");
    refused(&Check::default(), &json!({"steps": {}}), "PLAN_SCHEMA_INVALID", "type");
    refused(&Check::default(), &json!({"steps": ["x"]}), "PLAN_SCHEMA_INVALID", "type");
    refused(&Check::default(), &plan(&json!([])), "PLAN_NO_STEPS", "PV-1");
}

#[test]
fn a_step_id_is_required() {
    let issue = refused(
        &Check::default(),
        &plan(&json!([{"tool": "NotifyUser"}])),
        "PLAN_SCHEMA_INVALID",
        "missing_field",
    );
    assert_eq!(issue.pointer.as_str(), "/steps/0");
}

#[test]
fn a_step_id_is_text() {
    let steps = json!([{"step_id": 1, "tool": "NotifyUser"}]);
    let issue = refused(&Check::default(), &plan(&steps), "PLAN_SCHEMA_INVALID", "type");
    assert_eq!(issue.pointer.as_str(), "/steps/0/step_id");
}

#[test]
fn a_step_id_is_not_empty() {
    let steps = json!([{"step_id": "", "tool": "NotifyUser"}]);
    refused(&Check::default(), &plan(&steps), "PLAN_STEP_ID_INVALID", "step_id");
}

#[test]
fn a_step_id_is_unique() {
    let steps =
        json!([{"step_id": "a", "tool": "NotifyUser"}, {"step_id": "a", "tool": "NotifyUser"}]);
    let issue = refused(&Check::default(), &plan(&steps), "PLAN_STEP_ID_INVALID", "step_id_unique");
    assert_eq!(issue.pointer.as_str(), "/steps/1/step_id");
}

#[test]
fn the_name_of_the_summary_row_is_no_step_id() {
    let steps = json!([{"step_id": "__meta__", "tool": "NotifyUser"}]);
    refused(&Check::default(), &plan(&steps), "PLAN_STEP_ID_INVALID", "step_id");
}

#[test]
fn dependencies_are_a_list_of_texts() {
    for dependencies in [json!("step_1"), json!({}), json!([1]), json!([null]), json!(null)] {
        let steps =
            json!([{"step_id": "step_1", "tool": "NotifyUser", "dependencies": dependencies}]);
        refused(&Check::default(), &plan(&steps), "PLAN_SCHEMA_INVALID", "type");
    }
}

#[test]
fn an_unknown_dependency_is_named_and_the_nearest_id_suggested() {
    let steps = json!([
        {"step_id": "step_1", "tool": "NotifyUser"},
        {"step_id": "step_2", "tool": "NotifyUser", "dependencies": ["stpe_1"]}
    ]);
    let issue = refused(&Check::default(), &plan(&steps), "PLAN_DEPENDENCY_UNKNOWN", "PV-2");
    assert_eq!(issue.step_id.as_deref(), Some("step_2"));
    assert_eq!(issue.pointer.as_str(), "/steps/1/dependencies/0");
    assert!(issue.message.contains("`stpe_1`"), "{}", issue.message);
    assert_eq!(issue.help, "did you mean `step_1`?");
}

#[test]
fn a_dependency_is_given_once() {
    let steps = json!([
        {"step_id": "step_1", "tool": "NotifyUser"},
        {"step_id": "step_2", "tool": "NotifyUser", "dependencies": ["step_1", "step_1"]}
    ]);
    refused(&Check::default(), &plan(&steps), "PLAN_SCHEMA_INVALID", "dependency_twice");
}

#[test]
fn a_cycle_is_named_step_by_step() {
    let steps = json!([
        {"step_id": "a", "tool": "NotifyUser", "dependencies": ["c"]},
        {"step_id": "b", "tool": "NotifyUser", "dependencies": ["a"]},
        {"step_id": "c", "tool": "NotifyUser", "dependencies": ["b"]},
        {"step_id": "d", "tool": "NotifyUser", "dependencies": ["c"]}
    ]);
    let issue = refused(&Check::default(), &plan(&steps), "PLAN_DEPENDENCY_CYCLE", "PV-3");
    assert!(issue.message.ends_with("`a` needs `c` needs `b` needs `a`"), "{}", issue.message);
    let alone = json!([{"step_id": "a", "tool": "NotifyUser", "dependencies": ["a"]}]);
    let issue = refused(&Check::default(), &plan(&alone), "PLAN_DEPENDENCY_CYCLE", "PV-3");
    assert!(issue.message.ends_with("`a` needs `a`"), "{}", issue.message);
}

#[test]
fn every_separate_cycle_is_named() {
    let steps = json!([
        {"step_id": "a", "tool": "NotifyUser", "dependencies": ["b"]},
        {"step_id": "b", "tool": "NotifyUser", "dependencies": ["a"]},
        {"step_id": "c", "tool": "NotifyUser", "dependencies": ["d"]},
        {"step_id": "d", "tool": "NotifyUser", "dependencies": ["c"]}
    ]);
    let issues = super::issues(&Check::default(), &plan(&steps));
    assert_eq!(issues.len(), 2, "{issues:#?}");
}

#[test]
fn an_unknown_tool_makes_no_plan() {
    for tool in [json!("Frobnicate"), json!({"name": "Frobnicate", "args": {}})] {
        let draft = plan(&json!([{"step_id": "step_1", "tool": tool}]));
        let issue = refused(&Check::default(), &draft, "PLAN_INVALID_TOOL", "tool_exists");
        assert_eq!(issue.pointer.as_str(), "/steps/0/tool");
        let examined = Check::default().text(draft.to_string()).unwrap();
        assert!(examined.makes_no_plan());
    }
}

#[test]
fn a_tool_is_a_name_or_an_object() {
    for tool in
        [json!(""), json!(null), json!(1), json!([]), json!({"name": ""}), json!({"args": {}})]
    {
        let steps = json!([{"step_id": "step_1", "tool": tool}]);
        refused(&Check::default(), &plan(&steps), "PLAN_SCHEMA_INVALID", "tool");
    }
    let steps = json!([{"step_id": "step_1", "tool": {"name": "NotifyUser", "extra": 1}}]);
    refused(&Check::default(), &plan(&steps), "PLAN_SCHEMA_INVALID", "unknown_field");
}

#[test]
fn a_step_without_an_action_or_with_two_is_refused() {
    let none = json!([{"step_id": "step_1"}]);
    refused(&Check::default(), &plan(&none), "PLAN_SCHEMA_INVALID", "one_action");
    let both = json!([
        {"step_id": "step_1", "tool": "NotifyUser", "type": "file_delete", "target": "a.txt"}
    ]);
    refused(&Check::default(), &plan(&both), "PLAN_SCHEMA_INVALID", "one_action");
}

#[test]
fn the_spellings_of_a_tool_are_one_plan() {
    let check = online();
    let spellings = [
        json!({"step_id": "step_1", "tool": "ReadWeb", "args": {"url": "https://ok.example/"}}),
        json!({"step_id": "step_1", "tool": {"name": "ReadWeb", "args": {"url": "https://ok.example/"}}}),
        json!({"id": "step_1", "primitive": "ReadWeb", "args": {"url": "https://ok.example/"}}),
        json!({"id": "step_1", "primitive": {"name": "ReadWeb", "args": {"url": "https://ok.example/"}}}),
    ];
    let hashes: std::collections::BTreeSet<_> = spellings
        .iter()
        .map(|step| check.sound(plan(&json!([step])).to_string()).plan_hash)
        .collect();
    assert_eq!(hashes.len(), 1);
    // No arguments and no `args` are one plan as well.
    let bare = [
        json!("NotifyUser"),
        json!({"name": "NotifyUser"}),
        json!({"name": "NotifyUser", "args": {}}),
    ];
    let hashes: std::collections::BTreeSet<_> = bare
        .iter()
        .map(|tool| {
            check.sound(plan(&json!([{"step_id": "s", "tool": tool}])).to_string()).plan_hash
        })
        .collect();
    assert_eq!(hashes.len(), 1);
}

#[test]
fn args_are_an_object() {
    for args in [json!([]), json!("x"), json!(1), json!(null)] {
        let beside = json!([{"step_id": "step_1", "tool": "NotifyUser", "args": args}]);
        refused(&Check::default(), &plan(&beside), "PLAN_SCHEMA_INVALID", "type");
        let inside = json!([{"step_id": "step_1", "tool": {"name": "NotifyUser", "args": args}}]);
        refused(&Check::default(), &plan(&inside), "PLAN_SCHEMA_INVALID", "type");
    }
}

#[test]
fn args_of_the_step_and_of_the_tool_do_not_mix() {
    for tool in [json!({"name": "NotifyUser", "args": {}}), json!({"name": "NotifyUser"})] {
        let steps = json!([{"step_id": "step_1", "tool": tool, "args": {"message": "x"}}]);
        let issue = refused(&Check::default(), &plan(&steps), "PLAN_SCHEMA_INVALID", "one_args");
        assert_eq!(issue.pointer.as_str(), "/steps/0/args");
    }
}

#[test]
fn a_single_step_2_is_refused() {
    let steps = json!([{"step_id": "step_2", "tool": "NotifyUser"}]);
    let issue =
        refused(&Check::default(), &plan(&steps), "PLAN_STEP_ID_INVALID", "step_id_sequence");
    assert_eq!(issue.step_id.as_deref(), Some("step_2"));
    assert!(issue.message.contains("`step_1` is missing"), "{}", issue.message);
}

#[test]
fn numbered_ids_start_at_one_and_have_no_gap() {
    for (ids, sound) in [
        (&["step_1"][..], true),
        (&["step_1", "step_2", "step_3"], true),
        (&["step_3", "step_1", "step_2"], true),
        (&["step_1", "step_3"], false),
        (&["step_2", "step_3"], false),
        (&["step_0"], false),
        (&["step_1", "step_2", "step_4", "step_5"], false),
        (&["other", "step_1"], true),
        (&["other", "step_2"], false),
        (&["step_one"], true),
        (&["step_"], true),
        (&["step_+1"], true),
    ] {
        let steps: Vec<Value> = ids
            .iter()
            .map(|id| json!({"step_id": id, "tool": "NotifyUser", "dependencies": []}))
            .collect();
        let draft = plan(&Value::Array(steps));
        if sound {
            Check::default().sound(draft.to_string());
        } else {
            refused(&Check::default(), &draft, "PLAN_STEP_ID_INVALID", "step_id_sequence");
        }
    }
}

#[test]
fn without_dependencies_each_step_waits_for_the_one_before() {
    let modify = |id: &str, content: &str| json!({"step_id": id, "type": "file_modify", "target": "a.txt", "content": content});
    online().sound(plan(&json!([modify("step_1", "2\n"), modify("step_2", "3\n")])).to_string());
    // As soon as one step names its dependencies, a missing list means none.
    let mut second = modify("step_2", "3\n");
    second.as_object_mut().unwrap().insert("dependencies".into(), json!([]));
    let steps = json!([modify("step_1", "2\n"), second]);
    refused(&online(), &plan(&steps), "PLAN_CONFLICT", "PS-2");
}
