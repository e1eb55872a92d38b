//! A run that breaks off at any entry of its record and is taken up again: nothing happens
//! twice, nothing is lost, and what is not known is called unknown.

use std::sync::Arc;

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{StepAction, StepEntry, StepOutcome, ToolGraph, ToolRunner as _};
use serde_json::json;

use super::{executor, outcome};
use crate::error::ToolError;
use crate::kit::{Act, Answers, Scripted, Tape, graph, ports, step, taken_up, with};

fn plan(execution: Execution) -> ToolGraph {
    let mut send = with(
        step("send", "Send", Effect::Send, &["draft_2"]),
        json!({"to": "x@a.example", "body": "$draft_2.output.body"}),
    );
    if let StepAction::Tool { asks, .. } = &mut send.action {
        *asks = true;
    }
    graph(
        execution,
        vec![
            with(step("read_1", "Read", Effect::Read, &[]), json!({"title": "T"})),
            step("read_2", "Read", Effect::Read, &[]),
            with(
                step("draft_1", "Draft", Effect::DraftWrite, &["read_1"]),
                json!({"body": "$read_1.output.title"}),
            ),
            with(
                step("draft_2", "Draft", Effect::DraftWrite, &["draft_1", "read_2"]),
                json!({"body": "B"}),
            ),
            step("notify", "Notify", Effect::Read, &["draft_1"]),
            send,
        ],
    )
}

struct Tools {
    read: Scripted,
    draft: Scripted,
    notify: Scripted,
    send: Scripted,
}

impl Tools {
    fn new(send: &Act) -> Self {
        Self {
            read: Scripted::new("Read", Effect::Read),
            draft: Scripted::new("Draft", Effect::DraftWrite),
            notify: Scripted::new("Notify", Effect::Read).idempotent(false),
            send: Scripted::new("Send", Effect::Send).usually(send.clone()),
        }
    }

    fn all(&self) -> [&Scripted; 4] {
        [&self.read, &self.draft, &self.notify, &self.send]
    }
}

/// Breaks off after `room` entries, takes the run up until it is through, and gives back
/// the whole record.
fn broken_off(execution: Execution, send: &Act, room: usize) -> (Tools, Vec<StepEntry>, bool) {
    let tools = Tools::new(send);
    let (executor, _folder) = executor(&tools.all());
    let tape = Arc::new(Tape::of(room));
    let plan = plan(execution);
    let first = executor.run(&plan, &ports(tape.clone(), Arc::new(Answers::yes())));
    let mut entries = tape.entries();
    let broke = first.is_err();
    if broke {
        let rest = Arc::new(Tape::endless());
        let again = taken_up(plan, &entries);
        let run = executor.run(&again, &ports(rest.clone(), Arc::new(Answers::yes()))).unwrap();
        entries.extend(rest.entries());
        assert_eq!(run.steps.len(), 6);
    }
    (tools, entries, broke)
}

fn ends(entries: &[StepEntry], step_id: &str) -> usize {
    let is_end = |entry: &&StepEntry| {
        entry.step_id() == step_id
            && matches!(entry, StepEntry::Finished { .. } | StepEntry::Unknown { .. })
    };
    entries.iter().filter(is_end).count()
}

#[test]
fn nothing_happens_twice_wherever_the_record_breaks_off() {
    let refused = Act::Fail(ToolError::new("REFUSED", "550"));
    let lost = Act::FailAfter(ToolError::new("REFUSED", "550"));
    for execution in [Execution::Atomic, Execution::Contract] {
        let mut unknown = 0;
        for act in [Act::Echo, refused.clone(), lost.clone()] {
            let mut room = 0;
            loop {
                let (tools, entries, broke) = broken_off(execution, &act, room);
                let said = format!("{execution:?} {act:?} after {room}: {entries:#?}");
                for (tool, id) in [(&tools.send, "send"), (&tools.notify, "notify")] {
                    assert!(tool.effects(id) <= 1, "{id} twice, {said}");
                    assert!(ends(&entries, id) <= 1, "{id} ended twice, {said}");
                    // What happened is on the record as done, refused or unknown.
                    assert!(tool.effects(id) == 0 || ends(&entries, id) == 1, "{id} lost, {said}");
                }
                for id in ["read_1", "read_2", "draft_1", "draft_2"] {
                    assert!(ends(&entries, id) <= 1, "{id} ended twice, {said}");
                }
                let unknowns =
                    entries.iter().filter(|entry| matches!(entry, StepEntry::Unknown { .. }));
                unknown += unknowns.count();
                if !broke {
                    break;
                }
                room += 1;
            }
            assert!(room >= 10, "{room} places to break off");
        }
        assert!(unknown >= 1, "no place where the outcome is unknown");
    }
}

