//! The builder and the check against each other, and the check against the model.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use proptest::prelude::*;
use serde_json::Value;

use super::broken;
use super::model::holds;
use super::mutation::{Breaking, Free, reword};
use crate::model::plan::Execution;
use crate::read::parse::json::Json;
use crate::results::{
    Outcome, OutlineStep, PlanOutline, RecordFault, ResultList, TaskStatus, check,
};

/// Enough for every push; `./test --full` goes far beyond.
pub(super) fn config() -> ProptestConfig {
    let cases = if std::env::var_os("EXACTA_TEST_FULL").is_some() { 200_000 } else { 2_000 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A random plan: mostly sound, now and then with a cycle or an unknown dependency.
fn plans() -> impl Strategy<Value = PlanOutline> {
    let step = (0..3_usize, prop::collection::vec(any::<usize>(), 0..3));
    let flaw = prop_oneof![6 => Just(0_usize), 1 => Just(1), 1 => Just(2)];
    (prop::collection::vec(step, 0..7), flaw, any::<bool>()).prop_map(|(raw, flaw, atomic)| {
        let count = raw.len();
        let mut steps: Vec<OutlineStep> = Vec::new();
        for (at, (tool, links)) in raw.into_iter().enumerate() {
            let reach = if flaw == 1 { count } else { at };
            let dependencies =
                links.into_iter().filter_map(|link| Some(name(link.checked_rem(reach)?))).collect();
            let tool = [None, Some("ReadWeb"), Some("SendEmail")][tool].map(String::from);
            steps.push(OutlineStep { step_id: name(at), tool, dependencies });
        }
        if flaw == 2
            && let Some(step) = steps.last_mut()
        {
            step.dependencies.push("nowhere".into());
        }
        let execution = if atomic { Execution::Atomic } else { Execution::Contract };
        PlanOutline::new(steps).unwrap().with_execution(execution)
    })
}

fn name(at: usize) -> String {
    format!("step_{}", at + 1)
}

fn outcomes() -> impl Strategy<Value = Option<Outcome>> {
    prop_oneof![
        6 => Just(Some(Outcome::Done { output: None })),
        1 => Just(Some(Outcome::Done { output: Some(Json::Arr(vec![Json::Int(1), Json::Null])) })),
        1 => Just(Some(Outcome::Failed { error: "connection refused".into() })),
        1 => Just(Some(Outcome::Failed { error: String::new() })),
        1 => Just(Some(Outcome::Unknown { error: None })),
        1 => Just(Some(Outcome::Declined)),
        1 => Just(Some(Outcome::Suppressed)),
        1 => Just(Some(Outcome::Cancelled)),
        1 => Just(None),
    ]
}

/// A plan, and a result list of a random run of it.
fn runs() -> impl Strategy<Value = (PlanOutline, Value)> {
    let script = prop::collection::vec((outcomes(), 0..8_u8), 7);
    (plans(), script).prop_map(|(plan, script)| {
        let execution = plan.execution().unwrap();
        let mut list = ResultList::new(&plan, execution);
        let order = plan.order().map(<[usize]>::to_vec).unwrap_or_default();
        for (place, (outcome, _)) in order.iter().zip(&script) {
            if let Some(outcome) = outcome {
                // A step that cannot have run is refused, and the list goes on.
                let _ = list.record(&plan.steps()[*place].step_id, outcome.clone());
            }
        }
        for (place, (_, dice)) in order.iter().zip(&script) {
            if *dice == 0 {
                let _ = list.roll_back(&plan.steps()[*place].step_id);
            }
        }
        let results = serde_json::to_value(list.finish()).unwrap();
        (plan, results)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_the_builder_makes_passes_the_check((plan, results) in runs()) {
        let text = serde_json::to_vec(&results).unwrap();
        prop_assert_eq!(check(&text, Some(&plan)), []);
        prop_assert_eq!(check(&text, None), []);
        prop_assert!(holds(&results, &plan));
    }

    #[test]
    fn every_breaking_change_is_found(
        (plan, results) in runs(),
        change in prop::sample::select(Breaking::ALL.to_vec()),
        dice in any::<usize>(),
    ) {
        if let Some(changed) = change.apply(&results, dice) {
            prop_assert!(!broken(&changed, Some(&plan)).is_empty(), "{change:?} {changed:#}");
        }
    }

    #[test]
    fn no_free_change_is_found(
        (plan, results) in runs(),
        change in prop::sample::select(Free::ALL.to_vec()),
        dice in any::<usize>(),
    ) {
        if let Some(changed) = change.apply(&results, dice) {
            let rules = broken(&changed, Some(&plan));
            prop_assert!(rules.is_empty(), "{change:?} {rules:?} {changed:#}");
        }
    }

    #[test]
    fn the_check_agrees_with_the_model(
        (plan, results) in runs(),
        changes in prop::collection::vec((0..36_usize, any::<usize>()), 1..4),
    ) {
        let mut changed = results;
        for (which, dice) in changes {
            if !has_its_summary(&changed) {
                break;
            }
            let next = match which {
                0..7 => Free::ALL[which].apply(&changed, dice),
                7..31 => Breaking::ALL[which - 7].apply(&changed, dice),
                _ => reword(&changed, dice),
            };
            changed = next.unwrap_or(changed);
        }
        let rules = broken(&changed, Some(&plan));
        prop_assert_eq!(rules.is_empty(), holds(&changed, &plan), "{:#} {:?}", changed, rules);
    }
}

/// Whether the last entry, and no other, is the summary, as further changes expect.
fn has_its_summary(results: &Value) -> bool {
    let entries = results.as_array().unwrap();
    let place = entries.iter().position(|entry| entry["step_id"] == "__meta__");
    place.is_some_and(|place| place + 1 == entries.len())
}

/// The random runs are no use if they never reach a corner.
#[test]
fn random_runs_reach_every_ending() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    let mut changes = BTreeSet::new();
    for turn in 0..3_000 {
        let (_, results) = runs().new_tree(&mut runner).unwrap().current();
        for entry in results.as_array().unwrap() {
            let status = entry.get("task_status").unwrap_or(&entry["reason"]);
            seen.insert(status.as_str().unwrap_or("null").to_string());
        }
        for change in Breaking::ALL {
            if change.apply(&results, turn).is_some() {
                changes.insert(format!("{change:?}"));
            }
        }
    }
    for status in TaskStatus::ALL {
        assert!(seen.contains(status.as_str()), "{status:?}");
    }
    for reason in [
        "null",
        "blocked",
        "outcome_unknown",
        "rolled_back",
        "file_group_not_committed",
        "dependency_failed",
        "dependency_skipped",
        "declined",
        "suppressed",
        "cancelled",
        "not_started",
        "step_failed",
    ] {
        assert!(seen.contains(reason), "{reason}");
    }
    assert_eq!(changes.len(), Breaking::ALL.len(), "{changes:?}");
}

#[test]
fn the_builder_refuses_what_cannot_have_happened() {
    let step = |id: &str, needs: &[&str]| super::step(id, Some("t"), needs);
    let plan = super::plan(vec![step("a", &[]), step("b", &["a"])]);
    let mut list = ResultList::new(&plan, Execution::Contract);
    let done = || Outcome::Done { output: None };
    assert_eq!(list.record("b", done()), Err(RecordFault::TooEarly("b".into())));
    assert_eq!(list.record("z", done()), Err(RecordFault::NoSuchStep("z".into())));
    assert_eq!(list.roll_back("a"), Err(RecordFault::NotDone("a".into())));
    assert_eq!(list.record("a", Outcome::Declined), Ok(()));
    assert_eq!(list.record("a", done()), Err(RecordFault::Twice("a".into())));
    assert_eq!(list.record("b", done()), Err(RecordFault::TooEarly("b".into())));
    let results = list.finish();
    assert_eq!(results.meta().task_status(), TaskStatus::Partial);
    assert_eq!(results.rows()[1].reason(), Some("dependency_skipped"));

    let cycle = super::plan(vec![step("a", &["b"]), step("b", &["a"])]);
    let mut list = ResultList::new(&cycle, Execution::Atomic);
    assert!(matches!(list.record("a", done()), Err(RecordFault::Unrunnable(_))));
    assert_eq!(list.finish().meta().task_status(), TaskStatus::Blocked);
}

#[test]
fn a_stopped_atomic_run_has_failed_even_when_nothing_had_started() {
    let plan = super::plan(vec![super::step("a", None, &[]), super::step("b", None, &["a"])]);
    let results = ResultList::new(&plan, Execution::Atomic).finish();
    assert_eq!(results.meta().task_status(), TaskStatus::Failed);
    assert_eq!(results.rows()[0].reason(), Some("cancelled"));
    assert_eq!(results.meta().blocked_steps(), ["b"]);
}
