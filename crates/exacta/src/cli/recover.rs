//! `exacta recover`: finish or roll back what a dead process left.

use exacta_core::model::id::RunId;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, Recover};

use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Finish or roll back what a process left that was killed or lost its power.
///
/// Commands that write do this by themselves and say so; it is safe to do it again. Plan and audit files
/// that were deleted are written again from the record.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta recover")]
pub(crate) struct Args {
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let report = super::run::watched(gate, door::caller(None), Recover, printer)?;
        let exit = if report.conflicts.is_empty() { Exit::Done } else { Exit::Unsettled };
        if args.json {
            printer.json(&report)?;
            return Ok(exit);
        }
        if report.is_clean() {
            printer.line("nothing to recover")?;
        }
        for (what, list) in [
            ("finished", of_plans(gate, &report.finished)),
            ("rolled back", of_plans(gate, &report.aborted)),
            ("left alone, because its manifest is torn", of_plans(gate, &report.torn)),
            ("left alone, because it is not ours", report.foreign),
            ("kept, because somebody edited it", report.conflicts),
            ("written again from the record", report.rebuilt),
        ] {
            for entry in list {
                printer.line(&format!("{what}: {}", visible(entry.as_bytes())))?;
            }
        }
        Ok(exit)
    })
}

/// The runs with the plans they belong to.
fn of_plans(gate: &Gate<'_>, runs: &[RunId]) -> Vec<String> {
    let plan_of = |run: &RunId| gate.plan_or_run_named(run);
    let named = |run: &RunId| match plan_of(run) {
        Ok(plan) => {
            format!("run {run} of plan {}: {}", plan.created.plan_id, plan.created.goal)
        }
        Err(_) => format!("run {run}"),
    };
    runs.iter().map(named).collect()
}
