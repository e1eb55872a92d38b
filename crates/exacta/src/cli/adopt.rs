//! `exacta adopt`: take over a project that was moved, copied or brought along.

use exacta_core::judge::policy::Decide;
use exacta_core::record::Beginning;
use exacta_engine::gate::{GateError, Recover};
use exacta_engine::machine::ThisMachine;
use exacta_engine::trust::{FolderTrust, TrustError};

use super::confirm::{self, DecideArgs};
use super::door::{self, Door};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::ProjectReport;

/// Take over a project whose record is not this gate's, or is not where it was.
///
/// The old record is set aside and counts for nothing: its plans, approvals and ways back
/// are not trusted. A new record begins.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta verify   # says what is the matter\n  exacta adopt")]
pub(crate) struct Args {
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
    if confirm::proof(&door, &args.decide, || Ok(question), false)?.is_none() {
        // There is no plan here whose hash could be given.
        let needed = match door.policy().map_err(CliError::Policy)?.decide {
            Decide::Hash => Decide::Terminal,
            needed => needed,
        };
        return Err(GateError::NotEntitled { needed }.into());
    }
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
