//! An undo by somebody who may propose but not decide: the inverse of a run as a plan.
//!
//! It is an ordinary plan that goes through the decision table, waits or runs, and has a
//! way back of its own. The chain of undos, which only people walk, is not touched.

use std::collections::BTreeMap;

use exacta_core::change::{Change, FileMode};
use exacta_core::digest::Blob;
use exacta_core::ledger::{RunEntry, RunStage};

use super::command::SourceKind;
use super::create::Origin;
use super::error::GateError;
use super::handle::{From, Gate};
use super::outcome::{Outcome, UndoOutcome, UndoState};
use super::stored;
use crate::capture::{Effect, Made, draft};
use crate::log::RunJournal;
use crate::run::{Drift, Engine, Found, Quiet, RunId, UndoError};

/// The permissions that a plan can say.
const SAYABLE: [FileMode; 2] = [FileMode::from_raw(0o644), FileMode::from_raw(0o755)];

/// What taking a run back comes to.
#[derive(Debug)]
pub enum Foreseen {
    /// These changes.
    Changes(Vec<Change>),
    /// Nothing: later work would be lost.
    Conflict(Box<UndoOutcome>),
    /// An interrupted run is settled first; until then files tell nothing.
    AfterRecovery,
}

/// Each change that takes a run back, and the image it ends in.
type Inverse = Vec<(Change, Option<Blob>)>;

impl Gate<'_> {
    pub(super) fn propose_undo(
        &self,
        from: &From,
        name: &str,
        again: bool,
        proposer: Option<String>,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        self.recover_if_needed(&Quiet)?;
        let run = self.to_invert(name, again)?;
        let plan = self.plan(&run.plan_id)?;
        let inverse = match self.inverse(&run, again)? {
            Ok(inverse) => inverse,
            Err(conflict) => return Ok(Outcome::Undone(conflict)),
        };
        let before: BTreeMap<_, _> = inverse
            .iter()
            .map(|(change, _)| (change.path.clone(), (change.before, change.mode_before)))
            .collect();
        let made = inverse.into_iter().map(effect).collect::<Result<Vec<_>, _>>()?;
        let goal = goal(&run, again);
        let text = draft(Some(&goal), &made);
        let draft = stored::read(SourceKind::Draft, &text).map_err(GateError::Invalid)?;
        let origin = Origin {
            kind: SourceKind::Draft,
            text,
            steps: None,
            correlation_id: plan.created.correlation_id,
            derived_from: None,
            parent: Some(plan.created.plan_id),
            intent: None,
            constraints: Vec::new(),
            proposer,
        };
        // Between our look and the examination somebody may have saved a file.
        let fits = |changes: &[Change]| {
            let same = |change: &Change| {
                before.get(&change.path) == Some(&(change.before, change.mode_before))
            };
            if changes.iter().all(same) {
                return Ok(());
            }
            let why = "files were changed while it was looked at; nothing was done";
            Err(GateError::NotUndoable(why.into()))
        };
        self.hand_in(from, &draft, origin, &policy, &fits)
    }

    /// What taking a run back would do, or what stands in its way, so that nobody is asked in
    /// vain. Nothing is touched.
    ///
    /// # Errors
    /// When there is nothing to take back.
    pub fn foresee(&self, name: &str, again: bool) -> Result<Foreseen, GateError> {
        // What the interrupted run left must be settled before record and files tell anything.
        if !self.unsettled()?.is_empty() {
            return Ok(Foreseen::AfterRecovery);
        }
        let run = self.to_invert(name, again)?;
        Ok(match self.inverse(&run, again)? {
            Ok(inverse) => {
                Foreseen::Changes(inverse.into_iter().map(|(change, _)| change).collect())
            }
            Err(conflict) => Foreseen::Conflict(Box::new(conflict)),
        })
    }

    /// The changes that take a run back, or the conflict.
    fn inverse(
        &self,
        run: &RunEntry,
        again: bool,
    ) -> Result<Result<Inverse, UndoOutcome>, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let id = RunId::parse(&run.run_id);
        let id = id.map_err(|_| GateError::NoSuchRun(run.run_id.clone()))?;
        match engine.inverse(&id) {
            Ok(inverse) => Ok(Ok(inverse)),
            Err(UndoError::Conflicts(drifts)) => Ok(Err(self.in_conflict(run, again, &drifts))),
            Err(error) => Err(error.into()),
        }
    }

    /// What is told when files are not what the run left.
    pub(super) fn in_conflict(&self, run: &RunEntry, again: bool, drifts: &[Drift]) -> UndoOutcome {
        UndoOutcome {
            run_id: None,
            of: run.run_id.clone(),
            state: UndoState::Conflict,
            conflicts: drifts.iter().map(ToString::to_string).collect(),
            reason: self.taken_back(run, again).or_else(|| backup_lost(drifts)),
            receipt: None,
        }
    }

    /// That a plan which was handed in to take a run back has run: then what differs is its
    /// work and not later work.
    fn taken_back(&self, run: &RunEntry, again: bool) -> Option<String> {
        let ledger = self.log.ledger();
        let goal = goal(run, again);
        ledger.plans().find_map(|plan| {
            let created = &plan.created;
            let inverse = created.parent.as_ref() == Some(&run.plan_id) && created.goal == goal;
            let ran = plan.run_id.as_deref().filter(|_| inverse)?;
            let completed = ledger.run(ran)?.stage == RunStage::Completed;
            (completed && self.undone_by(ran).is_none()).then(|| {
                format!(
                    "it was taken back already: the plan {} ran, as {ran}; `exacta undo {ran}` \
                     takes that back",
                    created.plan_id
                )
            })
        })
    }
}

/// What a plan that takes a run back says it is for.
fn goal(run: &RunEntry, again: bool) -> String {
    format!("{} run {}", if again { "Redo" } else { "Undo" }, run.run_id)
}

/// What a step of a plan has to do for one change, if a plan can say it.
fn effect((change, image): (Change, Option<Blob>)) -> Result<Made, GateError> {
    let unsayable = |mode: FileMode| {
        GateError::NotUndoable(format!(
            "`{}` had mode {mode}, which no plan can say; a person's undo restores it",
            change.path
        ))
    };
    let effect = match (change.before, image, change.mode_after) {
        (_, None, _) => Effect::Delete,
        (before, Some(image), mode) => {
            let changed = mode.filter(|_| before.is_none() || mode != change.mode_before);
            if let Some(mode) = changed.filter(|mode| !SAYABLE.contains(mode)) {
                return Err(unsayable(mode));
            }
            let executable = changed.map(FileMode::is_executable);
            let bytes = image.bytes().to_vec();
            match before {
                None => Effect::Create { bytes, executable: executable.unwrap_or(false) },
                Some(_) => Effect::Modify { bytes, executable },
            }
        }
    };
    Ok(Made { path: change.path, effect })
}

/// That nobody changed the project, but what would be brought back.
fn backup_lost(drifts: &[Drift]) -> Option<String> {
    let lost = !drifts.is_empty() && drifts.iter().all(|d| d.found == Found::BackupChanged);
    lost.then(|| "what the run put aside for its undo was changed or is gone".into())
}
