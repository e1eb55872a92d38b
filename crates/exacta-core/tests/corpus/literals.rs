//! Paths, URLs and mail addresses, each with the verdict it must get.
//!
//! Assumed policy: the one allowed host is ok.example, the allowed recipients are
//! ok@corp.com and second.person@corp.com. `human` literals pass here; asking a person
//! is the decision's part.

use std::collections::BTreeSet;

use exacta_core::judge::facts::{FactKind, of_path};
use exacta_core::model::path::{RelPath, auto_run};
use exacta_core::model::web::{host_listed, host_of, mail_key};
use exacta_testkit::Check;
use exacta_testkit::corpus::{field, json_lines};
use serde_json::json;

fn assumed() -> Check {
    let mut check = Check::on([("kept", "x")]);
    check.policy.allowed_domains = BTreeSet::from(["ok.example".to_owned()]);
    check.policy.allowed_recipients =
        BTreeSet::from(["ok@corp.com".to_owned(), "second.person@corp.com".to_owned()]);
    check
}

#[test]
fn paths_get_their_verdict() {
    let (mut rejected, mut human, mut accepted) = (0, 0, 0);
    for case in json_lines("literals/paths.jsonl") {
        let input = field(&case, "input");
        let parsed = RelPath::parse(input);
        // The whole way too: the same text as a target.
        let step =
            json!({"step_id": "step_1", "type": "file_create", "target": input, "content": "x"});
        let found = Check::default().codes(json!({"steps": [step]}).to_string());
        match field(&case, "expect") {
            "reject" => {
                rejected += 1;
                assert!(parsed.is_err(), "{input:?} was accepted");
                assert!(
                    found.contains("PLAN_PATH_INVALID") || found.contains("PLAN_PATH_RESERVED"),
                    "{input:?}: {found:?}"
                );
            }
            "human" => {
                human += 1;
                let path = parsed.unwrap_or_else(|fault| panic!("{input:?}: {fault}"));
                assert!(found.is_empty(), "{input:?}: {found:?}");
                let declares = of_path("step_1", &path, false, false).iter().any(|fact| {
                    matches!(
                        fact.kind,
                        FactKind::ManifestChanged { .. } | FactKind::LockFileChanged { .. }
                    )
                });
                assert!(auto_run(&path).is_some() || declares, "{input:?}");
            }
            _ => {
                accepted += 1;
                let path = parsed.unwrap_or_else(|fault| panic!("{input:?}: {fault}"));
                assert!(found.is_empty(), "{input:?}: {found:?}");
                assert_eq!(auto_run(&path), None, "{input:?}");
            }
        }
    }
    assert_eq!((rejected, human, accepted), (54, 17, 22));
}

#[test]
fn urls_get_their_verdict() {
    let check = assumed();
    let (mut rejected, mut passed) = (0, 0);
    for case in json_lines("literals/urls.jsonl") {
        let input = field(&case, "input");
        let allowed =
            host_of(input).is_ok_and(|host| host_listed(host, &check.policy.allowed_domains));
        let draft = json!({"steps": [
            {"step_id": "step_1", "tool": {"name": "ReadWeb", "args": {"url": input}}}
        ]});
        let found = check.codes(draft.to_string());
        if field(&case, "expect") == "reject" {
            rejected += 1;
            assert!(!allowed, "{input:?} was allowed");
            // No policy could allow these.
            if field(&case, "why") == "ip literal or private" {
                assert!(host_of(input).is_err(), "{input:?} has a host");
            }
            assert_eq!(found, BTreeSet::from(["PLAN_TOOL_NOT_ALLOWED"]), "{input:?}");
        } else {
            passed += 1;
            assert!(allowed, "{input:?} was refused");
            assert!(found.is_empty(), "{input:?}: {found:?}");
        }
    }
    assert_eq!((rejected, passed), (47, 4));
}

#[test]
fn mail_addresses_get_their_verdict() {
    let check = assumed();
    let allowed: BTreeSet<String> =
        check.policy.allowed_recipients.iter().filter_map(|address| mail_key(address)).collect();
    let (mut rejected, mut passed) = (0, 0);
    for case in json_lines("literals/mails.jsonl") {
        let input = field(&case, "input");
        let listed = mail_key(input).is_some_and(|key| allowed.contains(&key));
        let draft = json!({"steps": [
            {"step_id": "step_1", "tool": {"name": "SendEmail", "args": {"to": [input]}}}
        ]});
        let found = check.codes(draft.to_string());
        if field(&case, "expect") == "reject" {
            rejected += 1;
            assert!(!listed, "{input:?} was allowed");
            if field(&case, "why") == "injection" {
                assert_eq!(mail_key(input), None, "{input:?}");
            }
            // NUL is refused before anyone looks at addresses.
            let code =
                if input.contains('\0') { "PLAN_SCHEMA_INVALID" } else { "PLAN_TOOL_NOT_ALLOWED" };
            assert_eq!(found, BTreeSet::from([code]), "{input:?}");
        } else {
            passed += 1;
            assert!(listed, "{input:?} was refused");
            assert!(found.is_empty(), "{input:?}: {found:?}");
        }
    }
    assert_eq!((rejected, passed), (29, 2));
}
