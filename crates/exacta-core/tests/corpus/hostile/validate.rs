//! V: plans whose parts are sound and whose whole is not.
//! V04 (a chain of 10,000 steps) is in `tests/bounds.rs`.

use std::collections::BTreeSet;

use exacta_testkit::Check;
use serde_json::{Value, json};

use super::{Case, Expect, Refused, SameHash, Sound, case, on, steps};

const IDS: Expect = Refused(&[("PLAN_STEP_ID_INVALID", "step_id_sequence")]);
const ALIKE: Expect = Refused(&[("PLAN_STEP_ID_INVALID", "step_id_look_alike")]);
const ORDER: Expect = Refused(&[("PLAN_ORDER_INVALID", "order")]);
const PATH: Expect = Refused(&[("PLAN_PATH_INVALID", "PV-4")]);
const CONFLICT: Expect = Refused(&[("PLAN_CONFLICT", "PS-2")]);
const TOOL: Expect = Refused(&[("PLAN_INVALID_TOOL", "tool_exists")]);
const CLAIM: Expect = Refused(&[("PLAN_CLAIM_CONTRADICTED", "target_files")]);
const WIDER: Expect = Refused(&[("PLAN_TOOL_NOT_ALLOWED", "claim_wider")]);

/// Steps of these ids that create a file each.
fn ids(ids: &[&str]) -> String {
    let list: Vec<Value> = ids
        .iter()
        .enumerate()
        .map(|(n, id)| json!({"step_id": id, "type": "file_create", "target": format!("f{n}"), "content": "x"}))
        .collect();
    steps(Value::Array(list))
}

/// Two steps with these orders; the second depends on the first.
fn orders(first: &Value, second: &Value) -> String {
    steps(json!([
        {"type": "file_create", "target": "a", "content": "x", "order": first, "dependencies": []},
        {"type": "file_create", "target": "b", "content": "x", "order": second, "dependencies": ["step_1"]}
    ]))
}

fn project() -> Check {
    Check::on([("a/b", "1\n"), ("README.md", "1\n")])
}

fn tool(name: &str) -> String {
    steps(json!([{"tool": {"name": name}}]))
}

/// A policy that allows one host and one recipient, and no `SendEmail`.
fn narrow() -> Check {
    let mut check = Check::default();
    check.policy.allowed_domains = BTreeSet::from(["ok.example".to_owned()]);
    check.policy.allowed_recipients = BTreeSet::from(["ok@corp.com".to_owned()]);
    check.policy.primitives.remove("SendEmail");
    check
}

fn claims(claim: &Value) -> String {
    let mut draft = json!({"steps": [{"step_id": "step_1", "tool": "NotifyUser"}]});
    draft.as_object_mut().unwrap().extend(claim.as_object().unwrap().clone());
    draft.to_string()
}

fn large(tokens: &Value) -> String {
    json!({"estimatedTokens": tokens, "steps": [
        {"step_id": "step_1", "type": "file_create", "target": "a", "content": "0123456789\n".repeat(400_000)}
    ]})
    .to_string()
}

