//! The cost of a step: writes to the record go in together.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{JournalFault, StepEntry, StepJournal, ToolGraph, ToolRunner as _};

use super::{executor, run};
use crate::kit::{Answers, Scripted, Tape, graph, ports, step};

/// Rows of ten, each step needing two of the row above.
fn rows(count: usize) -> ToolGraph {
    let id = |row: usize, column: usize| format!("s{row}_{}", column % 10);
    let mut steps = Vec::new();
    for row in 0..count {
        for column in 0..10 {
            let needs = match row.checked_sub(1) {
                Some(above) => vec![id(above, column), id(above, column + 1)],
                None => vec![],
            };
            let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
            steps.push(step(&id(row, column), "Nothing", Effect::Read, &needs));
        }
    }
    let mut graph = graph(Execution::Contract, steps);
    graph.parallel = 10;
    graph
}

/// A record in a file, durable after each write.
struct Synced(Mutex<(File, usize)>);

impl StepJournal for Synced {
    fn append(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        let mut text = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut text, entry).unwrap();
            text.push(b'\n');
        }
        let mut state = self.0.lock().unwrap();
        state.1 += 1;
        let written = state.0.write_all(&text).and_then(|()| state.0.sync_data());
        written.map_err(|error| JournalFault(error.to_string()))
    }
}

/// Prints what `cargo nextest run --no-capture` shows; the number belongs to the machine.
#[test]
fn a_thousand_durable_steps() {
    let tool = Scripted::new("Nothing", Effect::Read);
    let journal = Arc::new(Synced(Mutex::new((tempfile::tempfile().unwrap(), 0))));
    let (executor, _folder) = executor(&[&tool]);
    for count in [100, 1000] {
        let graph = rows(count);
        let before = journal.0.lock().unwrap().1;
        let began = Instant::now();
        let run = executor.run(&graph, &ports(journal.clone(), Arc::new(Answers::yes()))).unwrap();
        let elapsed = began.elapsed();
        assert!(run.steps.iter().all(|end| end.outcome.is_ok()));
        let writes = journal.0.lock().unwrap().1 - before;
        println!("{} steps in {elapsed:?}, {writes} synced writes", count * 10);
        assert!(writes <= count * 12);
    }
}

#[test]
fn a_thousand_steps_take_fewer_writes_than_steps() {
    let tool = Scripted::new("Nothing", Effect::Read);
    let tape = Arc::new(Tape::endless());
    let run = run(&[&tool], &rows(100), &ports(tape.clone(), Arc::new(Answers::yes())));
    assert!(run.steps.iter().all(|end| end.outcome.is_ok()));
    assert_eq!(tape.entries().len(), 2000);
    assert!(tape.appends() <= 1100, "{} writes", tape.appends());
}
