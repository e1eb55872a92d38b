//! `forget`: the backup of a run and what its plan was made of are deleted; the chain stays.

use std::collections::BTreeSet;

use exacta_core::life::ledger::{Done, RunEntry, RunStage};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::{PlanId, RunId};
use exacta_core::record::{Event, RunKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Caller, Command};
use super::create::MS_A_MINUTE;
use super::error::GateError;
use super::handle::Gate;
use crate::log::{RunJournal, Wanted};
use crate::machine::time_text;
use crate::proof::Proof;
use crate::run::Engine;
use crate::workspace::Lock;

/// Delete the backup of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Forget {
    /// The run.
    pub run_id: RunId,
    /// The hash of its plan.
    pub plan_hash: Option<Digest>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

/// A run whose backup is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forgotten {
    /// The run.
    pub run_id: RunId,
}

impl Command for Forget {
    type Reply = Forgotten;
    const NAME: &'static str = "forget";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Forgotten, GateError> {
        let policy = gate.policy()?;
        let run = gate.run_entry(&self.run_id)?;
        let plan = gate.plan(&run.plan_id)?;
        gate.entitled(&policy, &self.proof, self.plan_hash)?;
        Gate::same_hash(&plan, self.plan_hash)?;
        // Before anything is recorded: what another process is using cannot be deleted.
        let lock = gate.ports.port.lock()?;
        gate.look_again()?;
        gate.delete_backups(caller, &run.plan_id, Some(&run), &lock)?;
        drop(lock);
        Ok(Forgotten { run_id: run.run_id })
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<Forgotten, GateError> {
        Ok(Forgotten { run_id: self.run_id.clone() })
    }
}

impl Gate<'_> {
    /// Deletes what a plan that is over was made of, and the backup of its run.
    fn delete_backups(
        &self,
        caller: &Caller<'_>,
        plan_id: &PlanId,
        run: Option<&RunEntry>,
        lock: &Lock,
    ) -> Result<(), GateError> {
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let mut key = caller.command.clone();
        // An undo and its redo have backups of their own; and while we forget, somebody
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
                events.push(Event::PlanForgotten { plan_id: plan_id.clone() });
            }
            let done = forgotten.len() == chain.len();
            if events.is_empty() && done {
                return Ok(());
            }
            if !events.is_empty() {
                let (actor, key) = (caller.actor.clone(), key.take());
                self.commit(&Wanted { actor, key, expects: Vec::new(), events })?;
            }
            for run in chain {
                engine.forget_held(&run.run_id, lock)?;
                forgotten.insert(run.run_id);
            }
            self.look_again()?;
        }
    }

    /// Deletes what policy no longer wants to be kept.
    pub(super) fn retire(&self, caller: &Caller<'_>, lock: &Lock) -> Result<(), GateError> {
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
            let state = self.state_now(&plan, &now, self.log.ledger().newest());
            let old = now.at_least_since(&plan.created_at) >= most;
            if !old || state.is_open() && plan.run_id().is_none() {
                continue;
            }
            let run = plan.run_id().map(|run_id| self.run_entry(run_id)).transpose()?;
            let chain = run.as_ref().map_or_else(|| Ok(Vec::new()), |run| self.chain(run))?;
            // What is under way is not over, and what was undone yesterday is not old.
            let over = |run: &RunEntry| {
                matches!(run.stage, RunStage::Completed | RunStage::Aborted) && run.time < until
            };
            if chain.iter().all(over) {
                self.delete_backups(caller, plan.id(), run.as_ref(), lock)?;
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
}
