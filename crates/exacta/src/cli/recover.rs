//! `exacta recover`: finish or take back what a dead process left.

use exacta_core::shown::visible;
use exacta_engine::gate::{Gate, GateError, Outcome, What};

use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::RecoverReport;

/// Finish or take back what a process left that was killed or lost its power.
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
        let Outcome::Recovered(recovered) =
            super::run::watched(gate, door::command(What::Recover, None), printer)?
        else {
            return Err(GateError::Unexpected.into());
        };
        let names = |runs: &[exacta_engine::run::RunId]| {
            runs.iter().map(|run| run.as_str().to_owned()).collect::<Vec<_>>()
        };
        let conflicts = recovered.conflicts.iter();
        let report = RecoverReport {
            finished: names(&recovered.finished),
            aborted: names(&recovered.aborted),
            torn: names(&recovered.torn),
            foreign: recovered.foreign.clone(),
            conflicts: conflicts.map(|(run, conflict)| format!("{run}: {conflict}")).collect(),
            rebuilt: recovered.rebuilt.clone(),
        };
        let exit = if report.conflicts.is_empty() { Exit::Done } else { Exit::Unsettled };
        if args.json {
            printer.json(&report)?;
            return Ok(exit);
        }
        if recovered.is_clean() {
            printer.line("nothing to recover")?;
        }
        for (what, list) in [
            ("finished", &of_plans(gate, &report.finished)),
            ("taken back", &of_plans(gate, &report.aborted)),
            ("set aside, because its manifest is torn", &report.torn),
            ("left alone, because it is not ours", &report.foreign),
            ("kept, because somebody edited it", &report.conflicts),
            ("written again from the record", &report.rebuilt),
        ] {
            for entry in list {
                printer.line(&format!("{what}: {}", visible(entry.as_bytes())))?;
            }
        }
        Ok(exit)
    })
}

/// The runs with the plans they belong to.
fn of_plans(gate: &Gate<'_>, runs: &[String]) -> Vec<String> {
    let named = |run: &String| match gate.run_status(run) {
        Ok((_, plan)) => {
            format!("run {run} of plan {}: {}", plan.created.plan_id, plan.created.goal)
        }
        Err(_) => format!("run {run}"),
    };
    runs.iter().map(named).collect()
}
