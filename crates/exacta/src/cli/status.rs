//! `exacta status`: where a plan is in its life.

use std::time::Duration;

use exacta_core::ledger::{PlanEntry, RunEntry};
use exacta_core::lifecycle::State;
use exacta_core::score::Thousandths;
use exacta_core::shown::visible;
use exacta_engine::gate::{Gate, Standing};

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::review::time;
use crate::wire::StatusReport;

/// Tell where a plan is in its life.
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
        let (plan, state, run) = gate.status(&args.plan)?;
        let report = report(gate, &plan, state, run.as_ref())?;
        if args.json {
            printer.json(&report)?;
        } else {
            print(&report, printer)?;
        }
        Ok(Exit::Done)
    })
}

/// What the record says about a plan.
pub(super) fn report(
    gate: &Gate<'_>,
    plan: &PlanEntry,
    state: State,
    run: Option<&RunEntry>,
) -> Result<StatusReport, CliError> {
    let rejected = plan.rejection.as_ref().map(|rejection| rejection.reason.clone());
    let expired = plan.expiry.as_ref().map(ToString::to_string);
    let over = gate.expiry_now(plan)?.filter(|_| state == State::Expired && expired.is_none());
    let over = over.map(|cause| cause.to_string());
    let interrupted = match run.filter(|run| run.status.is_none()) {
        Some(run) => gate.interrupted()?.iter().any(|id| id.as_str() == run.run_id),
        None => false,
    };
    let left = gate.time_left(plan, state)?;
    Ok(StatusReport {
        plan_id: plan.created.plan_id.clone(),
        plan_hash: plan.created.plan_hash,
        correlation_id: plan.created.correlation_id.clone(),
        state,
        standing: Standing::of(plan, state, run).checked(plan, gate.checking().as_deref()),
        risk: plan.risk,
        quality: plan.quality.map(Thousandths::new),
        decision: plan.decision.clone(),
        reasons: plan.reasons.clone(),
        created_at: plan.created_time.clone(),
        ended_because: rejected.or(expired).or(over),
        parent: plan.created.parent.clone(),
        replaced_by: plan.expiry.as_ref().and_then(|cause| cause.successor()).map(Into::into),
        run_id: plan.run_id.clone(),
        run_status: run.and_then(|run| run.status).map(|status| status.as_str().into()),
        run_reason: run.and_then(|run| gate.why(run)).or_else(|| gate.failed_start(plan)),
        interrupted,
        expires_in_sec: left.map(|left| left / 1000),
        out_of_date: match left {
            Some(_) => gate.out_of_date(&plan.created.plan_id)?.map(|cause| cause.to_string()),
            None => None,
        },
        undone_by: run.and_then(|run| gate.undone_by(&run.run_id)),
    })
}

pub(super) fn print(report: &StatusReport, printer: &mut Printer) -> Result<(), CliError> {
    let undone = report.undone_by.as_ref();
    let undone = undone.map_or_else(String::new, |by| format!(", undone by {by}"));
    printer.line(&format!("plan {}: {}{undone}", report.plan_id, report.standing))?;
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
        printer.line(&format!("  decision {decision}"))?;
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
    if report.standing == Standing::Running && report.run_id.is_none() {
        printer.line("  its checks are under way; nothing has changed yet")?;
    }
    if let Some(run_id) = &report.run_id {
        let status = match (&report.run_status, report.interrupted) {
            (Some(status), _) => status.as_str(),
            (None, true) => {
                "interrupted; `exacta recover` brings the project to one side, and so does every \
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
