//! `exacta undo` and `exacta redo`: take a run back, or an undo.

use exacta_core::life::ledger::{RunEntry, RunStage};
use exacta_core::model::change::Change;
use exacta_core::model::id::RunId;
use exacta_core::model::path::RelPath;
use exacta_core::record::RunKind;
use exacta_core::text::shown::visible;
use exacta_engine::gate::{
    Caller, ConflictReason, Direction, Foreseen, Gate, GateError, ProposeUndo, Redo, Undo,
    UndoPart, UndoProposed, UndoState, Undone,
};

use super::confirm::{self, DecideArgs, one_line};
use super::deeds::{self, MOST_NAMED, Words, deeds};
use super::door::{self, Door};
use super::propose::{self, Handing};
use super::run as running;
use super::{commit, decision};
use crate::cli::CliError;
use crate::exit::Exit;
use crate::paint::style;
use crate::render::{Printer, Subject};

/// Take a run back: every file is as it was before.
///
/// Refuses when a file was changed since; later work is never overwritten. A person's undo
/// is its own approval. Whoever may not decide uses `--propose`: the inverse becomes a plan
/// that is scored and decided on like any other.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  exacta undo                   # the newest run
  exacta undo RUN
  exacta undo RUN --free        # on a conflict: only what nobody has changed since
  exacta undo RUN --merge       # on a conflict: the rest, keeping what was changed since
  exacta undo --commit          # and commit that
  exacta undo RUN --hash HASH   # the hash of the run's plan
  exacta undo RUN --propose --as my-agent

Exit codes: 0 undone, 11 the right to decide was not shown, or the proposed plan waits for a
person, 14 files were changed since; with --propose those of `propose`.")]
#[expect(clippy::struct_excessive_bools, reason = "flags of the command line")]
pub(crate) struct Args {
    /// The run, or its plan: the id, or the beginning or end of it; the newest when absent.
    run: Option<String>,

    /// Take back the files that nobody has changed since, as a plan of its own.
    #[arg(long, conflicts_with_all = ["hash", "merge", "propose"])]
    free: bool,

    /// Take back the others too where what was changed since can be kept, as a plan to review.
    #[arg(long, conflicts_with_all = ["hash", "propose"])]
    merge: bool,

    /// Commit the files as they are then, if the last commit has them as the run left them.
    #[arg(long, conflicts_with_all = ["free", "merge", "propose"])]
    commit: bool,

    /// The full hash of the run's plan.
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,

    /// Hand it in as a plan instead of deciding.
    #[arg(long, conflicts_with_all = ["hash", "credential"])]
    propose: bool,

    /// Who proposes it, as registered under `[proposers]` in policy.
    #[arg(long = "as", value_name = "NAME", requires = "propose")]
    proposer: Option<String>,

    /// Decide on the plan, but do not run it.
    #[arg(long, requires = "propose")]
    no_run: bool,

    /// Do not ask at the terminal, even if there is one.
    #[arg(long, requires = "propose")]
    no_review: bool,

    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    decide: DecideArgs,
}

