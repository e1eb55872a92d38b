//! `exacta show`: a plan with everything that is known about it.

use exacta_core::shown::visible;
use exacta_engine::gate::Shown;

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckReport, ProposeReport};

/// Show a plan: its files, scores, reasons and hashes.
///
/// It is computed again from what was handed in, on the files as they were.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta show ID\n  exacta show ID --json")]
pub(crate) struct Args {
    /// The plan: its id or the beginning of it.
    plan: String,

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
            print(&shown, printer)?;
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
    }
}

/// Prints a plan for people.
pub(super) fn print(shown: &Shown, printer: &mut Printer) -> Result<(), CliError> {
    let created = &shown.entry.created;
    let subject = Subject { name: created.plan_id.clone(), text: &[], is_patch: true };
    let report = CheckReport::examined(&shown.examined);
    render::plan(&subject, &report, &shown.examined, printer)?;
    if !shown.same {
        printer.note("policy or program changed since; the scores on the record count");
    }
    if let Some(intent) = &shown.intent {
        printer.line(&format!("intent: {}", visible(intent.as_bytes())))?;
    }
    printer.line(&format!("plan {}: {}", created.plan_id, shown.state))
}
