//! `exacta results`: the result contract, for lists and for executors.

mod check;
mod foreign;
mod regression;
mod verify;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Check the results of a run, ours or another executor's.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
    Verify(verify::Args),
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    match &args.command {
        Command::Check(args) => check::run(args, printer),
        Command::Verify(args) => verify::run(args, printer),
    }
}
