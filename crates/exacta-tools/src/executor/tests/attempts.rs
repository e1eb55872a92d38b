//! Timeouts, retries, panics, the stop signal, caps: what one step may do and for how long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{Spent, StepAction, StepEntry, StepOutcome, ToolCaps, ToolGraph};
use serde_json::json;

use super::{code, executor, outcome, run};
use crate::error::{AfterEffect, ToolError};
use crate::kit::{Act, Answers, Scripted, Tape, graph, ports, step, with};
use exacta_engine::tools::ToolRunner as _;

fn fleeting() -> ToolError {
    ToolError::new("BUSY", "not now").retryable()
}

fn one(effect: Effect) -> ToolGraph {
    graph(Execution::Contract, vec![step("a", "Tool", effect, &[])])
}

fn quickly(mut graph: ToolGraph) -> ToolGraph {
    for step in &mut graph.steps {
        if let StepAction::Tool { timeout_ms, .. } = &mut step.action {
            *timeout_ms = 150;
        }
    }
    graph
}

fn on_tape(graph: &ToolGraph, tool: &Scripted) -> (StepOutcome, Vec<StepEntry>) {
    let tape = Arc::new(Tape::endless());
    let run = run(&[tool], graph, &ports(tape.clone(), Arc::new(Answers::yes())));
    (outcome(&run, "a").clone(), tape.entries())
}

#[test]
fn a_retryable_failure_of_an_idempotent_tool_is_tried_twice_again() {
    let tool =
        Scripted::new("Tool", Effect::Read).then([Act::Fail(fleeting()), Act::Fail(fleeting())]);
    let began = Instant::now();
    let (outcome, entries) = on_tape(&one(Effect::Read), &tool);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(tool.calls("a"), 3);
    assert!(began.elapsed() >= Duration::from_millis(600), "200 ms, then 400 ms");
    assert!(
        matches!(entries.as_slice(), [StepEntry::Started { .. }, StepEntry::Finished { spent, .. }]
        if spent.calls == 3)
    );
    let stubborn = Scripted::new("Tool", Effect::Read).usually(Act::Fail(fleeting()));
    let (outcome, _) = on_tape(&one(Effect::Read), &stubborn);
    assert!(matches!(outcome, StepOutcome::Failed { code, .. } if code == "BUSY"));
    assert_eq!(stubborn.calls("a"), 3);
}

#[test]
fn nothing_else_is_tried_again() {
    let lasting = ToolError::new("GONE", "no such page");
    for (tool, effect) in [
        (Scripted::new("Tool", Effect::Read).usually(Act::Fail(lasting)), Effect::Read),
        (
            Scripted::new("Tool", Effect::Read).idempotent(false).usually(Act::Fail(fleeting())),
            Effect::Read,
        ),
        (Scripted::new("Tool", Effect::Send).usually(Act::Fail(fleeting())), Effect::Send),
        // An idempotent send too, once its effect may have left.
        (
            Scripted::new("Tool", Effect::Send)
                .idempotent(true)
                .usually(Act::FailAfter(fleeting())),
            Effect::Send,
        ),
    ] {
        let (outcome, _) = on_tape(&one(effect), &tool);
        assert!(matches!(outcome, StepOutcome::Failed { .. }), "{outcome:?}");
        assert_eq!(tool.calls("a"), 1);
    }
    let before = Scripted::new("Tool", Effect::Send).idempotent(true).then([Act::Fail(fleeting())]);
    let (outcome, _) = on_tape(&one(Effect::Send), &before);
    assert!(outcome.is_ok(), "nothing had left: {outcome:?}");
    assert_eq!((before.calls("a"), before.effects("a")), (2, 1));
}

#[test]
fn what_became_of_an_effect_is_said_honestly() {
    let failure = |after| Act::FailAfter(ToolError::new("LOST", "no answer").after(after));
    let unknown = |act: Act| {
        let tool = Scripted::new("Tool", Effect::Send).usually(act);
        let (outcome, entries) = on_tape(&quickly(one(Effect::Send)), &tool);
        let said = matches!(outcome, StepOutcome::OutcomeUnknown { .. });
        let recorded = matches!(entries.last(), Some(StepEntry::Unknown { .. }));
        assert_eq!(said, recorded);
        said
    };
    assert!(unknown(failure(AfterEffect::Unknown)));
    assert!(unknown(failure(AfterEffect::Sent)));
    assert!(!unknown(failure(AfterEffect::NotSent)));
    assert!(unknown(Act::Panic { after: true }));
    assert!(!unknown(Act::Panic { after: false }));
    assert!(unknown(Act::Hang { after: true }));
    assert!(!unknown(Act::Hang { after: false }));
    // A read leaves nothing, whatever it says.
    let read = Scripted::new("Tool", Effect::Read).usually(failure(AfterEffect::Unknown));
    assert!(matches!(on_tape(&one(Effect::Read), &read).0, StepOutcome::Failed { .. }));
}

