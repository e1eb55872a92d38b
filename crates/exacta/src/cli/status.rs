//! `exacta status`: where a plan is in its life.

use std::time::Duration;

use exacta_core::results::TaskStatus;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{PlanStatus, StatusReport};

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use exacta_core::review::time;

/// Show where a plan is in its life.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta status ID\n  exacta status ID --json | jq -r .standing"
)]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let report = gate.status(gate.plan_or_run_named(&args.plan)?.id())?;
        if args.json {
            printer.json(&report)?;
        } else {
            print(&report, printer)?;
        }
        Ok(Exit::Done)
    })
}

pub(super) fn print(report: &StatusReport, printer: &mut Printer) -> Result<(), CliError> {
    let undone = report.undone_by.as_ref();
    let undone = undone.map_or_else(String::new, |by| format!(", undone by {by}"));
    printer.line(&format!("plan {}: {}{undone}", report.plan_id, report.status))?;
    if let Some(why) = &report.ended_because {
        printer.line(&format!("  because {}", visible(why.as_bytes())))?;
    }
    printer.line(&format!("  hash    {}", report.plan_hash))?;
    if let Some(parent) = &report.parent {
        printer.line(&format!("  parent  {parent}, which it was made in place of"))?;
    }
    printer.line(&format!("  created {}", report.created_at))?;
    let risk = report.risk.map_or_else(|| "not scored".into(), |risk| risk.to_string());
    let quality = report.quality.map_or_else(|| "not scored".into(), |q| q.to_string());
    printer.line(&format!("  risk {risk}, quality {quality}"))?;
    if let Some(decision) = &report.decision {
        printer.line(&format!("  decision {}", decision.as_str()))?;
    }
    for reason in &report.reasons {
        printer.line(&format!("    {}", visible(reason.as_bytes())))?;
    }
    if let Some(left) = report.expires_in_sec {
        printer.line(&format!("  expires in {}", time(Duration::from_secs(left))))?;
    }
    if let Some(cause) = &report.out_of_date {
        printer.line(&format!(
            "  out of date: {}; `exacta renew {}` makes a fresh plan",
            visible(cause.as_bytes()),
            report.plan_id
        ))?;
    }
    if report.status == PlanStatus::Running && report.run_id.is_none() {
        printer.line("  its checks are under way; nothing has changed yet")?;
    }
    if let Some(run_id) = &report.run_id {
        let status = match (report.run_status, report.interrupted) {
            (Some(status), _) => TaskStatus::as_str(status),
            (None, true) => {
                "interrupted; `exacta recover` finishes it or rolls it back, and so does every \
                 command that writes"
            }
            (None, false) => "under way",
        };
        printer.line(&format!("  run {run_id}: {status}"))?;
    }
    if let Some(reason) = &report.run_reason {
        let mut lines = reason.lines();
        let why = visible(lines.next().unwrap_or_default().as_bytes());
        let what = if report.run_id.is_some() { "because" } else { "the last start failed:" };
        printer.line(&format!("    {what} {why}"))?;
        for line in lines {
            printer.line(&format!("    | {}", visible(line.as_bytes())))?;
        }
    }
    Ok(())
}
