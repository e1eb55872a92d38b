//! `exacta policy unset`: a check of the operator's goes.

use std::path::Path;

use exacta_core::judge::policy::{Edit, Runs};
use exacta_core::model::plan::Constraint;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{ChangePolicy, GateError};
use exacta_engine::workspace::Workspace as _;
use serde_json::json;

use super::set_check::{name_only, named_in, shell_line};
use crate::cli::confirm::{self, DecideArgs};
use crate::cli::door::{self, Door};
use crate::cli::{CliError, decision};
use crate::exit::Exit;
use crate::render::Printer;

/// Remove a check, so that changes no longer have to pass it.
///
/// It is taken out of your own policy file, and out of this project's policy where that only
/// names checks. It takes the same proof as an approval, and goes on the record of this project.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta policy show              # the checks in force
  exacta policy unset check tests-shop

Exit codes: 0 done, 10 the policy file is refused, 11 it was not confirmed, 12 the hash is
another policy's.")]
pub(crate) struct Args {
    #[command(subcommand)]
    key: Key,
}

#[derive(Debug, clap::Subcommand)]
enum Key {
    /// A command that judges staged files before a run takes effect.
    Check(CheckArgs),
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// What it is called.
    name: String,

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
    let Key::Check(args) = &args.key;
    let policy_hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    let operator = door.operator();
    let name = visible(args.name.as_bytes());
    let known = door.policy().map_err(CliError::Policy)?;
    let Some(check) = known.checks.get(&args.name) else {
        let names: Vec<String> = known.checks.keys().map(|name| format!("`{name}`")).collect();
        let there = match names.as_slice() {
            [] => "there are no checks".into(),
            names => format!("there is {}", visible(names.join(", ").as_bytes())),
        };
        return Err(CliError::Usage {
            message: format!("there is no check `{name}`"),
            help: there,
        });
    };
    let edit = Edit::NoCheck(args.name.clone());
    operator.foresee(&edit).map_err(GateError::Policy)?;
    let folder = door.root.location().map_err(GateError::from)?;
    let own = Path::new(&folder).join(".exacta/policy.toml");
    let named = named_in(&own)?;
    let names_it = |constraint: &Constraint| match constraint {
        Constraint::TestsRequired { checks } => checks.contains(&args.name),
        _ => false,
    };
    if named.is_none() && known.constraints.iter().any(names_it) {
        return Err(CliError::Refused {
            message: "this project has a policy of its own that names the check".into(),
            help: format!("take `tests_required={name}` out of its `constraints` first"),
        });
    }
    door.act(|gate| {
        let whose = match check.runs {
            Runs::Named => "where this project's policy no longer names it",
            Runs::Always => "for every project of yours",
        };
        let question = || {
            Ok(format!(
                "Remove a check: changes no longer have to pass it\n  {} (check {name})\n  \
                 written to {}, {whose}",
                shell_line(&check.command),
                operator.path().display(),
            ))
        };
        let proof = confirm::proof(&door, &args.decide, question, policy_hash.is_some())?;
        let command = ChangePolicy { edit, policy_hash, proof, operator: operator.clone() };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        // A policy that names a check which is not there would be refused.
        let named = named.filter(|names| names.contains(&args.name));
        if let Some(names) = &named {
            let others = names.iter().filter(|one| **one != args.name).cloned();
            name_only(&own, &others.collect::<Vec<_>>())?;
        }
        let changed = door::handle(gate, &caller, command, printer);
        if let (Err(_), Some(names)) = (&changed, &named) {
            name_only(&own, names)?;
        }
        changed?;
        if args.json {
            printer.json(&json!({"ok": true, "check": args.name}))?;
        } else {
            printer.line(&format!("check `{name}` is gone; changes no longer have to pass it"))?;
        }
        Ok(Exit::Done)
    })
}
