//! `exacta list`: every plan, newest first.

use exacta_core::lifecycle::State;
use exacta_core::shown::visible;

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{Printer, style};
use crate::wire::ListReport;

/// List plans, newest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta list\n  exacta list --state pending\n  exacta list --json | jq '.[0]'"
)]
pub(crate) struct Args {
    /// Only plans in this state, such as `pending`.
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<State>,

    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

fn state(word: &str) -> Result<State, String> {
    let known = State::ALL.into_iter().find(|state| state.as_str() == word);
    known.ok_or_else(|| {
        let words: Vec<&str> = State::ALL.iter().map(|state| state.as_str()).collect();
        format!("choose one of {}", words.join(", "))
    })
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let mut plans = gate.list()?;
        plans.retain(|plan| args.state.is_none_or(|state| plan.state == state));
        if gate.needs_recovery()? {
            printer.note("a run was interrupted; `exacta recover` brings the project to one side");
        }
        if args.json {
            printer.json(&ListReport(plans.into_iter().map(Into::into).collect()))?;
            return Ok(Exit::Done);
        }
        if plans.is_empty() {
            printer.line("no plans")?;
        }
        for plan in plans {
            let tone = match plan.state {
                State::Pending => style::WARNING,
                State::AutoApproved | State::UserApproved => style::GOOD,
                State::Rejected => style::ERROR,
                State::Expired => style::QUIET,
            };
            let state = match (&plan.run_id, plan.paused && plan.state == State::Pending) {
                (Some(_), _) => "executed",
                (None, true) => "paused",
                (None, false) => plan.state.as_str(),
            };
            let risk = plan.risk.map_or_else(|| "-".into(), |risk| risk.to_string());
            let quality = plan.quality.map_or_else(|| "-".into(), |quality| quality.to_string());
            printer.line(&format!(
                "{}  {tone}{state:<13}{tone:#} risk {risk:>3}  quality {quality:>5}  {}",
                plan.plan_id,
                visible(plan.goal.as_bytes()),
            ))?;
            if let Some(run_id) = &plan.run_id {
                printer.line(&format!("    run {run_id}"))?;
            }
        }
        Ok(Exit::Done)
    })
}
