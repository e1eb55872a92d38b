//! Every case in `corpus/results/` breaks exactly the rules it names.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::read::parse::Limits;
use crate::results::{PlanOutline, Rule, check};

struct Case {
    file: String,
    text: Vec<u8>,
    plan: Option<Value>,
    rules: BTreeSet<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/results");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut case: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let text = match case.get("text") {
            Some(text) => text.as_str().unwrap().as_bytes().to_vec(),
            None => serde_json::to_vec(&case["results"]).unwrap(),
        };
        let rules = case["rules"].as_array().unwrap();
        cases.push(Case {
            file: path.file_name().unwrap().to_string_lossy().into_owned(),
            text,
            rules: rules.iter().map(|rule| rule.as_str().unwrap().into()).collect(),
            plan: case.get_mut("plan").map(Value::take),
        });
    }
    cases
}

fn outline(draft: &Value) -> PlanOutline {
    PlanOutline::read(&serde_json::to_vec(draft).unwrap(), Limits::default()).unwrap()
}

#[test]
fn every_case_breaks_exactly_the_rules_it_names() {
    for case in cases() {
        let plan = case.plan.as_ref().map(outline);
        let issues = check(&case.text, plan.as_ref());
        let broken: BTreeSet<String> = issues.iter().map(|issue| issue.rule.to_string()).collect();
        assert_eq!(broken, case.rules, "{}: {issues:#?}", case.file);
    }
}

#[test]
fn every_rule_has_a_case_that_breaks_it_alone_or_with_its_twin() {
    let cases = cases();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let mut fewest: BTreeMap<String, usize> = BTreeMap::new();
    for case in &cases {
        for rule in &case.rules {
            let least = fewest.entry(rule.clone()).or_insert(usize::MAX);
            *least = (*least).min(case.rules.len());
        }
    }
    let known: BTreeSet<String> = Rule::ALL.iter().map(|rule| rule.as_str().to_string()).collect();
    assert_eq!(fewest.keys().cloned().collect::<BTreeSet<_>>(), known);
    // A wrong total cannot agree with the rows as well.
    fewest.retain(|rule, least| *least > 1 && rule != "stats_total");
    assert!(fewest.is_empty(), "never broken alone: {fewest:?}");
}

#[test]
fn every_finding_says_where_what_and_what_to_do() {
    for case in cases() {
        let plan = case.plan.as_ref().map(outline);
        let document: Option<Value> = serde_json::from_slice(&case.text).ok();
        for issue in check(&case.text, plan.as_ref()) {
            let rule = Rule::ALL.iter().find(|rule| rule.as_str() == issue.rule).unwrap();
            assert_eq!(issue.code, rule.code(), "{}", case.file);
            assert!(issue.code.as_str().starts_with("RESULTS_"), "{}", case.file);
            assert!(!issue.message.is_empty() && !issue.message.ends_with('.'), "{issue:?}");
            assert!(!issue.help.is_empty(), "{issue:?}");
            assert!(issue.place.is_some(), "{issue:?}");
            if let Some(document) = &document {
                assert!(document.pointer(issue.pointer.as_str()).is_some(), "{issue:?}");
            }
        }
    }
}

#[test]
fn the_page_lists_every_rule() {
    let page = include_str!("../../../../../docs/concepts/results.md");
    for rule in Rule::ALL {
        let line = format!("| `{}` | {} |", rule.as_str(), rule.promise());
        assert!(page.contains(&line), "the page lacks the line\n{line}");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    let others = ["blocked", "outcome_unknown", "rolled_back", "file_group_not_committed"];
    let words = others.iter().filter(|word| page.contains(&format!("| `{word}` |"))).count();
    assert_eq!(rows, Rule::ALL.len() + words);
    assert_eq!(words, others.len());
    assert!(page.contains(crate::results::CONTRACT_VERSION));
}
