//! `exacta recipe`: what people want every day, as plans.

mod list;
mod overlay;
mod plan;
mod run;
mod schedule;

pub(super) use plan::fill;

pub(super) use run::as_custom;

use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;

/// Make and run plans from recipes.
///
/// A recipe is a fixed sequence of steps that an intent fills. What it makes is a plan like any
/// other: checked, scored, decided on, asked for where it must be, and on the record.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Plan(plan::Args),
    Run(run::Args),
    Schedule(schedule::Args),
    Overlay(overlay::Args),
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    match &args.command {
        Command::List(args) => list::run(args, printer),
        Command::Plan(args) => plan::run(args, printer),
        Command::Run(args) => run::run(args, printer),
        Command::Schedule(args) => schedule::run(args, printer),
        Command::Overlay(args) => overlay::run(args, printer),
    }
}
