//! A graph of tool steps: 1,000 that do nothing, in rows of ten, each needing two of the row
//! above, durable; the same graph by `make` and by `LangGraph` with its `SQLite` saver.
//!
//! Steps that read are on the record before what depends on them starts, and synced soon
//! after and at the end; steps that write drafts are synced row by row, as `LangGraph`'s are.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use exacta_core::model::plan::Execution;
use exacta_core::model::registry::Effect;
use exacta_engine::tools::{JournalFault, StepEntry, StepJournal, ToolGraph, ToolRunner as _};
use exacta_tools::executor::Executor;
use exacta_tools::kit::{Answers, Scripted, graph, ports, step, world};
use exacta_tools::registry::Registry;
use tempfile::TempDir;

use crate::measure::{Row, median, timed};

const MAKE_BOUND: f64 = 1.0;
const LANGGRAPH_BOUND: f64 = 0.05;
const GROWTH_BOUND: f64 = 1.3;
/// Beside one synced append: shown, not judged.
const SHOWN: f64 = f64::INFINITY;
const WIDTH: usize = 10;
const STEPS: usize = 1000;
const ROUNDS: usize = 5;
/// The same graph for `LangGraph`.
const PEER: &str = include_str!("langgraph_peer.py");

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().map_err(text)?;
    let python = langgraph_python()?;
    let script = folder.path().join("peer.py");
    fs::write(&script, PEER).map_err(text)?;
    let makefile = folder.path().join("Makefile");
    fs::write(&makefile, make_graph(STEPS / WIDTH)).map_err(text)?;
    let (small, large) = (Ours::new(STEPS / WIDTH, Effect::Read)?, Ours::new(STEPS, Effect::Read)?);
    let drafting = Ours::new(STEPS / WIDTH, Effect::DraftWrite)?;
    let (mut ours, mut drafts, mut tens) = (Vec::new(), Vec::new(), Vec::new());
    let (mut make, mut peer, mut append) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(small.run()?);
        drafts.push(drafting.run()?);
        make.push(made(&makefile)?);
        tens.push(large.run()?);
        peer.push(langgraph(&python, &script)?);
        append.push(synced_append(folder.path())?);
    }
    let per_step = |time: Duration, steps: usize| micros(time) / f64_of(steps);
    let millis = |time: Duration| micros(time) / 1000.0;
    let (ours, tens, peer) = (median(ours), median(tens), median(peer));
    let row = |name: &str, ours: f64, peer: f64, unit: &'static str, bound: f64| Row {
        name: name.into(),
        ours,
        peer,
        unit,
        paired: None,
        bound,
    };
    let one = per_step(ours, STEPS);
    Ok(vec![
        row(
            "1,000 durable steps / make -j2 of `true`",
            millis(ours),
            millis(median(make)),
            "ms",
            MAKE_BOUND,
        ),
        row(
            "1,000 durable steps / LangGraph, SQLite saver",
            millis(ours),
            millis(peer),
            "ms",
            LANGGRAPH_BOUND,
        ),
        // Whatever does more than read is synced before it begins, and so is each row here.
        row(
            "the same as steps that write drafts / LangGraph",
            millis(median(drafts)),
            millis(peer),
            "ms",
            SHOWN,
        ),
        row(
            "a step of 10,000 / a step of 1,000",
            per_step(tens, STEPS * WIDTH),
            one,
            "us",
            GROWTH_BOUND,
        ),
        row("a step of 1,000 / one synced append", one, micros(median(append)), "us", SHOWN),
    ])
}

/// A record in a file.
struct Kept(Mutex<File>);

impl StepJournal for Kept {
    fn append(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        self.write(entries)?;
        let file = self.0.lock().map_err(|error| JournalFault(error.to_string()))?;
        file.sync_data().map_err(|error| JournalFault(error.to_string()))
    }

    fn write(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        let fault = |error: std::io::Error| JournalFault(error.to_string());
        let mut lines = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut lines, entry).map_err(|error| fault(error.into()))?;
            lines.push(b'\n');
        }
        let mut file = self.0.lock().map_err(|error| JournalFault(error.to_string()))?;
        file.write_all(&lines).map_err(fault)
    }
}

/// Our executor with a graph of its own.
struct Ours {
    executor: Executor,
    graph: ToolGraph,
    folder: TempDir,
}

