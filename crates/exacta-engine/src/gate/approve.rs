//! `approve`: a person says yes to exactly this plan.

use exacta_core::digest::Digest;
use exacta_core::ledger::{PlanEntry, RunStage, Stream};
use exacta_core::lifecycle::{Cause, Moment, Refusal, Step, Verb, Verdict, judge};
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
            self.may(&plan, &Verb::Approve, &now)?;
            Self::same_hash(&plan, hash)?;
            let assurance = Self::entitled(&policy, proof, hash)?;
            match self.preflight(&plan, &policy, &now) {
                Err(_) if self.has_moved(&plan)? => continue,
                Err(error) => return Err(error),
                Ok(Preflown::Expired(cause)) => {
                    return self.expire(&plan, &cause);
                }
                Ok(Preflown::Clear(_)) => {}
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
    pub(super) fn may(&self, plan: &PlanEntry, verb: &Verb, now: &Moment) -> Result<(), GateError> {
        let (mut plan, mut now) = (plan.clone(), now.clone());
        for _ in 0..TRIES {
            let verdict = self.judged(&plan, verb.clone(), &now);
            let Some(refusal) = verdict.refusal else { return Ok(()) };
            if let (Refusal::Used { run_id }, false) = (&refusal, *verb == Verb::Start) {
                return Err(self.has_run(run_id));
            }
            if self.record_step(&plan, verdict.step.as_ref())? {
                return Err(GateError::Refusal(refusal));
            }
            (plan, now) = self.anew(&plan)?;
        }
        Err(GateError::Busy)
    }

    /// Whether the record alone says that a verb comes too late, so that nobody is asked to
    /// confirm what is refused anyway. Nothing is recorded.
    ///
    /// # Errors
    /// That the plan was rejected, expired or has run.
    pub fn comes_in_time(&self, plan: &PlanEntry, verb: Verb) -> Result<(), GateError> {
        let verdict = self.judged(plan, verb, &self.now()?);
        match (verdict.refusal, verdict.step) {
            (Some(Refusal::Used { run_id }), _) => Err(self.has_run(&run_id)),
            (Some(refusal), None) => Err(GateError::Refusal(refusal)),
            _ => Ok(()),
        }
    }

    /// That a plan which somebody wants to decide on has run.
    fn has_run(&self, run_id: &str) -> GateError {
        let ledger = self.log.ledger();
        let stage = ledger.run(run_id).map(|run| run.stage);
        GateError::HasRun { run_id: run_id.into(), completed: stage == Some(RunStage::Completed) }
    }

    /// Records that a plan expired, and says so.
    pub(super) fn expire<T>(&self, plan: &PlanEntry, cause: &Cause) -> Result<T, GateError> {
        let (mut plan, mut now) = self.anew(plan)?;
        for _ in 0..TRIES {
            let verdict = self.judged(&plan, Verb::Expire { cause: cause.clone() }, &now);
            if self.record_step(&plan, verdict.step.as_ref())? {
                let refusal = match (verdict.step, verdict.refusal) {
                    (Some(Step::Expired { cause }), _) => Refusal::Expired { cause },
                    (_, Some(refusal)) => refusal,
                    _ => break,
                };
                return Err(GateError::Refusal(refusal));
            }
            (plan, now) = self.anew(&plan)?;
        }
        Err(GateError::Busy)
    }

    fn judged(&self, plan: &PlanEntry, verb: Verb, now: &Moment) -> Verdict {
        judge(&Self::life(plan, now), verb, now, self.log.ledger().newest())
    }

    /// The plan and the clocks after another look at the record, in this order.
    fn anew(&self, plan: &PlanEntry) -> Result<(PlanEntry, Moment), GateError> {
        self.look_again()?;
        Ok((self.plan(&plan.created.plan_id)?, self.now()?))
    }

    /// Writes an expiry; `false` when something else happened to the plan first, so that
    /// nobody is told of an expiry that is not on the record.
    fn record_step(&self, plan: &PlanEntry, step: Option<&Step>) -> Result<bool, GateError> {
        let Some(Step::Expired { cause }) = step else { return Ok(true) };
        let plan_id = plan.created.plan_id.clone();
        let events = vec![Event::PlanExpired { cause: cause.clone(), plan_id }];
        let system = From { actor: exacta_core::record::Actor::system(), key: None };
        self.commit(&wanted(&system, plan, events))
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
