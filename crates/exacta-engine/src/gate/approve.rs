//! `approve`: a person says yes to exactly this plan.

use exacta_core::digest::Digest;
use exacta_core::ledger::{PlanEntry, Stream};
use exacta_core::lifecycle::{Moment, Step, Verb, judge};
use exacta_core::record::Event;

use super::command::Proof;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::Outcome;
use super::preflight::Preflown;
use crate::log::Wanted;

impl Gate<'_> {
    pub(super) fn approve(
        &self,
        from: &From,
        name: &str,
        hash: Option<Digest>,
        proof: &Proof,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        for _ in 0..TRIES {
            let plan = self.plan(name)?;
            let now = self.now()?;
            self.may(&plan, Verb::Approve, &now)?;
            let assurance = Self::entitled(&policy, proof, hash)?;
            Self::same_hash(&plan, hash)?;
            match self.preflight(&plan, &policy, &now)? {
                Preflown::Expired(cause) => {
                    return self.expire(&plan, Verb::Expire { cause }, &now);
                }
                Preflown::Clear(_) => {}
            }
            let act = format!("approve:{}", self.ports.machine.new_id()?);
            let approval = self.signed(&plan.created, &from.actor, assurance, act, None)?;
            let events = vec![Event::PlanApproved { approval: Box::new(approval), spend: None }];
            if self.commit(&wanted(from, &plan, events))? {
                let outcome = self.outcome_of(&plan.created.plan_id, None)?;
                return Ok(Outcome::Decided(outcome));
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }

    /// Whether the plan's life allows a verb; an expiry that shows is recorded.
    pub(super) fn may(&self, plan: &PlanEntry, verb: Verb, now: &Moment) -> Result<(), GateError> {
        let verdict = {
            let ledger = self.log.ledger();
            judge(&Self::life(plan, now), verb, now, ledger.newest())
        };
        if let (Some(step), Some(_)) = (&verdict.step, &verdict.refusal) {
            self.record_step(plan, step)?;
        }
        match verdict.refusal {
            Some(refusal) => Err(GateError::Refusal(refusal)),
            None => Ok(()),
        }
    }

    /// Records that a plan expired, and says so.
    pub(super) fn expire<T>(
        &self,
        plan: &PlanEntry,
        verb: Verb,
        now: &Moment,
    ) -> Result<T, GateError> {
        let verdict = {
            let ledger = self.log.ledger();
            judge(&Self::life(plan, now), verb, now, ledger.newest())
        };
        if let Some(step) = &verdict.step {
            self.record_step(plan, step)?;
        }
        let refusal = match (verdict.step, verdict.refusal) {
            (Some(Step::Expired { cause }), _) => {
                exacta_core::lifecycle::Refusal::Expired { cause }
            }
            (_, Some(refusal)) => refusal,
            _ => return Err(GateError::Busy),
        };
        Err(GateError::Refusal(refusal))
    }

    /// Writes an expiry; whoever was faster said the same or better.
    fn record_step(&self, plan: &PlanEntry, step: &Step) -> Result<(), GateError> {
        let Step::Expired { cause } = step else { return Ok(()) };
        let plan_id = plan.created.plan_id.clone();
        let events = vec![Event::PlanExpired { cause: cause.clone(), plan_id }];
        let system = From { actor: exacta_core::record::Actor::system(), key: None };
        self.commit(&wanted(&system, plan, events)).map(drop)
    }
}

/// Events about one plan, as long as nothing else happened to it.
pub(super) fn wanted(from: &From, plan: &PlanEntry, events: Vec<Event>) -> Wanted {
    let stream = Stream::Plan(plan.created.plan_id.clone());
    Wanted {
        actor: from.actor.clone(),
        key: from.key.clone(),
        expects: vec![(stream, plan.version)],
        events,
    }
}
