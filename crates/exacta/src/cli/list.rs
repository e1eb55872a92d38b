//! `exacta list`: every plan, newest first.

use std::collections::BTreeMap;

use anstyle::Style;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use exacta_core::shown::visible;
use exacta_engine::gate::{Gate, Listed, Standing};

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{Printer, flow, style};
use crate::review::Look;
use crate::wire::{ListReport, ListedPlan};

/// List plans, newest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta list\n  exacta list --state pending\n  exacta list --state executed\n  exacta list --json | jq '.[0]'"
)]
pub(crate) struct Args {
    /// Only plans that stand like this: a word that the list shows, such as `pending`, or
    /// `undone`.
    ///
    /// `pending` includes what was put off, and `auto_approved` and `user_approved` what has
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
    Standing(Standing),
    Undone,
}

const UNDONE: &str = "undone";

/// So many plans are compared with the files they were made for; more would take a while.
const MOST_COMPARED: usize = 50;

fn words() -> impl TypedValueParser<Value = Wanted> {
    let words = Standing::ALL.iter().map(|standing| standing.as_str()).chain([UNDONE]);
    PossibleValuesParser::new(words).map(|word| {
        let known = Standing::ALL.into_iter().find(|standing| standing.as_str() == word);
        known.map_or(Wanted::Undone, Wanted::Standing)
    })
}

impl Wanted {
    fn fits(self, plan: &Listed) -> bool {
        match self {
            Self::Undone => plan.undone_by.is_some(),
            Self::Standing(wanted) => {
                plan.standing == wanted || plan.state.as_str() == wanted.as_str()
            }
        }
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let mut plans = gate.list()?;
        plans.retain(|plan| args.state.is_none_or(|wanted| wanted.fits(plan)));
        if !gate.interrupted()?.is_empty() {
            printer.note("a run was interrupted; `exacta recover` brings the project to one side");
        }
        let live = plans.iter().filter(|plan| plan.can_still_run());
        let not_compared = live.clone().count().saturating_sub(MOST_COMPARED);
        let compared = live.take(MOST_COMPARED);
        let mut stale: BTreeMap<String, String> = compared
            .filter_map(|plan| Some((plan.plan_id.clone(), out_of_date(gate, plan)?)))
            .collect();
        if args.json {
            let rows = plans.into_iter().map(|plan| {
                let stale = stale.remove(&plan.plan_id);
                ListedPlan::new(plan, stale)
            });
            printer.json(&ListReport(rows.collect()))?;
            return Ok(Exit::Done);
        }
        if plans.is_empty() {
            printer.line("no plans")?;
        }
        let width = Look::of_stdout().width;
        for plan in plans {
            let tone = match plan.standing {
                Standing::Pending | Standing::Paused | Standing::Running => style::WARNING,
                Standing::AutoApproved | Standing::UserApproved | Standing::Executed => style::GOOD,
                Standing::Rejected | Standing::RolledBack => style::ERROR,
                Standing::Expired => style::QUIET,
            };
            let risk = plan.risk.map_or_else(|| "-".into(), |risk| risk.to_string());
            let quality = plan.quality.map_or_else(|| "-".into(), |quality| quality.to_string());
            let columns = [
                (Style::new(), format!("{} ", plan.plan_id)),
                (tone, format!("{:<13}", plan.standing)),
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
            if let Some(why) = stale.get(&plan.plan_id) {
                printer.line(&format!("    out of date: {}", visible(why.as_bytes())))?;
            }
            if let Some(run_id) = &plan.run_id {
                let undone = plan.undone_by.as_ref();
                let undone = undone.map_or_else(String::new, |by| format!(", undone by {by}"));
                let forgotten = if plan.forgotten { ", way back given up" } else { "" };
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

/// How the project differs from what a plan was made for, or why that cannot be told.
fn out_of_date(gate: &Gate<'_>, plan: &Listed) -> Option<String> {
    match gate.out_of_date(&plan.plan_id) {
        Ok(cause) => cause.map(|cause| cause.to_string()),
        Err(error) => Some(format!("its files cannot be compared: {error}")),
    }
}
