//! `kill -9` at every operation of the port, in real processes.
//!
//! A child does the work and ends itself with SIGKILL at operation N, or in the middle
//! of it where bytes are written. The parent then recovers and compares bytes, modes,
//! owners and attributes of the whole tree with before and after.

use std::path::Path;
use std::process::Command;

use exacta_engine::workspace::{PortError, Root};
use exacta_testkit::Shared;

use crate::project::{Act, apply, assert_nothing_left_over, engine, expected, perform};
use crate::shapes::{Shape, shapes};
use crate::tap::{Op, Tap, Tapped};
use crate::tree::{Snapshot, build, scratch, snapshot};

/// Ends the process at one operation.
struct KillAt {
    number: u64,
    names: Shared<Vec<&'static str>>,
    /// Write half of the bytes first.
    torn: bool,
}

impl Tap for KillAt {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        self.names.borrow_mut().push(op.name);
        if op.number == self.number && !self.torn {
            die();
        }
        Ok(())
    }

    fn cut(&self, op: Op<'_>, bytes: usize) -> usize {
        if op.number == self.number && self.torn { bytes / 2 } else { bytes }
    }

    fn after(&self, op: Op<'_>) -> Result<(), PortError> {
        if op.number == self.number {
            die();
        }
        Ok(())
    }
}

fn die() {
    let signal = rustix::process::Signal::KILL;
    rustix::process::kill_process(rustix::process::getpid(), signal).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(10));
}

const ACTS: [Act; 4] = [Act::Apply, Act::RollBack, Act::Undo, Act::Recover];

/// Not a test of its own: the body of the child processes.
#[test]
fn child() {
    let Ok(order) = std::env::var("EXACTA_TEST_CHILD") else { return };
    let words: Vec<&str> = order.split('|').collect();
    let act = ACTS.into_iter().find(|act| format!("{act:?}") == words[1]).unwrap();
    let shape = &shapes()[words[2].parse::<usize>().unwrap()];
    let (number, torn) = (words[3].parse().unwrap(), words[4] == "true");
    let tap = KillAt { number, names: Shared::default(), torn };
    let root = Root::open(words[0]).unwrap();
    let port = Tapped::new(&root, tap);
    perform(&port, act, shape);
    println!("operations={}", port.count());
    println!("names={}", port.tap.names.take().join(","));
}

/// A child that ends itself at an operation.
pub(crate) fn child_command(
    dir: &Path,
    act: Act,
    shape: usize,
    number: u64,
    torn: bool,
) -> Command {
    let order = format!("{}|{act:?}|{shape}|{number}|{torn}", dir.display());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::child", "--nocapture", "--test-threads=1"]);
    command.env("EXACTA_TEST_CHILD", order);
    command
}

/// The number of a shape.
pub(crate) fn shape_index(name: &str) -> usize {
    shapes().iter().position(|shape| shape.name == name).unwrap()
}

/// The tree on which an act starts.
pub(crate) fn ready_for(act: Act, dir: &Path, shape: &Shape) {
    build(dir, &shape.before);
    if act == Act::Undo {
        let root = Root::open(dir).unwrap();
        let (changes, images) = shape.changes();
        let _ = apply(&root, "r1", &changes, &images);
    }
}

/// Runs a child; `Some(operations)` when it lived to the end.
fn spawn(dir: &Path, act: Act, shape: usize, number: u64, torn: bool) -> Option<u64> {
    let output = child_command(dir, act, shape, number, torn).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        use std::os::unix::process::ExitStatusExt;
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.signal(), Some(9), "{act:?} {number}: {text}{complaint}");
        return None;
    }
    let (_, count) = text.split_once("operations=").unwrap();
    Some(count.split_whitespace().next().unwrap().parse().unwrap())
}

/// What must hold after any death and one recovery.
pub(crate) fn check(dir: &Path, sides: &(Snapshot, Snapshot), what: &str) -> bool {
    let root = Root::open(dir).unwrap();
    let engine = engine(&root);
    let report = engine.recover().unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(report.conflicts, [], "{what}");
    assert!(report.foreign.is_empty() && report.torn.is_empty(), "{what}: {report:?}");
    let now = snapshot(dir);
    let (before, after) = sides;
    let is_after = now == *after;
    if !is_after {
        assert_eq!(&now, before, "{what}: neither before nor after");
    }
    assert_nothing_left_over(dir, what);
    assert!(engine.recover().unwrap().is_clean(), "{what}");
    is_after
}

