//! `pause`: a person puts a plan off. It stays pending, and its time runs on.

use exacta_core::lifecycle::Verb;
use exacta_core::record::Event;

use super::approve::wanted;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::Outcome;

impl Gate<'_> {
    pub(super) fn pause(&self, from: &From, name: &str) -> Result<Outcome, GateError> {
        for _ in 0..TRIES {
            let (plan, now) = (self.plan(name)?, self.now()?);
            self.may(&plan, &Verb::Pause, &now)?;
            let plan_id = plan.created.plan_id.clone();
            let event = Event::PlanPaused { plan_id: plan_id.clone() };
            if self.commit(&wanted(from, &plan, vec![event]))? {
                return Ok(Outcome::Decided(self.outcome_of(&plan_id, None)?));
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }
}
