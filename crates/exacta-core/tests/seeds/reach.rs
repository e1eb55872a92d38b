//! Where a tool call goes, however deep its arguments say so.

use exacta_testkit::Check;
use serde_json::{Value, json};

use super::{issues, online, refused};

fn one(name: &str, args: &Value) -> Value {
    json!({"steps": [{"step_id": "step_1", "tool": {"name": name, "args": args}}]})
}

const TOOL: &str = "PLAN_TOOL_NOT_ALLOWED";

#[test]
fn a_key_speaks_for_everything_below_it() {
    for (name, args, rule) in [
        ("SendEmail", json!({"to": {"address": "e@evil.com"}}), "recipient"),
        ("SendEmail", json!({"to": [{"email": "e@evil.com"}]}), "recipient"),
        ("SendEmail", json!({"to": {"x": [{"y": "evil"}]}}), "recipient"),
        ("SendEmail", json!({"to": "ok@corp.com", "body": " e@evil.com "}), "recipient"),
        ("SendEmail", json!({"to": "ok@corp.com", "body": {"e@evil.com": {}}}), "recipient"),
        ("SendEmail", json!({"to": "ok@corp.com", "attachments": ["../x"]}), "file"),
        ("SendEmail", json!({"to": "ok@corp.com", "attachments": [{"a": "/etc/passwd"}]}), "file"),
        ("SendEmail", json!({"to": "ok@corp.com", "cc": 5}), "address_type"),
        ("SendEmail", json!({"to": true}), "address_type"),
        ("SendEmail", json!({"subject": "s"}), "recipient_missing"),
        ("SendEmail", json!({"to": []}), "recipient_missing"),
        ("WriteEmailDraft", json!({"Reply-To": "e@evil.com"}), "recipient"),
        ("WriteEmailDraft", json!({"text": ["e@evil.com"]}), "recipient"),
        ("CallApi", json!({"body": "b"}), "url_missing"),
        ("CallApi", json!({"url": "https://ok.example/", "baseUrl": "evil.example"}), "url"),
        ("CallApi", json!({"url": "https://ok.example/", "x": "e@evil.com"}), "recipient"),
        ("ReadWeb", json!({"url": {"href": "evil.example"}}), "url"),
        ("ReadWeb", json!({"URL": "https://evil.example/"}), "domain"),
        ("ReadWeb", json!({"base_url": "evil.example"}), "url"),
        ("ReadWeb", json!({"x": " https://evil.example/"}), "url"),
        ("ReadWeb", json!({"x": "//evil.example/"}), "url"),
        ("ReadWeb", json!({"x": {"https://evil.example/": 1}}), "domain"),
        ("NotifyUser", json!({"message": "https://evil.example/"}), "domain"),
    ] {
        refused(&online(), &one(name, &args), TOOL, rule);
    }
}

#[test]
fn what_goes_nowhere_may_use_the_words() {
    for (name, args) in [
        ("NotifyUser", json!({"source": "the monitor", "from": "Exacta", "to": 3})),
        ("AggregateDailySummary", json!({"sources": ["news", "mail"], "domain": "sport"})),
        ("SendEmail", json!({"to": [{"address": "ok@CORP.com"}], "cc": null, "body": "see // it"})),
        ("SendEmail", json!({"to": "ok@corp.com", "attachments": ["docs/a.pdf"]})),
        ("ReadWeb", json!({})),
        ("CallApi", json!({"endpoint": {"url": "https://ok.example/v1"}, "body": {"n": 1}})),
    ] {
        online().sound(one(name, &args).to_string());
    }
}

#[test]
fn a_reference_never_steers() {
    let by = |args: Value, needs: Value| {
        json!({"steps": [
            {"step_id": "a.b", "tool": "NotifyUser", "dependencies": []},
            {"step_id": "mid", "tool": "NotifyUser", "dependencies": ["a.b"]},
            {"step_id": "end", "tool": {"name": "NotifyUser", "args": args}, "dependencies": needs}
        ]})
    };
    let whole = json!({"$ref": "a.b.output"});
    for args in [
        whole.clone(),
        json!({"to": {"x": [{"y": whole}]}}),
        json!({"Base-URL": whole}),
        json!({"tool": whole}),
        json!({"File_Path": whole}),
        json!({"name": {"first": whole}}),
    ] {
        refused(&online(), &by(args, json!(["mid"])), TOOL, "ref_target");
    }
    for target in ["a.b.output", "a.b/output/x", "a.b.output.items.0", "mid.output.a.b"] {
        online().sound(by(json!({"message": {"$ref": target}}), json!(["mid"])).to_string());
        let short = json!({"message": [format!("${target}")]});
        online().sound(by(short, json!(["mid"])).to_string());
    }
    for (target, needs) in [
        ("a.b.output", json!([])),
        ("a.bc.output", json!(["mid"])),
        ("a.output", json!(["mid"])),
        ("a.b", json!(["mid"])),
        ("a.b.title", json!(["mid"])),
        ("a.b#output", json!(["mid"])),
        ("a.b.output.", json!(["mid"])),
    ] {
        let draft = by(json!({"message": {"$ref": target}}), needs);
        refused(&online(), &draft, "PLAN_SCHEMA_INVALID", "ref");
    }
}

