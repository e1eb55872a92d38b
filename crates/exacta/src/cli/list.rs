//! `exacta list`: every plan, newest first.

use anstyle::Style;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Listed, PlanStatus};

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::Look;
use crate::paint::style;
use crate::render::{Printer, flow};

/// List plans, newest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta list\n  exacta list --state pending\n  exacta list --state executed\n  exacta list --json | jq '.[0]'"
)]
pub(crate) struct Args {
    /// Only plans with this status: a word that the list shows, such as `pending`, or
    /// `undone`.
    ///
    /// `pending` includes what was postponed, and `auto_approved` and `user_approved` what has
    /// run since; `executed` includes what was undone.
    #[arg(long, value_name = "STATE", value_parser = words())]
    state: Option<Wanted>,

    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

/// What a plan is chosen by.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Status(PlanStatus),
    Undone,
}

const UNDONE: &str = "undone";

fn words() -> impl TypedValueParser<Value = Wanted> {
    let words = PlanStatus::ALL.iter().map(|status| status.as_str()).chain([UNDONE]);
    PossibleValuesParser::new(words).map(|word| {
        let known = PlanStatus::ALL.into_iter().find(|status| status.as_str() == word);
        known.map_or(Wanted::Undone, Wanted::Status)
    })
}

impl Wanted {
    fn fits(self, plan: &Listed) -> bool {
        match self {
            Self::Undone => plan.undone_by.is_some(),
            Self::Status(wanted) => plan.status == wanted || plan.state.as_str() == wanted.as_str(),
        }
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let mut plans = gate.list()?;
        plans.0.retain(|plan| args.state.is_none_or(|wanted| wanted.fits(plan)));
        if !gate.interrupted()?.is_empty() {
            printer.note("a run was interrupted; `exacta recover` finishes it or rolls it back");
        }
        let not_compared = gate.compare_with_files(&mut plans);
        if args.json {
            printer.json(&plans)?;
            return Ok(Exit::Done);
        }
        if plans.0.is_empty() {
            printer.line("no plans")?;
        }
        let width = Look::of_stdout().width;
        for plan in plans.0 {
            let tone = match plan.status {
                PlanStatus::Pending
                | PlanStatus::Paused
                | PlanStatus::Running
                | PlanStatus::Waiting
                | PlanStatus::Unknown => style::WARNING,
                PlanStatus::AutoApproved | PlanStatus::UserApproved | PlanStatus::Executed => {
                    style::GOOD
                }
                PlanStatus::Rejected | PlanStatus::RolledBack | PlanStatus::Failed => style::ERROR,
                PlanStatus::Expired => style::QUIET,
            };
            let risk = plan.risk.map_or_else(|| "-".into(), |risk| risk.to_string());
            let quality = plan.quality.map_or_else(|| "-".into(), |quality| quality.to_string());
            let columns = [
                (Style::new(), format!("{} ", plan.plan_id)),
                (tone, format!("{:<13}", plan.status)),
                (Style::new(), format!("risk {risk:>3} ")),
                (Style::new(), format!("quality {quality:>5} ")),
                (Style::new(), visible(plan.goal.as_bytes())),
            ];
            let [id, standing, risk, quality, goal] = &columns;
            let rest = [standing, risk, quality, goal];
            for row in flow::rows(&columns, width, &[id], &rest) {
                printer.line(&row)?;
            }
            // Four things end in this state, and only one of them is that the time was over.
            if let Some(cause) = &plan.expiry {
                printer.line(&format!("    {}", visible(cause.to_string().as_bytes())))?;
            }
            if let Some(why) = &plan.out_of_date {
                printer.line(&format!("    out of date: {}", visible(why.as_bytes())))?;
            }
            if let Some(run_id) = &plan.run_id {
                let undone = plan.undone_by.as_ref();
                let undone = undone.map_or_else(String::new, |by| format!(", undone by {by}"));
                let forgotten = if plan.forgotten { ", backup deleted" } else { "" };
                printer.line(&format!("    run {run_id}{undone}{forgotten}"))?;
            }
        }
        if not_compared > 0 {
            printer.note(&format!(
                "{not_compared} older plans that can still run were not compared with their files; \
                 `exacta status ID` does so"
            ));
        }
        Ok(Exit::Done)
    })
}
