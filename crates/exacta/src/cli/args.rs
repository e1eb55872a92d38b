//! The command line as it is typed. What it means is up to each command.

use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand};

use super::{check, demo, explain, policy, results, schema};

/// The gate between what an AI plans and what really happens.
///
/// An AI proposes; Exacta checks the plan strictly and shows exactly what would happen.
#[derive(Debug, Parser)]
#[command(name = "exacta", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Work in this folder instead of the current one.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands, in the order of the reference.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Args),
    Explain(explain::Args),
    Policy(policy::Args),
    Results(results::Args),
    Schema(schema::Args),
    Demo(demo::Args),
}

/// The whole command line as data, for the reference.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}
