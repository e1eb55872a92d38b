//! The memory of a run: the same whatever the number of files, and never that of a huge one.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::trees::Trees;
use super::{ACT_FLAG, act};
use crate::contract::status;
use crate::measure::Row;

/// A run of a hundred times as many files may take this much more: its list of changes,
/// its manifest and what the allocator rounds up.
const FLAT_BOUND: f64 = 2.0;
/// A target of this size is refused without being read.
const HUGE: u64 = 1 << 30;
const HUGE_BOUND: f64 = 0.05;

pub(super) fn rows(ground: &Path) -> Result<Vec<Row>, String> {
    let (small, large) = (Trees::new(ground, 10, 0)?, Trees::new(ground, 1_000, 0)?);
    let few = peak(&small.ours(), "few")?;
    let many = peak(&large.ours(), "many")?;
    let huge = Trees::new(ground, 10, 0)?;
    let target = huge.ours().join(super::trees::file_name(3));
    let say = |error: std::io::Error| error.to_string();
    fs::OpenOptions::new().write(true).open(target).map_err(say)?.set_len(HUGE).map_err(say)?;
    let refused = peak(&huge.ours(), "refused")?;
    #[expect(clippy::cast_precision_loss, reason = "mebibytes for a table")]
    let mib = |bytes: usize| bytes as f64 / (1024.0 * 1024.0);
    Ok(vec![
        Row {
            name: "peak memory of a run of 1,000 files / of 10".into(),
            ours: mib(many),
            peer: mib(few),
            unit: "MiB",
            paired: None,
            bound: FLAT_BOUND,
        },
        Row {
            name: "peak memory where a target has 1 GiB (refused) / its size".into(),
            ours: mib(refused),
            peer: 1024.0,
            unit: "MiB",
            paired: None,
            bound: HUGE_BOUND,
        },
    ])
}

/// The peak of a process that does nothing but one run.
fn peak(tree: &Path, word: &str) -> Result<usize, String> {
    let say = |error: std::io::Error| error.to_string();
    let program = std::env::current_exe().map_err(say)?;
    // Counted in small pages: a huge one counts as 2 MiB however little of it is used.
    let output = Command::new(program)
        .args([ACT_FLAG, "memory"])
        .args([tree.as_os_str(), word.as_ref()])
        .env("MIMALLOC_ALLOW_THP", "0")
        .output();
    let output = output.map_err(say)?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| format!("{word}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The child of [`peak`]: one run, then the peak of the whole process.
#[expect(clippy::print_stdout, reason = "the parent reads it")]
pub(super) fn measured(tree: &Path, word: &str) -> Result<(), String> {
    let outcome = act::ours(tree, "apply", word);
    match (word, outcome) {
        ("refused", Ok(())) => return Err("a target of 1 GiB was taken".into()),
        ("refused", Err(reason)) if reason.contains("limit") => {}
        (_, outcome) => outcome?,
    }
    println!("{}", status("VmHWM:")?);
    Ok(())
}
