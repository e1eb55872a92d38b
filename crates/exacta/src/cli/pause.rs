//! `exacta pause`: postpone a plan.

use exacta_engine::gate::Pause;

use super::decision;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Postpone a plan. It stays pending, and its time runs on.
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
        let plan_id = gate.plan_named(&args.plan)?.created.plan_id;
        let plan = door::handle(gate, &door::caller(None), Pause { plan_id }, printer)?;
        if args.json {
            decision::print(gate, &plan, true, printer)?;
        } else {
            let id = &plan.plan_id;
            printer
                .line(&format!("plan {id}: paused; it waits as before, and its time runs on"))?;
            printer.line(&format!("review it: `exacta review {id}`"))?;
        }
        Ok(Exit::Done)
    })
}
