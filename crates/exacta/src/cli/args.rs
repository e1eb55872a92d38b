//! The command line as it is typed. What it means is up to each command.

use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand};

use super::{
    adopt, approve, capture, changes, check, completions, demo, diff, doctor, explain, gc, init,
    list, log, pause, policy, propose, recover, reject, renew, results, review, run, schema, show,
    stats, status, undo, verify, wait,
};

/// The gate between what an AI plans and what really happens.
///
/// An AI proposes. Exacta checks, scores and asks. Exactly what was approved happens: all of it or
/// none of it, on the record, with a way back.
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
    Init(init::Args),
    Adopt(adopt::Args),
    Check(check::Args),
    Propose(propose::Args),
    Capture(capture::Args),
    List(list::Args),
    Status(status::Args),
    Show(show::Args),
    Diff(diff::Args),
    Explain(explain::Args),
    Wait(wait::Args),
    Review(review::Args),
    Approve(approve::Args),
    Reject(reject::Args),
    Changes(changes::Args),
    Pause(pause::Args),
    Renew(renew::Args),
    Run(run::Args),
    Undo(undo::Args),
    Redo(undo::RedoArgs),
    Recover(recover::Args),
    Log(log::Args),
    Verify(verify::Args),
    Checkpoint(verify::CheckpointArgs),
    Results(results::Args),
    Policy(policy::Args),
    Schema(schema::Args),
    Demo(demo::Args),
    Doctor(doctor::Args),
    Stats(stats::Args),
    Gc(gc::Args),
    Forget(gc::ForgetArgs),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

/// The whole command line as data, for the reference.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}
