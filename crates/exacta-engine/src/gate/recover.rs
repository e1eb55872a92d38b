//! `recover`: what a dead process left is finished or rolled back, by the record.

use std::collections::BTreeMap;

use exacta_core::life::ledger::{Done, RunEntry, RunStage};
use exacta_core::model::id::RunId;
use exacta_core::record::Actor;
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::Gate;
use super::notice::{Notice, Recovery};
use super::patience::{MayBeLocked as _, patiently};
use super::results::{RunOf, results_of};
use super::stored::PlanRecord;
use crate::log::RunJournal;
use crate::run::{self, Conflict, Engine, Quiet, StageError, Watch};
use crate::workspace::PortError;

/// What is kept of a run whose process did not live to say why.
const INTERRUPTED: &str = "it was interrupted and rolled back";

/// Finish or roll back what a dead process left.
#[derive(Clone, Debug, Serialize)]
pub struct Recover;

/// What recovery found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recovered {
    /// Runs that were finished.
    pub finished: Vec<RunId>,
    /// Runs that were rolled back.
    pub aborted: Vec<RunId>,
    /// Runs whose manifest is torn; nothing of theirs was acted on.
    pub torn: Vec<RunId>,
    /// What lies there and is not ours; left alone.
    pub foreign: Vec<String>,
    /// Files that keep somebody's edit.
    pub conflicts: Vec<String>,
    /// Files derived from the record that were missing and are there again.
    pub rebuilt: Vec<String>,
}

impl Recovered {
    /// Whether there was nothing to do.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }

    fn of(found: run::Recovered) -> Self {
        let conflicts = found.conflicts.iter();
        Self {
            conflicts: conflicts.map(|(run, conflict)| format!("{run}: {conflict}")).collect(),
            finished: found.finished,
            aborted: found.aborted,
            torn: found.torn,
            foreign: found.foreign,
            rebuilt: found.rebuilt,
        }
    }
}

impl Command for Recover {
    type Reply = Recovered;
    const NAME: &'static str = "recover";
    /// It does the same and reports it.
    const RECOVERS_FIRST: bool = false;

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Recovered, GateError> {
        gate.recover(caller.watch).map(Recovered::of)
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<Recovered, GateError> {
        Ok(Recovered::default())
    }
}

/// The same for a door that looks at files before it gives a command: nothing is written
/// where nothing was interrupted.
#[derive(Clone, Debug, Serialize)]
pub struct RecoverIfInterrupted;

impl Command for RecoverIfInterrupted {
    type Reply = ();
    const NAME: &'static str = "recover_if_interrupted";

    fn carry_out(self, _: &Gate<'_>, _: &Caller<'_>) -> Result<(), GateError> {
        Ok(())
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<(), GateError> {
        Ok(())
    }
}

impl Gate<'_> {
    /// Finishes or rolls back every interrupted run.
    pub(super) fn recover(&self, watch: &dyn Watch) -> Result<run::Recovered, GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let counts: BTreeMap<RunId, usize> = engine
            .unsettled()?
            .into_iter()
            .map(|run| (run.clone(), engine.files_of(&run)))
            .collect();
        let mut recovered = match patiently(watch, || engine.recover()) {
            Ok(recovered) => recovered,
            // Nothing is wrong; somebody alive is at it.
            Err(error) if error.is_locked() && watch.cancelled() => {
                return Err(GateError::Stage(StageError::Cancelled));
            }
            Err(error) if error.is_locked() => return Err(GateError::Port(PortError::Locked)),
            Err(error) => return Err(error.into()),
        };
        self.report(&recovered, &counts);
        self.log.settle_after();
        self.conclude_all(self.without_results().into_iter(), &recovered.conflicts)?;
        recovered.rebuilt = self.rebuilt_if_possible()?;
        Ok(recovered)
    }

    /// Says what became of each run that had begun. One that was merely staged had changed
    /// nothing, and nobody needs to know.
    fn report(&self, recovered: &run::Recovered, counts: &BTreeMap<RunId, usize>) {
        let ends = recovered.finished.iter().map(|run| (run, true));
        for (id, finished) in ends.chain(recovered.aborted.iter().map(|run| (run, false))) {
            let Some(run) = self.log.ledger().run(id).cloned() else { continue };
            if run.manifest.is_none() {
                continue;
            }
            let conflicts = recovered.conflicts.iter().filter(|(of, _)| of == id);
            self.notice(Notice::Recovered(Recovery {
                run_id: run.run_id,
                plan_id: run.plan_id,
                kind: run.kind,
                finished,
                files: counts.get(id).copied().unwrap_or_default(),
                conflicts: conflicts.map(|(_, conflict)| conflict.to_string()).collect(),
            }));
        }
    }

