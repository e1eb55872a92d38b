//! `exacta verify` and `exacta checkpoint`: does the record show tampering.

use std::path::{Path, PathBuf};

use exacta_core::record::NOTHING_BEFORE;
use exacta_core::text::shown::visible;
use exacta_engine::gate::GateError;
use exacta_engine::log::{LogError, Problem, ProblemKind};
use exacta_engine::machine::{Machine as _, ThisMachine, time_text};
use exacta_engine::trust::{Checkpoint, FolderTrust};

use super::door::{self, Door};
use super::input::Source;
use super::{approved, receipt, remote};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::style;
use crate::render::Printer;
use crate::wire::{CheckpointReport, VerifyReport};

const FORMAT: &str = "exacta/checkpoint/v1";

/// Check the whole record, its signatures, and everything derived from it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta verify
  exacta checkpoint > ~/exacta-checkpoint.json   # keep it elsewhere
  exacta verify --against ~/exacta-checkpoint.json
  exacta verify --receipt receipt.json
  exacta verify --approved origin/topic
  exacta verify --approved origin/topic --server https://gate.example

Exit codes: 0 nothing is wrong, 14 nothing is, but a run was interrupted, 15 something is.")]
pub(crate) struct Args {
    /// Also compare with a checkpoint that was kept elsewhere.
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,

    /// Check a receipt of a run instead; works without a project.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["against", "approved"])]
    receipt: Option<PathBuf>,

    /// The public key that signed the receipt; this machine's own without it.
    #[arg(long, value_name = "HEX", requires = "receipt")]
    key: Option<String>,

    /// Check that merging this revision into HEAD does exactly what an approved plan does.
    #[arg(long, value_name = "REV", conflicts_with = "against")]
    approved: Option<String>,

    #[command(flatten)]
    server: remote::Server,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

/// Print the head of the record, to be kept elsewhere.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta checkpoint > checkpoint.json")]
pub(crate) struct CheckpointArgs {
    /// Accepted like everywhere; a checkpoint is JSON anyway.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    if let Some(file) = &args.receipt {
        return receipt::verify(file, args.key.as_deref(), args.json, printer);
    }
    if let Some(revision) = &args.approved {
        if args.server.server.is_some() {
            return remote::approved(revision, &args.server, args.json, printer);
        }
        return approved::verify(revision, args.json, printer);
    }
    if args.server.server.is_some() {
        return Err(CliError::Usage {
            message: "a server is asked what was approved there".into(),
            help: "say what with `--approved REV`".into(),
        });
    }
    let kept = args.against.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let door = Door::open(printer)?;
    let (mut whole_by_itself, compared) = (false, !kept.is_empty());
    let report = match &door.identity.standing {
        FolderTrust::Known(identity) => {
            // The head of another record says nothing about this one.
            let (kept, others): (Vec<_>, Vec<_>) =
                kept.into_iter().partition(|kept| kept.project == *identity.project);
            let looked = door.look(|gate| {
                let recovery_needed = !gate.interrupted()?.is_empty();
                let report = VerifyReport::from(gate.verify(&heads(&kept))?);
                whole_by_itself = !report.problems.is_empty()
                    && compared
                    && gate.verify(&[])?.problems.is_empty();
                Ok(VerifyReport { recovery_needed, ..report })
            });
            let mut report = match looked {
                Ok(report) => report,
                Err(CliError::Gate(GateError::Log(error))) if error.is_tampering() => {
                    broken(&door, &kept, &error)?
                }
                Err(error) => return Err(error),
            };
            for other in others {
                let message = format!(
                    "the checkpoint is of the project {}, and this is {}",
                    other.project, identity.project
                );
                report.problems.push(problem(ProblemKind::OtherProject, message));
            }
            report
        }
        other => {
            let kind = match other {
                FolderTrust::Moved(_) => ProblemKind::Moved,
                FolderTrust::Copied(_) => ProblemKind::Copied,
                FolderTrust::Foreign { .. } => ProblemKind::NoCheckpointHere,
                FolderTrust::Replaced(_) => ProblemKind::Replaced,
                FolderTrust::Removed(_) => ProblemKind::Missing,
                FolderTrust::New | FolderTrust::Known(_) => {
                    return Err(door::no_record(&door.root));
                }
            };
            let problems = vec![problem(kind, other.explain())];
            let recovery_needed = false;
            VerifyReport { ok: false, entries: 0, head: None, problems, recovery_needed }
        }
    };
    let report = VerifyReport { ok: report.problems.is_empty(), ..report };
    if args.json {
        printer.json(&report)?;
    } else {
        let ground = Ground { compared, whole_by_itself };
        print(&report, ground, printer)?;
    }
    Ok(match (report.ok, report.recovery_needed) {
        (true, false) => Exit::Done,
        (true, true) => Exit::Unsettled,
        (false, _) => Exit::Unverified,
    })
}

pub(super) fn checkpoint(args: &CheckpointArgs, printer: &mut Printer) -> Result<Exit, CliError> {
    let CheckpointArgs { json: _ } = args;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let now = ThisMachine.now().map_err(GateError::from)?;
        printer.json(&CheckpointReport {
            format: FORMAT.into(),
            project: gate.head().project.to_string(),
            entries: gate.head().entries,
            head: gate.head().head,
            time: time_text(now.wall_ms),
        })?;
        Ok(Exit::Done)
    })
}

