//! An undo by somebody who may propose but not decide: the inverse of a run as a plan.
//!
//! It is an ordinary plan that goes through the decision table, waits or runs, and has a
//! way back of its own. The chain of undos, which only people walk, is not touched.

use std::collections::BTreeMap;

use exacta_core::life::ledger::{Done, PlanEntry, RunEntry, RunStage};
use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::id::RunId;
use exacta_core::model::path::RelPath;
use exacta_core::text::merge::merged;
use serde::Serialize;

use super::command::{Caller, Command};
use super::create::Origin;
use super::error::{GateError, NotUndoable};
use super::handle::Gate;
use super::inverse_patch::{self, Part};
use super::propose::{Proposed, SourceKind};
use super::stored;
use super::undo::{ConflictReason, Direction, UndoState, Undone};
use crate::capture::{Effect, Made, draft};
use crate::log::RunJournal;
use crate::run::{Drift, Engine, Found, InversePart, UndoError};
use crate::workspace::Spot;

/// The permissions that a plan can set.
const SETTABLE: [FileMode; 2] = [FileMode::from_raw(0o644), FileMode::from_raw(0o755)];

/// Hand in the inverse of a run as a plan, for whoever may propose but not decide.
#[derive(Clone, Debug, Serialize)]
pub struct ProposeUndo {
    /// The run.
    pub run_id: RunId,
    /// Which way.
    pub direction: Direction,
    /// How much of it.
    pub part: UndoPart,
    /// Who asks, as policy registers them.
    pub proposer: Option<String>,
}

/// How much of a run is taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoPart {
    /// All of it, or nothing.
    #[default]
    Whole,
    /// The files that nobody has changed since.
    Free,
    /// The others, where what was done since can be kept.
    Merge,
}

/// Which files of a run can be taken back, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UndoParts {
    /// Nobody has changed them since.
    pub free: Vec<RelPath>,
    /// They were changed since, in other lines than those of the run.
    pub mergeable: Vec<RelPath>,
    /// What was changed since would be lost.
    pub stuck: Vec<String>,
}

/// What became of it.
#[derive(Debug)]
pub enum UndoProposed {
    /// It was handed in.
    Proposed(Box<Proposed>),
    /// Later work would be lost; nothing was handed in.
    Conflict(Box<Undone>),
}

/// What taking a run back comes to.
#[derive(Debug)]
pub enum Foreseen {
    /// These changes.
    Changes(Vec<Change>),
    /// Nothing: later work would be lost.
    Conflict(Box<Undone>),
    /// An interrupted run is finished or rolled back first; until then files tell nothing.
    AfterRecovery,
}

/// Each change that takes a run back, and the image it ends in.
type Inverse = Vec<(Change, Option<Blob>)>;

impl Command for ProposeUndo {
    type Reply = UndoProposed;
    const NAME: &'static str = "propose_undo";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<UndoProposed, GateError> {
        let policy = gate.policy()?;
        gate.recover_if_needed(caller.watch)?;
        let run = gate.to_invert(&self.run_id, self.direction)?;
        let plan = gate.plan(&run.plan_id)?;
        let whole = self.part == UndoPart::Whole;
        let inverse = match gate.inverse(&run)? {
            Ok(inverse) if self.part != UndoPart::Merge => inverse,
            Err(conflict) if whole => return Ok(UndoProposed::Conflict(Box::new(conflict))),
            met => {
                let part = gate.part_of(&run, self.part)?;
                if part.is_empty() {
                    let conflict = met.err().unwrap_or_else(|| gate.in_conflict(&run, &[]));
                    return Ok(UndoProposed::Conflict(Box::new(conflict)));
                }
                part
            }
        };
        let before: BTreeMap<_, _> = inverse
            .iter()
            .map(|(change, _)| (change.path.clone(), (change.before, change.mode_before)))
            .collect();
        let verb = match self.direction {
            Direction::Undo => "Undo",
            Direction::Redo => "Redo",
        };
        let how = match self.part {
            UndoPart::Whole => "",
            UndoPart::Free => ", the files that nobody has changed since",
            UndoPart::Merge => ", keeping what was changed since",
        };
        let goal = format!("{verb} run {}{how}", run.run_id);
        let renamed = gate.as_renames(&goal, &inverse, &plan);
        let made = inverse
            .into_iter()
            .map(|part| effect(&run.run_id, part))
            .collect::<Result<Vec<_>, _>>()?;
        let (kind, text) = match renamed {
            Some(text) => (SourceKind::Patch, text),
            None => (SourceKind::Computed, draft(Some(&goal), &made)),
        };
        let draft = stored::read(kind, &text).map_err(GateError::Invalid)?;
        let origin = Origin {
            kind,
            text,
            steps: None,
            hunks: Vec::new(),
            correlation_id: plan.created.correlation_id,
            derived_from: None,
            parent: Some(plan.created.plan_id),
            // A run that was taken back in part is not called undone.
            undoes: whole.then(|| run.run_id.clone()),
            intent: None,
            constraints: Vec::new(),
            proposer: self.proposer,
            measured: None,
        };
        // Between our look and the examination somebody may have saved a file.
        let fits = |changes: &[Change]| {
            let same = |change: &Change| {
                before.get(&change.path) == Some(&(change.before, change.mode_before))
            };
            if changes.iter().all(same) {
                return Ok(());
            }
            let why = NotUndoable::Changed;
            Err(GateError::NotUndoable { run_id: run.run_id.clone(), why })
        };
        let proposed = gate.hand_in(caller, &draft, origin, &policy, &fits, None)?;
        Ok(UndoProposed::Proposed(Box::new(proposed)))
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<UndoProposed, GateError> {
        let again = gate.decided_before(&done.made).map(Proposed::Again)?;
        Ok(UndoProposed::Proposed(Box::new(again)))
    }
}