#[test]
fn a_panic_and_a_timeout_are_failures_and_the_rest_goes_on() {
    let tool = Scripted::new("Tool", Effect::Read)
        .then([Act::Panic { after: false }, Act::Hang { after: false }]);
    let mut steps = vec![
        step("a", "Tool", Effect::Read, &[]),
        step("b", "Tool", Effect::Read, &[]),
        step("c", "Tool", Effect::Read, &[]),
    ];
    steps.push(step("d", "Tool", Effect::Read, &["a"]));
    let mut graph = quickly(graph(Execution::Contract, steps));
    graph.parallel = 1;
    let run = run(&[&tool], &graph, &ports(Arc::new(Tape::endless()), Arc::new(Answers::yes())));
    assert_eq!((code(&run, "a"), code(&run, "b")), ("PANIC", "TIMEOUT"));
    assert!(outcome(&run, "c").is_ok());
    assert!(matches!(outcome(&run, "d"), StepOutcome::Skipped { .. }));
}

#[test]
fn the_start_of_an_outside_effect_is_on_the_record_before_it_leaves() {
    // A record that takes nothing: the effect must not happen, read or send.
    for (effect, effects) in [(Effect::Send, 0), (Effect::Read, 0), (Effect::DraftWrite, 0)] {
        let tool = Scripted::new("Tool", effect);
        let (executor, _folder) = executor(&[&tool]);
        let ports = ports(Arc::new(Tape::of(0)), Arc::new(Answers::yes()));
        assert!(executor.run(&one(effect), &ports).is_err());
        assert_eq!(tool.effects("a"), effects, "{effect:?}");
    }
}

#[test]
fn the_stop_signal_ends_what_has_not_left_and_waits_for_what_has() {
    for (act, effect, expected) in [
        (Act::Hang { after: false }, Effect::Send, "cancelled"),
        (Act::Slow(Duration::from_secs(30), json!(1)), Effect::Read, "cancelled"),
        (Act::Hang { after: true }, Effect::Send, "outcome_unknown"),
    ] {
        let tool = Scripted::new("Tool", effect).usually(act.clone());
        let mut graph = quickly(one(effect));
        if let (Act::Slow(..), Some(first)) = (&act, graph.steps.first_mut()) {
            first.action = one(effect).steps.remove(0).action;
        }
        graph.steps.push(step("b", "Tool", effect, &["a"]));
        let ports = ports(Arc::new(Tape::endless()), Arc::new(Answers::yes()));
        let cancel = ports.cancel.clone();
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        });
        let began = Instant::now();
        let run = run(&[&tool], &graph, &ports);
        stopper.join().unwrap();
        let state = serde_json::to_value(outcome(&run, "a")).unwrap();
        assert_eq!(state["state"], expected, "{act:?}");
        assert!(began.elapsed() < Duration::from_secs(5));
        assert!(matches!(outcome(&run, "b"), StepOutcome::Skipped { .. }));
    }
}

#[test]
fn caps_are_asked_before_anything_is_spent() {
    let tool = Scripted::new("Tool", Effect::Read);
    let steps = || {
        vec![
            step("a", "Tool", Effect::Read, &[]),
            step("b", "Tool", Effect::Read, &["a"]),
            step("c", "Tool", Effect::Read, &["b"]),
        ]
    };
    let yes = || ports(Arc::new(Tape::endless()), Arc::new(Answers::yes()));
    let caps = |calls| Spent { calls, pages: 0, micro_usd: 0 };
    let mut run_cap = graph(Execution::Contract, steps());
    run_cap.caps = ToolCaps { run: caps(2), day: None };
    let capped = run(&[&tool], &run_cap, &yes());
    assert_eq!(code(&capped, "c"), "CALL_CAP_EXCEEDED");
    assert_eq!((tool.calls("c"), capped.spent.calls), (0, 2));
    // What the run spent before it was taken up again counts, and so do today's other runs.
    run_cap.spent = caps(1);
    assert_eq!(code(&run(&[&tool], &run_cap, &yes()), "b"), "CALL_CAP_EXCEEDED");
    let mut day_cap = graph(Execution::Contract, steps());
    day_cap.caps = ToolCaps { run: caps(9), day: Some(caps(10)) };
    day_cap.spent_today = caps(9);
    assert_eq!(code(&run(&[&tool], &day_cap, &yes()), "b"), "CALL_CAP_EXCEEDED");
}

