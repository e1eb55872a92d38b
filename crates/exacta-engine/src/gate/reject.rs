//! `reject`: a person says no, for good.

use exacta_core::lifecycle::Verb;
use exacta_core::record::Event;

use super::approve::wanted;
use super::command::Proof;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::Outcome;

impl Gate<'_> {
    pub(super) fn reject(
        &self,
        from: &From,
        name: &str,
        reason: &str,
        proof: &Proof,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        for _ in 0..TRIES {
            let (plan, now) = (self.plan(name)?, self.now()?);
            self.may(&plan, &Verb::Reject { reason: reason.into() }, &now)?;
            // Saying no takes nothing but the plan's own name where the hash suffices.
            Self::entitled(&policy, proof, Some(plan.created.plan_hash))?;
            let plan_id = plan.created.plan_id.clone();
            let event =
                Event::PlanRejected { plan_id: plan_id.clone(), reason: (self.ports.mask)(reason) };
            if self.commit(&wanted(from, &plan, vec![event]))? {
                return Ok(Outcome::Decided(self.outcome_of(&plan_id, None)?));
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }
}
