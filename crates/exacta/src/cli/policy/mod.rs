//! `exacta policy`: what is allowed here, and why.

mod check;
mod confirm;
mod credential;
mod set;
mod set_check;
mod show;
mod table;
mod test;
mod unset;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
pub(super) use set::meaning;
pub(super) use set_check::{Trial, Wanted as WantedCheck, add as add_check};

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
    Unset(unset::Args),
    Confirm(confirm::Args),
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    match &args.command {
        Command::Show(args) => show::run(args, printer),
        Command::Check(args) => check::run(args, printer),
        Command::Test(args) => test::run(args, printer),
        Command::Credential(args) => credential::run(args, printer),
        Command::Set(args) => set::run(args, printer),
        Command::Unset(args) => unset::run(args, printer),
        Command::Confirm(args) => confirm::run(args, printer),
    }
}
