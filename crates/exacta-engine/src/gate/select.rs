//! Approving some steps, or hunks of them: they become a plan of their own and are approved
//! in the same act; the original is over.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::examine::Examined;
use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::PlanEntry;
use exacta_core::life::lifecycle::Act;
use exacta_core::model::change::Change;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::model::plan::{Action, Draft, SelectFault, select};
use exacta_core::record::{Event, PickedHunks};

use super::approval::Entitled;
use super::command::Caller;
use super::create::Origin;
use super::error::GateError;
use super::handle::Gate;
use super::life::about;
use super::preflight::Checked;

/// What was chosen of a plan.
pub(super) struct Chosen {
    /// The steps that the derived plan has, each with what is left of it.
    pub(super) draft: Draft,
    /// The steps of which only hunks were chosen.
    pub(super) hunks: Vec<PickedHunks>,
    /// What is asked for in place of the rest.
    pub(super) request: Option<String>,
}

impl Chosen {
    /// These steps, whole.
    pub(super) fn of_steps(shown: &Checked, steps: &[String]) -> Result<Self, SelectFault> {
        let draft = select(shown.examined.draft(), steps)?;
        Ok(Self { draft, hunks: Vec::new(), request: None })
    }

    /// The ids of the steps.
    pub(super) fn steps(&self) -> Vec<String> {
        self.draft.steps.iter().map(|step| step.step_id.clone()).collect()
    }
}

impl Gate<'_> {
    /// The derived plan, approved; `None` when the original moved on meanwhile.
    pub(super) fn select(
        &self,
        caller: &Caller<'_>,
        plan: &PlanEntry,
        shown: &Checked,
        chosen: &Chosen,
        entitled: &Entitled,
        policy: &Policy,
    ) -> Result<Option<PlanId>, GateError> {
        let original = plan.id();
        let origin = Origin {
            kind: shown.record.kind,
            text: self.objects.get(&shown.record.text)?.bytes().to_vec(),
            steps: Some(chosen.steps()),
            hunks: chosen.hunks.clone(),
            correlation_id: shown.record.correlation_id.clone(),
            derived_from: Some((original.clone(), plan.created.plan_hash)),
            parent: None,
            undoes: None,
            intent: shown.record.intent.clone(),
            constraints: shown.record.context()?.constraints,
            proposer: shown.record.proposer.clone(),
            measured: shown.record.binding.measured(),
        };
        let derived = self.create(chosen.draft.clone(), &origin, policy, &self.now()?)?;
        same_effects(&shown.examined, &derived.examined, chosen)?;
        if derived.decision() == Kind::Reject {
            let why = derived.rejection();
            let message = format!("the selected steps alone are not acceptable: {why}");
            return Err(GateError::DerivedDiffers(message));
        }
        let derived_id = derived.created.plan_id.clone();
        let act = format!("select:{}", self.ports.machine.new_id()?);
        let approval =
            self.signed(&derived.created, &caller.actor, entitled.clone(), act, Some(chosen))?;
        let mut events = derived.events();
        events.push(Event::PlanApproved { approval: Box::new(approval), spend: None });
        let (derived_plan, request) = (derived_id.clone(), chosen.request.clone());
        let act = Act::Select { derived: derived_plan, request };
        events.extend(self.events_of(plan, act)?);
        let added = self.commit_new(&about(caller, plan, events), &derived)?;
        if !added {
            self.look_again()?;
        }
        Ok(added.then_some(derived_id))
    }
}

/// Every selected step does alone what it was shown to do; one of which hunks were chosen
/// makes the image that these hunks stand for.
fn same_effects(shown: &Examined, alone: &Examined, chosen: &Chosen) -> Result<(), GateError> {
    let of = |examined: &Examined, step: &str, image: Option<Digest>| -> Vec<Change> {
        let of_step = examined.changes().iter().filter(|change| change.step == step).cloned();
        let picked = of_step.map(|change| Change { after: image.or(change.after), ..change });
        picked.collect()
    };
    let call = |examined: &Examined, step: &str| {
        let steps = &examined.draft().steps;
        let found = steps.iter().find(|candidate| candidate.step_id == step);
        found.and_then(|step| match &step.action {
            Action::Tool(call) => Some(call.clone()),
            Action::File(_) => None,
        })
    };
    for step in &chosen.steps() {
        let picked = chosen.hunks.iter().find(|picked| picked.step == *step);
        let image = picked.map(|picked| picked.image);
        let same = of(shown, step, image) == of(alone, step, None);
        if !same || call(shown, step) != call(alone, step) {
            let message =
                format!("without the steps left out, `{step}` would do something else than shown");
            return Err(GateError::DerivedDiffers(message));
        }
    }
    Ok(())
}
