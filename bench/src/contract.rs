//! The plan contract: reading, checking and hashing a draft.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use exacta_core::judge::examine::{Context, Examined, examine};
use exacta_core::judge::facts::Unread;
use exacta_core::judge::policy::{Caps, Policy};
use exacta_core::model::tree::Tree;
use exacta_core::read::parse::{Limits, draft};
use exacta_engine::workspace::Root;
use exacta_testkit::MemoryTree;
use sha2::{Digest as _, Sha256};

use crate::drafts;
use crate::measure::{Row, best, interleaved};

/// The flag that makes this program the child which measures memory.
pub(crate) const PEAK_FLAG: &str = "--peak";
/// More than any plan here needs.
const ROOM: u64 = 1 << 50;
/// The bounds that the contract promises.
const READ_BOUND: f64 = 4.0;
const SCALE_BOUND: f64 = 1.3;
const MEMORY_BOUND: f64 = 6.0;
const CHECK_BOUND: f64 = 3.0;

pub(crate) fn rows(exacta: &Path) -> Result<Vec<Row>, String> {
    let policy = roomy_policy();
    let mut rows = Vec::new();
    let (text, files) = drafts::file_draft(1000, 5000);
    let tree = MemoryTree::of(files.clone());
    if !read(&text, &tree, &policy).is_sound() {
        return Err("the draft to measure with is not sound".into());
    }
    let (ours, peer) = best(
        31,
        || drop(black_box(read(&text, &tree, &policy))),
        || {
            black_box(serde_json::from_str::<serde_json::Value>(&text).ok());
            black_box(Sha256::digest(text.as_bytes()));
        },
    );
    rows.push(Row {
        name: "read 1,000 steps, 5 MB: parse + validate + hash / Value + SHA-256".into(),
        ours: ours.as_secs_f64() * 1e3,
        peer: peer.as_secs_f64() * 1e3,
        unit: "ms",
        paired: None,
        bound: READ_BOUND,
    });
    rows.push(peak(&text, &files)?);
    rows.push(scale(&policy)?);
    rows.push(one_step(exacta)?);
    Ok(rows)
}

/// The policy of an operator who lets large plans through.
pub(crate) fn roomy_policy() -> Policy {
    Policy {
        token_budget: ROOM,
        caps: Caps {
            max_files: 100_000,
            max_changed_lines: 10_000_000,
            max_cost_micro_usd: ROOM,
            ..Caps::default()
        },
        ..Policy::default()
    }
}

#[expect(clippy::expect_used, reason = "a bench on a bad draft measures nothing")]
fn read(text: &str, tree: &dyn Tree, policy: &Policy) -> Examined {
    let draft = draft(text.as_bytes(), Limits::default()).expect("the draft is sound");
    examine(draft, tree, &Unread, policy, &Context::default()).expect("the draft has a JSON form")
}

/// The peak memory of a process that does nothing but read the draft on a real folder,
/// above what it used before, as a child reports it.
fn peak(text: &str, files: &[(String, String)]) -> Result<Row, String> {
    let say = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(say)?;
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder.path())).map_err(say)?;
        fs::write(path, text).map_err(say)?;
    }
    fs::write(folder.path().join("plan.json"), text).map_err(say)?;
    let program = std::env::current_exe().map_err(say)?;
    let output = Command::new(program).arg(PEAK_FLAG).arg(folder.path()).output().map_err(say)?;
    let used: usize = String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| {
        format!("no peak was measured: {}", String::from_utf8_lossy(&output.stderr))
    })?;
    #[expect(clippy::cast_precision_loss, reason = "mebibytes for a table")]
    let mib = |bytes: usize| bytes as f64 / (1024.0 * 1024.0);
    Ok(Row {
        name: "peak memory of the same / size of the draft".into(),
        ours: mib(used),
        peer: mib(text.len()),
        unit: "MiB",
        paired: None,
        bound: MEMORY_BOUND,
    })
}

