//! `exacta renew`: a fresh plan of the same draft.

use std::io::IsTerminal as _;

use exacta_core::life::lifecycle::{State, Verb};
use exacta_engine::gate::{Gate, Renew};
use exacta_engine::proof::ControllingTerminal;

use super::commit::CommitArgs;
use super::confirm::{self, DecideArgs, one_line};
use super::decision;
use super::door::{self, Door};
use super::review::{self, Then};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::review::{Kept, Start};

/// Make a fresh plan of the same draft, on the files as they are now.
///
/// It always waits for a person, whatever its score, and at a terminal the review opens.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta renew ID")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// Do not open the review, even at a terminal.
    #[arg(long)]
    no_review: bool,

    #[command(flatten)]
    commit: CommitArgs,

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
    let plan_hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = gate.plan_or_run_named(&args.plan)?;
        args.decide.in_time(gate, &plan, Verb::Renew)?;
        Gate::same_hash(&plan, plan_hash)?;
        let state = gate.status(plan.id())?.status;
        let question = format!(
            "Renew plan {} ({state})\n  a fresh plan of the same draft, on the files as they are \
             now; it waits for your review\n  goal, not checked: {}",
            plan.created.plan_id,
            one_line(&plan.created.goal)
        );
        let proof = confirm::proof(&door, &args.decide, || Ok(question), plan_hash.is_some())?;
        // What it was, to say what changed; a plan that cannot be shown any more has no say.
        let before = gate.show(plan.id()).ok();
        let command = Renew { plan_id: plan.created.plan_id, plan_hash, proof };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        let person = std::io::stdout().is_terminal() && ControllingTerminal::open().is_some();
        if args.json || args.no_review || !person {
            return decision::decide(&door, gate, &caller, command, args.json, printer);
        }
        let fresh = door::handle(gate, &caller, command, printer)?;
        if fresh.state != State::Pending {
            decision::print(gate, &fresh, false, printer)?;
            return Ok(Exit::Refused);
        }
        let credential = args.decide.credential.as_deref();
        let now = gate.show(&fresh.plan_id)?;
        let start = match before {
            Some(before) => review::renewed(&before, &now, Kept::default()),
            None => Start::default(),
        };
        let then = Then { run: true, commit: args.commit };
        review::ask_from(&door, gate, &fresh.plan_id, start, then, credential, printer)
    })
}
