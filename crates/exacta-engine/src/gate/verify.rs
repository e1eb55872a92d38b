//! Verifying: the whole record, what is derived from it, and what it names.

use exacta_core::life::ledger::{PlanEntry, RunEntry, RunStage};

use super::error::GateError;
use super::handle::Gate;
use super::identity::Secrets;
use super::stored::PlanRecord;
use crate::log::{Depth, Problem, ProblemKind, Report, RunJournal, check};
use crate::proof::still_verifies;
use crate::run::{Drift, Engine, UndoError};
use crate::trust::Checkpoint;
use crate::workspace::{PortError, Spot, Workspace};

/// Checks a record that cannot even be opened.
///
/// # Errors
/// When a file cannot be read at all.
pub fn check_record(
    port: &dyn Workspace,
    secrets: &Secrets,
    kept: &[Checkpoint],
) -> Result<Report, GateError> {
    let (noted, public) = (secrets.checkpoints.load()?, secrets.signer.public());
    Ok(check(port, &secrets.project, &public, noted, kept, Depth::WHOLE)?)
}

impl Gate<'_> {
    /// Checks the whole record and everything derived from it.
    ///
    /// # Errors
    /// When a file cannot be read at all.
    pub fn verify(&self, kept: &[Checkpoint]) -> Result<Report, GateError> {
        let report = self.verified(kept)?;
        if report.problems.is_empty() {
            return Ok(report);
        }
        // Somebody may have been adding to the record while it was read. In a turn of our own
        // nobody does; where there is none to have, nobody can add either.
        let Ok(turn) = self.ports.port.turn() else { return Ok(report) };
        let again = self.look_again().map_err(GateError::from).and_then(|()| self.verified(kept));
        drop(turn);
        Ok(again.unwrap_or(report))
    }

    fn verified(&self, kept: &[Checkpoint]) -> Result<Report, GateError> {
        let mut report = self.log.check(kept, Depth::WHOLE)?;
        if report.problems.is_empty() {
            let judge = |plan: &PlanEntry, stored: &_| self.compare_objects(plan, stored);
            report.problems.extend(unless_refused(self.compare_projections(judge))?);
            report.problems.extend(self.compare_results());
            report.problems.extend(self.compare_signed()?);
            report.problems.extend(unless_refused(self.compare_backups())?);
        }
        Ok(report)
    }

    /// Whether the record itself holds together, whatever became of what is derived from it.
    ///
    /// # Errors
    /// When a file cannot be read at all.
    pub fn check_chain(&self) -> Result<bool, GateError> {
        Ok(self.log.check(&[], Depth::WHOLE)?.problems.is_empty())
    }

    /// What passkeys signed must be what stands there.
    fn compare_signed(&self) -> Result<Vec<Problem>, GateError> {
        let entries = self.log.entries()?;
        let forged = entries
            .iter()
            .filter(|entry| entry.event.passkey().is_some_and(|p| !still_verifies(p)));
        let problem = |seq| Problem {
            kind: ProblemKind::Edited,
            entry: Some(seq),
            file: ".exacta/log".into(),
            message: "what it says a passkey signed was not signed by that passkey".into(),
        };
        Ok(forged.map(|entry| problem(entry.seq)).collect())
    }

    /// Objects of runs must be what their names promise.
    fn compare_results(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for run in self.log.ledger().runs() {
            for (what, object) in [("results", run.results), ("reason", run.why)] {
                if let Some(error) = object.and_then(|object| self.objects.get(&object).err()) {
                    let whose = format!("{what} of the run {}", run.run_id);
                    problems.push(no_such_object(&whose, &error));
                }
            }
        }
        problems
    }

    /// Objects of a plan must be what their names promise.
    fn compare_objects(
        &self,
        plan: &PlanEntry,
        stored: &Result<PlanRecord, GateError>,
    ) -> Vec<Problem> {
        let whose = format!("plan {}", plan.created.plan_id);
        match stored {
            Err(GateError::Forgotten { .. }) => Vec::new(),
            Err(error) => vec![no_such_object(&whose, error)],
            Ok(record) => record
                .blobs
                .iter()
                .filter_map(|digest| self.objects.get(digest).err())
                .map(|error| no_such_object(&whose, &error))
                .collect(),
        }
    }

    /// What completed runs backed up must be what undo would bring back.
    fn compare_backups(&self) -> Result<Vec<Problem>, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        // Recovery puts these where they belong, or takes them back.
        let unsettled = engine.unsettled()?;
        let runs: Vec<RunEntry> = self.log.ledger().runs().cloned().collect();
        let mut problems = Vec::new();
        for run in runs {
            let kept = run.stage == RunStage::Completed && !run.forgotten;
            if !kept || unsettled.contains(&run.run_id) {
                continue;
            }
            let somewhere = || format!(".exacta/kept (run {})", run.run_id);
            let found = match engine.lost_originals(&run.run_id) {
                Ok(lost) => {
                    let at = |(drift, at): (Drift, Spot)| (at.to_string(), drift.to_string());
                    lost.into_iter().map(at).collect()
                }
                Err(UndoError::NotUndoable(_)) => {
                    vec![(
                        somewhere(),
                        "the list of what it backed up is gone or was changed".into(),
                    )]
                }
                Err(error) => vec![(somewhere(), error.to_string())],
            };
            problems.extend(found.into_iter().map(|(file, message)| {
                let kind = ProblemKind::Backup;
                Problem { kind, entry: None, file, message }
            }));
        }
        Ok(problems)
    }
}

fn no_such_object(whose: &str, error: &dyn std::error::Error) -> Problem {
    Problem {
        kind: ProblemKind::Object,
        entry: None,
        file: format!(".exacta/objects ({whose})"),
        message: error.to_string(),
    }
}

/// What was found; a link or a special file where a folder of ours was is found, too.
fn unless_refused(found: Result<Vec<Problem>, GateError>) -> Result<Vec<Problem>, GateError> {
    match found {
        Err(GateError::Port(PortError::Refused { at, fault })) => Ok(vec![Problem {
            kind: ProblemKind::Projection,
            entry: None,
            file: at.to_string(),
            message: fault.to_string(),
        }]),
        found => found,
    }
}
