//! The hostile cases of the classes parse, hash, validate, path, diff and mail.
//!
//! Each case of the corpus file is here with concrete inputs and the outcome it must
//! have, or in [`LATER`] with the part of the product that can show it.

mod diff;
mod hash;
mod mail;
mod parse;
mod path;
mod validate;

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::judge::examine::Examined;
use exacta_core::model::diagnostic::Issue;
use exacta_testkit::{Check, corpus};
use serde_json::{Value, json};

/// One input of a case and what must come of it.
struct Case {
    id: &'static str,
    check: Check,
    input: Input,
    expect: Expect,
}

enum Input {
    Draft(Vec<u8>),
    Patch(Vec<u8>),
}

enum Expect {
    /// A plan without any finding.
    Sound,
    /// Exactly these codes and rules, on whichever steps.
    Refused(&'static [(&'static str, &'static str)]),
    /// A plan, whose hash is that of this other draft.
    SameHash(Vec<u8>),
    /// A plan, whose hash is not that of this other draft.
    OtherHash(Vec<u8>),
}

use Expect::{OtherHash, Refused, SameHash, Sound};

fn case(id: &'static str, input: impl Into<Vec<u8>>, expect: Expect) -> Case {
    on(id, Check::default(), input, expect)
}

fn on(id: &'static str, check: Check, input: impl Into<Vec<u8>>, expect: Expect) -> Case {
    Case { id, check, input: Input::Draft(input.into()), expect }
}

fn patched(id: &'static str, check: Check, input: &str, expect: Expect) -> Case {
    Case { id, check, input: Input::Patch(input.into()), expect }
}

/// A draft of these steps, whose ids are given where they matter.
fn steps(steps: Value) -> String {
    let Value::Array(mut steps) = steps else { panic!("an array of steps") };
    for (index, step) in steps.iter_mut().enumerate() {
        let step = step.as_object_mut().unwrap();
        if !step.contains_key("id") {
            step.entry("step_id").or_insert_with(|| format!("step_{}", index + 1).into());
        }
    }
    json!({ "steps": steps }).to_string()
}

/// A draft of one step that creates an empty-ish file.
fn creates(target: &str) -> String {
    steps(json!([{"type": "file_create", "target": target, "content": "x"}]))
}

/// A draft of one step that modifies `target` by a diff.
fn modifies(target: &str, diff: &str) -> String {
    steps(json!([{"type": "file_modify", "target": target, "diff": diff}]))
}

/// Cases whose promise a later part of the product keeps, and which part tests it.
/// Some of them have a part that shows here already.
const LATER: &[(&str, &str)] = &[
    ("P26", "the HTTP door: a chunked body is cut at the cap and answered with 413"),
    ("P29", "the HTTP door: request bodies are never decompressed, 415"),
    ("H08", "approval: a hash that is not the plan's is answered with 409"),
    ("H14", "approval: the derived plan gets its own id and its own signed approval"),
    ("V20", "decision: SendEmail asks whatever the draft says"),
    ("V22", "approval of selected steps: the missing dependencies are listed"),
    ("D19", "decision: the file is classified here, a person is asked there"),
    ("D20", "engine: the root handle refuses symbolic links (tests/look.rs)"),
    ("D22", "engine: the root handle refuses hard links (tests/look.rs)"),
    ("D23", "engine: the root handle refuses special files without blocking (tests/look.rs)"),
    ("D25", "engine: the root is opened once"),
    ("D26", "engine: racing swaps of a parent folder"),
    ("D29", "decision: the names are told alike here, a person is asked there"),
    ("D31", "engine: listing, backup and undo in a tree with names that are not UTF-8"),
    ("D32", "engine: nothing in the project decides trust"),
    ("E20", "run: a file that changed since the approval expires the plan"),
    ("E22", "inspection and decision: hidden characters in added lines ask a person"),
    ("E23", "inspection: look-alike identifiers in added lines"),
    ("M13", "tools: an encoded subject is shown decoded, and folded when it is sent"),
    ("M14", "tools: an attachment is opened through the root handle, with a cap"),
    ("M16", "run: a draft text that changed since the approval has another hash"),
    ("M17", "tools: a send that was cut off is unknown and never sent again by itself"),
    ("M19", "tools: a wrong certificate or a stripped STARTTLS ends the sending"),
    ("M20", "corpus/literals.rs: 31 mail addresses against a list of one"),
];

fn cases() -> Vec<Case> {
    [parse::cases(), hash::cases(), validate::cases(), path::cases(), diff::cases(), mail::cases()]
        .into_iter()
        .flatten()
        .collect()
}

fn run(case: &Case, input: &Input) -> Result<Examined, Vec<Issue>> {
    match input {
        Input::Draft(bytes) => case.check.text(bytes),
        Input::Patch(bytes) => case.check.patch(bytes),
    }
}

/// What is wrong with the outcome of a case; nothing when it is as expected.
fn wrong(case: &Case) -> Option<String> {
    let outcome = run(case, &case.input);
    match &case.expect {
        SameHash(other) | OtherHash(other) => {
            let other = run(case, &Input::Draft(other.clone()));
            let (Ok(one), Ok(other)) = (&outcome, &other) else {
                return Some(format!("no plan: {outcome:#?} {other:#?}"));
            };
            let same = one.plan_hash == other.plan_hash;
            (same != matches!(case.expect, SameHash(_))).then(|| format!("same hash: {same}"))
        }
        Sound => match outcome {
            Ok(examined) if examined.is_sound() && examined.issues.is_empty() => None,
            Ok(Examined { issues, .. }) | Err(issues) => Some(format!("{issues:#?}")),
        },
        Refused(expected) => {
            let sound = outcome.as_ref().is_ok_and(Examined::is_sound);
            let (Ok(Examined { issues, .. }) | Err(issues)) = outcome;
            let found: BTreeSet<(&str, &str)> =
                issues.iter().map(|issue| (issue.code.as_str(), &*issue.rule)).collect();
            let expected: BTreeSet<(&str, &str)> = expected.iter().copied().collect();
            let helped = issues.iter().all(|issue| !issue.help.is_empty());
            (sound || found != expected || !helped)
                .then(|| format!("expected {expected:?}, found {issues:#?}"))
        }
    }
}

#[test]
fn every_case_has_its_outcome() {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for case in cases() {
        *counts.entry(case.id.chars().next().unwrap()).or_default() += 1;
        if let Some(why) = wrong(&case) {
            let (Input::Draft(bytes) | Input::Patch(bytes)) = &case.input;
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
            failures.push(format!("{}: {shown}\n{why}", case.id));
        }
    }
    eprintln!("hostile cases: {counts:?} inputs by class");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn no_case_of_the_corpus_is_forgotten() {
    let listed: BTreeSet<String> = corpus::json_lines("hostile-cases.jsonl")
        .iter()
        .map(|case| corpus::field(case, "id").to_owned())
        .filter(|id| id.starts_with(['P', 'H', 'V', 'D', 'E', 'M']))
        .collect();
    let mut known: BTreeSet<String> = cases().iter().map(|case| case.id.to_owned()).collect();
    known.extend(["V04", "H02", "H10"].map(str::to_owned));
    known.extend(LATER.iter().map(|(id, _)| (*id).to_owned()));
    assert_eq!(listed, known);
    assert_eq!(listed.len(), 98);
}
