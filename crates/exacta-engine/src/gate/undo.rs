//! `undo` and `redo`: the inverse of a run, through the same path. They restore or refuse.

use exacta_core::digest::Digest;
use exacta_core::ledger::{RunEntry, RunStage};
use exacta_core::record::{Assurance, Event, RunKind};

use super::command::Proof;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::{Outcome, UndoOutcome, UndoState};
use super::patience::patiently;
use crate::log::{RunJournal, Wanted};
use crate::run::{
    Cause, CommitError, Committed, Engine, Receipt, RunId, StageError, Staged, UndoError, Watch,
};

/// What was shown to decide on an undo.
#[derive(Clone, Copy)]
pub(super) struct Right {
    assurance: Assurance,
    hash: Option<Digest>,
}

impl Gate<'_> {
    /// Whether whoever asks may have a run taken back.
    pub(super) fn right_to_undo(
        &self,
        proof: &Proof,
        hash: Option<Digest>,
    ) -> Result<Right, GateError> {
        let assurance = Self::entitled(&self.policy()?, proof, hash)?;
        Ok(Right { assurance, hash })
    }

    pub(super) fn undo(
        &self,
        from: &From,
        name: &str,
        right: Right,
        again: bool,
        watch: &dyn Watch,
    ) -> Result<Outcome, GateError> {
        self.recover_if_needed(watch)?;
        for _ in 0..TRIES {
            if let Some(outcome) = self.try_to_undo(from, name, right, again, watch)? {
                return Ok(outcome);
            }
        }
        Err(GateError::Busy)
    }

    /// `None` when the run, or its undo, was taken back while we waited for the project.
    fn try_to_undo(
        &self,
        from: &From,
        name: &str,
        Right { assurance, hash }: Right,
        again: bool,
        watch: &dyn Watch,
    ) -> Result<Option<Outcome>, GateError> {
        let run = self.to_invert(name, again)?;
        let plan = self.plan(&run.plan_id)?;
        Self::same_hash(&plan, hash)?;
        let kind = if again {
            RunKind::Redo { of: run.run_id.clone() }
        } else {
            RunKind::Undo { of: run.run_id.clone() }
        };
        let inverse_id = self.ports.machine.new_id()?;
        let journal = RunJournal::starting(
            &self.log,
            from.actor.clone(),
            &run.plan_id,
            kind.clone(),
            None,
            Vec::new(),
        );
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let staged = match stage(engine, &run.run_id, &inverse_id, watch) {
            Ok(staged) => staged,
            Err(UndoError::Conflicts(drifts)) => {
                if !self.is_newest(&run, name, again)? {
                    return Ok(None);
                }
                return Ok(Some(Outcome::Undone(self.in_conflict(&run, again, &drifts))));
            }
            Err(error) => return Err(error.into()),
        };
        let event = approved(assurance, kind, &plan.created.plan_hash, &run, &inverse_id);
        let (actor, key) = (from.actor.clone(), from.key.clone());
        let wanted = Wanted { actor, key, expects: Vec::new(), events: vec![event] };
        let newest = self.is_newest(&run, name, again);
        match newest.and_then(|newest| Ok(newest && self.commit(&wanted)?)) {
            Ok(true) => {}
            other => {
                staged.discard();
                return other.map(|_| None);
            }
        }
        let receipt = staged.commit(watch).and_then(Committed::seal);
        self.log.settle_after();
        told(receipt, run.run_id, inverse_id, again).map(|undone| Some(Outcome::Undone(undone)))
    }

    /// Whether a run is still the one whose inverse is wanted, after another look: whoever
    /// held the project before us may have taken it back.
    fn is_newest(&self, run: &RunEntry, name: &str, again: bool) -> Result<bool, GateError> {
        self.look_again()?;
        Ok(self.to_invert(name, again)?.run_id == run.run_id)
    }

    /// The run whose inverse is wanted: the newest of the chain that a run, its undo, the
    /// undo's redo and so on make.
    ///
    /// # Errors
    /// When that chain ends where nothing is to be taken back.
    pub fn to_invert(&self, name: &str, again: bool) -> Result<RunEntry, GateError> {
        let why = |text: &str| GateError::NotUndoable(text.into());
        let mut run = self.run_entry(name)?;
        while let Some(by) = run.undone_by.clone() {
            run = self.run_entry(&by)?;
        }
        match (again, &run.kind) {
            (false, RunKind::Undo { .. }) => {
                return Err(why("it was undone already; `exacta redo` takes that back"));
            }
            (true, RunKind::Plan | RunKind::Redo { .. }) => {
                return Err(why("it was not undone, so there is nothing to redo"));
            }
            (false, RunKind::Plan | RunKind::Redo { .. }) | (true, RunKind::Undo { .. }) => {}
        }
        if run.forgotten {
            return Err(why("its way back was given up with `exacta forget`"));
        }
        match run.stage {
            RunStage::Completed => Ok(run),
            RunStage::Decided | RunStage::Started | RunStage::Aborted => {
                Err(why("it did not complete, so it changed nothing"))
            }
        }
    }
}

fn stage<'e>(
    engine: Engine<'e>,
    run: &str,
    inverse: &str,
    watch: &dyn Watch,
) -> Result<Staged<'e>, UndoError> {
    let id = |name: &str| RunId::parse(name).ok();
    let (Some(run), Some(inverse)) = (id(run), id(inverse)) else {
        return Err(UndoError::Stage(StageError::Nothing));
    };
    patiently(watch, || engine.stage_undo(&run, &inverse, watch))
}

/// How an undo or redo that was begun has ended.
fn told(
    receipt: Result<Receipt, CommitError>,
    of: String,
    inverse: String,
    again: bool,
) -> Result<UndoOutcome, GateError> {
    let done = if again { UndoState::Redone } else { UndoState::Undone };
    let (run_id, state, conflicts, receipt) = match receipt {
        Ok(receipt) => (Some(inverse), done, Vec::new(), Some(receipt)),
        // Somebody said stop, and everything is as it was before.
        Err(CommitError::RolledBack { cause: Cause::Cancelled, conflicts })
            if conflicts.is_empty() =>
        {
            return Err(GateError::Stage(StageError::Cancelled));
        }
        Err(CommitError::RolledBack { cause, conflicts }) if conflicts.is_empty() => {
            (None, UndoState::Conflict, vec![cause.to_string()], None)
        }
        Err(CommitError::RolledBack { conflicts, .. }) => {
            let conflicts = conflicts.iter().map(ToString::to_string).collect();
            (None, UndoState::Conflict, conflicts, None)
        }
        Err(unsettled @ CommitError::Unsettled { .. }) => {
            return Err(GateError::Unsettled(unsettled.to_string()));
        }
    };
    Ok(UndoOutcome { run_id, of, state, conflicts, reason: None, receipt })
}

fn approved(
    assurance: Assurance,
    kind: RunKind,
    plan_hash: &Digest,
    run: &RunEntry,
    inverse: &str,
) -> Event {
    Event::UndoApproved {
        assurance,
        kind,
        plan_hash: *plan_hash,
        plan_id: run.plan_id.clone(),
        run_id: inverse.into(),
    }
}
