//! `exacta recipe run`: hands in what a recipe makes, or a planner's plan as `Custom`.

use std::path::{Path, PathBuf};

use exacta_core::model::plan::Recipe;
use exacta_core::read::parse::{self, Limits};
use exacta_engine::gate::SourceKind;

use super::plan::{Filling, draft};
use crate::cli::CliError;
use crate::cli::door::Door;
use crate::cli::draft::{Wish, ask};
use crate::cli::input::Source;
use crate::cli::propose::{Handing, hand_in};
use crate::exit::Exit;
use crate::planner::Form;
use crate::render::{Printer, Subject};

/// Hand in what a recipe makes of an intent; it runs if the decision allows.
///
/// With `--plan` the plan of a planner is handed in as a `Custom` plan: ten steps at most, no
/// schedule and no vault, only addresses that the intent or the inputs name. `Custom` without a
/// plan asks the configured model for one, as `exacta draft` does.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "exacta recipe run <NAME> --intent <TEXT> [OPTIONS]\n       exacta recipe run --plan <FILE> [--intent <TEXT>] [OPTIONS]",
    after_help = "Examples:\n  exacta recipe run WebsiteMonitor --intent 'watch https://example.com/prices' --selector '#price'\n  exacta recipe run InboxTriage --intent 'sort my mail' --inbox forwarded.mbox\n  exacta recipe run Custom --intent 'read https://example.com/ and draft a mail to me@example.com'\n  my-planner | exacta recipe run --plan - --intent 'read https://example.com/ and draft a mail'"
)]
pub(crate) struct Args {
    /// The recipe; `exacta recipe list` has their names.
    #[arg(value_name = "NAME", required_unless_present = "plan", requires = "intent")]
    name: Option<String>,

    /// A planner's plan, handed in as `Custom`: a file, or `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "selector", "ignore", "inbox"])]
    plan: Option<PathBuf>,

    #[command(flatten)]
    filling: Filling,

    #[command(flatten)]
    handing: Handing,

    /// Two commands with the same key are carried out once.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let intent = args.handing.intent.clone().unwrap_or_default();
    // Nobody has written a plan yet: the configured model is asked for one.
    if args.plan.is_none() && args.name.as_deref() == Some("Custom") {
        let wish = Wish { what: &intent, intent: &intent, form: Form::Tools, dry_run: false };
        return ask(&Door::open(printer)?, &wish, &args.handing, printer);
    }
    let (name, text) = match (&args.plan, &args.name) {
        (Some(path), _) => custom(path)?,
        (None, Some(name)) => {
            (format!("<{name}>"), draft(name, &intent, &args.filling)?.into_bytes())
        }
        (None, None) => {
            return Err(CliError::Usage {
                message: "there is no recipe to run".into(),
                help: "name one, or give `--plan FILE`".into(),
            });
        }
    };
    let subject = Subject { name, text: &text, is_patch: false, parts: &[] };
    let door = Door::open(printer)?;
    let key = args.idempotency_key.clone();
    hand_in(&door, SourceKind::Draft, &subject, None, &args.handing, key, printer)
}

/// A planner's plan, marked as `Custom`. What is not a draft is handed in as it is: the gate
/// refuses it and puts that on the record.
fn custom(path: &Path) -> Result<(String, Vec<u8>), CliError> {
    let source = Source::from(path);
    let text = source.read(Limits::default().raw_bytes)?;
    let name = source.name();
    let Ok(read) = parse::draft(&text, Limits::default()) else { return Ok((name, text)) };
    match read.recipe {
        Some(Recipe::Custom) => Ok((name, text)),
        Some(_) => Err(CliError::Usage {
            message: "the plan claims to be of a preset recipe".into(),
            help: "a planner's plan is `Custom`: write `\"recipe\": \"Custom\"` or leave it out"
                .into(),
        }),
        None => Ok((name, as_custom(text))),
    }
}

/// The text of a draft that says that it is `Custom`, unless it says so already.
pub(in crate::cli) fn as_custom(text: Vec<u8>) -> Vec<u8> {
    if parse::draft(&text, Limits::default()).is_ok_and(|draft| draft.recipe.is_some()) {
        return text;
    }
    let start = text.iter().position(|byte| *byte == b'{').unwrap_or_default();
    let (before, rest) = text.split_at(start.saturating_add(1).min(text.len()));
    [before, b"\"recipe\":\"Custom\",", rest].concat()
}
