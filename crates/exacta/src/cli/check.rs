//! `exacta check`: parse, validate, dry-run; changes nothing.

use std::path::Path;

use exacta_core::judge::examine::{Context, Examined, examine};
use exacta_core::judge::policy::Policy;
use exacta_core::model::diagnostic::Issue;
use exacta_core::model::plan::{Constraint, Draft};
use exacta_core::read::parse::{self, Limits};
use exacta_engine::trust::FolderTrust;
use exacta_engine::workspace::Root;

use super::door::Door;
use super::input::{Files, Input};
use super::{in_force, project};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::inspector::Confined;
use crate::render::{self, Printer};
use crate::tools;
use crate::wire::{CheckReport, exit_of_check};

/// Check a plan or a patch without changing anything.
///
/// Parses the text strictly, validates every rule, and applies the plan in memory on the
/// files as they are now. Prints what is wrong, or what would happen to each file, risk
/// and quality with their evidence, the decision with its reasons, and the plan's hash.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "exacta check [OPTIONS] <FILE|->...",
    after_help = "Examples:
  exacta check plan.json
  my-agent --plan | exacta check -
  git diff main...topic | exacta check -
  exacta check series/*.patch   # a series of `git format-patch`, as one plan
  exacta check plan.json --constraint 'paths_within=src/**' --constraint no_delete
  exacta check plan.json --format github

Constraints:
  paths_within=GLOB,…   paths_except=GLOB,…   must_touch=GLOB,…
  max_files=N           max_changed_lines=N   no_delete
  tests_required[=CHECK,…]  no_new_dependencies  no_tool[=TOOL,…]
  domains=HOST,…        recipients=ADDRESS,…

Exit codes: 0 it would run alone, 10 refused, 11 it would wait for a person."
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    /// What the user asked for, in plain words.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    intent: Option<String>,

    /// A constraint the plan must keep: `kind`, `kind=value,value` or a JSON object.
    #[arg(long = "constraint", value_name = "C")]
    constraints: Vec<String>,

    /// Print the outcome as JSON.
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Show why at length: every factor, dimension and row, and what would help.
    #[arg(long, conflicts_with_all = ["json", "format"])]
    explain: bool,

    /// How to print the outcome.
    #[arg(long, value_enum, default_value_t = render::Format::Human)]
    format: render::Format,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let context = Context {
        intent: args.intent.as_deref().map(exacta_inspect::mask_secrets),
        constraints: constraints(&args.constraints)?,
        ..Context::default()
    };
    let limits = Limits::default();
    if args.files.is_empty() {
        return Err(CliError::Usage {
            message: "there is no plan to check".into(),
            help: "name a file, or `-` for standard input".into(),
        });
    }
    let input = Input::read(&args.files)?;
    let (bytes, is_patch) = (input.text.as_slice(), input.is_patch);
    let context = Context { no_model: is_patch, ..context };
    let parsed = if is_patch { parse::patch(bytes, limits) } else { parse::draft(bytes, limits) };
    let outcome = match parsed {
        Ok(draft) => Ok(judge(draft, bytes, context, printer)?),
        Err(issues) => Err(issues),
    };
    let report = match &outcome {
        Ok(examined) => CheckReport::examined(examined),
        Err(issues) => CheckReport::refused(issues.clone()),
    };
    let format = match (args.json, args.explain) {
        (true, _) => render::Format::Json,
        (_, true) => render::Format::Explain,
        _ => args.format,
    };
    render::check(format, &input.subject(), &report, outcome.as_ref().ok(), printer)?;
    Ok(exit_of_check(&report))
}

/// Examines a draft on the project around the current folder.
fn judge(
    draft: Draft,
    text: &[u8],
    mut context: Context,
    printer: &mut Printer,
) -> Result<Examined, CliError> {
    let root = project::open(printer)?;
    let loaded = in_force::policy(&root)?;
    if let Some(text) = in_force::unconfirmed(&loaded.standing) {
        printer.warn(&text);
    }
    let policy = loaded.merged.policy;
    if Path::new(&root.id().path).join(".exacta/log").exists() {
        let interrupted = record(&root, &policy, &mut context)?;
        // What is judged may be half of something; reading is all that is done here.
        if interrupted {
            printer.warn(
                "a run was interrupted, so files may be half changed; `exacta recover` finishes it or \
                 rolls it back",
            );
        }
    }
    let mut examined = examine(draft, &root, &Confined, &policy, &context)?;
    tools::guard(&mut examined, &root, &policy)?;
    examined.locate(text);
    Ok(examined)
}

/// What the record adds to the files: whether a run was interrupted, and what was taken out
/// of the session budget. Where it cannot be read, nobody can say what would run.
fn record(root: &Root, policy: &Policy, context: &mut Context) -> Result<bool, CliError> {
    let door = Door::at(Root::open(&root.id().path)?)?;
    if matches!(door.identity.standing, FolderTrust::New) {
        return Ok(false);
    }
    door.look(|gate| {
        gate.recall(context, policy)?;
        Ok(!gate.interrupted()?.is_empty())
    })
}

fn constraints(words: &[String]) -> Result<Vec<Constraint>, CliError> {
    words.iter().map(|words| parse::constraint_from_words(words).map_err(usage)).collect()
}

fn usage(issue: Issue) -> CliError {
    CliError::Usage { message: issue.message, help: issue.help }
}
