//! `renew`: a fresh plan of the same draft, on the files as they are now. It always waits
//! for a person.

use exacta_core::decide::Kind;
use exacta_core::lifecycle::{Step, Verb, judge};
use exacta_core::record::Event;

use super::approve::wanted;
use super::command::Proof;
use super::create::Origin;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::Outcome;
use super::stored::PlanRecord;
use crate::run::Images as _;

impl Gate<'_> {
    pub(super) fn renew(
        &self,
        from: &From,
        name: &str,
        proof: &Proof,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        for _ in 0..TRIES {
            let (plan, now) = (self.plan(name)?, self.now()?);
            let record = PlanRecord::load(&self.objects, &plan)?;
            Self::entitled(&policy, proof, Some(plan.created.plan_hash))?;
            let context = record.context()?;
            let origin = Origin {
                kind: record.kind,
                text: self.objects.image(&record.text)?.bytes().to_vec(),
                steps: record.steps.clone(),
                correlation_id: record.correlation_id.clone(),
                derived_from: plan.created.derived_from.clone().zip(record.derived_from),
                parent: Some(plan.created.plan_id.clone()),
                intent: record.intent.clone(),
                constraints: context.constraints,
                proposer: record.proposer.clone(),
            };
            let draft = record.draft(&self.objects)?;
            let fresh = self.create(draft, &origin, &policy, &now)?;
            let renewed = fresh.created.plan_id.clone();
            let verdict = {
                let ledger = self.log.ledger();
                let verb = Verb::Renew { renewed: renewed.clone() };
                judge(&Self::life(&plan, &now), verb, &now, ledger.newest())
            };
            if let Some(refusal) = verdict.refusal {
                return Err(GateError::Refusal(refusal));
            }
            let plan_id = plan.created.plan_id.clone();
            let mut events = fresh.events();
            if fresh.decision() == Kind::Reject {
                let reason = fresh.rejection();
                events.push(Event::PlanRejected { plan_id: renewed.clone(), reason });
            }
            if let Some(Step::Expired { cause }) = verdict.step {
                events.push(Event::PlanExpired { cause, plan_id: plan_id.clone() });
            }
            if self.commit_new(&wanted(from, &plan, events), &fresh)? {
                return Ok(Outcome::Decided(self.outcome_of(&renewed, Some(plan_id))?));
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }
}