#[test]
fn a_reference_in_short_keeps_the_same_rules() {
    let by = |args: Value, needs: Value| {
        json!({"steps": [
            {"step_id": "a", "tool": "NotifyUser", "dependencies": []},
            {"step_id": "end", "tool": {"name": "NotifyUser", "args": args}, "dependencies": needs}
        ]})
    };
    for key in ["to", "url", "path", "name", "endpoint", "host"] {
        let draft = by(json!({key: ["$a.output.x"]}), json!(["a"]));
        refused(&online(), &draft, TOOL, "ref_target");
    }
    let unordered = by(json!({"message": "$a.output"}), json!([]));
    refused(&online(), &unordered, "PLAN_SCHEMA_INVALID", "ref");
    // Text that names no output of a step is text.
    for text in ["$a", "$5.output", "a $a.output", "$$a.output", "$a.outputs"] {
        online().sound(by(json!({"message": text}), json!([])).to_string());
    }
}

#[test]
fn counts_are_whole_numbers() {
    for value in
        [json!(1.5), json!(1e9), json!("9"), json!(-1), json!(null), json!({}), json!(true)]
    {
        for name in ["calls", "max_calls", "pages", "max_pages"] {
            let draft = one("NotifyUser", &json!({ name: value }));
            refused(&Check::default(), &draft, "PLAN_SCHEMA_INVALID", "tool_args");
        }
        let mut draft = one("NotifyUser", &json!({}));
        draft["inputs"] = json!({"pages": value});
        refused(&Check::default(), &draft, "PLAN_SCHEMA_INVALID", "tool_args");
    }
    let both = one("NotifyUser", &json!({"calls": 1, "max_calls": 41}));
    refused(&Check::default(), &both, "PLAN_TOOL_CALL_CAP_EXCEEDED", "max_tool_calls");
    let list = one("NotifyUser", &json!({"calls": [1]}));
    refused(&Check::default(), &list, "PLAN_SCHEMA_INVALID", "tool_args");
    online().sound(one("NotifyUser", &json!({"calls": 2, "pages": ["a", "b"]})).to_string());
}

#[test]
fn other_inputs_are_another_effect() {
    let with = |inputs: Value, needs: Value, execution: &str| {
        let draft = json!({"execution": execution, "inputs": inputs, "steps": [
            {"step_id": "a", "tool": "ReadWeb", "dependencies": []},
            {"step_id": "b", "tool": "TriageEmail", "dependencies": needs}
        ]});
        online().sound(draft.to_string()).effect_hash
    };
    let ways = [
        with(json!({"web_source_url": "https://ok.example/1"}), json!([]), "atomic"),
        with(json!({"web_source_url": "https://ok.example/2"}), json!([]), "atomic"),
        with(json!({"inbox_source_text": "one"}), json!([]), "atomic"),
        with(json!({"inbox_source_text": "two"}), json!([]), "atomic"),
        with(json!({"pages": 2}), json!([]), "atomic"),
        with(json!({"pages": 3}), json!([]), "atomic"),
        with(json!({"pages": 3}), json!(["a"]), "atomic"),
        with(json!({"pages": 3}), json!([]), "contract"),
    ];
    for (n, way) in ways.iter().enumerate() {
        assert_eq!(ways.iter().position(|other| other == way), Some(n));
    }
}

#[test]
fn an_input_beside_its_null_is_given_twice() {
    for name in ["web_source_url", "inbox_source_text"] {
        let mut draft = one("NotifyUser", &json!({}));
        draft["inputs"] = json!({ name: "x" });
        draft[name] = json!(null);
        refused(&Check::default(), &draft, "PLAN_SCHEMA_INVALID", "duplicate_key");
    }
}

#[test]
fn many_findings_on_one_step_are_summed_up() {
    let urls: Vec<String> = (0..5000).map(|n| format!("https://h{n}.evil/")).collect();
    let key = "k".repeat(1_000);
    for args in [json!({"urls": urls}), json!({ key: urls })] {
        let found = issues(&online(), &one("ReadWeb", &args));
        assert!(found.len() <= 110, "{}", found.len());
        assert!(found.iter().any(|issue| issue.message == "4900 more findings on this step"));
        assert!(found.iter().all(|issue| issue.pointer.as_str().len() < 2048));
    }
    let draft = one("NotifyUser", &json!({ "x": vec!["\0"; 500] }));
    assert_eq!(issues(&online(), &draft).len(), 101);
}
