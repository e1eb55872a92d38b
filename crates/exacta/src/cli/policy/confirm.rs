//! `exacta policy confirm`: a person says that the operator's policy counts as it is now.

use std::collections::BTreeSet;

use exacta_core::judge::policy::Row;
use exacta_core::text::shown::visible;
use exacta_engine::gate::ConfirmPolicy;
use exacta_engine::policy::Loaded;

use crate::cli::confirm::{self, DecideArgs};
use crate::cli::door::{self, Door};
use crate::cli::{CliError, decision, in_force};
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::PolicyConfirmReport;

/// Confirm your own policy file after it was moved or loosened by hand.
///
/// Where your policy lies and what it says is noted outside every project when it is first
/// met. Another place, or looser values, count only after this; until then the stricter of
/// both is in force. It takes the proof that the policy in force demands, and goes on the
/// record of this project.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta policy show
  exacta policy confirm
  exacta policy confirm --hash POLICY_HASH   # where policy says decide = \"hash\"

Exit codes: 0 done, 10 the policy file is refused, 11 it was not confirmed, 12 the hash is
another policy's.")]
pub(crate) struct Args {
    /// The hash of the policy in force, as `exacta policy show` prints it.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let policy_hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    let loaded = in_force::policy(&door.root)?;
    let Some(why) = in_force::unconfirmed(&loaded.standing) else {
        if args.json {
            let record = door.policy().map_err(CliError::Policy)?.record()?;
            printer.json(&PolicyConfirmReport { confirmed: false, record })?;
        } else {
            printer.line("nothing to confirm: your policy is in force as it is")?;
        }
        return Ok(Exit::Done);
    };
    let operator = door.operator();
    door.act(|gate| {
        let question = || {
            Ok(format!(
                "Let your policy count as it is now\n  {}\n  {why}{}",
                visible(operator.path().display().to_string().as_bytes()),
                changes(&loaded),
            ))
        };
        let proof = confirm::proof(&door, &args.decide, question, policy_hash.is_some())?;
        let command = ConfirmPolicy { policy_hash, proof, operator: operator.clone() };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        let changed = door::handle(gate, &caller, command, printer)?;
        if args.json {
            printer.json(&PolicyConfirmReport { confirmed: true, record: changed.now })?;
        } else {
            let profile = changed.now.effective_profile.as_str();
            printer.line(&format!("confirmed: your policy is in force, profile {profile}"))?;
        }
        Ok(Exit::Done)
    })
}

/// Every value that confirming changes, a line each: what holds now, and what would.
fn changes(loaded: &Loaded) -> String {
    let Some(wanted) = &loaded.unconfirmed else { return String::new() };
    let (now, then) = (loaded.merged.rows(), wanted.rows());
    let value = |rows: &[Row], key: &str| {
        rows.iter().find(|row| row.key == key).map_or_else(|| "none".into(), Row::written)
    };
    let keys: BTreeSet<&str> = now.iter().chain(&then).map(|row| row.key.as_str()).collect();
    let mut text = String::new();
    for key in keys {
        let (from, to) = (value(&now, key), value(&then, key));
        if from != to {
            text.push_str("\n  ");
            text.push_str(&visible(format!("{key}: now {from}, then {to}").as_bytes()));
        }
    }
    text
}
