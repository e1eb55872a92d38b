//! All or nothing: what can be taken back is, in reverse order; what cannot comes last.

use std::sync::Arc;

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{StepAction, StepEntry, StepOutcome, ToolGraph, ToolRunner as _};

use super::{code, end, executor, outcome, run};
use crate::error::{AfterEffect, ToolError};
use crate::kit::{Act, Answers, Scripted, Tape, graph, ports, step, taken_up};

fn drafts_then_send() -> ToolGraph {
    let mut graph = graph(
        Execution::Atomic,
        vec![
            step("send", "Send", Effect::Send, &[]),
            step("a", "Draft", Effect::DraftWrite, &[]),
            step("b", "Draft", Effect::DraftWrite, &["a"]),
            step("read", "Read", Effect::Read, &["b"]),
        ],
    );
    graph.parallel = 1;
    graph
}

fn tools(send: Act) -> [Scripted; 3] {
    [
        Scripted::new("Send", Effect::Send).usually(send),
        Scripted::new("Draft", Effect::DraftWrite),
        Scripted::new("Read", Effect::Read),
    ]
}

#[test]
fn what_cannot_be_taken_back_comes_last() {
    let [send, draft, read] = tools(Act::Echo);
    let tape = Arc::new(Tape::endless());
    let run = run(
        &[&send, &draft, &read],
        &drafts_then_send(),
        &ports(tape.clone(), Arc::new(Answers::yes())),
    );
    assert!(run.steps.iter().all(|end| end.outcome.is_ok()));
    let started: Vec<String> = tape
        .entries()
        .iter()
        .filter(|entry| matches!(entry, StepEntry::Started { .. }))
        .map(|entry| entry.step_id().to_string())
        .collect();
    assert_eq!(started, ["a", "b", "read", "send"]);
}

#[test]
fn a_definite_failure_takes_drafts_back_in_reverse_order_and_keeps_reads() {
    let [send, draft, read] = tools(Act::Fail(ToolError::new("REFUSED", "550")));
    let tape = Arc::new(Tape::endless());
    let run = run(
        &[&send, &draft, &read],
        &drafts_then_send(),
        &ports(tape.clone(), Arc::new(Answers::yes())),
    );
    assert_eq!(code(&run, "send"), "REFUSED");
    assert_eq!(draft.taken_back(), ["b", "a"]);
    assert_eq!(outcome(&run, "a"), &StepOutcome::RolledBack);
    assert!(outcome(&run, "read").is_ok());
    let entries = tape.entries();
    let back: Vec<&str> = entries
        .iter()
        .filter(|entry| matches!(entry, StepEntry::RolledBack { .. }))
        .map(|entry| entry.step_id().as_str())
        .collect();
    assert_eq!(back, ["b", "a"]);
}

#[test]
fn a_lost_answer_takes_nothing_back() {
    let lost = ToolError::new("LOST", "no answer").after(AfterEffect::Unknown);
    let [send, draft, read] = tools(Act::FailAfter(lost));
    let tape = Arc::new(Tape::endless());
    let graph = drafts_then_send();
    let (executor, _folder) = executor(&[&send, &draft, &read]);
    let ports = ports(tape.clone(), Arc::new(Answers::yes()));
    let run = executor.run(&graph, &ports).unwrap();
    assert!(matches!(outcome(&run, "send"), StepOutcome::OutcomeUnknown { .. }));
    assert!(outcome(&run, "a").is_ok() && draft.taken_back().is_empty());
    // It stays so, however often the run is taken up again.
    let again = executor.run(&taken_up(graph, &tape.entries()), &ports).unwrap();
    assert_eq!(again.steps, run.steps);
    assert_eq!(send.effects("send"), 1);
}

#[test]
fn an_earlier_failure_starts_nothing_further() {
    let [send, draft, read] = tools(Act::Echo);
    let draft = draft.then([Act::Echo, Act::Fail(ToolError::new("FULL", "no space"))]);
    let run = run(
        &[&send, &draft, &read],
        &drafts_then_send(),
        &ports(Arc::new(Tape::endless()), Arc::new(Answers::yes())),
    );
    assert_eq!(code(&run, "b"), "FULL");
    assert_eq!((send.calls("send"), read.calls("read")), (0, 0));
    // The one that failed may have begun to write.
    assert_eq!(draft.taken_back(), ["b", "a"]);
    assert_eq!(outcome(&run, "a"), &StepOutcome::RolledBack);
    assert_eq!(code(&run, "b"), "FULL");
}

#[test]
fn what_cannot_be_taken_back_after_all_is_said() {
    let [send, draft, read] = tools(Act::Fail(ToolError::new("REFUSED", "550")));
    let draft = draft.sticks(ToolError::new("STUCK", "the file is held"));
    let run = run(
        &[&send, &draft, &read],
        &drafts_then_send(),
        &ports(Arc::new(Tape::endless()), Arc::new(Answers::yes())),
    );
    assert!(outcome(&run, "a").is_ok());
    assert_eq!(end(&run, "a").left_behind.as_deref(), Some("the file is held"));
}

#[test]
fn two_steps_that_cannot_be_taken_back_never_run_together() {
    let [send, draft, read] = tools(Act::Echo);
    let mut graph = drafts_then_send();
    graph.steps.push(step("second", "Send", Effect::Send, &[]));
    let run = run(
        &[&send, &draft, &read],
        &graph,
        &ports(Arc::new(Tape::endless()), Arc::new(Answers::yes())),
    );
    assert_eq!((code(&run, "send"), code(&run, "second")), ("NOT_ATOMIC", "NOT_ATOMIC"));
    assert_eq!(send.effects("send") + send.effects("second"), 0);
}

#[test]
fn a_mixed_plan_is_run_in_two_calls_with_the_commit_between() {
    let [send, draft, read] = tools(Act::Echo);
    let mut plan = drafts_then_send();
    let mut file = step("file", "", Effect::Read, &[]);
    file.action = StepAction::File;
    plan.usable.insert("Send".into());
    plan.steps.push(file);
    plan.steps[0].dependencies = vec!["file".into()];
    plan.steps[0].held = true;
    let tape = Arc::new(Tape::endless());
    let (executor, _folder) = executor(&[&send, &draft, &read]);
    let ports = ports(tape.clone(), Arc::new(Answers::yes()));
    let first = executor.run(&plan, &ports).unwrap();
    assert_eq!(outcome(&first, "send"), &StepOutcome::Held);
    assert!(outcome(&first, "file").is_ok() && outcome(&first, "read").is_ok());
    assert_eq!(send.calls("send"), 0);
    // The commit failed: everything goes back.
    let failed = executor.roll_back(&taken_up(plan.clone(), &tape.entries()), &ports).unwrap();
    assert_eq!(outcome(&failed, "a"), &StepOutcome::RolledBack);
    assert_eq!(draft.taken_back(), ["b", "a"]);
    // The commit worked: the last step runs, and only it.
    let mut second = taken_up(plan, &tape.entries()[..6]);
    second.steps[0].held = false;
    let whole = executor.run(&second, &ports).unwrap();
    assert!(whole.steps.iter().all(|end| end.outcome.is_ok()), "{whole:?}");
    assert_eq!((draft.calls("a"), read.calls("read"), send.effects("send")), (1, 1, 1));
}
