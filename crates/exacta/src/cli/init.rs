//! `exacta init`: make `.exacta/`, show the policy in force, and offer the project's tests as a
//! check.

use std::io::IsTerminal as _;
use std::path::Path;

use exacta_engine::gate::{Gate, GateError, RecordHead};
use exacta_engine::proof::ControllingTerminal;
use exacta_engine::trust::FolderTrust;
use exacta_engine::workspace::Workspace as _;

use super::confirm::DecideArgs;
use super::door::Door;
use super::found_tests;
use super::policy::{WantedCheck, add_check};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::ProjectReport;

/// Make a record for this project and show the policy in force.
///
/// Not needed before `propose`, which does it by itself. The folder `.exacta/` ignores
/// itself in git; the key that signs the record lies outside the project.
///
/// At a terminal it also offers to run the project's tests before a run takes effect: it looks
/// for the command in the project's files (Cargo.toml, package.json, pyproject.toml, go.mod,
/// Makefile …), and nothing is added without your yes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta init\n  exacta -C path/to/project init")]
pub(crate) struct Args {
    /// Do not look for the project's tests.
    #[arg(long)]
    no_check: bool,

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
    if !args.no_check {
        offer_tests(&door, printer)?;
    }
    Ok(Exit::Done)
}

/// Offers the project's tests as a check where there is none; a no is an answer.
pub(super) fn offer_tests(door: &Door, printer: &mut Printer) -> Result<(), CliError> {
    let policy = door.policy().map_err(|error| CliError::Gate(GateError::Policy(error)))?;
    if !policy.checks.is_empty() {
        return Ok(());
    }
    door.act(|gate| offered(door, gate, printer))
}

fn offered(door: &Door, gate: &Gate<'_>, printer: &mut Printer) -> Result<(), CliError> {
    let folder = door.root.location().map_err(GateError::from)?;
    let folder = Path::new(&folder);
    let Some(command) = found_tests::commands(folder).into_iter().next() else { return Ok(()) };
    let wanted = WantedCheck::tests_of(folder, command);
    let person = std::io::stdout().is_terminal() && ControllingTerminal::open().is_some();
    let later = format!("`exacta policy set check {} --here -- {}`", wanted.name, wanted.line());
    if !person {
        printer.note(&format!(
            "the tests of this project seem to be `{}`; {later} runs them before a run takes \
             effect",
            wanted.line()
        ));
        return Ok(());
    }
    match add_check(door, gate, &wanted, None, &DecideArgs::default(), printer) {
        Ok(()) => Ok(printer.line(&wanted.done())?),
        // Nobody has to.
        Err(
            CliError::Undecided { .. }
            | CliError::Gate(GateError::NotEntitled { .. } | GateError::Policy(_))
            | CliError::Refused { .. },
        ) => {
            printer.note(&format!("no check was added; {later} does it later"));
            Ok(())
        }
        Err(error) => Err(error),
    }
}
