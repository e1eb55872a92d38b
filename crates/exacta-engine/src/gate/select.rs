//! Approving some steps: they become a plan of their own and are approved in the same act;
//! the original is over.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::Examined;
use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::PlanEntry;
use exacta_core::life::lifecycle::Act;
use exacta_core::model::change::Change;
use exacta_core::model::id::PlanId;
use exacta_core::model::plan::{Action, select};
use exacta_core::record::{Assurance, Event};

use super::command::Caller;
use super::create::Origin;
use super::error::GateError;
use super::handle::Gate;
use super::life::about;
use super::preflight::Checked;

impl Gate<'_> {
    /// The derived plan, approved; `None` when the original moved on meanwhile.
    pub(super) fn select(
        &self,
        caller: &Caller<'_>,
        plan: &PlanEntry,
        shown: &Checked,
        steps: &[String],
        assurance: Assurance,
        policy: &Policy,
    ) -> Result<Option<PlanId>, GateError> {
        let original = plan.id();
        let draft = select(shown.examined.draft(), steps)
            .map_err(|fault| GateError::Select { plan_id: original.clone(), fault })?;
        let chosen: Vec<String> = draft.steps.iter().map(|s| s.step_id.clone()).collect();
        let origin = Origin {
            kind: shown.record.kind,
            text: self.objects.get(&shown.record.text)?.bytes().to_vec(),
            steps: Some(chosen.clone()),
            correlation_id: shown.record.correlation_id.clone(),
            derived_from: Some((original.clone(), plan.created.plan_hash)),
            parent: None,
            undoes: None,
            intent: shown.record.intent.clone(),
            constraints: shown.record.context()?.constraints,
            proposer: shown.record.proposer.clone(),
        };
        let derived = self.create(draft, &origin, policy, &self.now()?)?;
        same_effects(&shown.examined, &derived.examined, &chosen)?;
        if derived.decision() == Kind::Reject {
            let why = derived.rejection();
            let message = format!("the selected steps alone are not acceptable: {why}");
            return Err(GateError::DerivedDiffers(message));
        }
        let derived_id = derived.created.plan_id.clone();
        let act = format!("select:{}", self.ports.machine.new_id()?);
        let approval =
            self.signed(&derived.created, &caller.actor, assurance, act, Some(chosen))?;
        let mut events = derived.events();
        events.push(Event::PlanApproved { approval: Box::new(approval), spend: None });
        events.extend(self.events_of(plan, Act::Select { derived: derived_id.clone() })?);
        let added = self.commit_new(&about(caller, plan, events), &derived)?;
        if !added {
            self.look_again()?;
        }
        Ok(added.then_some(derived_id))
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
