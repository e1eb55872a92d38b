//! H: what has one hash and what has not. Leaf by leaf: `tests/hashes.rs`.

use exacta_core::model::digest::Digest;
use exacta_testkit::Check;
use serde_json::json;

use super::{Case, OtherHash, Refused, SameHash, case, creates, modifies, on, steps};

pub(super) fn cases() -> Vec<Case> {
    let plain = r#"{"goal":"g","steps":[{"step_id":"step_1","type":"file_create","target":"a","content":"x"}]}"#;
    let pretty = "{\n  \"steps\": [\n    { \"content\": \"x\", \"target\": \"a\",\n      \"type\": \"file_create\", \"step_id\": \"step_1\" }\n  ],\n  \"goal\": \"g\"\n}\n";
    let inputs = |value: serde_json::Value| {
        json!({"inputs": value, "steps": [
            {"step_id": "step_1", "type": "file_create", "target": "a", "content": "x"}
        ]})
        .to_string()
        .into_bytes()
    };
    let crlf = Check::on([("a", "one\r\ntwo\r\n")]);
    let mixed = Check::on([("a", "one\r\ntwo\n")]);
    let derived = {
        let mut check = Check::default();
        check.context.derived_from = Some(Digest::of(b"another plan"));
        check
    };
    let underived = Check::default().text(plain).unwrap().plan_hash;
    assert_ne!(derived.text(plain).unwrap().plan_hash, underived, "H14");
    vec![
        case("H01", pretty, SameHash(plain.into())),
        case("H01", format!("```json\n{plain}\n```"), SameHash(plain.into())),
        case(
            "H04",
            creates("\u{e9}"),
            SameHash(creates("\u{e9}").replace('\u{e9}', "\\u00e9").into()),
        ),
        case("H04", creates("a/b"), SameHash(creates("a/b").replace("a/b", "a\\/b").into())),
        case(
            "H04",
            creates("\u{1F600}"),
            SameHash(creates("\u{1F600}").replace('\u{1F600}', "\\uD83D\\ude00").into()),
        ),
        case("H05", creates("\u{e9}"), OtherHash(creates("e\u{301}").into())),
        case(
            "H05",
            steps(json!([
                {"type": "file_create", "target": "\u{e9}", "content": "x"},
                {"type": "file_create", "target": "e\u{301}", "content": "x"}
            ])),
            Refused(&[("PLAN_CONFLICT", "PS-2")]),
        ),
        case(
            "H07",
            plain.replace(r#"{"goal""#, r#"{"plan_hash":"0","goal""#),
            Refused(&[("PLAN_SCHEMA_INVALID", "server_owned")]),
        ),
        case(
            "H11",
            inputs(json!({"a": "x", "b": "yz"})),
            OtherHash(inputs(json!({"a": "xy", "b": "z"}))),
        ),
        case("H11", inputs(json!({"a": ["x", "y"]})), OtherHash(inputs(json!({"a": ["xy"]})))),
        // A diff is taken byte for byte; only the one that fits the file has an effect.
        on(
            "H13",
            crlf.clone(),
            modifies("a", "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\r\n"),
            OtherHash(
                modifies("a", "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+2\n").into(),
            ),
        ),
        on(
            "H13",
            crlf,
            modifies("a", "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"),
            Refused(&[("DIFF_MISMATCH", "diff")]),
        ),
        on(
            "H13",
            mixed,
            modifies("a", "--- a/a\r\n+++ b/a\r\n@@ -1,2 +1,2 @@\r\n one\r\n-two\n+2\n"),
            Refused(&[("DIFF_MALFORMED", "diff")]),
        ),
    ]
}
