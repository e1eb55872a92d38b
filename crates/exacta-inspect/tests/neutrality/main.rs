//! What is called neutral is the same program for a compiler: the same Python bytecode
//! without line tables, the same assembly of C, the same JavaScript tree by another parser.
//!
//! A short set of generated changes runs always; `bench/neutrality` runs the large one and
//! real changes of public repositories.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test stops at the first surprise, and the command reports its counts"
)]

mod acting;
mod added;
mod generate;
mod locals;
mod real;
mod reference;

use exacta_core::judge::facts::{FactKind, Proof};
use exacta_core::judge::score::Class;
use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};
use exacta_testkit::Rng;

use generate::{Sample, changed};
use reference::Reference;

/// A change that is called neutral, with the seed or reference that makes it again.
pub(crate) struct Pair {
    pub(crate) origin: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// What the inspector proves of a change.
pub(crate) fn proof(path: &str, before: &str, after: &str) -> Option<Proof> {
    proof_of(path, Some(before), after)
}

fn proof_of(path: &str, before: Option<&str>, after: &str) -> Option<Proof> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        before: before.map(str::as_bytes),
        after: Some(after.as_bytes()),
        moved: false,
    };
    let report = inspect(&Request { steps: vec![step], ..Request::default() });
    report.facts.iter().find_map(|fact| match fact.kind {
        FactKind::Proven { proof, .. } => Some(proof),
        _ => None,
    })
}

pub(crate) fn is_neutral(path: &str, before: &str, after: &str) -> bool {
    proof(path, before, after).is_some_and(|proof| proof.class() == Class::Neutral)
}

fn full() -> bool {
    std::env::var_os("EXACTA_TEST_FULL").is_some()
}

fn generated(sample: &Sample, reference: &Reference) {
    measured(sample, reference, 20, |rng| changed(sample, rng));
}

/// The same for names that are others.
fn with_other_names(sample: &Sample, reference: &Reference) {
    measured(sample, reference, 100, |rng| locals::renamed(sample, rng));
}

fn measured(
    sample: &Sample,
    reference: &Reference,
    one_of: usize,
    make: impl Fn(&mut Rng) -> String,
) {
    let most = if full() { 3_000 } else { 150 };
    let (mut neutral, mut seeds) = (Vec::new(), 0_u64);
    while seeds < most {
        let mut rng = Rng::new(seeds);
        let after = make(&mut rng);
        if after != sample.text && is_neutral(sample.path, sample.text, &after) {
            let origin = format!("{} seed {seeds}", sample.path);
            neutral.push(Pair { origin, before: sample.text.into(), after });
        }
        seeds += 1;
    }
    // A generator that nothing passes would prove nothing.
    assert!(
        neutral.len() * one_of > usize::try_from(seeds).unwrap(),
        "{} of {seeds}",
        neutral.len()
    );
    let differ = reference.differ(&neutral);
    println!(
        "{}: {seeds} generated, {} called neutral, {} differ",
        sample.path,
        neutral.len(),
        differ.len()
    );
    assert!(differ.is_empty(), "{differ:#?}");
}

#[test]
fn generated_python_has_the_same_bytecode() {
    generated(&generate::PYTHON, &Reference::Python);
    generated(&generate::PYTHON_FORMS, &Reference::Python);
    with_other_names(&locals::PYTHON, &Reference::Python);
}

#[test]
fn generated_c_has_the_same_assembly() {
    generated(&generate::C, &Reference::C);
    generated(&generate::C_FORMS, &Reference::C);
    with_other_names(&locals::C, &Reference::C);
}

#[test]
fn generated_javascript_has_the_same_tree() {
    let Some(acorn) = Reference::acorn() else {
        // Without another parser the words alone are compared: no change may touch them.
        return generated(&generate::JAVASCRIPT, &Reference::Words);
    };
    generated(&generate::JAVASCRIPT, &acorn);
    generated(&generate::JAVASCRIPT_FORMS, &acorn);
    with_other_names(&locals::JAVASCRIPT, &acorn);
}

/// Each of these looks like a comment or layout and is more.
#[test]
fn hostile_changes_are_not_neutral() {
    for (path, before, after) in generate::HOSTILE {
        assert_ne!(before, after);
        assert!(!is_neutral(path, before, after), "{path}: {before:?} {after:?}");
    }
}

/// Only the name of a local differs, and only that is said of them.
#[test]
fn renamed_locals_are_neutral() {
    for (path, before, after) in locals::RENAMED {
        assert_eq!(proof(path, before, after), Some(Proof::Locals), "{path}: {after}");
        assert_eq!(proof(path, after, before), Some(Proof::Locals), "{path}: {before}");
    }
}

#[test]
fn what_only_looks_like_a_renamed_local_is_not_neutral() {
    for (path, before, after) in locals::NOT_LOCALS.iter().chain(locals::NOT_FORMATTED) {
        assert_ne!(before, after);
        assert!(!is_neutral(path, before, after), "{path}: {before} {after}");
    }
}

#[test]
fn what_formatters_change_is_neutral() {
    for (path, before, after) in locals::FORMATTED {
        assert_eq!(proof(path, before, after), Some(Proof::Layout), "{path}: {after}");
        assert_eq!(proof(path, after, before), Some(Proof::Layout), "{path}: {before}");
    }
}

/// Each of these is what people do every day.
#[test]
fn everyday_changes_are_neutral() {
    for (path, before, after) in generate::EVERYDAY {
        assert_ne!(before, after);
        assert!(is_neutral(path, before, after), "{path}: {before:?} {after:?}");
    }
}

#[test]
fn tests_that_only_come_are_additive_and_what_skips_or_loses_is_not() {
    for (path, before, after, expected) in generate::ADDED {
        assert_eq!(proof(path, before, after), Some(*expected), "{path}: {after:?}");
    }
}

#[test]
fn what_comes_beside_what_is_there_is_told_from_what_takes_its_place() {
    for (path, before, after, expected) in added::CASES {
        assert_eq!(proof(path, before, after), Some(*expected), "{path}: {after}");
    }
    for (path, after, expected) in added::NEW {
        assert_eq!(proof_of(path, None, after), Some(*expected), "{path}");
    }
}

#[test]
fn what_acts_by_being_there_is_not_only_added() {
    let changed = acting::CASES
        .iter()
        .filter(|(path, before, after, expected)| proof(path, before, after) != Some(*expected));
    let new = acting::NEW
        .iter()
        .filter(|(path, after, expected)| proof_of(path, None, after) != Some(*expected));
    let wrong: Vec<String> = changed
        .map(|(path, _, after, expected)| format!("{path}: {after:?} is not {expected:?}"))
        .chain(new.map(|(path, after, expected)| format!("{path}: {after:?} is not {expected:?}")))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn words_that_no_program_sees_are_neutral_and_the_same_words_elsewhere_are_not() {
    for (path, before, after) in added::NEUTRAL {
        assert!(is_neutral(path, before, after), "{path}: {after}");
    }
    for (path, before, after) in added::SEEN {
        assert!(!is_neutral(path, before, after), "{path}: {after}");
    }
}

/// Behind the documented command: real changes of repositories that are on this machine.
#[test]
fn real_changes_that_are_called_neutral_are_the_same_program() {
    let Some(clones) = std::env::var_os("EXACTA_CLONES") else { return };
    real::measure(std::path::Path::new(&clones));
}
