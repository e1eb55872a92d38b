//! `exacta show`: a plan with everything that is known about it.

use std::time::Duration;

use exacta_core::model::digest::Digest;
use exacta_core::review::Subject;
use exacta_engine::gate::{Gate, PlanStatus, Shown};

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::Look;
use crate::render::Printer;
use crate::review;
use crate::wire::{CheckReport, ProposeReport};

/// Show a plan as a review shows it: why, steps, diff, files, scores, words.
///
/// It is computed again from what was handed in, on the files as they were.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta show ID\n  exacta show ID --json")]
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
        let shown = gate.show(gate.plan_or_run_named(&args.plan)?.id())?;
        if args.json {
            printer.json(&report(&shown))?;
        } else {
            print(gate, &shown, printer)?;
        }
        Ok(Exit::Done)
    })
}

/// The plan as `propose --json` shows it.
fn report(shown: &Shown) -> ProposeReport {
    ProposeReport {
        check: CheckReport::examined(&shown.examined),
        plan_id: Some(shown.entry.created.plan_id.clone()),
        correlation_id: Some(shown.entry.created.correlation_id.clone()),
        state: Some(shown.state),
        run: None,
        run_id: shown.entry.run_id().cloned(),
        recovered: Vec::new(),
    }
}

/// Prints a plan for people.
pub(super) fn print(gate: &Gate<'_>, shown: &Shown, printer: &mut Printer) -> Result<(), CliError> {
    let stale =
        if shown.is_live() { gate.out_of_date(&shown.entry.created.plan_id)? } else { None };
    let stale = stale.map(|cause| cause.to_string());
    let look = Look::of_stdout();
    printer.data(|out| review(shown, stale.as_deref(), |plan| review::show(plan, look, out)))?;
    status(shown, printer)
}

/// Prints the plan's status.
pub(super) fn status(shown: &Shown, printer: &mut Printer) -> Result<(), CliError> {
    if !shown.same {
        printer.note("policy or program changed since; the scores on the record count");
    }
    if let Some(parent) = &shown.entry.created.parent {
        printer.line(&format!("made in place of plan {parent}"))?;
    }
    let status = PlanStatus::of(&shown.entry, shown.state, shown.run.as_ref());
    Ok(printer.line(&format!("plan {}: {status}", shown.entry.created.plan_id))?)
}

/// Hands the plan to something that shows it.
pub(crate) fn review<T>(
    shown: &Shown,
    stale: Option<&str>,
    act: impl FnOnce(&Subject<'_>) -> T,
) -> T {
    let (created, examined) = (&shown.entry.created, &shown.examined);
    let image = |digest: &Digest| examined.image(digest).cloned();
    act(&Subject {
        plan_id: &created.plan_id,
        plan_hash: created.plan_hash,
        intent: shown.intent.as_deref(),
        proposer: created.proposer.as_deref(),
        draft: examined.draft(),
        changes: examined.changes(),
        image: &image,
        examined,
        expires_in: shown.is_live().then(|| Duration::from_millis(shown.left_ms)),
        stale,
    })
}
