//! `exacta review`: look at a plan and decide.

use exacta_core::lifecycle::State;
use exacta_core::policy::Decide;
use exacta_engine::gate::{Gate, GateError, Outcome, Proof, What};

use super::door::{self, Door};
use super::{decision, run as running, show};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::review::{self, Choice, Terminal};
use crate::wire::RunReport;

/// Look at a plan that waits, and decide.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta review        # the oldest plan that waits\n  exacta review ID"
)]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it; the oldest that waits when absent.
    plan: Option<String>,

    /// Decide, but do not run.
    #[arg(long)]
    no_run: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let oldest = || -> Result<Option<String>, CliError> {
            let waiting = gate.list()?.into_iter().rev().find(|p| p.state == State::Pending);
            Ok(waiting.map(|plan| plan.plan_id))
        };
        let plan_id = match &args.plan {
            Some(name) => Some(gate.status(name)?.0.created.plan_id),
            None => oldest()?,
        };
        let Some(plan_id) = plan_id else {
            printer.line("no plan waits")?;
            return Ok(Exit::Done);
        };
        ask(&door, gate, &plan_id, !args.no_run, printer)
    })
}

/// Shows a plan at the terminal, asks what to do with it, and does that.
pub(super) fn ask(
    door: &Door,
    gate: &Gate<'_>,
    plan_id: &str,
    then_run: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let shown = gate.show(plan_id)?;
    if shown.state != State::Pending {
        show::print(&shown, printer)?;
        printer.note("this plan does not wait for a decision");
        return Ok(Exit::Done);
    }
    let Ok(mut terminal) = Terminal::open() else {
        show::print(&shown, printer)?;
        return Err(GateError::NotEntitled { needed: Decide::Terminal }.into());
    };
    let stale = gate.out_of_date(plan_id)?.map(|cause| cause.to_string());
    let choice = show::review(&shown, stale.as_deref(), |plan| review::ask(plan, &mut terminal))?;
    drop(terminal);
    if choice == Choice::Later {
        printer.line(&format!("nothing was decided; `exacta review {plan_id}` asks again"))?;
        return Ok(Exit::Waits);
    }
    let policy = door.policy().map_err(CliError::Policy)?;
    // Where policy wants the credential, a keystroke does not decide.
    let proof = match policy.decide {
        Decide::Terminal | Decide::Hash => Proof::Terminal,
        Decide::Credential => Proof::None,
    };
    // Exactly what was on the screen, or nothing.
    let hash = Some(shown.entry.created.plan_hash);
    let plan_id = plan_id.to_owned();
    let what = match choice {
        Choice::Approve => What::Approve { plan_id, hash, steps: None, proof },
        Choice::Select(steps) => What::Approve { plan_id, hash, steps: Some(steps), proof },
        Choice::Reject(reason) => What::Reject { plan_id, reason, proof },
        Choice::RequestChanges(request) => What::Changes { plan_id, request, proof },
        Choice::Later => return Ok(Exit::Waits),
    };
    let outcome = gate.handle(door::command(what, None))?;
    let Outcome::Decided(plan) = &outcome else { return Err(GateError::Busy.into()) };
    if plan.state != State::UserApproved || !then_run {
        return decision::done(outcome, false, printer);
    }
    decision::state(plan, printer)?;
    let ran = running::start(gate, &plan.plan_id, printer)?;
    running::print(&ran, printer)?;
    Ok(RunReport::exit(&ran))
}
