//! `changes`: a person wants another plan; this one is over at once.

use exacta_core::lifecycle::{Cause, Verb};
use exacta_core::record::Event;

use super::approve::wanted;
use super::command::Proof;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::Outcome;

impl Gate<'_> {
    pub(super) fn request_changes(
        &self,
        from: &From,
        name: &str,
        request: &str,
        proof: &Proof,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        let request = (self.ports.mask)(request);
        for _ in 0..TRIES {
            let (plan, now) = (self.plan(name)?, self.now()?);
            self.may(&plan, &Verb::RequestChanges { request: request.clone() }, &now)?;
            Self::entitled(&policy, proof, Some(plan.created.plan_hash))?;
            let plan_id = plan.created.plan_id.clone();
            let cause = Cause::ChangesRequested { request: request.clone() };
            let event = Event::PlanExpired { cause, plan_id: plan_id.clone() };
            if self.commit(&wanted(from, &plan, vec![event]))? {
                return Ok(Outcome::Decided(self.outcome_of(&plan_id, None)?));
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }
}