/// Take an undo back: the run's changes are there again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  exacta redo RUN\n  exacta redo RUN --propose --as my-agent")]
pub(crate) struct RedoArgs {
    #[command(flatten)]
    undo: Args,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Exit, CliError> {
    invert(args, Direction::Undo, printer)
}

pub(super) fn redo(args: &RedoArgs, printer: &mut Printer) -> Result<Exit, CliError> {
    invert(&args.undo, Direction::Redo, printer)
}

fn invert(args: &Args, direction: Direction, printer: &mut Printer) -> Result<Exit, CliError> {
    let hash = decision::hash(args.hash.as_ref())?;
    let door = Door::open(printer)?;
    door.look(|gate| {
        let run = to_invert(gate, args.run.as_deref(), direction)?;
        if args.propose || args.free || args.merge {
            return hand_in(&door, gate, args, run.run_id, direction, printer);
        }
        let plan = gate.plan_named(&run.plan_id)?;
        Gate::same_hash(&plan, hash)?;
        // Nobody should confirm what cannot be done, or without knowing what it is.
        let foreseen = gate.foresee(&run.run_id, direction)?;
        // Both names of a rename stand in the plan only.
        let made =
            || gate.show(&plan.created.plan_id).map(|shown| shown.examined.changes().to_vec());
        let mut plan_of = Vec::new();
        let files = match foreseen {
            Foreseen::Conflict(conflict) => {
                let exit = report(&conflict, &[], args.json, printer)?;
                if !args.json && conflict.reason.is_none() {
                    later_runs(gate, &run.run_id, &conflict.conflicts, printer)?;
                    ways_out(gate, &run.run_id, direction, printer)?;
                }
                return Ok(exit);
            }
            Foreseen::Changes(mut changes) => {
                if deeds::may_rename(&changes) {
                    plan_of = made().unwrap_or_default();
                }
                deeds::name_renames(&mut changes, &plan_of);
                deeds(&changes, words(direction).before)
            }
            Foreseen::AfterRecovery => "  an interrupted run is recovered first".into(),
        };
        let verb = match direction {
            Direction::Undo => "Undo",
            Direction::Redo => "Redo",
        };
        let goal = one_line(&plan.created.goal);
        let question =
            || Ok(format!("{verb} run {}\n{files}\n  goal, not checked: {goal}", run.run_id));
        let proof = confirm::proof(&door, &args.decide, question, hash.is_some())?;
        let (run_id, plan_hash) = (run.run_id, hash);
        let caller = door::caller(args.decide.idempotency_key.as_ref());
        let undone = match direction {
            Direction::Undo => {
                running::watched(gate, caller, Undo { run_id, plan_hash, proof }, printer)
            }
            Direction::Redo => {
                running::watched(gate, caller, Redo { run_id, plan_hash, proof }, printer)
            }
        };
        if matches!(undone, Err(GateError::NotEntitled { .. })) {
            printer.note("`--propose` hands it in as a plan, which may wait for a person");
        }
        let undone = undone?;
        let exit = report(&undone, &plan_of, args.json, printer)?;
        let commits = args.commit || door.policy().map_err(CliError::Policy)?.commit;
        if commits && undone.state != UndoState::Conflict {
            let files = undone.receipt.iter().flat_map(|receipt| &receipt.files);
            let word = match direction {
                Direction::Undo => "Revert",
                Direction::Redo => "Reapply",
            };
            let first = plan.created.goal.lines().next().unwrap_or_default();
            let message = format!("{word} \"{first}\"\n\nExacta-Run: {}\n", undone.run_id);
            commit::after(&door, gate, files, &message, false, printer)?;
        }
        Ok(exit)
    })
}

/// The run that is meant: by its id, by its plan, or the newest that can go this way.
fn to_invert(
    gate: &Gate<'_>,
    name: Option<&str>,
    direction: Direction,
) -> Result<RunEntry, CliError> {
    let Some(name) = name else {
        let newest = gate.runs().into_iter().rev().find(|run| {
            let completed = run.kind == RunKind::Plan && run.stage == RunStage::Completed;
            let undone = gate.undone_by(&run.run_id).is_some();
            completed && !run.forgotten && undone == matches!(direction, Direction::Redo)
        });
        return newest.ok_or_else(|| CliError::Usage {
            message: match direction {
                Direction::Undo => "there is no run to undo".into(),
                Direction::Redo => "there is no undo to take back".into(),
            },
            help: "`exacta list` shows every plan and its run".into(),
        });
    };
    Ok(door::run_named(gate, name)?)
}

/// Names the runs that changed these files later: taking them back first clears the way.
fn later_runs(
    gate: &Gate<'_>,
    run_id: &RunId,
    conflicts: &[String],
    printer: &mut Printer,
) -> Result<(), CliError> {
    let runs = gate.runs().into_iter().skip_while(|run| run.run_id != *run_id).skip(1);
    let stands = runs.filter(|run| {
        let completed = run.kind == RunKind::Plan && run.stage == RunStage::Completed;
        completed && gate.undone_by(&run.run_id).is_none()
    });
    let mut later: Vec<String> = stands
        .filter_map(|run| {
            let shown = gate.show(&run.plan_id).ok()?;
            let mut paths = shown.examined.changes().iter().map(|change| change.path.as_str());
            let path = paths.find(|path| {
                let named = format!("`{path}`");
                conflicts.iter().any(|conflict| conflict.contains(&named) || conflict == path)
            })?;
            let path = visible(path.as_bytes());
            Some(format!(
                "the run {} changed `{path}` later: `exacta undo {}`",
                run.run_id, run.run_id
            ))
        })
        .collect();
    // The newest goes first.
    later.reverse();
    for line in deeds::summed(&later) {
        printer.line(&line)?;
    }
    Ok(())
}

/// Which files stand in the way, and what can be done about the others.
fn ways_out(
    gate: &Gate<'_>,
    run_id: &RunId,
    direction: Direction,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let parts = gate.undo_parts(run_id, direction)?;
    let verb = match direction {
        Direction::Undo => "undo",
        Direction::Redo => "redo",
    };
    let named = |paths: &[RelPath]| {
        let shown: Vec<String> =
            paths.iter().take(MOST_NAMED).map(|path| visible(path.as_str().as_bytes())).collect();
        let more = paths.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    };
    if !parts.free.is_empty() {
        printer.line(&format!(
            "nobody has changed {}: `exacta {verb} {run_id} --free` proposes to take them back",
            named(&parts.free)
        ))?;
    }
    if !parts.mergeable.is_empty() {
        printer.line(&format!(
            "changed in other lines: {}; `exacta {verb} {run_id} --merge` proposes to take the \
             run's lines back and keep yours",
            named(&parts.mergeable)
        ))?;
    }
    Ok(())
}

/// The words of the question and of the answer.
fn words(direction: Direction) -> &'static Words {
    match direction {
        Direction::Undo => &deeds::BACK,
        Direction::Redo => &deeds::FORTH,
    }
}