/// A record that cannot even be opened is walked entry by entry.
fn broken(
    door: &Door,
    kept: &[CheckpointReport],
    error: &LogError,
) -> Result<VerifyReport, CliError> {
    let secrets = door.identity.secrets()?;
    let report = exacta_engine::gate::check_record(door.root.as_ref(), &secrets, &heads(kept))?;
    let mut report = VerifyReport::from(report);
    if report.problems.is_empty() {
        report.problems.push(problem(ProblemKind::Edited, error.to_string()));
    }
    Ok(report)
}

fn heads(kept: &[CheckpointReport]) -> Vec<Checkpoint> {
    kept.iter().map(|kept| Checkpoint::settled(kept.entries, kept.head)).collect()
}

fn problem(kind: ProblemKind, message: String) -> Problem {
    Problem { kind, entry: None, file: ".exacta".into(), message }
}

fn read(path: &Path) -> Result<CheckpointReport, CliError> {
    const LIMIT: usize = 64 << 10;
    let bytes = Source::from(path).read(LIMIT)?;
    let bad = |why: String| CliError::Usage {
        message: format!("`{}` is not a checkpoint: {why}", path.display()),
        help: "`exacta checkpoint > FILE` makes one".into(),
    };
    let kept: CheckpointReport =
        serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    if kept.format != FORMAT {
        return Err(bad(format!("format `{}`", kept.format)));
    }
    // Only a record that has not begun has no entries, and nothing is its head.
    if (kept.entries == 0) != (kept.head.to_string() == NOTHING_BEFORE) {
        return Err(bad(format!("{} entries do not have the head {}", kept.entries, kept.head)));
    }
    Ok(kept)
}

/// What the record was held against.
#[derive(Clone, Copy)]
struct Ground {
    /// A checkpoint that somebody kept.
    compared: bool,
    /// Without it nothing is wrong.
    whole_by_itself: bool,
}

fn print(report: &VerifyReport, ground: Ground, printer: &mut Printer) -> Result<(), CliError> {
    let (good, bad) = (style::GOOD, style::ERROR);
    let interrupted = "A run was interrupted, which is not tampering: `exacta recover` finishes it \
                       or rolls it back.";
    if let (true, Some(head)) = (report.ok, &report.head) {
        printer.line(&format!(
            "{good}the record is whole{good:#}: {}",
            match report.entries {
                1 => "1 entry".into(),
                count => format!("{count} entries"),
            }
        ))?;
        printer.line(&format!("head {head}"))?;
        if ground.compared {
            printer.line("it goes through the checkpoint that was kept")?;
        }
        if report.recovery_needed {
            printer.line(interrupted)?;
        }
        return Ok(());
    }
    let beside = [ProblemKind::Projection, ProblemKind::Object, ProblemKind::Backup];
    let headline = if !report.problems.is_empty()
        && report.problems.iter().all(|problem| beside.contains(&problem.kind))
    {
        "the record is whole, but not what stands beside it"
    } else {
        "the record does not verify"
    };
    printer.line(&format!("{bad}{headline}{bad:#}"))?;
    for problem in &report.problems {
        let at = problem.entry.map_or_else(String::new, |entry| format!(" entry {entry}"));
        printer.line(&format!(
            "  {}{at} in {}: {}",
            problem.kind.as_str(),
            visible(problem.file.as_bytes()),
            visible(problem.message.as_bytes())
        ))?;
    }
    if ground.whole_by_itself {
        printer.line(
            "The record hangs together and fits what this machine has noted, but not that \
             checkpoint: either the checkpoint was changed, or the record and the note of it were \
             put back together. Until you know, decide on nothing here.",
        )?;
    } else if let Some(problem) = report.problems.first() {
        printer.line(what_to_do(problem.kind))?;
    }
    if report.recovery_needed {
        printer.line(interrupted)?;
    }
    Ok(())
}

/// What was kept safe, and the way on.
const fn what_to_do(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Projection => {
            "Nothing runs from such a file. `exacta recover` writes it again where it is missing; \
             delete a file that was changed and it does so too."
        }
        ProblemKind::Object => {
            "Plans that need what is missing or changed do not run; \
             propose them again."
        }
        ProblemKind::Backup => {
            "What was kept cannot be brought back by `exacta undo`, and it does not try. A program \
             that had such a file open may have saved into it, so look at the kept file first; \
             `exacta forget` then deletes the backup of that run."
        }
        ProblemKind::OtherProject => {
            "Nothing is wrong with this record by itself. Name a checkpoint that was made here; if \
             this one was, somebody has begun the record anew since (`exacta adopt`)."
        }
        ProblemKind::Moved => {
            "Nothing runs here yet. `exacta adopt` goes on with the record at this place, with its \
             history and every undo; plans that are still open expire."
        }
        ProblemKind::Copied | ProblemKind::NoCheckpointHere => {
            "Nothing of it is trusted here and nothing runs. `exacta adopt` starts a new record."
        }
        ProblemKind::Replaced
        | ProblemKind::Missing
        | ProblemKind::Edited
        | ProblemKind::Misplaced
        | ProblemKind::Cut
        | ProblemKind::ForeignKey => {
            "Nothing of it is trusted and nothing runs. Find out who changed it; a copy of \
             `.exacta/` that verifies can be put back. `exacta adopt` starts a new record."
        }
    }
}
