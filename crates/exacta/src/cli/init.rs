//! `exacta init`: make `.exacta/` and show the policy in force.

use exacta_engine::gate::{GateError, RecordHead};
use exacta_engine::trust::FolderTrust;

use super::door::Door;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::ProjectReport;

/// Make a record for this project and show the policy in force.
///
/// Not needed before `propose`, which does it by itself. The folder `.exacta/` ignores
/// itself in git; the key that signs the record lies outside the project.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta init\n  exacta -C path/to/project init")]
pub(crate) struct Args {
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let there = matches!(door.identity.standing, FolderTrust::Known(_));
    let record = door.act(|gate| {
        gate.begin(exacta_core::record::Beginning::Started)?;
        Ok(gate.head())
    })?;
    let RecordHead { project, head, .. } = record;
    let policy = door.policy().map_err(|error| CliError::Gate(GateError::Policy(error)))?;
    if args.json {
        printer.json(&ProjectReport { project, head, made: !there })?;
        return Ok(Exit::Done);
    }
    let done = if there { "was there already" } else { "was made" };
    printer.line(&format!("the record {done}: project {project}"))?;
    printer.line(&format!("head {head}"))?;
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let profile = word(serde_json::to_value(policy.effective_profile())?);
    let decide = word(serde_json::to_value(policy.decide)?);
    printer.line(&format!(
        "policy in force: profile {profile}, deciding by {decide}, plans live {} minutes",
        policy.ttl_minutes
    ))?;
    printer.line("`exacta policy show` shows all of it and where each value comes from")?;
    Ok(Exit::Done)
}
