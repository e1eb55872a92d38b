//! Dimension "completeness": does the plan do what was asked, and does all of it count?

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::coverage::Coverage;
use crate::judge::facts::{Fact, FactKind, FileRole, is_test};
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::intent;
use crate::judge::score::table::QualityRow;
use crate::model::change::{Change, FileMode};
use crate::model::digest::Digest;
use crate::model::path::RelPath;
use crate::model::plan::Action;
use crate::text::shown::shown;

/// Whether the intent names anything to compare with, and what was found.
pub(super) fn findings(basis: &Basis<'_>) -> (bool, Vec<Evidence>) {
    let names = intent::names(basis.subject.intent.unwrap_or_default());
    let mut out = without_effect(basis);
    if !names.is_empty() {
        let coverage = Coverage::of(basis);
        let missing = names.iter().filter(|name| !coverage.touches(name));
        out.extend(missing.map(|name| {
            let finding = format!(
                "the intent names `{}`, and no step touches it",
                shown(name.text.as_bytes())
            );
            Evidence::of_plan(finding, QualityRow::IntentUncovered.points())
        }));
    }
    out.extend(untested(basis));
    (!names.is_empty(), out)
}

/// File steps that change nothing, by themselves or because another takes it back.
fn without_effect(basis: &Basis<'_>) -> Vec<Evidence> {
    let points = QualityRow::NoEffect.points();
    let acting: BTreeSet<&str> = basis.subject.changes.iter().map(|c| c.step.as_str()).collect();
    let idle = basis.subject.draft.steps.iter().filter(|step| {
        matches!(step.action, Action::File(_)) && !acting.contains(step.step_id.as_str())
    });
    let mut out: Vec<Evidence> = idle
        .map(|step| Evidence::of_step(&step.step_id, "the step changes nothing", points))
        .collect();
    let undone = cancelled(basis.subject.changes);
    let taken_back = basis.subject.changes.iter().filter(|change| undone.contains(&change.path));
    out.extend(
        taken_back.map(|change| {
            Evidence::of_change(change, "the steps leave the file as it was", points)
        }),
    );
    out
}

/// Files that are in the end as they were.
fn cancelled(changes: &[Change]) -> BTreeSet<&RelPath> {
    type State = (Option<Digest>, Option<FileMode>);
    let mut files: BTreeMap<&RelPath, (State, State)> = BTreeMap::new();
    for change in changes {
        let before = (change.before, change.mode_before);
        let after = (change.after, change.mode_after);
        files.entry(&change.path).and_modify(|(_, last)| *last = after).or_insert((before, after));
    }
    files.into_iter().filter(|(_, (first, last))| first == last).map(|(path, _)| path).collect()
}

/// Code changed, tests there, none touched.
fn untested(basis: &Basis<'_>) -> Option<Evidence> {
    let tested = |change: &Change| is_test(&change.path) && change.after.is_some();
    let within = |fact: &Fact| matches!(fact.kind, FactKind::TestsTouched {});
    if !basis.subject.has_tests
        || basis.subject.changes.iter().any(tested)
        || basis.facts().any(within)
    {
        return None;
    }
    let code = |kind: &FactKind| matches!(kind, FactKind::HasRole { role: FileRole::Source });
    basis.facts().any(|fact| code(&fact.kind)).then(|| {
        let finding = "code changes, the project has tests, and no test is touched";
        Evidence::of_plan(finding, QualityRow::NoTestTouched.points())
    })
}

#[cfg(test)]
mod tests {
    use super::FactKind;
    use crate::judge::score::sample::{Sample, kinds};

    fn completeness(sample: &Sample) -> (u32, bool) {
        let scored = sample.assess().quality.dimensions.completeness;
        (scored.score.get(), scored.applicable)
    }

    #[test]
    fn each_name_of_the_intent_that_no_step_touches_costs() {
        for (intent, score) in [
            ("change src/a.rs", 1000),
            ("change src/a.rs and src/b.rs", 850),
            ("change src/b.rs, src/c.rs and src/d.rs", 550),
            ("src/1.rs src/2.rs src/3.rs src/4.rs src/5.rs src/6.rs src/7.rs", 0),
            ("fix `parse_header`", 850),
            ("fix `old_name` in a.rs", 1000),
        ] {
            let mut sample = Sample::new();
            sample.rewrite("src/a.rs", "fn old_name() {}\n", "fn new_name() {}\n");
            sample.intent = Some(intent.into());
            assert_eq!(completeness(&sample), (score, true), "{intent}");
        }
    }

    #[test]
    fn without_names_to_compare_it_can_only_lower() {
        for intent in [None, Some("make it better please")] {
            let mut sample = Sample::new();
            sample.modify("src/a.rs");
            sample.intent = intent.map(Into::into);
            assert_eq!(completeness(&sample), (1000, false));
            sample.has_tests = true;
            assert_eq!(completeness(&sample), (900, true));
            assert_eq!(sample.assess().quality.overall.get(), 970);
            // The others are so bad that a mean without it is lower still.
            let step = sample.last_step();
            (step.title, step.description) = (None, None);
            sample.fact(kinds::danger());
            assert_eq!(completeness(&sample), (900, false));
            assert_eq!(sample.assess().quality.overall.get(), 749);
        }
    }

    #[test]
    fn a_step_without_effect_costs() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        sample.rewrite("b.txt", "1\n", "2\n");
        sample.rewrite("b.txt", "2\n", "1\n");
        assert_eq!(completeness(&sample).0, 600);
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        sample.forget_changes();
        assert_eq!(completeness(&sample).0, 600);
    }

    #[test]
    fn a_touched_test_settles_the_matter_and_a_deleted_one_does_not() {
        let mut sample = Sample::new();
        sample.has_tests = true;
        sample.modify("README.md");
        assert_eq!(completeness(&sample).0, 1000);
        sample.modify("src/a.rs");
        assert_eq!(completeness(&sample).0, 900);
        sample.delete("tests/b.rs");
        assert_eq!(completeness(&sample).0, 900);
        sample.modify("tests/a.rs");
        assert_eq!(completeness(&sample).0, 1000);
    }

    #[test]
    fn a_test_beside_its_code_settles_the_matter_too() {
        let mut sample = Sample::new();
        sample.has_tests = true;
        sample.modify("src/a.rs");
        assert_eq!(completeness(&sample).0, 900);
        sample.fact(FactKind::TestsTouched {});
        assert_eq!(completeness(&sample).0, 1000);
    }
}