pub(super) fn cases() -> Vec<Case> {
    let delete_and_modify = |modify_needs: Value, delete_needs: Value| {
        steps(json!([
            {"type": "file_modify", "target": "a/b", "content": "2\n", "dependencies": modify_needs},
            {"type": "file_delete", "target": "a/b", "dependencies": delete_needs}
        ]))
    };
    let listing = |files: Value| {
        json!({"target_files": files, "steps": [
            {"step_id": "step_1", "type": "file_create", "target": "x", "content": "1"},
            {"step_id": "step_2", "type": "file_create", "target": "y", "content": "1"}
        ]})
        .to_string()
    };
    let mut cases = vec![
        case("V01", r#"{"steps":[]}"#, Refused(&[("PLAN_NO_STEPS", "PV-1")])),
        case(
            "V02",
            steps(json!([{"tool": "NotifyUser", "dependencies": ["step_9"]}])),
            Refused(&[("PLAN_DEPENDENCY_UNKNOWN", "PV-2")]),
        ),
        case("V05", ids(&["a", "a"]), Refused(&[("PLAN_STEP_ID_INVALID", "step_id_unique")])),
        case(
            "V05",
            ids(&["step_1", "step_1"]),
            Refused(&[("PLAN_STEP_ID_INVALID", "step_id_unique")]),
        ),
        case("V05", ids(&["build", "Build"]), ALIKE),
        case("V05", ids(&["paypal", "p\u{430}ypal"]), ALIKE),
        case("V05", ids(&["step_1", "Step_1"]), ALIKE),
        case("V05", ids(&["Step_1", "step_1"]), ALIKE),
        case("V05", ids(&["step_1", "st\u{435}p_1"]), ALIKE),
        case("V05", ids(&["step_1", "step_l"]), ALIKE),
        case("V05", ids(&["step_1", "step_2", "step_10", "x"]), IDS),
        case("V05", ids(&["a\u{200b}", "a"]), Refused(&[("PLAN_STEP_ID_INVALID", "step_id")])),
        case("V07", ids(&["step_1", "step_3"]), IDS),
        case("V07", ids(&["step_2", "step_3"]), IDS),
        case("V07", ids(&["step_0", "step_1"]), IDS),
        case("V07", ids(&["step_01"]), IDS),
        case("V07", ids(&["step_1", "step_\u{661}"]), IDS),
        case("V07", ids(&["step_99999999999999999999999"]), IDS),
        case("V07", ids(&["step_2", "step_1", "other", "step_x"]), Sound),
        case("V08", orders(&json!(1), &json!(2)), Sound),
        case("V08", orders(&json!(2), &json!(1)), ORDER),
        case("V08", orders(&json!(1), &json!(1)), ORDER),
        case("V08", orders(&json!(1), &json!(3)), ORDER),
        on(
            "V11",
            project(),
            steps(json!([
                {"type": "file_modify", "target": "README.md", "content": "2\n"},
                {"type": "file_create", "target": "readme.MD", "content": "2\n"}
            ])),
            CONFLICT,
        ),
        on("V13", project(), delete_and_modify(json!([]), json!(["step_1"])), Sound),
        on(
            "V13",
            project(),
            delete_and_modify(json!([]), json!([])),
            Refused(&[("PLAN_DELETE_PENDING", "PS-3")]),
        ),
        on(
            "V13",
            project(),
            delete_and_modify(json!(["step_2"]), json!([])),
            Refused(&[("PLAN_DELETE_PENDING", "PS-3"), ("FILE_MISSING", "exists")]),
        ),
        case("V14", listing(json!(["x", "y"])), Sound),
        case("V14", listing(json!(["y", "x"])), Sound),
        case("V14", listing(json!(["x"])), CLAIM),
        case("V14", listing(json!([])), CLAIM),
        case("V14", listing(json!(["x", "y", "z"])), CLAIM),
        case("V16", large(&json!(-1)), Refused(&[("PLAN_SCHEMA_INVALID", "type")])),
        on(
            "V16",
            lines_allowed(),
            large(&json!(0)),
            Refused(&[("PLAN_TOKEN_BUDGET_EXCEEDED", "PV-5")]),
        ),
        case(
            "V16",
            json!({"estimatedTokens": 200_001, "steps": [{"step_id": "s", "tool": "NotifyUser"}]})
                .to_string(),
            Refused(&[("PLAN_TOKEN_BUDGET_EXCEEDED", "PV-5")]),
        ),
        case("V17", tool("readweb"), TOOL),
        case("V17", tool("ReadWeb "), TOOL),
        case("V17", tool("Re\u{430}dWeb"), TOOL),
        on("V19", narrow(), claims(&json!({"web_allowed_domains": ["ok.example"]})), Sound),
        on("V19", narrow(), claims(&json!({"web_allowed_domains": ["evil.example"]})), WIDER),
        on("V19", narrow(), claims(&json!({"web_allowed_domains": ["*.ok.example"]})), WIDER),
        on("V19", narrow(), claims(&json!({"web_allowed_domains": ["*"]})), WIDER),
        on("V19", narrow(), claims(&json!({"recipient_hints": ["ok@CORP.com"]})), Sound),
        on("V19", narrow(), claims(&json!({"recipient_hints": ["e@evil.com"]})), WIDER),
        on("V20", narrow(), claims(&json!({"allowed_primitives": ["NotifyUser"]})), Sound),
        on(
            "V20",
            narrow(),
            claims(&json!({"allowed_primitives": ["NotifyUser", "SendEmail"]})),
            WIDER,
        ),
        on(
            "V20",
            narrow(),
            claims(&json!({"allowed_primitives": ["ReadWeb"]})),
            Refused(&[("PLAN_CLAIM_CONTRADICTED", "allowed_primitives")]),
        ),
        on(
            "V20",
            narrow(),
            steps(
                json!([{"tool": {"name": "SendEmail", "args": {"to": "ok@corp.com"}}, "requires_approval": false}]),
            ),
            Refused(&[("PLAN_TOOL_NOT_ALLOWED", "tool_allowed")]),
        ),
        // Two spellings of one claim are one plan.
        case(
            "V20",
            steps(json!([{"tool": "NotifyUser", "requires_approval": false, "risk_tier": "Low"}])),
            SameHash(
                steps(
                    json!([{"tool": "NotifyUser", "requiresApproval": false, "riskTier": "LOW"}]),
                )
                .into(),
            ),
        ),
    ];
    for spelling in ["a//b", "./a/b", "a/./b"] {
        cases.push(on(
            "V10",
            project(),
            steps(json!([
                {"type": "file_modify", "target": "a/b", "content": "2\n"},
                {"type": "file_modify", "target": spelling, "content": "3\n"}
            ])),
            PATH,
        ));
    }
    cases.push(on(
        "V10",
        project(),
        steps(json!([
            {"type": "file_modify", "target": "a/b", "content": "2\n", "dependencies": []},
            {"type": "file_modify", "target": "a/b", "content": "3\n"}
        ])),
        CONFLICT,
    ));
    cases
}

/// A policy in which only the token budget stands in the way of a large file.
fn lines_allowed() -> Check {
    let mut check = Check::default();
    check.policy.caps.max_changed_lines = 1_000_000;
    check
}
