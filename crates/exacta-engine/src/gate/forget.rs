//! `forget` and `gc`: what is kept for the way back is given up; the chain stays.

use std::collections::BTreeSet;

use exacta_core::digest::Digest;
use exacta_core::ledger::{RunEntry, RunStage};
use exacta_core::record::{Event, RunKind};

use super::command::Proof;
use super::create::MS_A_MINUTE;
use super::error::GateError;
use super::handle::{From, Gate};
use super::outcome::Outcome;
use super::stored::PlanRecord;
use crate::log::{LogError, RunJournal, Wanted};
use crate::machine::time_text;
use crate::run::{Engine, ImageError, RunId};
use crate::workspace::Lock;

impl Gate<'_> {
    pub(super) fn forget(
        &self,
        from: &From,
        name: &str,
        hash: Option<Digest>,
        proof: &Proof,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        let run = self.run_entry(name)?;
        let plan = self.plan(&run.plan_id)?;
        Self::entitled(&policy, proof, hash)?;
        Self::same_hash(&plan, hash)?;
        // Before anything is said: what somebody else is just using cannot be given up.
        let lock = self.ports.port.lock()?;
        self.look_again()?;
        self.give_up(from, &run.plan_id, Some(&run), &lock)?;
        drop(lock);
        Ok(Outcome::Forgotten(run.run_id))
    }

    /// Gives up what a plan that is over was made of, and the way back of its run.
    fn give_up(
        &self,
        from: &From,
        plan_id: &str,
        run: Option<&RunEntry>,
        lock: &Lock,
    ) -> Result<(), GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let mut key = from.key.clone();
        // An undo and its redo keep a way back of their own; and while we forget, somebody
        // may add another.
        let mut forgotten = BTreeSet::new();
        loop {
            let chain = run.map_or_else(|| Ok(Vec::new()), |run| self.chain(run))?;
            let mut events: Vec<Event> = chain
                .iter()
                .filter(|run| !run.forgotten && !forgotten.contains(&run.run_id))
                .map(|run| Event::RunForgotten { run_id: run.run_id.clone() })
                .collect();
            if !self.plan(plan_id)?.forgotten {
                events.push(Event::PlanForgotten { plan_id: plan_id.into() });
            }
            let done = forgotten.len() == chain.len();
            if events.is_empty() && done {
                return Ok(());
            }
            if !events.is_empty() {
                let (actor, key) = (from.actor.clone(), key.take());
                self.commit(&Wanted { actor, key, expects: Vec::new(), events })?;
            }
            for run in chain {
                let id = RunId::parse(&run.run_id);
                let id = id.map_err(|_| GateError::NoSuchRun(run.run_id.clone()))?;
                engine.forget_held(&id, lock)?;
                forgotten.insert(run.run_id);
            }
            self.look_again()?;
        }
    }

    /// Gives up what policy no longer wants to be kept.
    fn retire(&self, from: &From, lock: &Lock) -> Result<(), GateError> {
        const MS_A_DAY: u64 = 24 * 60 * MS_A_MINUTE;
        // Recovery comes first, and this command does not wait for it.
        if !self.unsettled()?.is_empty() {
            return Ok(());
        }
        let (policy, now) = (self.policy()?, self.now()?);
        let most = policy.retention_days.saturating_mul(MS_A_DAY);
        let until = time_text(now.wall_ms.saturating_sub(most));
        let plans: Vec<_> = self.log.ledger().plans().cloned().collect();
        for plan in plans.into_iter().filter(|plan| !plan.forgotten) {
            let state = Self::state_now(&plan, &now, self.log.ledger().newest());
            let old = now.at_least_since(&plan.created_at) >= most;
            if !old || state.is_open() && plan.run_id.is_none() {
                continue;
            }
            let run = plan.run_id.as_deref().map(|run_id| self.run_entry(run_id)).transpose()?;
            let chain = run.as_ref().map_or_else(|| Ok(Vec::new()), |run| self.chain(run))?;
            // What is under way is not over, and what was undone yesterday is not old.
            let over = |run: &RunEntry| {
                matches!(run.stage, RunStage::Completed | RunStage::Aborted) && run.time < until
            };
            if chain.iter().all(over) {
                self.give_up(from, &plan.created.plan_id, run.as_ref(), lock)?;
            }
        }
        Ok(())
    }

    /// A run with its undo, the undo's redo and so on, whichever of them is named; the
    /// named one first.
    fn chain(&self, run: &RunEntry) -> Result<Vec<RunEntry>, GateError> {
        let mut first = run.clone();
        while let RunKind::Undo { of } | RunKind::Redo { of } = &first.kind {
            first = self.run_entry(of)?;
        }
        let mut chain = vec![first];
        while let Some(by) = chain.last().and_then(|run| run.undone_by.clone()) {
            chain.push(self.run_entry(&by)?);
        }
        chain.sort_by_key(|other| other.run_id != run.run_id);
        Ok(chain)
    }

    /// Deletes objects that no plan on the record needs any more.
    pub(super) fn gc(&self, from: &From) -> Result<Outcome, GateError> {
        let lock = self.ports.port.lock()?;
        self.look_again()?;
        self.retire(from, &lock)?;
        let turn = self.ports.port.turn()?;
        self.look_again()?;
        let Some(records) = self.log.ledger().records() else {
            let why = "not every plan can be read, so it is not known what is needed".into();
            return Err(LogError::Broken { entry: 0, why }.into());
        };
        let mut keep: BTreeSet<Digest> = records.into_iter().collect();
        let now = self.now()?;
        let plans: Vec<_> = self.log.ledger().plans().cloned().collect();
        for plan in plans.into_iter().filter(|plan| !plan.forgotten) {
            let state = Self::state_now(&plan, &now, self.log.ledger().newest());
            let live = state.is_open() && plan.run_id.is_none();
            match PlanRecord::load(&self.objects, &plan) {
                Ok(record) => keep.extend(record.blobs),
                // What is over needs nothing any more; `verify` tells of it. What can still
                // run may get its object back, and would miss the rest.
                Err(GateError::Image(ImageError::Missing(_) | ImageError::Changed(_))) if !live => {
                }
                Err(error) => return Err(error),
            }
        }
        let gone = self.objects.gc(&keep)?;
        drop((turn, lock));
        Ok(Outcome::Collected(gone))
    }
}
