//! `exacta policy check`: mistakes in policy files, each with its place.

use std::path::{Path, PathBuf};

use exacta_core::judge::policy::{LayerName, merge, read};
use exacta_core::model::diagnostic::Issue;
use exacta_core::text::shown::visible;
use exacta_engine::policy::{
    CEDAR_LIMIT, Content, FILE_LIMIT, Found, PolicyError, read_cedar, survey,
};

use crate::cli::input::Source;
use crate::cli::{CliError, in_force, project};
use crate::exit::Exit;
use crate::paint::style;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckedFile, PolicyCheckReport};

/// Check policy files: syntax, keys, values, and who may write to them.
///
/// Without a file, every layer that is in force here is checked, also for values that are
/// ignored because they would loosen the policy. A file in a folder `.exacta` is read as that
/// of a project, any other as the operator's; one that ends in `.cedar` as policies for Cedar.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta policy check
  exacta policy check .exacta/policy.toml
  exacta policy check .exacta/policy.cedar
  exacta policy check - < policy.toml

Exit codes: 0 every file can be used, 10 one cannot, 1 I/O error.")]
pub(crate) struct Args {
    /// A policy file to check by itself, or `-` for standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

/// A file, its text, and what is known about it.
struct Checked {
    file: CheckedFile,
    text: Vec<u8>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let checked = match &args.file {
        Some(path) => vec![one(path)?],
        None => all(printer)?,
    };
    let ok = !checked.iter().any(|entry| entry.file.issues.iter().any(Issue::is_error));
    let exit = if ok { Exit::Done } else { Exit::Refused };
    if args.json {
        let files = checked.into_iter().map(|entry| entry.file).collect();
        printer.json(&PolicyCheckReport { ok, exit_code: exit.code(), files })?;
    } else {
        people(ok, args.file.is_none(), &checked, printer)?;
    }
    Ok(exit)
}

fn one(path: &Path) -> Result<Checked, CliError> {
    let source = Source::from(path);
    let cedar = path.extension().is_some_and(|ending| ending == "cedar");
    let limit = if cedar { CEDAR_LIMIT } else { FILE_LIMIT };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let text = source.read(limit)?;
    if text.len() > limit {
        return Err(CliError::Usage {
            message: format!("`{}` has more than {limit} bytes", source.name()),
            help: "a policy that large would be refused".into(),
        });
    }
    let within = path.parent().and_then(Path::file_name);
    let layer = match within.filter(|folder| *folder == ".exacta") {
        Some(_) => LayerName::Project,
        None => LayerName::Operator,
    };
    let issues = if cedar {
        read_cedar(layer, &text).map_or_else(|issues| issues, |file| file.warnings().to_vec())
    } else {
        read(layer, &text).err().unwrap_or_default()
    };
    let file = CheckedFile { layer, path: source.name(), found: true, issues };
    Ok(Checked { file, text })
}

fn all(printer: &mut Printer) -> Result<Vec<Checked>, CliError> {
    let mut checked = Vec::new();
    let mut layers = Vec::new();
    for Found { name, path, outcome, .. } in survey(&project::open(printer)?, &in_force::places()?)
    {
        let cedar = path.extension().is_some_and(|ending| ending == "cedar");
        let path = path.display().to_string();
        let mut entry = Checked {
            file: CheckedFile { layer: name, path, found: true, issues: Vec::new() },
            text: Vec::new(),
        };
        match outcome {
            Ok(Some(Content::Keys(layer))) => layers.push(*layer),
            Ok(Some(Content::Cedar(file))) => entry.file.issues = file.warnings().to_vec(),
            // Not having policies for Cedar is nothing to tell.
            Ok(None) if cedar => continue,
            Ok(None) => entry.file.found = false,
            Err(error) => {
                entry.file.issues = error.issues();
                if let PolicyError::Invalid { text, .. } = error {
                    entry.text = text.into_bytes();
                }
            }
        }
        checked.push(entry);
    }
    for loosening in merge(&layers).ignored {
        let of_layer = checked.iter_mut().find(|entry| entry.file.layer == loosening.layer);
        if let Some(entry) = of_layer {
            entry.file.issues.push(loosening.issue());
        }
    }
    Ok(checked)
}

/// All findings first, then one line for each file.
fn people(
    ok: bool,
    in_force: bool,
    checked: &[Checked],
    printer: &mut Printer,
) -> Result<(), CliError> {
    for Checked { file, text } in checked {
        let subject =
            Subject { name: visible(file.path.as_bytes()), text, is_patch: false, parts: &[] };
        render::findings(&subject, &file.issues, printer)?;
    }
    let found: Vec<_> = checked.iter().map(|entry| &entry.file).filter(|file| file.found).collect();
    if found.is_empty() {
        printer.line("There is no policy file; the built-in values hold.")?;
    }
    for file in found {
        let refused = file.issues.iter().any(Issue::is_error);
        let (word, tone) = if refused { ("refused", style::ERROR) } else { ("good", style::GOOD) };
        printer.line(&format!("{tone}{word}{tone:#}: {}", visible(file.path.as_bytes())))?;
    }
    if !ok && in_force {
        printer.line("Nothing can be proposed, approved or run until this is corrected.")?;
    }
    if !ok && !in_force {
        printer.line("Where such a file is in force, nothing can be proposed, approved or run.")?;
    }
    Ok(())
}
