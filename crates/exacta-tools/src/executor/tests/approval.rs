//! A step that needs it is asked for when its turn comes, with the arguments it would use.

use std::sync::Arc;
use std::time::{Duration, Instant};

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{
    StepAction, StepApprover, StepDecision, StepEntry, StepOutcome, StepRequest, ToolStep,
};
use serde_json::json;

use super::{outcome, run};
use crate::kit::{Answers, Scripted, Tape, graph, ports, step, taken_up, with};

fn asks(mut step: ToolStep) -> ToolStep {
    if let StepAction::Tool { asks, .. } = &mut step.action {
        *asks = true;
    }
    step
}

fn no() -> StepDecision {
    StepDecision::Declined { reason: "not today".into() }
}

#[test]
fn the_question_shows_the_arguments_as_used() {
    let (read, send) = (Scripted::new("Read", Effect::Read), Scripted::new("Send", Effect::Send));
    let graph = graph(
        Execution::Atomic,
        vec![
            with(step("a", "Read", Effect::Read, &[]), json!({"title": "T"})),
            // It does not ask by itself; what is filled in makes it.
            with(
                step("b", "Send", Effect::Send, &["a"]),
                json!({"to": "x@a.example", "body": "$a.output.title"}),
            ),
        ],
    );
    let answers = Arc::new(Answers::yes());
    let run = run(&[&read, &send], &graph, &ports(Arc::new(Tape::endless()), answers.clone()));
    assert!(outcome(&run, "b").is_ok());
    let asked = answers.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].args, json!({"to": "x@a.example", "body": "T"}));
    assert_eq!(asked[0].filled, ["/body"]);
}

#[test]
fn a_read_with_a_reference_is_not_asked_for() {
    let read = Scripted::new("Read", Effect::Read);
    let steps = vec![
        step("a", "Read", Effect::Read, &[]),
        with(step("b", "Read", Effect::Read, &["a"]), json!({"body": "$a.output"})),
    ];
    let answers = Arc::new(Answers::yes());
    let graph = graph(Execution::Contract, steps);
    run(&[&read], &graph, &ports(Arc::new(Tape::endless()), answers.clone()));
    assert!(answers.asked().is_empty());
}

#[test]
fn declined_skips_the_branch_in_contract_runs_and_ends_atomic_ones() {
    for execution in [Execution::Contract, Execution::Atomic] {
        let draft = Scripted::new("Draft", Effect::DraftWrite);
        let steps = vec![
            step("a", "Draft", Effect::DraftWrite, &[]),
            asks(step("b", "Draft", Effect::DraftWrite, &["a"])),
            step("c", "Draft", Effect::DraftWrite, &["b"]),
            step("d", "Draft", Effect::DraftWrite, &["a"]),
        ];
        let mut graph = graph(execution, steps);
        graph.parallel = 1;
        let answers = Arc::new(Answers::yes().and("b", no()));
        let tape = Arc::new(Tape::endless());
        let run = run(&[&draft], &graph, &ports(tape.clone(), answers));
        assert!(matches!(outcome(&run, "b"), StepOutcome::Declined { .. }));
        assert!(matches!(outcome(&run, "c"), StepOutcome::Skipped { .. }));
        assert_eq!(draft.calls("b"), 0);
        let decided = |entry: &StepEntry| matches!(entry, StepEntry::Decided { step_id, .. } if step_id == "b");
        assert!(tape.entries().iter().any(decided));
        if execution == Execution::Contract {
            assert!(outcome(&run, "d").is_ok() && draft.taken_back().is_empty());
        } else {
            assert_eq!(outcome(&run, "a"), &StepOutcome::RolledBack);
            assert!(draft.taken_back().contains(&"a".to_owned()));
        }
    }
}

#[test]
fn an_answer_on_the_record_is_not_asked_for_again_unless_the_arguments_differ() {
    let send = Scripted::new("Send", Effect::Send);
    let plan = graph(
        Execution::Atomic,
        vec![with(asks(step("a", "Send", Effect::Send, &[])), json!({"body": "one"}))],
    );
    // The record breaks off right after the answer.
    let tape = Arc::new(Tape::of(1));
    let (executor, _folder) = super::executor(&[&send]);
    let first = exacta_engine::tools::ToolRunner::run(
        &executor,
        &plan,
        &ports(tape.clone(), Arc::new(Answers::yes())),
    );
    assert!(first.is_err() && send.effects("a") == 0);
    let answers = Arc::new(Answers::yes());
    let mut again = taken_up(plan, &tape.entries());
    let same = run(&[&send], &again, &ports(Arc::new(Tape::endless()), answers.clone()));
    assert!(outcome(&same, "a").is_ok() && answers.asked().is_empty());
    if let StepAction::Tool { args, .. } = &mut again.steps[0].action {
        *args = json!({"body": "two"});
    }
    run(&[&send], &again, &ports(Arc::new(Tape::endless()), answers.clone()));
    assert_eq!(answers.asked().len(), 1);
}

#[test]
fn a_question_that_nobody_can_answer_pauses_the_run() {
    let (read, send) = (Scripted::new("Read", Effect::Read), Scripted::new("Send", Effect::Send));
    let steps = vec![
        asks(step("a", "Read", Effect::Read, &[])),
        step("b", "Read", Effect::Read, &["a"]),
        step("c", "Read", Effect::Read, &[]),
        step("d", "Send", Effect::Send, &[]),
    ];
    let plan = graph(Execution::Atomic, steps);
    let tape = Arc::new(Tape::endless());
    let nobody = Arc::new(Answers::yes().and("a", StepDecision::Waiting));
    let paused = run(&[&read, &send], &plan, &ports(tape.clone(), nobody));
    assert_eq!(outcome(&paused, "a"), &StepOutcome::Waiting);
    assert_eq!(outcome(&paused, "b"), &StepOutcome::Held);
    assert!(outcome(&paused, "c").is_ok());
    assert_eq!(outcome(&paused, "d"), &StepOutcome::Held, "what cannot be taken back comes last");
    let again = taken_up(plan, &tape.entries());
    let whole = run(&[&read, &send], &again, &ports(tape, Arc::new(Answers::yes())));
    assert!(whole.steps.iter().all(|end| end.outcome.is_ok()), "{whole:?}");
    assert_eq!((read.calls("c"), send.effects("d")), (1, 1));
}

#[test]
fn somebody_who_thinks_holds_no_slot_and_no_stop_signal() {
    struct Thinks;
    impl StepApprover for Thinks {
        fn ask(&self, _request: &StepRequest) -> StepDecision {
            std::thread::sleep(Duration::from_secs(3));
            StepDecision::Approved
        }
    }
    let read = Scripted::new("Read", Effect::Read);
    let steps =
        vec![asks(step("a", "Read", Effect::Read, &[])), step("b", "Read", Effect::Read, &[])];
    let mut plan = graph(Execution::Contract, steps);
    plan.parallel = 1;
    let ports = ports(Arc::new(Tape::endless()), Arc::new(Thinks));
    let (cancel, seen) = (ports.cancel.clone(), read.clone());
    let stopper = std::thread::spawn(move || {
        while seen.calls("b") == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancel.cancel();
    });
    let began = Instant::now();
    let run = run(&[&read], &plan, &ports);
    stopper.join().unwrap();
    assert!(began.elapsed() < Duration::from_millis(2500));
    assert_eq!(outcome(&run, "a"), &StepOutcome::Cancelled);
    assert_eq!(read.calls("a"), 0);
}
