//! `forget` and `gc`: what is kept for the way back is given up; the chain stays.

use std::collections::BTreeSet;

use exacta_core::digest::Digest;
use exacta_core::record::Event;

use super::command::Proof;
use super::error::GateError;
use super::handle::{From, Gate};
use super::outcome::Outcome;
use super::stored::PlanRecord;
use crate::log::{RunJournal, Wanted};
use crate::run::{Engine, RunId};

impl Gate<'_> {
    pub(super) fn forget(
        &self,
        from: &From,
        name: &str,
        proof: &Proof,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        let run = self.run_entry(name)?;
        let plan = self.plan(&run.plan_id)?;
        Self::entitled(&policy, proof, Some(plan.created.plan_hash))?;
        let event = Event::RunForgotten { run_id: run.run_id.clone() };
        let (actor, key) = (from.actor.clone(), from.key.clone());
        self.commit(&Wanted { actor, key, expects: Vec::new(), events: vec![event] })?;
        let journal = RunJournal::recovering(&self.log);
        let engine = Engine::new(self.ports.port, &journal, &self.secrets.key);
        let id = RunId::parse(&run.run_id).map_err(|_| GateError::NoSuchRun(name.into()))?;
        engine.forget(&id)?;
        Ok(Outcome::Forgotten(run.run_id))
    }

    /// Deletes objects that no plan on the record names.
    pub(super) fn gc(&self) -> Result<Outcome, GateError> {
        let lock = self.ports.port.lock()?;
        let turn = self.ports.port.turn()?;
        self.look_again()?;
        let mut keep: BTreeSet<Digest> = self.log.ledger().records().copied().collect();
        let plans: Vec<_> = self.log.ledger().plans().cloned().collect();
        for plan in plans {
            // A plan that cannot be read keeps nothing that could be found out.
            if let Ok(record) = PlanRecord::load(&self.objects, &plan) {
                keep.extend(record.blobs);
            }
        }
        let gone = self.objects.gc(&keep)?;
        drop((turn, lock));
        Ok(Outcome::Collected(gone))
    }
}
