//! `exacta init`: make `.exacta/`, show the policy in force, and offer the project's tests as a
//! check.

use std::io::IsTerminal as _;
use std::path::Path;

use exacta_core::judge::policy::{Policy, Runs};
use exacta_core::model::plan::Constraint;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{Gate, GateError, RecordHead};
use exacta_engine::intake::{self, IntakeError};
use exacta_engine::proof::ControllingTerminal;
use exacta_engine::trust::FolderTrust;
use exacta_engine::workspace::Workspace as _;

use super::confirm::DecideArgs;
use super::door::Door;
use super::found_tests;
use super::policy::{Trial, WantedCheck, add_check};
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
/// Makefile …). With your yes it is tried once, and added if it passes.
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
    if intake::is_bare(Path::new(&door.root.id().path)) {
        let error = IntakeError::Bare;
        return Err(CliError::Refused { message: error.to_string(), help: error.help().into() });
    }
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

/// Offers the project's tests as a check where none judges its runs; a no is an answer.
pub(super) fn offer_tests(door: &Door, printer: &mut Printer) -> Result<(), CliError> {
    let policy = door.policy().map_err(|error| CliError::Gate(GateError::Policy(error)))?;
    if is_checked(&policy) {
        return Ok(());
    }
    door.act(|gate| offered(door, gate, &policy, printer))
}

/// Whether some check judges the runs of this project already.
fn is_checked(policy: &Policy) -> bool {
    let named = |constraint: &Constraint| matches!(constraint, Constraint::TestsRequired { checks } if !checks.is_empty());
    policy.checks.values().any(|check| check.runs == Runs::Always)
        || policy.constraints.iter().any(named)
}

fn offered(
    door: &Door,
    gate: &Gate<'_>,
    policy: &Policy,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let folder = door.root.location().map_err(GateError::from)?;
    let folder = Path::new(&folder);
    let found = found_tests::commands(folder);
    let path = std::env::var_os("PATH");
    let here = |command: &&Vec<String>| found_tests::is_there(folder, command, path.as_deref());
    let Some(command) = found.iter().find(here) else {
        if let Some(missing) = found.first() {
            printer.note(&format!(
                "the tests of this project seem to be `{}`, but `{}` is not here; `exacta policy \
                 set check NAME --here -- CMD` takes another command",
                visible(missing.join(" ").as_bytes()),
                visible(missing.first().map(String::as_bytes).unwrap_or_default()),
            ));
        }
        return Ok(());
    };
    let wanted = WantedCheck::tests_of(folder, command.clone(), &policy.checks);
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
    match add_check(door, gate, &wanted, None, &DecideArgs::default(), Trial::First, printer) {
        Ok(()) => Ok(printer.line(&wanted.done())?),
        // Nobody has to.
        Err(
            CliError::Undecided { .. }
            | CliError::Gate(GateError::NotEntitled { .. } | GateError::Policy(_)),
        ) => {
            printer.note(&format!("no check was added; {later} does it later"));
            Ok(())
        }
        Err(CliError::Refused { message, .. }) => {
            printer.note(&format!("no check was added: {message}"));
            printer.note(&format!("{later} adds it all the same; CMD may be another command"));
            Ok(())
        }
        Err(error) => Err(error),
    }
}