/// The child of [`peak`]: prints the bytes it took to hold and read the draft.
#[expect(clippy::print_stdout, reason = "the parent reads it")]
pub(crate) fn peak_child(folder: &Path) -> Result<(), String> {
    let root = Root::open(folder).map_err(|error| error.to_string())?;
    let before = status("VmRSS:")?;
    let text = fs::read_to_string(folder.join("plan.json")).map_err(|error| error.to_string())?;
    drop(black_box(read(&text, &root, &roomy_policy())));
    println!("{}", status("VmHWM:")?.saturating_sub(before));
    Ok(())
}

/// A line of this process's status, in bytes.
pub(crate) fn status(name: &str) -> Result<usize, String> {
    let text = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    text.lines()
        .find_map(|line| {
            line.strip_prefix(name)?.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok()
        })
        .map(|kib| kib * 1024)
        .ok_or_else(|| format!("no {name} in the status of the process"))
}

fn scale(policy: &Policy) -> Result<Row, String> {
    let (small, small_files) = drafts::file_draft(1_000, 120);
    let (large, large_files) = drafts::file_draft(10_000, 120);
    let (small_tree, large_tree) = (MemoryTree::of(small_files), MemoryTree::of(large_files));
    if !read(&large, &large_tree, policy).is_sound() {
        return Err("the large draft to measure with is not sound".into());
    }
    let (large, small) = best(
        31,
        || drop(black_box(read(&large, &large_tree, policy))),
        || drop(black_box(read(&small, &small_tree, policy))),
    );
    Ok(Row {
        name: "cost of a step at 10,000 small steps / at 1,000".into(),
        ours: large.as_secs_f64() * 1e6 / 10_000.0,
        peer: small.as_secs_f64() * 1e6 / 1_000.0,
        unit: "µs",
        paired: None,
        bound: SCALE_BOUND,
    })
}

/// The whole program against `git apply --check` of the same patch. The inspector's child
/// is one process start more, which `git` does not have: that start is taken off.
fn one_step(exacta: &Path) -> Result<Row, String> {
    let say = |error: std::io::Error| error.to_string();
    let exacta = fs::canonicalize(exacta).map_err(say)?;
    let folder = tempfile::tempdir().map_err(say)?;
    let target = "src/main.rs";
    let text = drafts::source(1, 6400);
    fs::create_dir(folder.path().join("src")).map_err(say)?;
    fs::write(folder.path().join(target), &text).map_err(say)?;
    let diff = drafts::whole_file_diff(target, &text);
    fs::write(folder.path().join("one.patch"), &diff).map_err(say)?;
    let plan = serde_json::json!({ "steps": [
        { "step_id": "step_1", "type": "file_modify", "target": target, "diff": diff }
    ]});
    fs::write(folder.path().join("plan.json"), plan.to_string()).map_err(say)?;
    let run = |program: &Path, args: &[&str]| {
        Command::new(program)
            .args(args)
            .current_dir(folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", folder.path())
            .stdout(Stdio::null())
            .status()
            // Sound, but a person would be asked: the check is done all the same.
            .is_ok_and(|status| matches!(status.code(), Some(0 | 11)))
    };
    if !run(&exacta, &["check", "plan.json"])
        || !run(Path::new("git"), &["apply", "--check", "one.patch"])
    {
        return Err(
            "exacta check and git apply --check do not both accept the one-step plan".into()
        );
    }
    let check = || {
        run(&exacta, &["check", "plan.json"]);
    };
    let (ours, peer) = interleaved(101, check, || {
        run(Path::new("git"), &["apply", "--check", "one.patch"]);
    });
    let (_, start) = interleaved(51, check, || {
        run(&exacta, &["--version"]);
    });
    Ok(Row {
        name: "exacta check of a one-step plan, less one start / git apply --check".into(),
        ours: ours.saturating_sub(start).as_secs_f64() * 1e3,
        peer: peer.as_secs_f64() * 1e3,
        unit: "ms",
        paired: None,
        bound: CHECK_BOUND,
    })
}
