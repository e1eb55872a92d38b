//! `recover`: what a dead process left is finished or taken back, by the record. And the
//! sweep that expires plans whose time is over.

use std::collections::BTreeMap;

use exacta_core::ledger::{PlanEntry, RunEntry, RunStage};
use exacta_core::lifecycle::{Refusal, State, Verb};
use exacta_core::policy::Policy;
use exacta_core::record::Actor;

use super::error::GateError;
use super::handle::Gate;
use super::notice::{Notice, Settled};
use super::outcome::Outcome;
use super::patience::{MayBeLocked as _, patiently};
use super::results::{RunOf, results_of};
use super::stored::PlanRecord;
use crate::log::RunJournal;
use crate::run::{Conflict, Engine, Quiet, Recovered, RunId, StageError, Watch};
use crate::workspace::PortError;

/// What is kept of a run whose process did not live to say why.
const INTERRUPTED: &str = "it was interrupted and taken back";

impl Gate<'_> {
    /// Settles every unsettled run.
    pub(super) fn recover(&self, watch: &dyn Watch) -> Result<Recovered, GateError> {
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
        self.tell_settled(&recovered, &counts);
        self.log.settle_after();
        self.conclude_all(self.without_results().into_iter(), &recovered.conflicts)?;
        recovered.rebuilt = self.rebuilt_if_possible()?;
        Ok(recovered)
    }

    /// Says what became of each run that had begun. One that was merely staged had changed
    /// nothing, and nobody needs to know.
    fn tell_settled(&self, recovered: &Recovered, counts: &BTreeMap<RunId, usize>) {
        let ends = recovered.finished.iter().map(|run| (run, true));
        for (id, finished) in ends.chain(recovered.aborted.iter().map(|run| (run, false))) {
            let Some(run) = self.log.ledger().run(id.as_str()).cloned() else { continue };
            if run.manifest.is_none() {
                continue;
            }
            let conflicts = recovered.conflicts.iter().filter(|(of, _)| of == id);
            self.notice(Notice::Settled(Settled {
                run_id: run.run_id,
                plan_id: run.plan_id,
                kind: run.kind,
                finished,
                files: counts.get(id).copied().unwrap_or_default(),
                conflicts: conflicts.map(|(_, conflict)| conflict.to_string()).collect(),
            }));
        }
    }

    /// Recovers what a dead process left, for a door that looks at files before it gives a
    /// command. Nothing is written where nothing was interrupted.
    ///
    /// # Errors
    /// When it cannot be settled.
    pub fn settle_interrupted(&self) -> Result<(), GateError> {
        if self.interrupted()?.is_empty() { Ok(()) } else { self.ready(true) }
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
    pub fn is_abandoned(&self, run: &RunEntry) -> Result<bool, GateError> {
        match self.ports.port.lock() {
            Ok(lock) => {
                drop(lock);
                Ok(run.status.is_none())
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
        let settled = |run: &RunEntry| unsettled.iter().all(|other| other.as_str() != run.run_id);
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
            let Ok(record) = PlanRecord::load(&self.objects, &plan) else { continue };
            let Ok(draft) = record.draft(&self.objects) else { continue };
            let aborted = stage == RunStage::Aborted;
            let Ok(results) = results_of(&draft, !aborted) else { continue };
            let mine = left.iter().filter(|(of, _)| of.as_str() == run_id);
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

    /// Looks at every live plan, or at one, and records those that expired.
    pub(super) fn sweep(&self, only: Option<&str>) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        let live: Vec<PlanEntry> = {
            let ledger = self.log.ledger();
            let live = ledger.plans().filter(|plan| {
                only.is_none_or(|only| only == plan.created.plan_id)
                    && !matches!(plan.state, State::Rejected | State::Expired)
                    && plan.run_id.is_none()
            });
            live.cloned().collect()
        };
        let mut expired = Vec::new();
        let mut failed = None;
        for plan in live {
            match self.swept(&plan, &policy) {
                Err(GateError::Refusal(Refusal::Expired { .. })) => {
                    expired.push(plan.created.plan_id);
                }
                Ok(()) | Err(GateError::Refusal(_)) => {}
                // One plan that cannot be read does not keep the others alive.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(Outcome::Swept(expired))
    }

    /// Whether a plan is still alive: its time first, which the record alone tells.
    fn swept(&self, plan: &PlanEntry, policy: &Policy) -> Result<(), GateError> {
        // Any verb shows whether the time is over; these do nothing else.
        let verb = if plan.state == State::Pending { Verb::Approve } else { Verb::Start };
        self.may(plan, &verb, &self.now()?)?;
        let record = PlanRecord::load(&self.objects, plan)?;
        match self.drift(&record, policy)? {
            Some(cause) => self.expire(plan, &cause),
            None => Ok(()),
        }
    }
}
