//! `exacta policy`: what is allowed here, and why.

mod check;
mod credential;
mod set;
mod show;
mod table;
mod test;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
pub(super) use set::meaning;

/// Look at the policy in force, check policy files, test what a policy decides.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Show(show::Args),
    Check(check::Args),
    Test(test::Args),
    Credential(credential::Args),
    Set(set::Args),
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    match &args.command {
        Command::Show(args) => show::run(args, printer),
        Command::Check(args) => check::run(args, printer),
        Command::Test(args) => test::run(args, printer),
        Command::Credential(args) => credential::run(args, printer),
        Command::Set(args) => set::run(args, printer),
    }
}
