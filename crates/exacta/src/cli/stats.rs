//! `exacta stats`: what the record adds up to.

use std::collections::BTreeMap;

use exacta_core::judge::policy::Profile;
use exacta_core::life::ledger::RunStage;
use exacta_core::life::lifecycle::State;
use exacta_core::record::RunKind;
use exacta_engine::gate::Asked;
use schemars::JsonSchema;
use serde::Serialize;

use super::door::Door;
use super::offer;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Count plans, decisions and runs on the record. Nothing leaves this machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta stats\n  exacta stats --json")]
pub(crate) struct Args {
    /// Print the numbers as JSON.
    #[arg(long)]
    json: bool,
}

/// The numbers.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct StatsReport {
    /// Entries on the record.
    entries: u64,
    /// Plans in all.
    plans: u64,
    /// Plans by state: what was decided.
    by_state: BTreeMap<String, u64>,
    /// Plans by status, in the words of `list`.
    #[serde(rename = "by_standing")]
    by_status: BTreeMap<String, u64>,
    /// Plans by decision.
    by_decision: BTreeMap<String, u64>,
    /// Runs of plans that completed.
    runs_completed: u64,
    /// Runs of plans that went back.
    runs_rolled_back: u64,
    /// Completed runs that were undone and not redone.
    runs_undone: u64,
    /// What asked a person or rejected a plan, most frequent first, and how it ended.
    asked_most: Vec<Asked>,
    /// Of all plans that ran, how many nobody was asked about, in percent.
    unasked_percent: Option<u64>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let plans = gate.list()?;
        let mut stats = StatsReport {
            entries: gate.head().entries,
            plans: plans.0.len() as u64,
            ..StatsReport::default()
        };
        let (mut ran, mut unasked) = (0_u64, 0_u64);
        for listed in &plans.0 {
            *stats.by_state.entry(listed.state.as_str().into()).or_default() += 1;
            *stats.by_status.entry(listed.status.as_str().into()).or_default() += 1;
        }
        for plan in gate.plans() {
            if let Some(decision) = plan.decision {
                *stats.by_decision.entry(decision.as_str().into()).or_default() += 1;
            }
            if plan.run_id().is_some() {
                ran += 1;
                unasked += u64::from(plan.state() == State::AutoApproved);
            }
        }
        for run in gate.runs().into_iter().filter(|run| run.kind == RunKind::Plan) {
            match run.stage {
                RunStage::Completed => stats.runs_completed += 1,
                RunStage::Aborted | RunStage::Decided => stats.runs_rolled_back += 1,
                RunStage::Started => {}
            }
            stats.runs_undone += u64::from(gate.undone_by(&run.run_id).is_some());
        }
        stats.asked_most = gate.asked_most();
        stats.unasked_percent = (unasked * 100).checked_div(ran);
        if args.json {
            printer.json(&stats)?;
        } else {
            print(&stats, printer)?;
            if let Some(evidence) = offer::evidence(gate, Profile::Conservative)?
                && door.policy().map_err(CliError::Policy)?.effective_profile() == Profile::Manual
            {
                printer.line(&evidence)?;
            }
        }
        Ok(Exit::Done)
    })
}

fn print(stats: &StatsReport, printer: &mut Printer) -> Result<(), CliError> {
    let count = |number: u64, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    };
    let (entries, plans) =
        (count(stats.entries, "entry", "entries"), count(stats.plans, "plan", "plans"));
    printer.line(&format!("{entries}, {plans}"))?;
    for (status, count) in &stats.by_status {
        printer.line(&format!("  {status:<14} {count}"))?;
    }
    printer.line("decisions")?;
    for (decision, count) in &stats.by_decision {
        printer.line(&format!("  {decision:<14} {count}"))?;
    }
    if !stats.asked_most.is_empty() {
        printer.line("what asked most: plans, approved, rejected, open")?;
    }
    for one in stats.asked_most.iter().take(10) {
        let Asked { reason, plans, approved, rejected, open } = one;
        printer.line(&format!("  {plans:>4} {approved:>4} {rejected:>4} {open:>4}  {reason}"))?;
    }
    printer.line(&format!(
        "runs: {} completed, {} rolled back, {} undone",
        stats.runs_completed, stats.runs_rolled_back, stats.runs_undone
    ))?;
    if let Some(percent) = stats.unasked_percent {
        printer.line(&format!("{percent}% of the plans that ran did so without asking anybody"))?;
    }
    Ok(())
}
