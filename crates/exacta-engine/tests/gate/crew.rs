//! Processes that wait for orders: each carries out one command at a time, all of them at
//! the same moment.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};

use exacta_core::life::lifecycle::Refusal;
use exacta_engine::gate::GateError;
use serde::{Deserialize, Serialize};

use crate::any::{Outcome, What};
use crate::ground::handle;
use crate::world::command;

/// What the line of an answer begins with; the test runner writes lines of its own.
const ANSWER: &str = "told=";

/// What a process is to do.
#[derive(Serialize, Deserialize)]
struct Order {
    project: PathBuf,
    state: PathBuf,
    /// It acts when this file is no longer locked.
    signal: PathBuf,
    what: What,
}

/// What it was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Told {
    Done,
    /// A run ended in this state.
    Ran(String),
    /// The plan's life forbids it.
    Refused(String),
    /// Anything else.
    Failed(String),
}

struct Member {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Processes of this very program.
pub(crate) struct Crew(Vec<Member>);

impl Crew {
    pub(crate) fn hire(count: usize) -> Self {
        Self((0..count).map(|_| Member::hire()).collect())
    }

    /// Gives each of the first processes an order; they wait for the signal.
    pub(crate) fn order(&mut self, project: &Path, state: &Path, signal: &Path, acts: &[What]) {
        assert!(acts.len() <= self.0.len());
        for (member, what) in self.0.iter_mut().zip(acts) {
            let order = Order {
                project: project.into(),
                state: state.into(),
                signal: signal.into(),
                what: what.clone(),
            };
            let mut line = serde_json::to_string(&order).unwrap();
            line.push('\n');
            member.orders.write_all(line.as_bytes()).unwrap();
        }
    }

    /// What the first processes were told, in the order of their orders.
    pub(crate) fn answers(&mut self, count: usize) -> Vec<Told> {
        self.0.iter_mut().take(count).map(Member::answer).collect()
    }
}

impl Member {
    fn hire() -> Self {
        let mut child = Process::new(std::env::current_exe().unwrap())
            .args(["--exact", "crew::member", "--nocapture", "--test-threads=1"])
            .env("EXACTA_TEST_CREW", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let orders = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, orders, answers }
    }

    fn answer(&mut self) -> Told {
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.answers.read_line(&mut line).unwrap();
            assert!(read > 0, "a process died: {:?}", self.child.wait());
            if let Some((_, told)) = line.split_once(ANSWER) {
                return serde_json::from_str(told).unwrap();
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for Member { mut child, orders, .. } in self.0.drain(..) {
            // Without orders to come it ends.
            drop(orders);
            let _ = child.wait();
        }
    }
}

/// Not a test of its own: a process that carries out orders.
#[test]
fn member() {
    if std::env::var_os("EXACTA_TEST_CREW").is_none() {
        return;
    }
    for line in std::io::stdin().lines() {
        let order: Order = serde_json::from_str(&line.unwrap()).unwrap();
        // Opened for each order: a lock belongs to who opened the file.
        File::open(&order.signal).unwrap().lock_shared().unwrap();
        let told = told_of(handle(&order.project, &order.state, command(order.what, None)));
        println!("{ANSWER}{}", serde_json::to_string(&told).unwrap());
    }
}

/// What somebody is told of an outcome.
pub(crate) fn told_of(outcome: Result<Outcome, GateError>) -> Told {
    match outcome {
        Ok(Outcome::Ran(run)) => Told::Ran(run.state.as_str().into()),
        Ok(_) => Told::Done,
        Err(GateError::Refusal { refusal, .. }) => Told::Refused(
            match refusal {
                Refusal::NotApproved => "not approved",
                Refusal::Rejected { .. } => "rejected",
                Refusal::Expired { .. } => "expired",
                Refusal::AlreadyApproved => "already approved",
                Refusal::Used { .. } => "used",
            }
            .into(),
        ),
        Err(error) => Told::Failed(error.to_string()),
    }
}
