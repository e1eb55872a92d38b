//! Mails: whom a step may write to, and what may stand in a header.

use std::collections::BTreeSet;

use exacta_testkit::Check;
use serde_json::{Value, json};

use super::{Case, Refused, Sound, on, steps};

/// A policy that lets tools write to one address.
fn one_address() -> Check {
    let mut check = Check::default();
    check.policy.allowed_recipients = BTreeSet::from(["ok@corp.com".to_owned()]);
    check.policy.primitives.insert("SendEmail".to_owned());
    check
}

fn sends(args: &Value) -> String {
    steps(json!([{"tool": {"name": "SendEmail", "args": args}}]))
}

pub(super) fn cases() -> Vec<Case> {
    let subject = |text: Value| sends(&json!({"to": "ok@corp.com", "subject": text, "body": "x"}));
    let to = |address: &str| sends(&json!({"to": address, "subject": "Hi", "body": "x"}));
    let with = |name: &str, value: Value| {
        let mut args = json!({"to": "ok@corp.com", "subject": "Hi", "body": "x"});
        args[name] = value;
        sends(&args)
    };
    let bad_subject = || Refused(&[("PLAN_TOOL_NOT_ALLOWED", "subject")]);
    let bad_recipient = || Refused(&[("PLAN_TOOL_NOT_ALLOWED", "recipient")]);
    let mut cases = vec![
        on("M01", one_address(), subject(json!("Hi, 100% of it")), Sound),
        on(
            "M01",
            one_address(),
            subject(json!("a\0b")),
            Refused(&[("PLAN_SCHEMA_INVALID", "nul")]),
        ),
    ];
    for text in [
        "Hi\r\nBcc: e@x",
        "Hi\nBcc: e@x",
        "Hi\rBcc: e@x",
        "Hi%0d%0aBcc: e@x",
        "Hi%0ABcc: e@x",
        "Hi\u{2028}Bcc: e@x",
        "Hi\u{85}Bcc: e@x",
        "Hi\u{b}Bcc: e@x",
        "Hi\t",
    ] {
        cases.push(on("M01", one_address(), subject(json!(text)), bad_subject()));
    }
    for value in [json!(5), json!(null), json!(["Hi"]), json!({"text": "Hi"})] {
        cases.push(on("M01", one_address(), subject(value), bad_subject()));
    }
    for (id, addresses) in [
        ("M02", ["ok@corp.com\r\nRCPT TO:<e@x>", "ok@corp.com\nok@corp.com"].as_slice()),
        ("M04", &["\"ok@corp.com\" <e@x.com>", "<ok@corp.com>", "ok <ok@corp.com>"]),
        ("M05", &["ok@corp.com.evil.com", "ok@evilcorp.com"]),
        ("M07", &["ok@c\u{43e}rp.com", "ok\u{ff20}corp.com", "ok@xn--crp-tna.com"]),
        ("M08", &["ok@corp.com\n", " ok@corp.com", "ok@corp.com."]),
        ("M10", &["ok@[127.0.0.1]", "ok@localhost"]),
    ] {
        cases.extend(addresses.iter().map(|text| on(id, one_address(), to(text), bad_recipient())));
    }
    cases.push(on("M05", one_address(), to("ok@CORP.com"), Sound));
    for name in ["cc", "bcc"] {
        cases.push(on("M11", one_address(), with(name, json!("e@x.com")), bad_recipient()));
        cases.push(on("M11", one_address(), with(name, json!("ok@corp.com")), Sound));
    }
    for (name, value) in
        [("reply_to", json!("ok@corp.com")), ("headers", json!({"Bcc": "ok@corp.com"}))]
    {
        let unknown = Refused(&[("PLAN_SCHEMA_INVALID", "tool_args")]);
        cases.push(on("M11", one_address(), with(name, value), unknown));
    }
    cases
}
