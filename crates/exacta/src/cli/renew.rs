//! `exacta renew`: a fresh plan of the same draft.

use exacta_core::life::lifecycle::Verb;
use exacta_engine::gate::Renew;

use super::confirm::{self, DecideArgs, one_line};
use super::decision;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Make a fresh plan of the same draft, on the files as they are now.
///
/// It always waits for a person, whatever its score.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta renew ID")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = gate.plan_or_run_named(&args.plan)?;
        args.decide.in_time(gate, &plan, Verb::Renew)?;
        let state = gate.status(plan.id())?.status;
        let question = format!(
            "Renew plan {} ({state})\n  goal, not checked: {}",
            plan.created.plan_id,
            one_line(&plan.created.goal)
        );
        let proof = confirm::proof(&door, &args.decide, || Ok(question), true)?;
        let command = Renew { plan_id: plan.created.plan_id, proof };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        decision::decide(&door, gate, &caller, command, args.json, printer)
    })
}
