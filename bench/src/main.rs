//! Ours and the peers, side by side on the same work, printed as ratios.
//!
//! Both sides of a row run in one process run, interleaved, and the medians are
//! compared, so that a busy machine slows both. A row over its bound fails the run.

mod contract;
mod drafts;
mod gate;
mod judging;
mod measure;
mod reads;
mod tools;
mod transaction;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use measure::Row;

/// The allocator of the program that is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let outcome = match (args.next(), args.next()) {
        (Some(flag), Some(path)) if flag == "--exacta" => {
            bench(&PathBuf::from(path), args.next().as_deref())
        }
        (Some(flag), Some(folder)) if flag == contract::PEAK_FLAG => {
            contract::peak_child(&PathBuf::from(folder)).map(|()| true)
        }
        (Some(flag), Some(act)) if flag == transaction::ACT_FLAG => {
            transaction::act(&act, &args.collect::<Vec<_>>()).map(|()| true)
        }
        _ => Err("usage: exacta-bench --exacta PATH [contract|judging|gate|reads|tools|transaction] (or simply: bench/run)"
            .into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

/// Runs everything; true when every ratio is within its bound.
fn bench(exacta: &Path, only: Option<&OsStr>) -> Result<bool, String> {
    let wanted = |part: &str| only.is_none_or(|only| only == part);
    let mut rows = Vec::new();
    if wanted("contract") {
        rows.extend(contract::rows(exacta)?);
        measure::print(&rows);
    }
    if wanted("judging") {
        let part = judging::rows(exacta, &contract::roomy_policy())?;
        measure::print(&part);
        rows.extend(part);
    }
    if wanted("gate") {
        let part = gate::rows(exacta)?;
        measure::print(&part);
        rows.extend(part);
    }
    if wanted("reads") {
        let part = reads::rows(exacta)?;
        measure::print(&part);
        rows.extend(part);
    }
    if wanted("tools") {
        let part = tools::rows()?;
        measure::print(&part);
        rows.extend(part);
    }
    if wanted("transaction") {
        rows.extend(transaction::rows()?);
    }
    Ok(rows.iter().all(Row::holds))
}

#[expect(clippy::print_stderr, reason = "the bench talks to a terminal")]
fn complain(message: &str) {
    eprintln!("bench: {message}");
}
