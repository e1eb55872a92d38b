//! `exacta log`: what happened, in order.

use std::collections::BTreeSet;

use anstyle::Style;
use exacta_core::judge::score::Thousandths;
use exacta_core::life::ledger::RunEntry;
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::record::{Entry, Event, RunKind};
use exacta_core::text::shown::visible;
use exacta_engine::gate::Gate;

use super::confirm::one_line;
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::Look;
use crate::paint::style;
use crate::render::{Printer, flow};

/// Show the record as a timeline, oldest first. Times are UTC.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta log
  exacta log --plan ID
  exacta log --event plan_approved --last 20
  exacta log --json | jq .event")]
pub(crate) struct Args {
    /// Only entries about this plan.
    #[arg(long, value_name = "ID")]
    plan: Option<String>,

    /// Only entries about this run, its undos and redos.
    #[arg(long, value_name = "ID")]
    run: Option<String>,

    /// Only events of this name, such as `plan_approved`.
    #[arg(long, value_name = "NAME", value_parser = Event::NAMES)]
    event: Option<String>,

    /// Only the newest entries.
    #[arg(long, value_name = "N")]
    last: Option<usize>,

    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plan = args.plan.as_deref().map(|name| gate.plan_or_run_named(name)).transpose()?;
        let plan = plan.map(|plan| plan.created.plan_id);
        let run = args.run.as_deref().map(|name| door::run_named(gate, name)).transpose()?;
        let line = run.map(|run| gate.lineage(&run.run_id));
        let runs: BTreeSet<RunId> = match &plan {
            Some(plan) => {
                let of = |run: &RunEntry| run.plan_id == *plan;
                gate.runs().into_iter().filter(of).map(|run| run.run_id).collect()
            }
            None => BTreeSet::new(),
        };
        let mut entries = gate.entries()?;
        entries.retain(|entry| {
            let run_id = entry.event.run_id();
            plan.as_ref().is_none_or(|plan| {
                entry.event.plan_id() == Some(plan) || run_id.is_some_and(|run| runs.contains(run))
            }) && line
                .as_ref()
                .is_none_or(|line| run_id.is_some_and(|run_id| line.iter().any(|of| of == run_id)))
                && args.event.as_deref().is_none_or(|name| entry.event.name() == name)
        });
        let width = Look::of_stdout().width;
        let skip = args.last.map_or(0, |last| entries.len().saturating_sub(last));
        for entry in entries.iter().skip(skip) {
            if args.json {
                printer.json_line(entry)?;
            } else {
                print(gate, entry, width, printer)?;
            }
        }
        Ok(Exit::Done)
    })
}

fn print(
    gate: &Gate<'_>,
    entry: &Entry,
    width: Option<usize>,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let (quiet, strong, plain) = (style::QUIET, style::STRONG, Style::new());
    let of_plan = entry.event.plan_id().map(PlanId::as_str);
    let subject = of_plan.or(entry.event.run_id().map(RunId::as_str)).unwrap_or_default();
    let subject = printer.short(subject);
    let detail = visible(printer.shortened(&detail(gate, &entry.event)).as_bytes());
    let columns = [
        (quiet, format!("{:>4} {}", entry.seq, moment(&entry.time))),
        (strong, format!("{:<15}", entry.event.name())),
        (plain, format!("{subject:<6}")),
        (quiet, visible(entry.actor.name.as_bytes())),
        (plain, if detail.is_empty() { detail } else { format!(" {detail}") }),
    ];
    let [head, event, subject, actor, detail] = &columns;
    // The same order on every width: when, what happened, to what, who, and what about it.
    let rows = flow::rows(&columns, width, &[head, event, subject, actor], &[detail]);
    Ok(rows.iter().try_for_each(|row| printer.line(row))?)
}

/// A time for people: the second suffices.
fn moment(time: &str) -> String {
    time.get(..19).map_or_else(|| time.to_owned(), |time| time.replacen('T', " ", 1))
}

fn detail(gate: &Gate<'_>, event: &Event) -> String {
    match event {
        Event::RecordBegun { project, .. } => format!("project {project}"),
        Event::RecordMoved { from, to, .. } => format!("from {from} to {to}"),
        Event::Refused { codes, .. } => codes.join(", "),
        Event::PlanCreated(created) => created.goal.clone(),
        Event::PlanEvaluated { decision, quality, risk, .. } => {
            let risk = risk.map_or_else(|| "-".into(), |risk| risk.to_string());
            let quality = quality.map(Thousandths::new);
            let quality = quality.map_or_else(|| "-".into(), |quality| quality.to_string());
            format!("{}, risk {risk}, quality {quality}", decision.as_str())
        }
        Event::PlanApproved { approval, .. } => {
            let by = serde_json::to_value(approval.assurance).unwrap_or_default();
            format!("by {}", by.as_str().unwrap_or_default())
        }
        Event::PlanRejected { reason, .. } => reason.clone(),
        Event::PlanExpired { cause, .. } => one_line(&cause.to_string()),
        Event::RunStarted { run_id, kind, .. } | Event::UndoApproved { run_id, kind, .. } => {
            match kind {
                RunKind::Plan => format!("run {run_id}"),
                RunKind::Undo { of } => format!("run {run_id} takes back {of}"),
                RunKind::Redo { of } => format!("run {run_id} takes back the undo {of}"),
            }
        }
        Event::PlanExecuted { run_id, status, .. } => {
            let run = gate.run_named(run_id).ok();
            let why = run.and_then(|run| gate.why(&run));
            let why = why.as_deref().and_then(|why| why.lines().next());
            let why = why.map_or_else(String::new, |why| format!(": {why}"));
            format!("run {run_id} {}{why}", status.as_str())
        }
        Event::PolicyChanged(seen) => format!(
            "profile {}, ceiling {}, policy {:.12}",
            seen.profile.as_str(),
            seen.autonomy_ceiling.as_str(),
            seen.policy_hash.to_string()
        ),
        Event::RunBegun { run_id, .. } => format!("run {run_id}"),
        Event::StepStarted { step_id, attempt, .. } => match attempt {
            1 => step_id.to_string(),
            more => format!("{step_id}, attempt {more}"),
        },
        Event::StepFinished { step_id, end, reason, .. } => {
            let end = serde_json::to_value(end).unwrap_or_default();
            let reason = reason.as_ref().map_or_else(String::new, |why| format!(": {why}"));
            format!("{step_id} {}{reason}", end.as_str().unwrap_or_default())
        }
        Event::StepAsked { step_id, .. } => format!("{step_id} waits for a person"),
        Event::StepDecided { step_id, approved, .. } => {
            format!("{step_id} {}", if *approved { "approved" } else { "declined" })
        }
        Event::StepUnknown { step_id, .. } => format!("{step_id}: what happened is not known"),
        Event::StepResolved { step_id, happened, .. } => {
            format!("{step_id} {}", if *happened { "happened" } else { "did not happen" })
        }
        Event::RunCancelled { run_id } => format!("run {run_id} is to stop"),
        Event::RunAborted { .. } => "rolled back; every file is as it was before".into(),
        Event::PlanPaused { .. }
        | Event::RunCompleted { .. }
        | Event::RunForgotten { .. }
        | Event::PlanForgotten { .. } => String::new(),
    }
}
