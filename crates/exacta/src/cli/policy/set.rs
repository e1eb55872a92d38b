//! `exacta policy set`: choose how much may run without asking.

use exacta_core::judge::policy::{Edit, Origin, Profile};
use exacta_core::text::shown::visible;
use exacta_engine::gate::{ChangePolicy, GateError};

use super::set_check;
use crate::cli::confirm::{self, DecideArgs};
use crate::cli::door::{self, Door};
use crate::cli::{CliError, decision, in_force, offer};
use crate::exit::Exit;
use crate::render::Printer;
use crate::wire::PolicySetReport;

/// Choose how much may run without asking a person, or which checks must pass first.
///
/// `manual`: every plan waits for a person; in force until somebody chooses another one.
/// `conservative`: what is proven not to change the program runs alone. `balanced`: what
/// changes it without a danger that Exacta knows runs too, and you are told. What is dangerous
/// always asks.
///
/// The choice is written into your own policy file, so it holds in every project of yours; a
/// system policy or a project's policy may still be stricter. It takes the same proof as an
/// approval, and goes on the record of this project. Plans that wait keep the profile they were
/// made under: `exacta renew` makes fresh ones.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta policy set profile conservative
  exacta policy set profile manual
  exacta policy set check tests --here -- cargo test
  exacta policy set profile balanced --hash POLICY_HASH   # where policy says decide = \"hash\"

Exit codes: 0 done, 10 the policy file is refused, 11 it was not confirmed, 12 the hash is
another policy's.")]
pub(crate) struct Args {
    #[command(subcommand)]
    key: Key,
}

#[derive(Debug, clap::Subcommand)]
enum Key {
    /// How much may run without asking.
    Profile(ProfileArgs),
    /// A command that judges staged files before a run takes effect, such as your tests.
    Check(set_check::Args),
}

#[derive(Debug, clap::Args)]
struct ProfileArgs {
    /// The profile.
    #[arg(value_parser = ["manual", "conservative", "balanced"])]
    value: String,

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
    let args = match &args.key {
        Key::Profile(args) => args,
        Key::Check(args) => return set_check::run(args, printer),
    };
    let wanted = Profile::WORDS.iter().find(|(word, _)| *word == args.value);
    let Some((_, profile)) = wanted.copied() else {
        return Err(CliError::Usage {
            message: format!("`{}` is not a profile", visible(args.value.as_bytes())),
            help: "choose `manual`, `conservative` or `balanced`".into(),
        });
    };
    let policy_hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    let operator = door.operator();
    let edit = Edit::Profile(profile);
    operator.foresee(&edit).map_err(GateError::Policy)?;
    door.act(|gate| {
        let now = door.policy().map_err(CliError::Policy)?;
        let question = || {
            let evidence = if profile > now.profile {
                offer::evidence(gate, profile)?.map(|line| format!("\n  {line}"))
            } else {
                None
            };
            Ok(format!(
                "Set the profile to {} (now {})\n  {}{}\n  written to {}, for every project of yours",
                profile.as_str(),
                now.profile.as_str(),
                meaning(profile),
                evidence.unwrap_or_default(),
                operator.path().display(),
            ))
        };
        let proof = confirm::proof(&door, &args.decide, question, policy_hash.is_some())?;
        let command = ChangePolicy { edit, policy_hash, proof, operator: operator.clone() };
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        let changed = door::handle(gate, &caller, command, printer)?;
        let loaded = in_force::policy(&door.root)?;
        if args.json {
            printer.json(&PolicySetReport {
                key: "profile".into(),
                value: profile,
                record: changed.now.clone(),
            })?;
            return Ok(Exit::Done);
        }
        let effective = changed.now.effective_profile;
        if effective == profile {
            printer.line(&format!("the profile is {}: {}", profile.as_str(), meaning(profile)))?;
        } else {
            let origins = ["profile", "autonomy_ceiling"].map(|key| loaded.merged.origins(key));
            let mut others = origins.iter().flat_map(|origins| origins.iter());
            let stricter = others.rfind(|o| !matches!(o, Origin::BuiltIn | Origin::Operator));
            printer.line(&format!(
                "your policy says {}, but {} stays in force: the {} policy is stricter",
                profile.as_str(),
                effective.as_str(),
                stricter.map_or("other", |origin| origin.as_str()),
            ))?;
        }
        if changed.before.active_profile != changed.now.active_profile
            && gate.list()?.0.iter().any(exacta_engine::gate::Listed::can_still_run)
        {
            printer.note("plans that wait were made under the other profile: `exacta renew ID`");
        }
        Ok(Exit::Done)
    })
}

/// What a profile means, in a sentence.
pub(crate) const fn meaning(profile: Profile) -> &'static str {
    match profile {
        Profile::Manual => "every plan waits for a person",
        Profile::Conservative => "low risk and good quality run alone, everything else asks",
        Profile::Balanced => "medium risk runs too and you are told, high risk asks",
    }
}
