//! `exacta reject`: say no, for good.

use exacta_core::life::lifecycle::Verb;
use exacta_engine::gate::{Gate, Reject};

use super::confirm::{self, DecideArgs, one_line};
use super::decision;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Reject a plan. It will never run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta reject ID --reason 'touches the wrong module'")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// Why, for the record and for whoever proposed it.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: String,

    /// The plan's full hash; demanded where policy says `decide = "hash"`.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    if args.reason.trim().is_empty() {
        return Err(CliError::Usage {
            message: "it is not said why the plan is rejected".into(),
            help: "say it in a few words, for the record and for whoever proposed it".into(),
        });
    }
    let plan_hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = gate.plan_or_run_named(&args.plan)?;
        args.decide.in_time(gate, &plan, Verb::Reject)?;
        Gate::same_hash(&plan, plan_hash)?;
        let question = format!(
            "Reject plan {}, which is over then\n  you say: {}\n  goal, not checked: {}",
            plan.created.plan_id,
            one_line(&args.reason),
            one_line(&plan.created.goal)
        );
        let proof = confirm::proof(&door, &args.decide, || Ok(question), plan_hash.is_some())?;
        let (plan_id, reason) = (plan.created.plan_id, args.reason.clone());
        let command = Reject { plan_id, plan_hash, reason, proof };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        decision::decide(&door, gate, &caller, command, args.json, printer)
    })
}
