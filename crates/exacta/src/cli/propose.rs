//! `exacta propose`: hand in a plan, a patch or a merge; it runs if the decision allows.

use std::collections::BTreeMap;
use std::path::PathBuf;

use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{
    Caller, Decided, Gate, Propose, Proposed, RecoverIfInterrupted, SourceKind,
};
use exacta_engine::intake::{self, Ask, IntakeError};
use exacta_engine::trust::FolderTrust;

use super::commit::CommitArgs;
use super::door::{self, Door};
use super::go_on::{Made, go_on};
use super::input::{Files, Input};
use super::remote;
use crate::cli::CliError;
use crate::exit::Exit;
use crate::render::{self, Printer, Subject};
use crate::wire::{CheckReport, ProposeReport};

/// Hand in a plan, a patch or what a merge would do.
///
/// What a text is, is seen from its first line: a plan, or a patch of `git diff`, `git show`,
/// `git format-patch` (one or a series) or `diff -u`. With `--branch` or `--git` git is asked
/// what merging into HEAD would do; nothing of the repository is changed, and nothing that its
/// settings name is run. Several patches are one plan: each applies on top of those before it.
///
/// The text is checked, scored and decided on, and all of it goes on the record. A plan
/// that may run alone runs at once. One that waits for a person is shown right away when
/// there is a terminal.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "exacta propose [OPTIONS] <FILE|->...\n       exacta propose [OPTIONS] --branch <NAME>\n       exacta propose [OPTIONS] --git <RANGE>",
    after_help = "Examples:
  exacta propose plan.json --intent 'rename greet to hello'
  my-agent --plan | exacta propose -
  git diff HEAD...origin/topic | exacta propose -
  exacta propose 0001-fix.patch
  exacta propose series/*.patch                   # a series of `git format-patch`, as one plan
  exacta propose --branch origin/topic
  exacta propose --branch origin/topic --commit   # and commit what was approved
  exacta propose --git main..topic
  exacta propose --server https://gate.example --git main..topic
  exacta propose plan.json --as my-agent --json

Exit codes: 0 it ran (or would, with --no-run), 10 refused, or rejected in the review, 11 waits
for a person, 12 changes were requested in the review, 13 the run went back, 14 recovery needed."
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,

    /// Hand in what merging this branch (or commit) into HEAD would do.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["plan", "patch"])]
    branch: Option<String>,

    /// Hand in what B has and A has not, merged into HEAD: `A..B` (or `A...B`), or one commit.
    #[arg(long, value_name = "RANGE", conflicts_with_all = ["plan", "patch", "branch"])]
    git: Option<String>,

    #[command(flatten)]
    server: remote::Server,

    #[command(flatten)]
    handing: Handing,

    /// Two commands with the same key are carried out once.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

/// What is said beside a plan, however it came about.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Handing {
    /// What the user asked for, in plain words.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) intent: Option<String>,

    /// A constraint the plan must keep: `kind`, `kind=value,value` or a JSON object.
    #[arg(long = "constraint", value_name = "C")]
    pub(super) constraints: Vec<String>,

    /// Who made the plan, as registered under `[proposers]` in policy.
    #[arg(long = "as", value_name = "NAME")]
    pub(super) proposer: Option<String>,

    /// The plan that this one answers a request for changes of.
    #[arg(long, value_name = "ID")]
    pub(super) parent: Option<String>,

    /// Decide, but do not run.
    #[arg(long)]
    pub(super) no_run: bool,

    #[command(flatten)]
    pub(super) commit: CommitArgs,

    /// The file that holds the credential, where policy says `decide = "credential"` and the
    /// plan is reviewed right away.
    #[arg(long, value_name = "FILE")]
    pub(super) credential: Option<PathBuf>,

    /// Do not ask at the terminal, even if there is one.
    #[arg(long)]
    pub(super) no_review: bool,

    /// Print the outcome as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    let branch = args.branch.clone().map(Ask::Branch);
    if let Some(ask) = branch.or_else(|| args.git.clone().map(Ask::Range)) {
        if args.server.server.is_some() {
            return remote::propose(&ask, &args.server, &args.handing, printer);
        }
        return merge(args, &ask, printer);
    }
    if args.server.server.is_some() {
        return Err(CliError::Usage {
            message: "a server is handed a branch".into(),
            help: "say which with `--git RANGE` or `--branch NAME`; nothing was handed in".into(),
        });
    }
    if args.files.is_empty() {
        return Err(CliError::Usage {
            message: "there is no plan to hand in".into(),
            help:
                "name a file, or `-` for standard input: `git diff HEAD...topic | exacta propose \
                   -`; a branch is handed in with `exacta propose --branch topic`"
                    .into(),
        });
    }
    let input = Input::read(&args.files)?;
    let kind = if input.is_patch { SourceKind::Patch } else { SourceKind::Draft };
    let door = Door::open(printer)?;
    hand_in(
        &door,
        kind,
        &input.subject(),
        None,
        &args.handing,
        args.idempotency_key.clone(),
        printer,
    )
}

/// Asks git what a merge would do and hands that in, for the files that it was made for.
fn merge(args: &Args, ask: &Ask, printer: &mut Printer) -> Result<Exit, CliError> {
    let door = Door::open(printer)?;
    let room = door::room()?;
    // What git is compared with must not be half of something.
    if matches!(door.identity.standing, FolderTrust::Known(_)) {
        door.look(|gate| {
            if gate.interrupted()?.is_empty() {
                return Ok(());
            }
            Ok(door::handle(gate, &door::caller(None), RecoverIfInterrupted, printer)?)
        })?;
    }
    let proposal =
        intake::merge(&door.root, ask, &room).map_err(|error| not_proposed(error, printer))?;
    let (Ask::Branch(name) | Ask::Range(name)) = ask;
    let name = format!("<merge of {}>", visible(name.as_bytes()));
    let subject = Subject { name, text: &proposal.text, is_patch: true, parts: &[] };
    let (seen, key) = (Some(&proposal.seen), args.idempotency_key.clone());
    hand_in(&door, SourceKind::Patch, &subject, seen, &args.handing, key, printer)
}

/// Past this many files a report sums up.
const MOST_FILES: usize = 20;

/// Says which files are in the way; the error says what to do.
fn not_proposed(error: IntakeError, printer: &mut Printer) -> CliError {
    let files = error.files();
    for (path, why) in files.iter().take(MOST_FILES) {
        printer.note(&format!("`{path}`: {why}"));
    }
    if let Some(more) = files.len().checked_sub(MOST_FILES).filter(|more| *more > 0) {
        printer.note(&format!("and {more} more files"));
    }
    let exit = match error {
        IntakeError::NotRun(_) | IntakeError::Io(_) | IntakeError::Git(_) => Exit::Failure,
        _ => Exit::Refused,
    };
    CliError::NotMerged { exit, error: Box::new(error) }
}

/// The files that a text was made on, where that is known.
type MadeOn = BTreeMap<RelPath, Option<Digest>>;

/// Hands in a text and does what the decision allows.
pub(super) fn hand_in(
    door: &Door,
    kind: SourceKind,
    subject: &Subject<'_>,
    made_on: Option<&MadeOn>,
    args: &Handing,
    key: Option<String>,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let caller = Caller::new(door::actor(args.proposer.as_deref())).with_key(key);
    door.act(|gate| {
        let parent = args.parent.as_deref().map(|name| gate.plan_named(name)).transpose()?;
        let command = Propose {
            intent: args.intent.clone(),
            constraints: args.constraints.clone(),
            proposer: args.proposer.clone(),
            parent: parent.map(|parent| parent.created.plan_id),
            made_on: made_on.cloned(),
            ..Propose::new(kind, subject.text.to_vec())
        };
        let proposed = door::handle(gate, &caller, command, printer)?;
        go_on_with(door, gate, proposed, subject, args, printer)
    })
}

/// Shows what became of a text, and runs or reviews the plan that it made.
pub(super) fn go_on_with(
    door: &Door,
    gate: &Gate<'_>,
    proposed: Proposed,
    subject: &Subject<'_>,
    args: &Handing,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    match proposed {
        Proposed::Refused { issues, correlation_id, examined } => {
            let check = match &examined {
                Some(examined) => CheckReport::examined(examined),
                None => CheckReport::refused(issues),
            };
            if args.json {
                let correlation_id = Some(correlation_id);
                let (plan_id, state, run, run_id) = (None, None, None, None);
                let recovered = gate.recovered();
                printer.json(&ProposeReport {
                    check,
                    plan_id,
                    correlation_id,
                    state,
                    run,
                    run_id,
                    recovered,
                })?;
            } else {
                let human = render::Format::Human;
                render::check(human, subject, &check, examined.as_deref(), printer)?;
            }
            Ok(Exit::Refused)
        }
        // A command that was cut off is taken up where it stands now.
        Proposed::Again(plan) => {
            printer.note("this plan was handed in before, with the same key");
            let shown = gate.show(&plan.plan_id)?;
            let plan = Decided { state: shown.state, ..plan };
            let made = Made {
                plan,
                correlation_id: shown.entry.created.correlation_id.clone(),
                ran_before: shown.run,
            };
            go_on(door, gate, made, &shown.examined, subject, args, printer)
        }
        Proposed::Plan { plan, correlation_id, examined } => {
            let plan_id = plan.plan_id.clone();
            let made = Made { plan, correlation_id, ran_before: None };
            let ended = go_on(door, gate, made, &examined, subject, args, printer);
            if matches!(ended, Err(CliError::Write(_))) {
                printer.note(&format!(
                    "plan {plan_id} is on the record; `exacta status {plan_id}` says how it stands"
                ));
            }
            ended
        }
    }
}