/// The operations of an act on a shape when nothing interferes.
fn operations(act: Act, shape: &Shape, prepare: &dyn Fn(&Path)) -> Vec<&'static str> {
    #[derive(Default)]
    struct Names(Shared<Vec<&'static str>>);
    impl Tap for Names {
        fn before(&self, op: Op<'_>) -> Result<(), PortError> {
            self.0.borrow_mut().push(op.name);
            Ok(())
        }
    }
    let dir = scratch();
    prepare(dir.path());
    let root = Root::open(dir.path()).unwrap();
    let port = Tapped::new(&root, Names::default());
    perform(&port, act, shape);
    port.tap.0.take()
}

/// Every `stride`-th operation; all of them in small shapes and in the full set.
fn points(names: &[&'static str], most: usize) -> Vec<(u64, bool)> {
    let stride = if crate::full() { 1 } else { names.len().div_ceil(most).max(1) };
    let mut points = Vec::new();
    for (number, name) in (0_u64..).zip(names).step_by(stride) {
        points.push((number, false));
        // Only where bytes are written can an operation be half done.
        if matches!(*name, "stage" | "append") {
            points.push((number, true));
        }
    }
    points
}

fn suite(act: Act, prepare: &dyn Fn(&Path, usize, &Shape)) {
    let (mut killed, mut ended_before, mut ended_after) = (0, 0, 0);
    let all = shapes();
    for (index, shape) in all.iter().enumerate() {
        let sides = expected(shape);
        let ready = |dir: &Path| prepare(dir, index, shape);
        let operations = operations(act, shape, &ready);
        for (number, torn) in points(&operations, 48) {
            let dir = scratch();
            ready(dir.path());
            let what = format!("{act:?} of `{}` at {number} torn={torn}", shape.name);
            let lived = spawn(dir.path(), act, index, number, torn);
            assert_eq!(lived, None, "{what}: there were fewer operations");
            killed += 1;
            if check(dir.path(), &sides, &what) {
                ended_after += 1;
            } else {
                ended_before += 1;
            }
        }
    }
    println!(
        "kill points, {act:?}: {killed} over {} shapes; {ended_before} ended before, \
         {ended_after} after",
        all.len()
    );
    assert!(killed >= 250, "{killed}");
}

#[test]
fn killed_while_applying() {
    suite(Act::Apply, &|dir, _, shape| ready_for(Act::Apply, dir, shape));
}

#[test]
fn killed_while_rolling_back() {
    suite(Act::RollBack, &|dir, _, shape| ready_for(Act::RollBack, dir, shape));
}

#[test]
fn killed_while_undoing() {
    suite(Act::Undo, &|dir, _, shape| ready_for(Act::Undo, dir, shape));
}

/// The first death is in the middle of the swaps.
#[test]
fn killed_while_recovering_backward() {
    let half = |shape: &Shape| first_swap(shape) + shape.changes().0.len() as u64 / 2;
    let deaths: Vec<u64> = shapes().iter().map(half).collect();
    suite(Act::Recover, &|dir, index, shape| {
        build(dir, &shape.before);
        assert_eq!(spawn(dir, Act::Apply, index, deaths[index], false), None);
    });
}

/// The first death is after everything was done but before the run was shelved.
#[test]
fn killed_while_recovering_forward() {
    let last = |shape: &Shape| {
        operations(Act::Apply, shape, &|dir| build(dir, &shape.before)).len() as u64 - 1
    };
    let deaths: Vec<u64> = shapes().iter().map(last).collect();
    suite(Act::Recover, &|dir, index, shape| {
        build(dir, &shape.before);
        assert_eq!(spawn(dir, Act::Apply, index, deaths[index], false), None);
    });
}

/// The number of the first operation after the first barrier of an apply.
fn first_swap(shape: &Shape) -> u64 {
    let names = operations(Act::Apply, shape, &|dir| build(dir, &shape.before));
    names.iter().position(|name| *name == "barrier").unwrap() as u64 + 1
}