/// As [`broken_off`], and the power goes with it: up to `lost` entries that were only written
/// are gone. `None` when so many cannot be lost.
fn powerless(
    execution: Execution,
    send: &Act,
    room: usize,
    lost: usize,
) -> Option<(Tools, Vec<StepEntry>, usize)> {
    let tools = Tools::new(send);
    let (executor, _folder) = executor(&tools.all());
    let tape = Arc::new(Tape::of(room));
    let plan = plan(execution);
    let first = executor.run(&plan, &ports(tape.clone(), Arc::new(Answers::yes())));
    let mut entries = tape.entries();
    let left = entries.len().checked_sub(lost).filter(|left| *left >= tape.durable())?;
    assert!(first.is_err() || lost == 0, "a run that has ended lasts");
    entries.truncate(left);
    let started = |id: &str| {
        let is_start =
            |entry: &StepEntry| entry.step_id() == id && matches!(entry, StepEntry::Started { .. });
        entries.iter().any(is_start)
    };
    // Whatever did more than read is known to have begun.
    for (tool, id) in [
        (&tools.send, "send"),
        (&tools.notify, "notify"),
        (&tools.draft, "draft_1"),
        (&tools.draft, "draft_2"),
    ] {
        assert!(tool.effects(id) == 0 || started(id), "{id} is forgotten: {entries:#?}");
    }
    // What was taken back rests on a failure that is known.
    let failed = |entry: &StepEntry| matches!(entry, StepEntry::Finished { outcome, .. } if !outcome.is_ok());
    assert!(tools.draft.taken_back().is_empty() || entries.iter().any(failed));
    let rest = Arc::new(Tape::endless());
    let again = taken_up(plan, &entries);
    executor.run(&again, &ports(rest.clone(), Arc::new(Answers::yes()))).unwrap();
    entries.extend(rest.entries());
    Some((tools, entries, left))
}

#[test]
fn a_power_loss_takes_away_reads_alone_and_they_are_done_again() {
    let refused = Act::Fail(ToolError::new("REFUSED", "550"));
    let lost_answer = Act::FailAfter(ToolError::new("REFUSED", "550"));
    let mut took_away = 0;
    for execution in [Execution::Atomic, Execution::Contract] {
        for act in [Act::Echo, refused.clone(), lost_answer.clone()] {
            for room in 0..30 {
                for lost in 0..8 {
                    let Some((tools, entries, left)) = powerless(execution, &act, room, lost)
                    else {
                        break;
                    };
                    took_away += usize::from(lost > 0);
                    let said = format!("{execution:?} {act:?}, {lost} of {room}: {entries:#?}");
                    for (tool, id) in [(&tools.send, "send"), (&tools.notify, "notify")] {
                        assert!(tool.effects(id) <= 1, "{id} twice, {said}");
                        assert!(ends(&entries, id) <= 1, "{id} ended twice, {said}");
                        let known = tool.effects(id) == 0 || ends(&entries, id) == 1;
                        assert!(known, "{id} lost, {said}");
                    }
                    let unknown = |entry: &StepEntry| matches!(entry, StepEntry::Unknown { .. });
                    let stopped = entries.iter().any(unknown);
                    for id in ["read_1", "read_2", "draft_1", "draft_2"] {
                        let ends = ends(&entries, id);
                        let once = ends == 1 || (stopped && ends == 0);
                        assert!(once, "{id} ended {ends} times, {left} were left, {said}");
                    }
                }
            }
        }
    }
    assert!(took_away >= 10, "only {took_away} times there was something to lose");
}

#[test]
fn a_record_that_breaks_off_before_the_effect_loses_nothing() {
    // Without an unknown the run ends as if it had never been interrupted.
    for room in 0..20 {
        let (tools, entries, broke) = broken_off(Execution::Contract, &Act::Echo, room);
        let unknown = entries.iter().any(|entry| matches!(entry, StepEntry::Unknown { .. }));
        if !unknown {
            assert_eq!((tools.send.effects("send"), tools.notify.effects("notify")), (1, 1));
            assert_eq!(tools.draft.effects("draft_2").min(1), 1);
        }
        if !broke {
            break;
        }
    }
}

#[test]
fn a_rollback_that_breaks_off_goes_on() {
    let refused = Act::Fail(ToolError::new("REFUSED", "550"));
    let mut broke_off_late = 0;
    for room in 0..30 {
        let (tools, entries, broke) = broken_off(Execution::Atomic, &refused, room);
        let unknown = entries.iter().any(|entry| matches!(entry, StepEntry::Unknown { .. }));
        let back = |id: &str| {
            let is_back =
                |entry: &StepEntry| *entry == StepEntry::RolledBack { step_id: id.into() };
            entries.iter().filter(|entry| is_back(entry)).count()
        };
        if !unknown {
            assert_eq!((back("draft_1"), back("draft_2")), (1, 1), "after {room}: {entries:#?}");
            let order = tools.draft.taken_back();
            let first = |id: &str| order.iter().position(|step| step == id);
            assert!(first("draft_2") < first("draft_1"), "{order:?}");
        }
        if !broke {
            break;
        }
        broke_off_late = room;
    }
    assert!(broke_off_late >= 10);
}

#[test]
fn a_started_step_of_a_tool_that_is_gone_is_unknown() {
    let tool = Scripted::new("Send", Effect::Send);
    let (executor, _folder) = executor(&[]);
    let mut graph = graph(Execution::Contract, vec![step("a", "Send", Effect::Send, &[])]);
    graph.steps[0].known.started = Some("key".into());
    let run =
        executor.run(&graph, &ports(Arc::new(Tape::endless()), Arc::new(Answers::yes()))).unwrap();
    assert!(matches!(outcome(&run, "a"), StepOutcome::OutcomeUnknown { .. }));
    assert_eq!(tool.effects("a"), 0);
}
