//! `exacta adopt`: take over a project that was moved, copied or brought along.

use exacta_core::judge::policy::Decide;
use exacta_core::record::Beginning;
use exacta_engine::gate::{GateError, GoOnHere, Recover, WentOn};
use exacta_engine::machine::ThisMachine;
use exacta_engine::proof::Proof;
use exacta_engine::trust::{FolderTrust, TrustError};

use super::confirm::{self, DecideArgs};
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::ProjectReport;

/// Take over a project whose record is not this gate's, or is not where it was.
///
/// A folder that was moved on this machine goes on with its record, its history and every undo;
/// only plans that are still open expire. Anything else (a copy, a clone that brought a record
/// along, a record that does not verify) starts anew: the old record is set aside and counts
/// for nothing, its plans, approvals and ways back are not trusted.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta verify   # says what is the matter\n  exacta adopt")]
pub(crate) struct Args {
    /// Start a new record even where the old one could go on.
    #[arg(long)]
    anew: bool,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

/// Whether the record can be opened and holds together.
fn is_whole(door: &Door) -> Result<bool, CliError> {
    match door.look(|gate| Ok(gate.check_chain()?)) {
        Err(CliError::Gate(GateError::Log(error))) if error.is_tampering() => Ok(false),
        Err(CliError::Gate(GateError::TrustStore(TrustError::NoKey { .. }))) => Ok(false),
        other => other,
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    if matches!(door.identity.standing, FolderTrust::New) {
        return Err(CliError::Usage {
            message: "this project has no record to take over".into(),
            help: "`exacta init` makes one".into(),
        });
    }
    if matches!(door.identity.standing, FolderTrust::Known(_)) && is_whole(&door)? {
        return Err(CliError::Refused {
            message: "nothing is wrong with the record of this project; nothing was done".into(),
            help:
                "adopting would give up its plans, approvals and ways back; `exacta verify` says \
                   when that is needed"
                    .into(),
        });
    }
    if !args.anew
        && let Some(exit) = go_on(&door, args, printer)?
    {
        return Ok(exit);
    }
    let unsettled = door.identity.left_in_the_middle(&door.root)?;
    // Where the key is known that began a run, the run is brought to one side first.
    let former = door.identity.secrets_before_the_move()?.filter(|_| unsettled > 0);
    let left = match (unsettled, &former) {
        (0, _) => "",
        (_, Some(_)) => " A run was interrupted before the move; it is recovered first.",
        (_, None) => {
            " A run was interrupted here, and nothing can vouch for what it left: files may be \
             half changed. Compare them with a copy you trust; the originals stay in the folder \
             `runs` of the record that is set aside."
        }
    };
    let why = match &door.identity.standing {
        FolderTrust::Known(_) => "the record does not verify (`exacta verify` says where)".into(),
        other => other.explain(),
    };
    let question = format!(
        "{why}. Adopting sets its record aside: earlier plans, approvals and backups count for \
         nothing.{left}"
    );
    proven(&door, args, question)?;
    if let Some(former) = &former {
        door.with(former, |gate| {
            door::handle(gate, &door::caller(None), Recover, printer)?;
            Ok(())
        })?;
        if door.identity.left_in_the_middle(&door.root)? > 0 {
            return Err(CliError::Refused {
                message: "a run that was interrupted before the move cannot be recovered".into(),
                help: "move the project back and run `exacta recover` there; nothing was adopted"
                    .into(),
            });
        }
    }
    door.operator().meet_first().map_err(CliError::Policy)?;
    let secrets = door.identity.adopt(&door.root, &ThisMachine)?;
    let head = door.with(&secrets, |gate| {
        gate.begin(Beginning::Adopted)?;
        Ok(gate.head().head)
    })?;
    if args.json {
        printer.json(&ProjectReport { project: secrets.project, head, made: true })?;
        return Ok(Exit::Done);
    }
    printer.line(&format!("adopted: project {}", secrets.project))?;
    printer.line(&format!("head {head}"))?;
    Ok(Exit::Done)
}

/// What shows the right to take over.
fn proven(door: &Door, args: &Args, question: String) -> Result<Proof, CliError> {
    let proof = confirm::proof(door, &args.decide, || Ok(question), false)?;
    if !proof.is_none() {
        return Ok(proof);
    }
    // There is no plan here whose hash could be given.
    let needed = match door.policy().map_err(CliError::Policy)?.decide {
        Decide::Hash => Decide::Terminal,
        needed => needed,
    };
    Err(GateError::NotEntitled { needed }.into())
}

/// Goes on with the record of a folder that was moved; `None` where that is not what happened,
/// or the record is not the one that was last noted.
fn go_on(door: &Door, args: &Args, printer: &mut Printer) -> Result<Option<Exit>, CliError> {
    let Some(held) = door.identity.held_if_moved(&door.root)? else { return Ok(None) };
    let Some(secrets) = door.identity.secrets_before_the_move()? else { return Ok(None) };
    let to = door.root.id().path;
    let from = held.from().to_owned();
    let went_on = door.with(&secrets, |gate| {
        if !gate.is_as_noted()? {
            return Ok(None);
        }
        let proof = proven(
            door,
            args,
            format!(
                "Go on with the record here\n  the project was moved from {from}\n  to {to}\n  \
                 history and every undo stay; plans that are still open expire"
            ),
        )?;
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        // A run that was interrupted before the move is settled first.
        let command = GoOnHere { from: from.clone(), to: to.clone(), proof };
        let went_on = door::handle(gate, &caller, command, printer)?;
        Ok(Some((went_on, gate.head().head)))
    });
    let (WentOn { expired }, newest) = match went_on {
        Ok(Some(went_on)) => went_on,
        Ok(None) => return Ok(None),
        // What does not hold together does not go on; it can only begin anew.
        Err(CliError::Gate(GateError::Log(error))) if error.is_tampering() => return Ok(None),
        Err(error) => return Err(error),
    };
    door.identity.rebind(&held, &door.root)?;
    if args.json {
        printer.json(&ProjectReport { project: secrets.project, head: newest, made: false })?;
        return Ok(Some(Exit::Done));
    }
    printer.line("the record goes on here, with its history and every undo")?;
    if expired > 0 {
        let plans = if expired == 1 { "plan" } else { "plans" };
        printer.line(&format!("{expired} {plans} expired; `exacta renew ID` makes fresh ones"))?;
    }
    Ok(Some(Exit::Done))
}
