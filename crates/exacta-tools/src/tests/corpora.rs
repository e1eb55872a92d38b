//! The hostile cases of fetching and mail, and the literals, against what really runs.

use std::collections::BTreeSet;

use exacta_testkit::corpus;

use crate::mail::Draft;
use crate::net::address::{Reach, target};

fn reach() -> Reach {
    Reach { domains: BTreeSet::from(["ok.example".into()]), ports: BTreeSet::from([443]) }
}

#[test]
fn url_literals_are_contacted_only_where_they_are_accepted() {
    let mut seen = 0;
    for case in corpus::json_lines("literals/urls.jsonl") {
        let (input, expect) = (case["input"].as_str().unwrap(), case["expect"].as_str().unwrap());
        let found = target(input, &reach()).is_ok();
        // What asks a person (plain http) is not contacted either: the gate speaks TLS only.
        assert_eq!(found, expect == "accept", "{input:?}: {case}");
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn mail_literals_are_written_to_only_where_they_are_accepted() {
    let mut seen = 0;
    for case in corpus::json_lines("literals/mails.jsonl") {
        let (input, expect) = (case["input"].as_str().unwrap(), case["expect"].as_str().unwrap());
        let draft =
            Draft { from: "me@corp.com".into(), to: vec![input.into()], ..Draft::default() };
        let allowed = draft.recipients().is_ok_and(|people| {
            people
                .iter()
                .all(|one| ["ok@corp.com", "second.person@corp.com"].contains(&one.as_str()))
        });
        assert_eq!(allowed, expect == "accept", "{input:?}: {case}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// The inputs of the cases that name addresses, word by word.
#[test]
fn the_hostile_addresses_of_the_corpus_reach_nothing() {
    let mut seen = 0;
    for case in corpus::json_lines("hostile-cases.jsonl") {
        if case["class"] != "fetch" {
            continue;
        }
        let input = case["input"].as_str().unwrap();
        for word in
            input.split([',', ';', ' ']).filter(|word| word.contains(['.', ':', '/', '0', '[']))
        {
            let word = word.trim().replace("\\\\", "\\");
            for text in [
                word.clone(),
                format!("https://{word}"),
                format!("https://{word}/"),
                format!("http://{word}/"),
            ] {
                if let Ok(found) = target(&text, &reach()) {
                    assert_eq!(found.host, "ok.example", "{text:?} of {case}");
                    assert_eq!(found.port, 443, "{text:?} of {case}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}
