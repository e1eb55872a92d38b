//! `exacta diff`: what a plan does to files, as a patch.

use exacta_core::model::change::net;

use super::door::Door;
use super::show;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::Look;
use crate::render::Printer;
use crate::review;
use crate::wire::DiffReport;

/// Show what a plan does to files.
///
/// Into a file or a pipe it is a patch that `git apply` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta diff ID\n  exacta diff ID | git apply --check\n  exacta diff ID --json | jq -r .patch"
)]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    pub(super) plan: String,

    /// Print the files and the patch as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let shown = gate.show(gate.plan_or_run_named(&args.plan)?.id())?;
        if args.json {
            let mut patch = Vec::new();
            show::review(&shown, None, |plan| review::diff(plan, Look::PLAIN, &mut patch))?;
            printer.json(&DiffReport {
                plan_id: shown.entry.created.plan_id.clone(),
                plan_hash: shown.entry.created.plan_hash,
                files: net(shown.examined.changes()),
                patch: String::from_utf8(patch).ok(),
            })?;
            return Ok(Exit::Done);
        }
        let look = Look::of_stdout();
        printer.data(|out| show::review(&shown, None, |plan| review::diff(plan, look, out)))?;
        Ok(Exit::Done)
    })
}
