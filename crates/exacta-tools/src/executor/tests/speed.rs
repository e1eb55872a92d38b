//! The cost of a step: writes to the record go in together.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{JournalFault, StepEntry, StepJournal, ToolGraph, ToolRunner as _};

use serde_json::Value;

use super::{executor, run};
use crate::kit::{Act, Answers, Scripted, Tape, graph, ports, step};

/// Rows of ten, each step needing two of the row above.
fn rows(count: usize, effect: Effect) -> ToolGraph {
    let id = |row: usize, column: usize| format!("s{row}_{}", column % 10);
    let mut steps = Vec::new();
    for row in 0..count {
        for column in 0..10 {
            let needs = match row.checked_sub(1) {
                Some(above) => vec![id(above, column), id(above, column + 1)],
                None => vec![],
            };
            let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
            steps.push(step(&id(row, column), "Nothing", effect, &needs));
        }
    }
    let mut graph = graph(Execution::Contract, steps);
    graph.parallel = 10;
    graph
}

/// A record in a file.
struct Kept(Mutex<(File, usize)>);

impl StepJournal for Kept {
    fn append(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        self.write(entries)?;
        let mut state = self.0.lock().unwrap();
        state.1 += 1;
        state.0.sync_data().map_err(|error| JournalFault(error.to_string()))
    }

    fn write(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        let mut text = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut text, entry).unwrap();
            text.push(b'\n');
        }
        let mut state = self.0.lock().unwrap();
        state.0.write_all(&text).map_err(|error| JournalFault(error.to_string()))
    }
}

/// Prints what `cargo nextest run --no-capture` shows; the number belongs to the machine.
#[test]
fn a_thousand_durable_steps() {
    for effect in [Effect::Read, Effect::DraftWrite] {
        let tool = Scripted::new("Nothing", effect);
        let journal = Arc::new(Kept(Mutex::new((tempfile::tempfile().unwrap(), 0))));
        let (executor, _folder) = executor(&[&tool]);
        for count in [100, 1000] {
            let graph = rows(count, effect);
            let before = journal.0.lock().unwrap().1;
            let began = Instant::now();
            let run =
                executor.run(&graph, &ports(journal.clone(), Arc::new(Answers::yes()))).unwrap();
            let elapsed = began.elapsed();
            assert!(run.steps.iter().all(|end| end.outcome.is_ok()));
            let syncs = journal.0.lock().unwrap().1 - before;
            println!("{} steps, {effect:?}, in {elapsed:?}, {syncs} syncs", count * 10);
            assert!(syncs <= count * 12);
        }
    }
}

#[test]
fn a_thousand_steps_take_fewer_writes_than_steps() {
    let tool = Scripted::new("Nothing", Effect::DraftWrite);
    let tape = Arc::new(Tape::endless());
    let graph = rows(100, Effect::DraftWrite);
    let run = run(&[&tool], &graph, &ports(tape.clone(), Arc::new(Answers::yes())));
    assert!(run.steps.iter().all(|end| end.outcome.is_ok()));
    assert_eq!(tape.entries().len(), 2000);
    assert!(tape.writes() <= 1100, "{} writes", tape.writes());
}

#[test]
fn what_is_only_read_waits_for_no_sync_and_is_synced_at_the_end() {
    let tool = Scripted::new("Nothing", Effect::Read);
    let tape = Arc::new(Tape::endless());
    let graph = rows(20, Effect::Read);
    let began = Instant::now();
    let run = run(&[&tool], &graph, &ports(tape.clone(), Arc::new(Answers::yes())));
    assert!(run.steps.iter().all(|end| end.outcome.is_ok()));
    // Each row was on the record before the next began.
    assert!(tape.writes() >= 20, "{} writes", tape.writes());
    assert_eq!(tape.durable(), 400, "the end of a run lasts");
    // One at the end, and one whenever something had waited.
    let waited = began.elapsed().as_millis() / 20 + 1;
    assert!(tape.syncs() as u128 <= 1 + waited, "{} syncs", tape.syncs());
}

#[test]
fn what_is_only_read_is_synced_while_nothing_else_happens() {
    let slow =
        Scripted::new("Slow", Effect::Read).usually(Act::Slow(Duration::from_secs(2), Value::Null));
    let read = Scripted::new("Read", Effect::Read);
    let tape = Arc::new(Tape::endless());
    let steps = vec![
        step("read", "Read", Effect::Read, &[]),
        step("slow", "Slow", Effect::Read, &["read"]),
    ];
    let graph = graph(Execution::Contract, steps);
    let (executor, _folder) = executor(&[&read, &slow]);
    let seen = thread::scope(|scope| {
        scope.spawn(|| executor.run(&graph, &ports(tape.clone(), Arc::new(Answers::yes()))));
        // Long before the slow one is over, all that was written lasts.
        let (began, mut seen) = (Instant::now(), 0);
        while seen < 3 && began.elapsed() < Duration::from_millis(1500) {
            thread::sleep(Duration::from_millis(5));
            seen = tape.durable();
        }
        seen
    });
    assert_eq!(seen, 3, "start, end, and the start of the next");
}