/// Hands in the inverse as a plan, for the decision table.
fn hand_in(
    door: &Door,
    gate: &Gate<'_>,
    args: &Args,
    run_id: RunId,
    direction: Direction,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    let proposer = args.proposer.clone();
    let part = match (args.free, args.merge) {
        (true, _) => UndoPart::Free,
        (_, true) => UndoPart::Merge,
        _ => UndoPart::Whole,
    };
    if part != UndoPart::Whole && !args.json {
        let parts = gate.undo_parts(&run_id, direction)?;
        let merged = parts.mergeable.iter().map(|path| format!("`{path}` has changed"));
        let left: Vec<String> = match part {
            UndoPart::Free => merged.chain(parts.stuck).collect(),
            _ => parts.stuck,
        };
        if part == UndoPart::Free && parts.free.is_empty() {
            return Err(CliError::NotProposed {
                exit: Exit::Unsettled,
                message: "every file of the run was changed since, so none can be taken back \
                          alone"
                    .into(),
                help: if parts.mergeable.is_empty() {
                    "nothing was touched; `exacta diff` of the later runs shows what was done since"
                        .into()
                } else {
                    format!("`exacta undo {run_id} --merge` keeps what was changed since").into()
                },
            });
        }
        for one in left.iter().take(MOST_NAMED) {
            printer.note(&format!("left as it is: {one}"));
        }
        if left.len() > MOST_NAMED {
            printer.note(&format!("and {} more files", left.len() - MOST_NAMED));
        }
    }
    let name = run_id.to_string();
    let command = ProposeUndo { run_id, direction, part, proposer: proposer.clone() };
    let key = args.decide.idempotency_key.clone();
    let caller = Caller::new(door::actor(proposer.as_deref())).with_key(key);
    match door::handle(gate, &caller, command, printer)? {
        UndoProposed::Proposed(handed_in) => {
            let name = format!("<inverse of {name}>");
            let subject = Subject { name, text: b"", is_patch: false, parts: &[] };
            let handing = Handing {
                proposer,
                no_run: args.no_run,
                no_review: args.no_review,
                json: args.json,
                ..Handing::default()
            };
            propose::go_on_with(door, gate, *handed_in, &subject, &handing, printer)
        }
        UndoProposed::Conflict(conflict) => report(&conflict, &[], args.json, printer),
    }
}

/// Shows what came of it; `plan` knows which changes are renames.
fn report(
    undo: &Undone,
    plan: &[Change],
    json: bool,
    printer: &mut Printer,
) -> Result<Exit, CliError> {
    if json {
        printer.json(undo)?;
    } else {
        let (good, bad) = (style::GOOD, style::ERROR);
        match undo.state {
            UndoState::Conflict => {
                let why = match &undo.reason {
                    None => "later work would be lost; these files were changed since".into(),
                    Some(reason @ ConflictReason::BackupLost) => reason.to_string(),
                    Some(reason @ ConflictReason::TakenBackByPlan { run_id }) => {
                        format!("{reason}; `exacta undo {run_id}` takes that back")
                    }
                };
                printer.line(&format!(
                    "{bad}conflict{bad:#}: nothing was touched: {}",
                    visible(why.as_bytes())
                ))?;
                for conflict in undo.conflicts.iter().take(MOST_NAMED) {
                    printer.line(&format!("  {}", visible(conflict.as_bytes())))?;
                }
                if let Some(more) = undo.conflicts.len().checked_sub(MOST_NAMED + 1) {
                    printer.line(&format!("  and {} more files", more + 1))?;
                }
            }
            state @ (UndoState::Undone | UndoState::Redone) => {
                let words = words(match state {
                    UndoState::Redone => Direction::Redo,
                    _ => Direction::Undo,
                });
                let run_id = &undo.run_id;
                let state = state.as_str();
                printer.line(&format!("{good}{state}{good:#}: run {run_id}"))?;
                let files = undo.receipt.iter().flat_map(|receipt| &receipt.files);
                let mut changes: Vec<Change> = files.map(deeds::change).collect();
                deeds::name_renames(&mut changes, plan);
                for line in deeds::done(&changes, words.after) {
                    printer.line(&line)?;
                }
                running::print_late(undo.receipt.as_ref(), printer)?;
                let back = if undo.state == UndoState::Undone { "redo" } else { "undo" };
                printer.line(&format!("take it back: `exacta {back} {}`", undo.of))?;
            }
        }
    }
    Ok(match undo.state {
        UndoState::Conflict => Exit::Unsettled,
        UndoState::Undone | UndoState::Redone => Exit::Done,
    })
}
