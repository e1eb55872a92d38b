//! `exacta mcp`: the gate for agents that speak the Model Context Protocol.

use std::path::PathBuf;

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::mcp::{Desk, serve_stdio};
use crate::render::Printer;

/// Serve an agent over the Model Context Protocol, on standard input and output.
///
/// The agent can check and propose plans, look at them, wait for a decision, run what was
/// approved and propose to undo a run. It cannot approve anything. `exacta connect` writes the
/// entry for the agents it knows.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta mcp
  exacta -C ~/work/shop mcp --as my-agent

Exit codes: 0 the client went away, 1 the connection failed.")]
pub(crate) struct Args {
    /// Who asks, as registered under `[proposers]` in policy.
    #[arg(long = "as", value_name = "NAME")]
    proposer: Option<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let folder = PathBuf::from(door.root.id().path);
    serve_stdio(Desk::new(folder, args.proposer.clone(), "mcp"))?;
    Ok(Exit::Done)
}