#[test]
fn side_by_side_up_to_the_limit() {
    let tool =
        Scripted::new("Tool", Effect::Read).usually(Act::Slow(Duration::from_millis(60), json!(1)));
    let ids: Vec<String> = (0..9).map(|n| format!("s{n}")).collect();
    let mut graph = graph(
        Execution::Contract,
        ids.iter().map(|id| step(id, "Tool", Effect::Read, &[])).collect(),
    );
    graph.parallel = 3;
    let ports = ports(Arc::new(Tape::endless()), Arc::new(Answers::yes()));
    let run = run(&[&tool], &graph, &ports);
    assert!(run.steps.iter().all(|end| end.outcome.is_ok()));
    assert_eq!(tool.most_at_once(), 3);
}

#[test]
fn what_the_guard_refuses_is_never_called() {
    let tool = Scripted::new("Tool", Effect::Send);
    let yes = || ports(Arc::new(Tape::endless()), Arc::new(Answers::yes()));
    let mut denied = one(Effect::Send);
    denied.usable.clear();
    assert_eq!(code(&run(&[&tool], &denied, &yes()), "a"), "TOOL_NOT_ALLOWED");
    assert_eq!(code(&run(&[&tool], &one(Effect::Read), &yes()), "a"), "EFFECT_EXCEEDED");
    assert_eq!(code(&run(&[], &one(Effect::Read), &yes()), "a"), "TOOL_NOT_FOUND");
    let (executor, _folder) = executor(&[&tool]);
    let codes = |graph: &ToolGraph| -> Vec<String> {
        executor.check(graph).into_iter().map(|finding| finding.code).collect()
    };
    assert_eq!(codes(&denied), ["TOOL_NOT_ALLOWED"]);
    assert!(codes(&one(Effect::Send)).is_empty());
    assert_eq!(tool.calls("a"), 0);
}

#[test]
fn an_output_that_not_every_reader_takes_is_not_passed_on() {
    let huge = Act::Give(json!({"n": u64::MAX}));
    let read = Scripted::new("Tool", Effect::Read).usually(huge.clone());
    let (outcome, _) = on_tape(&one(Effect::Read), &read);
    assert!(matches!(outcome, StepOutcome::Failed { code, .. } if code == "OUTPUT_INVALID"));
    let send = Scripted::new("Tool", Effect::Send).usually(huge);
    assert_eq!(on_tape(&one(Effect::Send), &send).0, StepOutcome::Ok { output: json!(null) });
}

#[test]
fn arguments_reach_the_tool_with_what_earlier_steps_gave() {
    let tool = Scripted::new("Tool", Effect::Read);
    let steps = vec![
        with(step("a", "Tool", Effect::Read, &[]), json!({"title": "T"})),
        with(step("b", "Tool", Effect::Read, &["a"]), json!({"body": {"$ref": "a.output.title"}})),
        with(
            step("c", "Tool", Effect::Read, &["b"]),
            json!({"both": ["$b.output", "$a.output.title"]}),
        ),
        with(step("d", "Tool", Effect::Read, &[]), json!({"body": "$a.output"})),
        with(step("e", "Tool", Effect::Read, &["a"]), json!({"url": "$a.output.title"})),
    ];
    let graph = graph(Execution::Contract, steps);
    let run = run(&[&tool], &graph, &ports(Arc::new(Tape::endless()), Arc::new(Answers::yes())));
    let expected = json!({"both": [{"body": "T"}, "T"]});
    assert_eq!(outcome(&run, "c"), &StepOutcome::Ok { output: expected });
    assert_eq!((code(&run, "d"), code(&run, "e")), ("REF_INVALID", "REF_STEERS"));
}
