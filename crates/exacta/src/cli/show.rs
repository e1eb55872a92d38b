//! `exacta show`: a plan with everything that is known about it.

use std::io;
use std::time::Duration;

use exacta_core::digest::Digest;
use exacta_engine::gate::{Gate, Shown, Standing};

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::review::{self, Look, ReviewPlan};
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
        let shown = gate.show(&args.plan)?;
        if args.json {
            printer.json(&report(&shown))?;
        } else {
            print(gate, &shown, printer)?;
        }
        Ok(Exit::Done)
    })
}

/// The plan as `propose --json` told it.
fn report(shown: &Shown) -> ProposeReport {
    ProposeReport {
        check: CheckReport::examined(&shown.examined),
        plan_id: Some(shown.entry.created.plan_id.clone()),
        correlation_id: Some(shown.entry.created.correlation_id.clone()),
        state: Some(shown.state),
        run: None,
        run_id: shown.entry.run_id.clone(),
        recovered: Vec::new(),
    }
}

/// Prints a plan for people.
pub(super) fn print(gate: &Gate<'_>, shown: &Shown, printer: &mut Printer) -> Result<(), CliError> {
    let stale = if is_live(shown) { gate.out_of_date(&shown.entry.created.plan_id)? } else { None };
    let stale = stale.map(|cause| cause.to_string());
    printer.data(|out| {
        review(shown, stale.as_deref(), |plan| review::show(plan, Look::of_stdout(), out))
    })?;
    standing(shown, printer)
}

/// Prints where the plan stands now.
pub(super) fn standing(shown: &Shown, printer: &mut Printer) -> Result<(), CliError> {
    if !shown.same {
        printer.note("policy or program changed since; the scores on the record count");
    }
    if let Some(parent) = &shown.entry.created.parent {
        printer.line(&format!("made in place of plan {parent}"))?;
    }
    let standing = Standing::of(&shown.entry, shown.state, shown.run.as_ref());
    printer.line(&format!("plan {}: {standing}", shown.entry.created.plan_id))
}

/// Whether it can still be decided on or run.
fn is_live(shown: &Shown) -> bool {
    shown.state.is_open() && shown.run.is_none()
}

/// Hands the plan to something that shows it.
pub(super) fn review<T>(
    shown: &Shown,
    stale: Option<&str>,
    act: impl FnOnce(&ReviewPlan<'_>) -> io::Result<T>,
) -> Result<T, CliError> {
    let (created, examined) = (&shown.entry.created, &shown.examined);
    let image = |digest: &Digest| examined.image(digest).cloned();
    Ok(act(&ReviewPlan {
        plan_id: &created.plan_id,
        plan_hash: created.plan_hash,
        intent: shown.intent.as_deref(),
        proposer: created.proposer.as_deref(),
        draft: examined.draft(),
        changes: examined.changes(),
        image: &image,
        report: &CheckReport::examined(examined),
        constraints: &examined.constraints,
        expires_in: is_live(shown).then(|| Duration::from_millis(shown.left_ms)),
        stale,
    })?)
}
