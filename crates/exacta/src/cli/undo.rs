//! `exacta undo` and `exacta redo`: take a run back, or an undo.

use exacta_core::shown::visible;
use exacta_engine::gate::{GateError, Outcome, UndoState, What};

use super::confirm::{self, DecideArgs};
use super::decision;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{Printer, style};
use crate::wire::UndoReport;

/// Take a run back: every file is as it was before.
///
/// Refuses when a file was changed since; later work is never overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta undo RUN
  exacta undo RUN --hash HASH   # the hash of the run's plan

Exit codes: 0 undone, 11 the right to decide was not shown, 14 files were changed since.")]
pub(crate) struct Args {
    /// The run: its id or the beginning of it.
    run: String,

    /// The full hash of the run's plan.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

/// Take an undo back: the run's changes are there again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta redo RUN")]
pub(crate) struct RedoArgs {
    #[command(flatten)]
    undo: Args,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    invert(args, false, printer)
}

pub(super) fn redo(args: &RedoArgs, printer: &mut Printer) -> Result<Exit, CliError> {
    invert(&args.undo, true, printer)
}

fn invert(args: &Args, again: bool, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let (run, plan) = gate.run_status(&args.run)?;
        // Nobody should confirm what cannot be done.
        gate.to_invert(&args.run, again)?;
        let verb = if again { "Redo" } else { "Undo" };
        let question = format!("{verb} run {}: {}", run.run_id, plan.created.goal);
        let proof = confirm::proof(&door, &args.decide, || Ok(question), hash.is_some())?;
        let run_id = run.run_id;
        let what = if again {
            What::Redo { run_id, hash, proof }
        } else {
            What::Undo { run_id, hash, proof }
        };
        let key = args.decide.idempotency_key.as_ref();
        let Outcome::Undone(undo) = gate.handle(door::command(what, key))? else {
            return Err(GateError::Busy.into());
        };
        if args.json {
            printer.json(&UndoReport::from(&undo))?;
        } else {
            let (good, bad) = (style::GOOD, style::ERROR);
            match (undo.state, &undo.run_id) {
                (UndoState::Conflict, _) | (_, None) => {
                    printer.line(&format!(
                        "{bad}conflict{bad:#}: nothing was touched, because later work would be \
                         lost"
                    ))?;
                    for conflict in &undo.conflicts {
                        printer.line(&format!("  {}", visible(conflict.as_bytes())))?;
                    }
                }
                (state, Some(run_id)) => {
                    let state = state.as_str();
                    printer.line(&format!("{good}{state}{good:#}: run {run_id}"))?;
                    for file in undo.receipt.iter().flat_map(|receipt| &receipt.files) {
                        let path = visible(file.path.as_str().as_bytes());
                        let done = if file.after.is_none() { "removed" } else { "restored" };
                        printer.line(&format!("  {done} {path}"))?;
                    }
                }
            }
        }
        Ok(match undo.state {
            UndoState::Conflict => Exit::Unsettled,
            UndoState::Undone | UndoState::Redone => Exit::Done,
        })
    })
}
