//! The inspector as a confined child of this program.
//!
//! The gate starts itself once more, writes one request and reads one report. Whatever
//! goes wrong on the way (the child cannot be confined, dies, hangs, answers nonsense)
//! is the fact that nothing could be analysed, which asks a person.

use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use exacta_core::digest::Blob;
use exacta_core::facts::{Fact, Inspected, Inspector, Reason, not_analysed};
use exacta_inspect::wire::{read_report, write_request};
use exacta_inspect::{Limits, Request, StepInput, child};

/// The hidden argument that makes this program the child.
pub(crate) const CHILD: &str = "__inspect";

/// A last stop for a child that waits for something that never comes. Real bounds are in
/// bytes and parser steps, so that every machine finds the same.
const PATIENCE: Duration = Duration::from_mins(2);

/// What the child does: confine itself, answer one request, end.
pub(crate) fn serve() -> u8 {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    match child::serve(&mut stdin.lock(), &mut stdout.lock()) {
        Ok(_) => 0,
        Err(_) => 1,
    }
}

/// The inspector that the gate uses.
pub(crate) struct Confined;

impl Inspector for Confined {
    fn inspect(&self, changes: &[Inspected<'_>]) -> Vec<Fact> {
        ask(changes).unwrap_or_else(|| not_analysed(changes, Reason::ChildDied))
    }
}

/// Whether a confined child can be had here at all.
pub(crate) fn works() -> bool {
    ask(&[]).is_some()
}

fn ask(changes: &[Inspected<'_>]) -> Option<Vec<Fact>> {
    let program = std::env::current_exe().ok()?;
    let mut child = Command::new(program)
        .arg(CHILD)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let mut stdout = child.stdout.take()?;
    let steps = changes.iter().map(|inspected| StepInput {
        step: &inspected.change.step,
        path: inspected.change.path.clone(),
        before: inspected.before.map(Blob::bytes),
        after: inspected.after.map(Blob::bytes),
        siblings: inspected.siblings.iter().map(String::as_str).collect(),
    });
    let request = Request { steps: steps.collect(), known_paths: None, limits: Limits::default() };
    let mut bytes = Vec::new();
    write_request(&request, &mut bytes).ok()?;
    // Writing and reading at once, so that neither side waits for a full pipe; the child
    // is killed when it takes too long, which ends both.
    let answer = thread::scope(|scope| {
        scope.spawn(move || {
            let _ = stdin.write_all(&bytes);
        });
        let reader = scope.spawn(move || read_report(&mut stdout).ok());
        let deadline = Instant::now() + PATIENCE;
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_micros(200));
        }
        end(&mut child);
        reader.join().ok().flatten()
    });
    let facts = answer?.facts;
    // Facts about anything else are nonsense.
    let asked = |fact: &Fact| {
        changes.iter().any(|c| c.change.step == fact.step && c.change.path == fact.path)
    };
    facts.iter().all(asked).then_some(facts)
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
