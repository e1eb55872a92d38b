//! `exacta review`: look at a plan and decide.

use std::io::{BufRead as _, BufReader, Write as _};

use exacta_core::lifecycle::State;
use exacta_engine::gate::{Gate, Outcome, Proof, What};

use super::door::{self, Door};
use super::{confirm, decision, run as running, show};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::RunReport;

/// Look at a plan that waits, and decide.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta review        # the oldest plan that waits\n  exacta review ID"
)]
pub(crate) struct Args {
    /// The plan: its id or the beginning of it; the oldest that waits when absent.
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

/// Shows a plan and asks what to do with it.
pub(super) fn ask(
    _door: &Door,
    gate: &Gate<'_>,
    plan_id: &str,
    then_run: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    show::print(&gate.show(plan_id)?, printer)?;
    let Some(mut terminal) = confirm::terminal() else { return Ok(Exit::Waits) };
    write!(terminal, "[a]pprove, [r]eject, [c]hanges, [l]ater: ")?;
    let mut answer = String::new();
    BufReader::new(&terminal).read_line(&mut answer)?;
    let proof = Proof::Terminal;
    let plan_id = plan_id.to_owned();
    let what = match answer.trim() {
        "a" => What::Approve { plan_id, hash: None, steps: None, proof },
        "r" => What::Reject { plan_id, reason: "rejected in review".into(), proof },
        _ => return Ok(Exit::Waits),
    };
    let outcome = gate.handle(door::command(what, None))?;
    let Outcome::Decided(plan) = &outcome else { return Ok(Exit::Waits) };
    if plan.state != State::UserApproved || !then_run {
        return decision::done(outcome, false, printer);
    }
    let ran = running::start(gate, &plan.plan_id, printer)?;
    running::print(&ran, printer)?;
    Ok(RunReport::exit(&ran))
}
