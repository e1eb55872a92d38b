//! `approve --steps`: some steps of a plan become a plan of their own and are approved in
//! the same act; the original is over.

use exacta_core::change::Change;
use exacta_core::decide::Kind;
use exacta_core::digest::Digest;
use exacta_core::examine::Examined;
use exacta_core::lifecycle::{Cause, Verb};
use exacta_core::plan::{Action, select};
use exacta_core::record::Event;

use super::approve::wanted;
use super::command::Proof;
use super::create::Origin;
use super::error::GateError;
use super::handle::{From, Gate, TRIES};
use super::outcome::Outcome;
use super::preflight::Preflown;
use crate::run::Images as _;

impl Gate<'_> {
    pub(super) fn select(
        &self,
        from: &From,
        name: &str,
        hash: Option<Digest>,
        steps: &[String],
        proof: &Proof,
    ) -> Result<Outcome, GateError> {
        let policy = self.policy()?;
        for _ in 0..TRIES {
            let (plan, now) = (self.plan(name)?, self.now()?);
            self.may(&plan, &Verb::Select { derived: String::new() }, &now)?;
            Self::same_hash(&plan, hash)?;
            let assurance = Self::entitled(&policy, proof, hash)?;
            let shown = match self.preflight(&plan, &policy, &now) {
                Err(_) if self.has_moved(&plan)? => continue,
                Err(error) => return Err(error),
                Ok(Preflown::Expired(cause)) => {
                    return self.expire(&plan, &cause);
                }
                Ok(Preflown::Clear(checked)) => checked,
            };
            let original = plan.created.plan_id.clone();
            let draft = select(shown.examined.draft(), steps)?;
            let chosen: Vec<String> = draft.steps.iter().map(|s| s.step_id.clone()).collect();
            let origin = Origin {
                kind: shown.record.kind,
                text: self.objects.image(&shown.record.text)?.bytes().to_vec(),
                steps: Some(chosen.clone()),
                correlation_id: shown.record.correlation_id.clone(),
                derived_from: Some((original.clone(), plan.created.plan_hash)),
                parent: None,
                intent: shown.record.intent.clone(),
                constraints: shown.record.context()?.constraints,
                proposer: shown.record.proposer.clone(),
            };
            let derived = self.create(draft, &origin, &policy, &now)?;
            same_effects(&shown.examined, &derived.examined, &chosen)?;
            if derived.decision() == Kind::Reject {
                let why = derived.rejection();
                let message = format!("the selected steps alone are not acceptable: {why}");
                return Err(GateError::DerivedDiffers(message));
            }
            let derived_id = derived.created.plan_id.clone();
            let act = format!("select:{}", self.ports.machine.new_id()?);
            let steps = Some(chosen);
            let approval = self.signed(&derived.created, &from.actor, assurance, act, steps)?;
            let cause = Cause::StepsSelected { derived: derived_id.clone() };
            let mut events = derived.events();
            events.push(Event::PlanApproved { approval: Box::new(approval), spend: None });
            events.push(Event::PlanExpired { cause, plan_id: original.clone() });
            if self.commit_new(&wanted(from, &plan, events), &derived)? {
                return Ok(Outcome::Decided(self.outcome_of(&derived_id, Some(original))?));
            }
            self.look_again()?;
        }
        Err(GateError::Busy)
    }
}

/// Every selected step does alone what it was shown to do.
fn same_effects(shown: &Examined, alone: &Examined, steps: &[String]) -> Result<(), GateError> {
    let of = |examined: &Examined, step: &str| -> Vec<Change> {
        examined.changes().iter().filter(|change| change.step == step).cloned().collect()
    };
    let call = |examined: &Examined, step: &str| {
        let steps = &examined.draft().steps;
        let found = steps.iter().find(|candidate| candidate.step_id == step);
        found.and_then(|step| match &step.action {
            Action::Tool(call) => Some(call.clone()),
            Action::File(_) => None,
        })
    };
    for step in steps {
        if of(shown, step) != of(alone, step) || call(shown, step) != call(alone, step) {
            let message =
                format!("without the steps left out, `{step}` would do something else than shown");
            return Err(GateError::DerivedDiffers(message));
        }
    }
    Ok(())
}