impl Gate<'_> {
    /// What taking a run back would do, or what stands in its way, so that nobody is asked in
    /// vain. Nothing is touched.
    ///
    /// # Errors
    /// When there is nothing to take back.
    pub fn foresee(&self, run_id: &RunId, direction: Direction) -> Result<Foreseen, GateError> {
        // What the interrupted run left must be settled before record and files tell anything.
        if !self.unsettled()?.is_empty() {
            return Ok(Foreseen::AfterRecovery);
        }
        let run = self.to_invert(run_id, direction)?;
        Ok(match self.inverse(&run)? {
            Ok(inverse) => {
                Foreseen::Changes(inverse.into_iter().map(|(change, _)| change).collect())
            }
            Err(conflict) => Foreseen::Conflict(Box::new(conflict)),
        })
    }

    /// The changes that take a run back, or the conflict.
    fn inverse(&self, run: &RunEntry) -> Result<Result<Inverse, Undone>, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        match engine.inverse(&run.run_id) {
            Ok(inverse) => Ok(Ok(inverse)),
            Err(UndoError::Conflicts(drifts)) => Ok(Err(self.in_conflict(run, &drifts))),
            Err(error) => Err(GateError::not_undone(&run.run_id, error)),
        }
    }

    /// Which files of a run can be taken back, and how. Nothing is touched.
    ///
    /// # Errors
    /// When there is nothing to take back.
    pub fn undo_parts(&self, run_id: &RunId, direction: Direction) -> Result<UndoParts, GateError> {
        let run = self.to_invert(run_id, direction)?;
        let mut parts = UndoParts::default();
        for part in self.inverse_parts(&run)? {
            let path = part.change.path.clone();
            match &part.found {
                None => parts.free.push(path),
                Some(_) if self.kept_work(&part).is_some() => parts.mergeable.push(path),
                Some(found) => {
                    parts.stuck.push(Drift { path, found: found.clone() }.to_string());
                }
            }
        }
        Ok(parts)
    }

    fn inverse_parts(&self, run: &RunEntry) -> Result<Vec<InversePart>, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        engine.inverse_parts(&run.run_id).map_err(|error| GateError::not_undone(&run.run_id, error))
    }

    /// The inverse as a patch, where the plan renamed files that go back to their old names; a
    /// patch that cannot be read back is left alone.
    fn as_renames(
        &self,
        goal: &str,
        inverse: &[(Change, Option<Blob>)],
        plan: &PlanEntry,
    ) -> Option<Vec<u8>> {
        let goes = inverse.iter().any(|(change, _)| change.after.is_none());
        let comes = inverse.iter().any(|(change, _)| change.before.is_none());
        if !(goes && comes) {
            return None;
        }
        let shown = self.show(&plan.created.plan_id).ok()?;
        let pair = |new: &Change| Some((new.renamed_from.clone()?, new.path.clone()));
        let renames: Vec<_> = shown.examined.changes().iter().filter_map(pair).collect();
        let before = |change: &Change| match change.before {
            None => Some(None),
            Some(digest) => self.image(&digest, &change.path).ok().map(Some),
        };
        let images: Vec<Option<Blob>> =
            inverse.iter().map(|(change, _)| before(change)).collect::<Option<_>>()?;
        let parts: Vec<Part<'_>> = inverse
            .iter()
            .zip(&images)
            .map(|((change, after), before)| Part {
                change,
                before: before.as_ref(),
                after: after.as_ref(),
            })
            .collect();
        let text = inverse_patch::patch(goal, &parts, &renames)?;
        stored::read(SourceKind::Patch, &text).is_ok().then_some(text)
    }

    /// The changes of some files, each on the file as it is now.
    fn part_of(&self, run: &RunEntry, part: UndoPart) -> Result<Inverse, GateError> {
        let parts = self.inverse_parts(run)?.into_iter();
        Ok(parts
            .filter_map(|one| match (part, &one.found) {
                (UndoPart::Free | UndoPart::Whole, None) => Some((one.change, one.image)),
                (UndoPart::Merge, Some(_)) => self.kept_work(&one),
                _ => None,
            })
            .collect())
    }

    /// A change that takes a file of a run back and keeps what was done to it since; nothing
    /// where both touch the same lines.
    fn kept_work(&self, part: &InversePart) -> Option<(Change, Option<Blob>)> {
        let Some(Found::Changed(now)) = &part.found else { return None };
        let (base, back) = (part.change.before?, part.image.as_ref()?);
        let base = self.objects.get(&base).ok()?;
        let ours = self.ports.port.read(&Spot::target(&part.change.path)).ok()?;
        if Digest::of(&ours) != now.digest {
            return None;
        }
        let both = Blob::new(merged(base.bytes(), &ours, back.bytes())?);
        // It is back already.
        if both.digest() == now.digest {
            return None;
        }
        let mode = Some(now.mode);
        let change = Change {
            before: Some(now.digest),
            after: Some(both.digest()),
            mode_before: mode,
            mode_after: mode,
            ..part.change.clone()
        };
        Some((change, Some(both)))
    }

    /// What is reported when files are not what the run left.
    pub(super) fn in_conflict(&self, run: &RunEntry, drifts: &[Drift]) -> Undone {
        let taken_back = self.taken_back(run);
        let taken_back = taken_back.map(|run_id| ConflictReason::TakenBackByPlan { run_id });
        Undone {
            run_id: run.run_id.clone(),
            state: UndoState::Conflict,
            conflicts: drifts.iter().map(ToString::to_string).collect(),
            reason: taken_back.or_else(|| backup_lost(drifts)),
            late_edits: Vec::new(),
            recovered: self.recovered(),
            of: run.run_id.clone(),
            receipt: None,
        }
    }

    /// The run of a plan that was handed in to take a run back: then what differs is its work
    /// and not later work.
    fn taken_back(&self, run: &RunEntry) -> Option<RunId> {
        let ledger = self.log.ledger();
        ledger.plans().find_map(|plan| {
            let inverse = plan.created.undoes.as_ref() == Some(&run.run_id);
            let ran = plan.run_id().filter(|_| inverse)?;
            let completed = ledger.run(ran)?.stage == RunStage::Completed;
            (completed && ledger.undone_by(ran).is_none()).then(|| ran.clone())
        })
    }
}

/// What a step of a plan has to do for one change, if a plan can say it.
fn effect(run_id: &RunId, (change, image): (Change, Option<Blob>)) -> Result<Made, GateError> {
    let effect = match (change.before, image, change.mode_after) {
        (_, None, _) => Effect::Delete,
        (before, Some(image), mode) => {
            let changed = mode.filter(|_| before.is_none() || mode != change.mode_before);
            if let Some(mode) = changed.filter(|mode| !SETTABLE.contains(mode)) {
                let why = NotUndoable::Mode { path: change.path, mode: mode.to_string() };
                return Err(GateError::NotUndoable { run_id: run_id.clone(), why });
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
fn backup_lost(drifts: &[Drift]) -> Option<ConflictReason> {
    let lost = !drifts.is_empty() && drifts.iter().all(|d| d.found == Found::BackupChanged);
    lost.then_some(ConflictReason::BackupLost)
}
