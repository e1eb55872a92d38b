//! The file transaction against git and against the bare protocol.
//!
//! Every side is a process of its own that starts, does its work on a tree and ends. The
//! sides take turns on the same file system; before each turn what the others left
//! unwritten is written, so that nobody pays for somebody else. For the same reason no
//! file is deleted before the end: ext4 without a journal walks past every inode that was
//! freed in the last minutes whenever a new one is made near it, so a tidy bench would
//! measure its own tidying. In the rows "busy" a neighbour dirties the disk all the time;
//! there only the project's files are written out after each turn, because writing out
//! everything would quieten the neighbour too. (A swap leaves the times of a file unwritten;
//! whoever comes next to the same tree would pay for it.) Right before its turn each side's
//! program is started once for nothing: otherwise whoever follows a side of the same program
//! would find it warm, and the others not.

mod act;
mod memory;
mod neighbour;
mod trees;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::measure::{Row, median, paired, print, timed};
use neighbour::Neighbour;
use trees::{PATCH, SOURCES, Trees, write_out};

/// The flag that makes this program one of the sides.
pub(crate) const ACT_FLAG: &str = "--act";

/// How many files a run changes.
const SIZES: [usize; 3] = [10, 100, 1_000];
/// How often every side has its turn; the first round only warms the caches.
const ROUNDS: usize = 52;
const ROUNDS_OF_MANY: usize = 24;
/// The bounds that the transaction promises.
const UNSYNCED_BOUND: f64 = 1.0;
const DURABLE_BOUND: f64 = 1.3;
const UNDO_BOUND: f64 = 1.0;

/// Plays one side; see [`act`].
pub(crate) fn act(act: &OsStr, arguments: &[OsString]) -> Result<(), String> {
    act::play(act, arguments)
}

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let ground = trees::ground()?;
    let mut rows = Vec::new();
    for busy in [false, true] {
        for files in SIZES {
            rows.extend(compare(ground.path(), files, busy)?);
        }
    }
    let memory = memory::rows(ground.path())?;
    print(&memory);
    rows.extend(memory);
    Ok(rows)
}

/// The times of all sides, one entry a round.
#[derive(Default)]
struct Times {
    unsynced: Vec<Duration>,
    git_apply: Vec<Duration>,
    durable: Vec<Duration>,
    undo: Vec<Duration>,
    raw: Vec<Duration>,
    git_commit: Vec<Duration>,
}

fn compare(ground: &Path, files: usize, busy: bool) -> Result<Vec<Row>, String> {
    let rounds = if files < 1_000 { ROUNDS } else { ROUNDS_OF_MANY };
    let trees = Trees::new(ground, files, rounds)?;
    let neighbour = if busy { Some(Neighbour::start(trees.folder())?) } else { None };
    let mut times = Times::default();
    round(&trees, 0, busy, &mut Times::default())?;
    for number in 1..rounds {
        round(&trees, number, busy, &mut times)?;
    }
    if let Some(neighbour) = neighbour {
        neighbour.stop();
    }
    let around = if busy { "busy" } else { "quiet" };
    let row = |what: &str, ours: &Vec<Duration>, peer: &Vec<Duration>, bound: f64| Row {
        name: format!("{what}, {files} files, {around}"),
        ours: median(ours.clone()).as_secs_f64() * 1e3,
        peer: median(peer.clone()).as_secs_f64() * 1e3,
        unit: "ms",
        paired: Some(paired(ours, peer)),
        bound,
    };
    let rows = vec![
        row("unsynced / git apply", &times.unsynced, &times.git_apply, UNSYNCED_BOUND),
        row("durable / raw protocol", &times.durable, &times.raw, DURABLE_BOUND),
        row(
            "durable / git apply --index && commit",
            &times.durable,
            &times.git_commit,
            DURABLE_BOUND,
        ),
        row("undo / apply", &times.undo, &times.durable, UNDO_BOUND),
    ];
    print(&rows);
    Ok(rows)
}

/// Every side once; the order is turned round from round to round. Ours and the bare protocol
/// stand between the two of git: each follows git, which leaves the disk most to do, as often
/// as it follows the other.
fn round(trees: &Trees, number: usize, busy: bool, times: &mut Times) -> Result<(), String> {
    let turn = |warm_up: &dyn Fn() -> Result<(), String>,
                work: &mut dyn FnMut() -> Result<(), String>| {
        trees.settle(busy)?;
        warm_up()?;
        let mut outcome = Ok(());
        let time = timed(&mut || outcome = work());
        outcome.map(|()| time)
    };
    let run = |act: &str, run: &str| ours(act, &trees.ours(), run);
    let left_by = |tree: &Path| if busy { write_out(&tree.join(SOURCES)) } else { Ok(()) };
    let start_us = || ours(act::NOTHING, trees.folder(), "");
    let start_git = || trees.git(trees.folder(), &["version"]);
    let (quick, slow) = (format!("q{number}"), format!("d{number}"));
    let mut sides: [&mut dyn FnMut() -> Result<(), String>; 5] = [
        &mut || {
            times.unsynced.push(turn(&start_us, &mut || run("unsynced", &quick))?);
            run("undo", &quick)?;
            left_by(&trees.ours())
        },
        &mut || {
            let tree = trees.to_apply(number);
            times.git_apply.push(turn(&start_git, &mut || trees.git(&tree, &["apply", PATCH]))?);
            write_out(&tree)
        },
        &mut || {
            times.durable.push(turn(&start_us, &mut || run("apply", &slow))?);
            left_by(&trees.ours())?;
            times.undo.push(turn(&start_us, &mut || run("undo", &slow))?);
            left_by(&trees.ours())
        },
        &mut || {
            let side = if number.is_multiple_of(2) { "b" } else { "a" };
            times.raw.push(turn(&start_us, &mut || ours("raw", &trees.raw(), side))?);
            trees.put_raw_aside(number)?;
            left_by(&trees.raw())
        },
        &mut || {
            let tree = trees.to_commit(number);
            times.git_commit.push(turn(&start_git, &mut || {
                trees.git(&tree, &["apply", "--index", PATCH])?;
                trees.git(&tree, &["commit", "--quiet", "--message", "change"])
            })?);
            write_out(&tree)
        },
    ];
    if number.is_multiple_of(2) {
        sides.reverse();
    }
    sides.into_iter().try_for_each(|side| side())
}

/// One of our sides, as a process.
fn ours(act: &str, tree: &Path, word: &str) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).args([ACT_FLAG, act]).arg(tree).arg(word).output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{act}: {}", String::from_utf8_lossy(&output.stderr)))
}
