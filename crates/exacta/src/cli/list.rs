//! `exacta list`: every plan, newest first.

use anstyle::Style;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use exacta_core::life::lifecycle::Cause;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Listed, PlanStatus};

use super::confirm::one_line;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::{self, Look, columns_of, style};
use crate::render::flow::Column;
use crate::render::{Printer, flow};

/// List plans, newest first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta list\n  exacta list --state pending\n  exacta list --all\n  exacta list --state executed\n  exacta list --json | jq '.[0]'"
)]
pub(crate) struct Args {
    /// Only plans with this status: a word that the list shows, such as `pending`, or
    /// `undone`.
    ///
    /// `pending` includes what was postponed, and `auto_approved` and `user_approved` what has
    /// run since; `executed` includes what was undone.
    #[arg(long, value_name = "STATE", value_parser = words())]
    state: Option<Wanted>,

    /// Every plan, also those that are over, past the newest ten.
    #[arg(long)]
    all: bool,

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
    // The list shows them with spaces.
    let either = |word: &'static str| {
        let value = PossibleValue::new(word);
        match word {
            "auto_approved" => value.alias("auto approved"),
            "user_approved" => value.alias("user approved"),
            "rolled_back" => value.alias("rolled back"),
            "changes_requested" => value.alias("changes requested"),
            _ => value,
        }
    };
    PossibleValuesParser::new(words.map(either)).map(|word| {
        let word = word.replace(' ', "_");
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
        door::report_notices(gate, printer);
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
        let cuts = !args.all && args.state.is_none();
        let mut older = 0;
        for (number, plan) in plans.0.into_iter().enumerate() {
            if cuts && number >= NEWEST && is_over(&plan) {
                older += 1;
                continue;
            }
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
                PlanStatus::Expired | PlanStatus::ChangesRequested => style::QUIET,
            };
            let risk = plan.risk.map_or_else(|| "-".into(), |risk| risk.to_string());
            let status = if plan.undone_by.is_some() { "undone".into() } else { said(&plan) };
            let files = gate.files_of(&plan.plan_id).map_or_else(
                || String::from("- files"),
                |count| format!("{count} {}", if count == 1 { "file" } else { "files" }),
            );
            let columns = [
                (Style::new(), format!("{:<7}", printer.short(&plan.plan_id))),
                (Style::new(), format!("{:>4} ", age(plan.age_sec))),
                (tone, format!("{status:<17}")),
                (Style::new(), format!("risk {risk:>3} ")),
                (Style::new(), format!("{files:<10}")),
                (Style::new(), visible(printer.shortened(&one_line(&plan.goal)).as_bytes())),
            ];
            let columns = with_goal_cut(columns, width);
            let [id, age, standing, risk, files, goal] = &columns;
            let rest = [standing, risk, files, goal];
            for row in flow::rows(&columns, width, &[id, age], &rest) {
                printer.line(&row)?;
            }
            if let Some(cause) = &plan.expiry {
                printer
                    .line(&format!("    {}", visible(one_line(&cause.to_string()).as_bytes())))?;
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
            if let Some(next) = next(&plan) {
                printer.line(&format!("    next: `{next}`"))?;
            }
        }
        if older > 0 {
            let plans = if older == 1 { "plan is" } else { "plans are" };
            printer.line(&format!("{older} older {plans} over: `exacta list --all`"))?;
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

/// The columns with as much of the last as the terminal has room for, so that a plan keeps one
/// row; `exacta status` has the goal whole. A terminal that is too narrow for that folds the row.
fn with_goal_cut(mut columns: [Column; 6], width: Option<usize>) -> [Column; 6] {
    let [head @ .., (_, goal)] = &mut columns;
    let used: usize = head.iter().map(|(_, text)| columns_of(text) + 1).sum();
    let Some(room) = width.and_then(|width| width.checked_sub(used)) else { return columns };
    if room < LEAST_GOAL || columns_of(goal) <= room {
        return columns;
    }
    let mut taken = 0;
    let kept: String = goal
        .chars()
        .take_while(|c| {
            taken += paint::columns(*c);
            taken + 3 <= room
        })
        .collect();
    *goal = format!("{}...", kept.trim_end());
    columns
}

/// Fewer columns than this say nothing about a goal.
const LEAST_GOAL: usize = 15;

/// How many plans are listed that are over.
const NEWEST: usize = 10;

/// Whether nobody needs to do anything about a plan any more.
fn is_over(plan: &Listed) -> bool {
    matches!(
        plan.status,
        PlanStatus::Executed
            | PlanStatus::Rejected
            | PlanStatus::RolledBack
            | PlanStatus::Expired
            | PlanStatus::ChangesRequested
    )
}

/// The word for where a plan stands, as people say it.
fn said(plan: &Listed) -> String {
    plan.status.as_str().replace('_', " ")
}

/// What can be done next about a plan, if anything.
fn next(plan: &Listed) -> Option<String> {
    let id = &plan.plan_id;
    match (plan.status, plan.out_of_date.is_some()) {
        (PlanStatus::Pending | PlanStatus::Paused, false) => Some(format!("exacta review {id}")),
        (PlanStatus::AutoApproved | PlanStatus::UserApproved, false) => {
            Some(format!("exacta run {id}"))
        }
        (
            PlanStatus::Pending
            | PlanStatus::Paused
            | PlanStatus::AutoApproved
            | PlanStatus::UserApproved,
            true,
        )
        | (PlanStatus::RolledBack, _) => Some(format!("exacta renew {id}")),
        (PlanStatus::Running, _) => Some(format!("exacta wait {id}")),
        (PlanStatus::Executed, _) if plan.undone_by.is_some() => Some(format!("exacta redo {id}")),
        (PlanStatus::Executed, _) if !plan.forgotten => Some(format!("exacta undo {id}")),
        // One that lives on in another plan says so in its cause.
        (PlanStatus::Expired, _) => match plan.expiry {
            Some(Cause::Renewed { .. } | Cause::StepsSelected { .. }) => None,
            _ => Some(format!("exacta renew {id}")),
        },
        _ => None,
    }
}

/// How long ago a plan came in: `3m`, `5h`, `12d`.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use anstyle::Style;

    use super::{age, columns_of, with_goal_cut};

    #[test]
    fn a_plan_keeps_one_row_where_there_is_room() {
        let goal = "utils: add isFilled (and 2 more patches)";
        let row = || {
            ["f99d08 ", "  25s ", "pending          ", "risk  66 ", "4 files   ", goal]
                .map(|text| (Style::new(), text.to_owned()))
        };
        let rows = |width| with_goal_cut(row(), width);
        let used = |width| rows(width).iter().map(|(_, text)| columns_of(text) + 1).sum::<usize>();
        assert_eq!(rows(Some(80))[5].1, "utils: add isFilled (an...");
        assert!(used(Some(80)) <= 81 && used(Some(72)) <= 73);
        for width in [None, Some(100), Some(40)] {
            assert_eq!(rows(width)[5].1, goal, "{width:?}");
        }
    }

    #[test]
    fn an_age_is_short() {
        let ages = [0, 59, 60, 3_599, 3_600, 100_000, 172_800].map(age);
        assert_eq!(ages, ["0s", "59s", "1m", "59m", "1h", "27h", "2d"]);
    }
}
