//! `exacta resolve` and `exacta cancel`: what a person says about a run of tool steps.

use exacta_core::text::shown::visible;
use exacta_engine::gate::{CancelRun, Gate, Resolve};

use super::confirm::{self, DecideArgs, one_line};
use super::door::{self, Door};
use super::{decision, run as running};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::exit_of_run;

/// Say whether a step happened whose answer was lost.
///
/// A step that acts outside is never tried again by itself. Find out (look into the mailbox, ask
/// the service), then say it. An all-or-nothing run whose last step did not happen goes back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta resolve RUN --happened
  exacta resolve RUN --not --step step_3

Exit codes: 0 the run is complete, 11 the right to decide was not shown, 13 the run failed or went
back, 14 another step is still unknown.")]
pub(crate) struct Args {
    /// The run: its id, or the beginning or end of it.
    run: String,

    /// It happened.
    #[arg(long, required_unless_present = "not", conflicts_with = "not")]
    happened: bool,

    /// It did not happen.
    #[arg(long)]
    not: bool,

    /// The step, where several are unknown.
    #[arg(long, value_name = "STEP")]
    step: Option<String>,

    /// The full hash of the run's plan.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

/// Stop a run of tool steps that waits for a person or was interrupted.
///
/// Nothing starts any more. An all-or-nothing run takes back what it did.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta cancel RUN")]
pub(crate) struct CancelArgs {
    /// The run: its id, or the beginning or end of it.
    run: String,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let run = door::run_named(gate, &args.run)?;
        let plan = gate.plan_named(&run.plan_id)?;
        Gate::same_hash(&plan, hash)?;
        let word = if args.happened { "happened" } else { "did not happen" };
        let unknown = run.steps.iter().filter(|(_, step)| step.unknown).map(|(id, _)| id.as_str());
        let names: Vec<String> = match &args.step {
            Some(step) => vec![visible(step.as_bytes())],
            None => unknown.map(|id| visible(id.as_bytes())).collect(),
        };
        let goal = one_line(&plan.created.goal);
        let question = || {
            let names = names.join(", ");
            Ok(format!("{names} of run {} {word}\n  goal, not checked: {goal}", run.run_id))
        };
        let proof = confirm::proof(&door, &args.decide, question, hash.is_some())?;
        let command = Resolve {
            run_id: run.run_id.clone(),
            step_id: args.step.as_deref().map(Into::into),
            happened: args.happened,
            plan_hash: hash,
            proof,
        };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        let ran = running::watched(gate, caller, command, printer)?;
        if args.json {
            printer.json(&ran)?;
        } else {
            running::print(gate, &ran, printer)?;
        }
        Ok(exit_of_run(&ran))
    })
}

pub(super) fn cancel(args: &CancelArgs, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let run_id = door::run_named(gate, &args.run)?.run_id;
        let command = CancelRun { run_id: run_id.clone() };
        let Some(ran) = running::watched(gate, door::caller(None), command, printer)? else {
            if args.json {
                printer.json(&serde_json::json!({"run_id": run_id, "state": "stopping"}))?;
            } else {
                printer.line(&format!("run {run_id} is under way and stops"))?;
            }
            return Ok(Exit::Done);
        };
        if args.json {
            printer.json(&ran)?;
        } else {
            running::print(gate, &ran, printer)?;
        }
        Ok(exit_of_run(&ran))
    })
}
