//! `--commit` after a run or an undo, or `commit = true` in policy: what was put in place, and
//! nothing else, as a commit.

use std::path::Path;

use exacta_core::life::ledger::RunState;
use exacta_core::model::change::FileMode;
use exacta_engine::commit::{Committed, commit, remarks};
use exacta_engine::gate::{Gate, GateError, Ran};
use exacta_engine::run::ReceiptFile;
use exacta_engine::workspace::Workspace as _;

use super::door::{Door, room};
use crate::cli::CliError;
use crate::render::Printer;

/// Whether what a run puts in place is committed.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct CommitArgs {
    /// Commit exactly what was approved, if the run completes and each file was as the last
    /// commit has it. No hook, no filter, no push. `commit = true` in policy does it always.
    #[arg(long)]
    pub(super) commit: bool,

    /// Let the repository's `pre-commit` hook look at the commit.
    #[arg(long, requires = "commit")]
    pub(super) hooks: bool,
}

impl CommitArgs {
    /// Whether a run is committed, by these words or by policy.
    pub(super) fn is_wanted(self, door: &Door) -> Result<bool, CliError> {
        Ok(self.commit || door.policy().map_err(CliError::Policy)?.commit)
    }

    /// Commits what a run put in place, if it is to be.
    pub(super) fn after_run(
        self,
        door: &Door,
        gate: &Gate<'_>,
        ran: &Ran,
        printer: &mut Printer,
    ) -> Result<(), CliError> {
        if self.is_wanted(door)? { of_run(door, gate, ran, self.hooks, printer) } else { Ok(()) }
    }
}

/// Commits the files of a receipt; a commit that cannot be made is said and changes nothing
/// about the run.
pub(super) fn after<'f>(
    door: &Door,
    gate: &Gate<'_>,
    files: impl Iterator<Item = &'f ReceiptFile>,
    message: &str,
    hooks: bool,
    printer: &mut Printer,
) -> Result<bool, CliError> {
    let mut committed = Vec::new();
    for file in files {
        let after = match file.after {
            None => None,
            Some(digest) => {
                let executable = file.mode_after.is_some_and(FileMode::is_executable);
                Some((gate.image(&digest, &file.path)?, executable))
            }
        };
        committed.push(Committed { path: file.path.clone(), before: file.before, after });
    }
    let folder = door.root.location().map_err(GateError::from)?;
    match commit(&room()?, Path::new(&folder), &committed, message, hooks) {
        Ok(id) => {
            let short = id.get(..12).unwrap_or(&id);
            printer.note(&format!("committed as {short}; nothing was pushed"));
            for remark in remarks(Path::new(&folder)) {
                printer.note(remark);
            }
            Ok(true)
        }
        Err(why) => {
            printer.warn(&format!("not committed: {why}; the files are as the run left them"));
            Ok(false)
        }
    }
}

/// Commits what a run put in place.
fn of_run(
    door: &Door,
    gate: &Gate<'_>,
    ran: &Ran,
    hooks: bool,
    printer: &mut Printer,
) -> Result<(), CliError> {
    if ran.state != RunState::Completed {
        return Ok(());
    }
    let goal = gate.plan_named(&ran.plan_id)?.created.goal;
    let first = goal.lines().next().unwrap_or_default();
    let subject = if first.is_empty() { "Run an approved plan" } else { first };
    let message =
        format!("{subject}\n\nExacta-Plan: {}\nExacta-Run: {}\n", ran.plan_id, ran.run_id);
    let files = ran.receipt.iter().flat_map(|receipt| &receipt.files);
    after(door, gate, files, &message, hooks, printer).map(drop)
}
