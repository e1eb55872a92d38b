//! `undo` and `redo`: the inverse of a run, through the same path. They restore or refuse.

use exacta_core::life::ledger::{Done, RunEntry, RunStage};
use exacta_core::life::lifecycle::Refusal;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::RunId;
use exacta_core::model::path::RelPath;
use exacta_core::record::{Event, RunKind};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::approval::Entitled;
use super::command::{Caller, Command};
use super::error::{GateError, NotUndoable};
use super::handle::{Gate, TRIES};
use super::notice::Recovery;
use super::patience::patiently;
use super::run::RunReceipt;
use crate::log::{RunJournal, Wanted};
use crate::proof::Proof;
use crate::run::{Cause, CommitError, Committed, Engine, Receipt, StageError, UndoError};

/// Which way a run is inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The run is taken back.
    Undo,
    /// Its undo is taken back.
    Redo,
}

/// Take a run back.
#[derive(Clone, Debug, Serialize)]
pub struct Undo {
    /// The run.
    pub run_id: RunId,
    /// The hash of its plan.
    pub plan_hash: Option<Digest>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

/// Take an undo back.
#[derive(Clone, Debug, Serialize)]
pub struct Redo {
    /// The run that was undone.
    pub run_id: RunId,
    /// The hash of its plan.
    pub plan_hash: Option<Digest>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

/// How an undo or redo ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UndoState {
    /// The run was taken back.
    Undone,
    /// The undo was taken back.
    Redone,
    /// Files were changed since; nothing was touched.
    Conflict,
}

impl UndoState {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Undone => "undone",
            Self::Redone => "redone",
            Self::Conflict => "conflict",
        }
    }
}

/// Why an undo is in conflict, where more is known than that files differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConflictReason {
    /// A plan that was handed in to take the run back has run.
    #[error("it was taken back already, by the run {run_id}")]
    TakenBackByPlan {
        /// The run of that plan.
        run_id: RunId,
    },
    /// What the run backed up was changed or is gone.
    #[error("what the run backed up for its undo was changed or is gone")]
    BackupLost,
}

/// An undo or redo after its end.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Undone {
    /// The inverse run; the run itself when there was a conflict.
    pub run_id: RunId,
    /// How it ended.
    pub state: UndoState,
    /// What stands in the way.
    pub conflicts: Vec<String>,
    /// Why that is so, where the record says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<ConflictReason>,
    /// Files that a program wrote to after they were swapped out; that is kept with the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub late_edits: Vec<RelPath>,
    /// Interrupted runs that were finished or rolled back first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<Recovery>,
    /// The run that it was about.
    #[serde(skip)]
    pub of: RunId,
    /// What happened to each file.
    #[serde(skip)]
    pub receipt: Option<RunReceipt>,
}

impl Serialize for ConflictReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Command for Undo {
    type Reply = Undone;
    const NAME: &'static str = "undo";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Undone, GateError> {
        let entitled = gate.entitled_to_act(&gate.policy()?, &self.proof, self.plan_hash)?;
        gate.invert(caller, &self.run_id, self.plan_hash, entitled, Direction::Undo)
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Undone, GateError> {
        Err(gate.inverted_before(&done.made))
    }
}

impl Command for Redo {
    type Reply = Undone;
    const NAME: &'static str = "redo";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Undone, GateError> {
        let entitled = gate.entitled_to_act(&gate.policy()?, &self.proof, self.plan_hash)?;
        gate.invert(caller, &self.run_id, self.plan_hash, entitled, Direction::Redo)
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Undone, GateError> {
        Err(gate.inverted_before(&done.made))
    }
}

/// One try to invert a run.
struct Inversion<'i> {
    caller: &'i Caller<'i>,
    named: &'i RunId,
    hash: Option<Digest>,
    entitled: Entitled,
    direction: Direction,
}

