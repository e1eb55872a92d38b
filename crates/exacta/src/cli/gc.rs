//! `exacta gc` and `exacta forget`: give up what is no longer needed.

use exacta_engine::gate::{Collect, Forget};

use super::confirm::{self, DecideArgs};
use super::decision;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Delete stored objects that nothing on the record needs.
///
/// Where policy says how long to keep things (`retention_days`), contents and backups of
/// plans that are over for longer are deleted first; their place on the record stays.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta gc")]
pub(crate) struct Args {
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

/// Delete the backup of a run, and what its plan was made of. Its place on the record stays.
///
/// `exacta gc` then deletes the contents that nothing else needs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta forget RUN
  exacta forget RUN --hash HASH   # the hash of the run's plan

Exit codes: 0 forgotten, 11 the right to decide was not shown, 12 wrong hash.")]
pub(crate) struct ForgetArgs {
    /// The run: its id, or the beginning or end of it.
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

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let collected = door::handle(gate, &door::caller(None), Collect, printer)?;
        if args.json {
            printer.json(&collected)?;
        } else {
            let objects = if collected.deleted == 1 { "object" } else { "objects" };
            printer.line(&format!("{} {objects} deleted", collected.deleted))?;
        }
        Ok(Exit::Done)
    })
}

pub(super) fn forget(args: &ForgetArgs, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let run = door::run_named(gate, &args.run)?;
        let plan = gate.plan_named(&run.plan_id)?;
        if run.forgotten && args.decide.idempotency_key.is_none() {
            return Err(CliError::Refused {
                message: format!("the backup of run {} was deleted already", run.run_id),
                help: "nothing was done".into(),
            });
        }
        let question = format!(
            "Forget run {}: {}. It cannot be undone or shown any more.",
            run.run_id, plan.created.goal
        );
        let proof = confirm::proof(&door, &args.decide, || Ok(question), hash.is_some())?;
        let command = Forget { run_id: run.run_id, plan_hash: hash, proof };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        let forgotten = door::handle(gate, &caller, command, printer)?;
        if args.json {
            printer.json(&forgotten)?;
        } else {
            printer.line(&format!("forgotten: run {}", forgotten.run_id))?;
        }
        Ok(Exit::Done)
    })
}
