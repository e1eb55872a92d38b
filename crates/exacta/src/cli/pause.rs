//! `exacta pause`: put a plan off.

use exacta_engine::gate::{GateError, Outcome, What};

use super::decision;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Put a plan off. It stays pending, and its time runs on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta pause ID")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let what = What::Pause { plan_id: args.plan.clone() };
        let Outcome::Decided(plan) = door::handle(gate, door::command(what, None), printer)? else {
            return Err(GateError::Unexpected.into());
        };
        if args.json {
            decision::print(gate, plan, true, printer)?;
        } else {
            let id = &plan.plan_id;
            printer
                .line(&format!("plan {id}: paused; it waits as before, and its time runs on"))?;
            printer.line(&format!("review it: `exacta review {id}`"))?;
        }
        Ok(Exit::Done)
    })
}