    /// Recovers what a dead process left, before a command does anything of its own. While
    /// somebody alive has the project it is theirs, and nothing is waited for.
    pub(super) fn recover_abandoned(&self) -> Result<(), GateError> {
        if self.interrupted()?.is_empty() { Ok(()) } else { self.recover(&Quiet).map(drop) }
    }

    /// Runs that are not settled although nobody is at them: a read-only command says that
    /// recovery is needed.
    ///
    /// # Errors
    /// When the state folder cannot be read.
    pub fn interrupted(&self) -> Result<Vec<RunId>, GateError> {
        let unsettled = self.unsettled()?;
        if unsettled.is_empty() {
            return Ok(unsettled);
        }
        match self.ports.port.lock() {
            Ok(lock) => {
                // Whoever was at it may just have ended.
                let unsettled = self.unsettled()?;
                drop(lock);
                Ok(unsettled)
            }
            Err(PortError::Locked) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Recovers before an act, when something is unsettled and nobody is at it.
    pub(super) fn recover_if_needed(&self, watch: &dyn Watch) -> Result<(), GateError> {
        if self.unsettled()?.is_empty() {
            return Ok(());
        }
        // A run that is under way holds the project; waiting for it is recovery enough.
        self.recover(watch).map(drop)
    }

    /// Whether nobody is at a run that has no end on the record. One that is just ending may
    /// look like this for a moment.
    ///
    /// # Errors
    /// When the state folder cannot be read.
    pub fn is_abandoned(&self, run_id: &RunId) -> Result<bool, GateError> {
        if self.run_entry(run_id)?.begun {
            return Ok(!self.is_driven(run_id)? && self.run_entry(run_id)?.status.is_none());
        }
        match self.ports.port.lock() {
            Ok(lock) => {
                drop(lock);
                Ok(self.run_entry(run_id)?.status.is_none())
            }
            Err(PortError::Locked) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs that are not settled, whether somebody is at them or not.
    pub(super) fn unsettled(&self) -> Result<Vec<RunId>, GateError> {
        let journal = RunJournal::recovering(&self.log);
        Ok(Engine::new(self.ports.port, &journal, &self.secrets.key).unsettled()?)
    }

    /// Runs of plans that ended without their result list.
    fn without_results(&self) -> Vec<RunEntry> {
        let ledger = self.log.ledger();
        let ended = ledger
            .unfinished()
            // A run that began with its tools goes on where it was, and ends then.
            .filter(|run| !run.begun)
            .filter(|run| matches!(run.stage, RunStage::Completed | RunStage::Aborted));
        ended.cloned().collect()
    }

    /// Gives the runs of a process that died between end and result list theirs. Runs
    /// that are not settled, or under way, are left to whoever settles them.
    pub(super) fn conclude_abandoned(&self) -> Result<(), GateError> {
        if self.without_results().is_empty() {
            return Ok(());
        }
        let lock = match self.ports.port.lock() {
            Ok(lock) => lock,
            Err(PortError::Locked) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        self.look_again()?;
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let unsettled = engine.unsettled()?;
        let settled = |run: &RunEntry| !unsettled.contains(&run.run_id);
        let concluded = self.conclude_all(self.without_results().into_iter().filter(settled), &[]);
        drop(lock);
        concluded
    }

    /// Gives runs that have ended their result lists; `left` is what could not be taken back.
    fn conclude_all(
        &self,
        runs: impl Iterator<Item = RunEntry>,
        left: &[(RunId, Conflict)],
    ) -> Result<(), GateError> {
        for RunEntry { run_id, plan_id, stage, .. } in runs {
            let plan = self.plan(&plan_id)?;
            // A plan whose object was changed is a matter for `verify`.
            let Ok(record) = PlanRecord::load(self.objects.as_ref(), &plan) else { continue };
            let Ok(draft) = record.draft(self.objects.as_ref()) else { continue };
            let aborted = stage == RunStage::Aborted;
            let Ok(results) = results_of(&plan_id, &draft, !aborted) else { continue };
            let mine = left.iter().filter(|(of, _)| *of == run_id);
            let left: Vec<String> = mine.map(|(_, conflict)| conflict.to_string()).collect();
            let why = match left.as_slice() {
                [] => INTERRUPTED.into(),
                left => format!("{INTERRUPTED}, except that {}", left.join(", and ")),
            };
            let why = aborted.then(|| self.reason_kept(&why, &[]));
            let run = RunOf { plan_id: &plan_id, run_id: &run_id };
            self.put_results(Actor::system(), run, &results, why)?;
        }
        Ok(())
    }
}
