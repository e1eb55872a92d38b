//! `exacta changes`: ask for another plan.

use exacta_core::life::lifecycle::Verb;
use exacta_engine::gate::{Gate, RequestChanges};

use super::confirm::{self, DecideArgs, one_line};
use super::decision;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Ask for another plan. This one is over at once, also if it was approved.
///
/// The next plan can name it: `exacta propose plan.json --parent ID`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta changes ID 'keep the old name as an alias'")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// What should be different.
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    request: String,

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
    if args.request.trim().is_empty() {
        return Err(CliError::Usage {
            message: "it is not said what should change".into(),
            help: "say it in a few words, for whoever makes the next plan".into(),
        });
    }
    let plan_hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = gate.plan_or_run_named(&args.plan)?;
        args.decide.in_time(gate, &plan, Verb::RequestChanges)?;
        Gate::same_hash(&plan, plan_hash)?;
        let question =
            format!("Request changes of plan {}, which is over then\n  you ask for: {}\n  goal, not checked: {}", plan.created.plan_id, one_line(&args.request), one_line(&plan.created.goal));
        let proof = confirm::proof(&door, &args.decide, || Ok(question), plan_hash.is_some())?;
        let (plan_id, request) = (plan.created.plan_id, args.request.clone());
        let command = RequestChanges { plan_id, plan_hash, request, proof };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        decision::decide(&door, gate, &caller, command, args.json, printer)
    })
}