impl Ours {
    fn new(rows: usize, effect: Effect) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(text)?;
        let mut registry = Registry::new();
        registry.add(Arc::new(Scripted::new("Nothing", effect))).map_err(text)?;
        let executor = Executor::new(registry, world(folder.path())).map_err(text)?;
        let mut steps = Vec::new();
        for row in 0..rows {
            for column in 0..WIDTH {
                let needs = above(row, column);
                let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
                steps.push(step(&name(row, column), "Nothing", effect, &needs));
            }
        }
        let mut graph = graph(Execution::Contract, steps);
        graph.parallel = WIDTH;
        Ok(Self { executor, graph, folder })
    }

    fn run(&self) -> Result<Duration, String> {
        let file = File::create(self.folder.path().join("record")).map_err(text)?;
        let journal = Arc::new(Kept(Mutex::new(file)));
        let ports = ports(journal, Arc::new(Answers::yes()));
        let began = Instant::now();
        let run = self.executor.run(&self.graph, &ports).map_err(text)?;
        let took = began.elapsed();
        if run.steps.iter().all(|end| end.outcome.is_ok()) {
            Ok(took)
        } else {
            Err("a step that does nothing failed".into())
        }
    }
}

fn name(row: usize, column: usize) -> String {
    format!("s{row}_{}", column % WIDTH)
}

fn above(row: usize, column: usize) -> Vec<String> {
    row.checked_sub(1)
        .map_or_else(Vec::new, |above| vec![name(above, column), name(above, column + 1)])
}

fn make_graph(rows: usize) -> String {
    let mut text = String::from("all:");
    for column in 0..WIDTH {
        text.push(' ');
        text.push_str(&name(rows - 1, column));
    }
    text.push('\n');
    for row in 0..rows {
        for column in 0..WIDTH {
            let (target, needs) = (name(row, column), above(row, column).join(" "));
            for part in [".PHONY: ", &target, "\n", &target, ": ", &needs, "\n\t@true\n"] {
                text.push_str(part);
            }
        }
    }
    text
}

fn made(makefile: &Path) -> Result<Duration, String> {
    spent(Command::new("make").arg("-j2").arg("-s").arg("-f").arg(makefile))
}

fn spent(command: &mut Command) -> Result<Duration, String> {
    let mut status = None;
    let took = timed(&mut || status = Some(command.stdout(Stdio::null()).status()));
    match status {
        Some(Ok(status)) if status.success() => Ok(took),
        Some(Err(error)) => Err(format!("{command:?}: {error}")),
        _ => Err(format!("{command:?} failed")),
    }
}

/// Its own time of one run, without the start of Python.
fn langgraph(python: &Path, script: &Path) -> Result<Duration, String> {
    let output = Command::new(python).arg(script).arg(STEPS.to_string()).output().map_err(text)?;
    let said = String::from_utf8_lossy(&output.stdout);
    let seconds: f64 = said.trim().parse().map_err(|_| {
        format!("LangGraph gave no time: {}", String::from_utf8_lossy(&output.stderr))
    })?;
    Ok(Duration::from_secs_f64(seconds))
}

/// A Python with `LangGraph`, kept in the build folder.
fn langgraph_python() -> Result<PathBuf, String> {
    let home = PathBuf::from("target/bench-langgraph");
    let python = home.join("bin/python");
    if !home.join("ready").exists() {
        let _ = spent(Command::new("python3").arg("-m").arg("venv").arg(&home))?;
        let wanted = ["langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2"];
        let _ = spent(Command::new(&python).args(["-m", "pip", "install", "-q"]).args(wanted))?;
        fs::write(home.join("ready"), "").map_err(text)?;
    }
    Ok(python)
}

fn synced_append(folder: &Path) -> Result<Duration, String> {
    let mut file = File::create(folder.join("append")).map_err(text)?;
    let mut done = Ok(());
    let took = timed(&mut || {
        done = file.write_all(&[b'x'; 300]).and_then(|()| file.sync_data());
    });
    done.map(|()| took).map_err(text)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a count of steps")]
fn f64_of(count: usize) -> f64 {
    count as f64
}

fn text<E: std::fmt::Display>(error: E) -> String {
    error.to_string()
}
