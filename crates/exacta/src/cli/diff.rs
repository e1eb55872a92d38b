//! `exacta diff`: what a plan does to files, as a patch.

use std::io::{self, Write as _};

use super::door::Door;
use super::show;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::review::{self, Look};

/// Show what a plan does to files.
///
/// Into a file or a pipe it is a patch that `git apply` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta diff ID\n  exacta diff ID | git apply --check")]
pub(crate) struct Args {
    /// The plan: its id, or the beginning or end of it.
    plan: String,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    door.look(|gate| {
        let shown = gate.show(&args.plan)?;
        let mut out = io::stdout().lock();
        show::review(&shown, None, |plan| review::diff(plan, Look::of_stdout(), &mut out))?;
        out.flush()?;
        Ok(Exit::Done)
    })
}