impl Gate<'_> {
    pub(super) fn invert(
        &self,
        caller: &Caller<'_>,
        named: &RunId,
        hash: Option<Digest>,
        entitled: Entitled,
        direction: Direction,
    ) -> Result<Undone, GateError> {
        self.recover_if_needed(caller.watch)?;
        let inversion = Inversion { caller, named, hash, entitled, direction };
        for _ in 0..TRIES {
            if let Some(undone) = self.try_to_invert(&inversion)? {
                return Ok(undone);
            }
        }
        Err(GateError::Busy)
    }

    /// The answer to an undo that was carried out before: what it took back is spent.
    fn inverted_before(&self, made: &str) -> GateError {
        let inverse = RunId::parse(made).ok().and_then(|run_id| self.run_entry(&run_id).ok());
        match inverse {
            Some(RunEntry { plan_id, run_id, .. }) => {
                GateError::refused(&plan_id, Refusal::Used { run_id })
            }
            None => GateError::NoSuchRun(made.into()),
        }
    }

    /// `None` when the run, or its undo, was taken back while we waited for the project.
    fn try_to_invert(&self, inversion: &Inversion<'_>) -> Result<Option<Undone>, GateError> {
        let Inversion { caller, named, hash, direction, .. } = *inversion;
        let Entitled { assurance, passkey } = inversion.entitled.clone();
        let run = self.to_invert(named, direction)?;
        let plan = self.plan(&run.plan_id)?;
        Self::same_hash(&plan, hash)?;
        let of = run.run_id.clone();
        let kind = match direction {
            Direction::Undo => RunKind::Undo { of },
            Direction::Redo => RunKind::Redo { of },
        };
        let inverse_id: RunId = self.new_id()?;
        let journal = RunJournal::starting(
            &self.log,
            caller.actor.clone(),
            &run.plan_id,
            kind.clone(),
            None,
            None,
            Vec::new(),
        );
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let stage = || engine.stage_undo(&run.run_id, &inverse_id, caller.watch);
        let staged = match patiently(caller.watch, stage) {
            Ok(staged) => staged,
            Err(UndoError::Conflicts(drifts)) => {
                if !self.is_newest(&run, inversion)? {
                    return Ok(None);
                }
                return Ok(Some(self.in_conflict(&run, &drifts)));
            }
            Err(error) => return Err(GateError::not_undone(&run.run_id, error)),
        };
        let event = Event::UndoApproved {
            assurance,
            kind,
            passkey: passkey.map(Box::new),
            plan_hash: plan.created.plan_hash,
            plan_id: run.plan_id.clone(),
            run_id: inverse_id.clone(),
        };
        let (actor, key) = (caller.actor.clone(), caller.command.clone());
        let wanted = Wanted { actor, key, expects: Vec::new(), events: vec![event] };
        let newest = self.is_newest(&run, inversion);
        match newest.and_then(|newest| Ok(newest && self.commit(&wanted)?)) {
            Ok(true) => {}
            other => {
                staged.discard();
                return other.map(|_| None);
            }
        }
        let receipt = staged.commit(caller.watch).and_then(Committed::seal);
        self.log.settle_after();
        self.undone(receipt, run, inverse_id, direction, plan.created.plan_hash).map(Some)
    }

    /// Whether a run is still the one whose inverse is wanted, after another look: whoever
    /// held the project before us may have taken it back.
    fn is_newest(&self, run: &RunEntry, inversion: &Inversion<'_>) -> Result<bool, GateError> {
        self.look_again()?;
        Ok(self.to_invert(inversion.named, inversion.direction)?.run_id == run.run_id)
    }

    /// The run whose inverse is wanted: the newest of the chain that a run, its undo, the
    /// undo's redo and so on make.
    ///
    /// # Errors
    /// When that chain ends where nothing is to be taken back.
    pub fn to_invert(&self, run_id: &RunId, direction: Direction) -> Result<RunEntry, GateError> {
        let mut run = self.run_entry(run_id)?;
        while let Some(by) = run.undone_by.clone() {
            run = self.run_entry(&by)?;
        }
        let refused = |why| Err(GateError::NotUndoable { run_id: run_id.clone(), why });
        match (direction, &run.kind) {
            (Direction::Undo, RunKind::Undo { .. }) => return refused(NotUndoable::Undone),
            (Direction::Redo, RunKind::Plan | RunKind::Redo { .. }) => {
                return refused(NotUndoable::NotUndone);
            }
            (Direction::Undo, RunKind::Plan | RunKind::Redo { .. })
            | (Direction::Redo, RunKind::Undo { .. }) => {}
        }
        if run.forgotten {
            return refused(NotUndoable::Forgotten);
        }
        match run.stage {
            RunStage::Completed => Ok(run),
            RunStage::Decided | RunStage::Started | RunStage::Aborted => {
                refused(NotUndoable::Incomplete)
            }
        }
    }

    /// How an undo or redo that was begun has ended.
    fn undone(
        &self,
        receipt: Result<Receipt, CommitError>,
        run: RunEntry,
        inverse: RunId,
        direction: Direction,
        plan_hash: Digest,
    ) -> Result<Undone, GateError> {
        let (run_id, state, conflicts, receipt) = match receipt {
            Ok(receipt) => {
                let state = match direction {
                    Direction::Undo => UndoState::Undone,
                    Direction::Redo => UndoState::Redone,
                };
                (inverse, state, Vec::new(), Some(RunReceipt::of(receipt, plan_hash)))
            }
            // Somebody said stop, and everything is as it was before.
            Err(CommitError::RolledBack { cause: Cause::Cancelled, conflicts })
                if conflicts.is_empty() =>
            {
                return Err(GateError::Stage(StageError::Cancelled));
            }
            Err(CommitError::RolledBack { cause, conflicts }) => {
                let conflicts = match conflicts.as_slice() {
                    [] => vec![cause.to_string()],
                    some => some.iter().map(ToString::to_string).collect(),
                };
                (run.run_id.clone(), UndoState::Conflict, conflicts, None)
            }
            Err(unsettled @ CommitError::Unsettled { .. }) => {
                return Err(GateError::Unsettled(unsettled.to_string()));
            }
        };
        let late_edits = receipt.iter().flat_map(|r| r.late_edits.clone()).collect();
        Ok(Undone {
            run_id,
            state,
            conflicts,
            reason: None,
            late_edits,
            recovered: self.recovered(),
            of: run.run_id,
            receipt,
        })
    }
}
