//! `exacta recipe plan`: the plan that a recipe makes of an intent, and nothing done.

use std::path::PathBuf;

use exacta_core::read::parse::Limits;
use exacta_core::read::recipe::{self, Extras, PRESETS, Preset};

use super::overlay;
use crate::cli::CliError;
use crate::cli::input::Source;
use crate::exit::Exit;
use crate::render::Printer;

/// Print the plan that a recipe makes of an intent; nothing is handed in.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  exacta recipe plan WebsiteMonitor --intent 'watch https://example.com/prices'\n  exacta recipe plan DailyBrief --intent 'https://example.com/feed.xml https://example.org/news' > plan.json"
)]
pub(crate) struct Args {
    /// The recipe; `exacta recipe list` has their names.
    #[arg(value_name = "NAME")]
    name: String,

    /// What you want, in plain words, with the addresses it is about.
    #[arg(long, value_name = "TEXT")]
    intent: String,

    #[command(flatten)]
    filling: Filling,
}

/// What fills a recipe beside its intent.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Filling {
    /// `WebsiteMonitor`: watch only this part of the page, a CSS selector.
    #[arg(long, value_name = "CSS")]
    selector: Option<String>,

    /// `WebsiteMonitor`: text that does not count as a change.
    #[arg(long, value_name = "TEXT")]
    ignore: Vec<String>,

    /// `InboxTriage`: the forwarded mail, an `.eml` or mbox file, or `-`; else the `tools.inbox`
    /// of policy.
    #[arg(long, value_name = "FILE")]
    inbox: Option<PathBuf>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    printer.json_text(&draft(&args.name, &args.intent, &args.filling)?)?;
    Ok(Exit::Done)
}

/// The text of the draft.
pub(super) fn draft(name: &str, intent: &str, filling: &Filling) -> Result<String, CliError> {
    let preset = named(name)?;
    let inbox = match &filling.inbox {
        Some(path) => {
            let cap = Limits::default().raw_bytes;
            let bytes = Source::from(path.as_path()).read(cap)?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        None => None,
    };
    let extras =
        Extras { selector: filling.selector.clone(), ignore: filling.ignore.clone(), inbox };
    fill(preset, intent, &extras)
}

/// The preset of this name.
pub(super) fn named(name: &str) -> Result<&'static Preset, CliError> {
    recipe::preset(name).ok_or_else(|| {
        let custom = name == "Custom";
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let (message, help) = if custom {
            (
                "a `Custom` plan comes from a planner".into(),
                "hand its plan in with `exacta recipe run --plan FILE`".into(),
            )
        } else {
            (
                format!("there is no recipe `{name}`"),
                format!("the recipes are {} and Custom", names.join(", ")),
            )
        };
        CliError::Usage { message, help }
    })
}

/// The text of the draft that a preset makes of an intent, with the overlay of this user.
pub(in crate::cli) fn fill(
    preset: &Preset,
    intent: &str,
    extras: &Extras,
) -> Result<String, CliError> {
    recipe::draft(preset.recipe, intent, extras, &overlay::load()?).map_err(|fault| {
        CliError::Usage {
            message: fault.to_string(),
            help: "name the address in full in the intent, such as `https://example.com/page`"
                .into(),
        }
    })
}
