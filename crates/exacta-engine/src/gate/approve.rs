//! `approve`: a person says yes to exactly this plan, or to some of its steps.

use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::{Done, PlanEntry};
use exacta_core::life::lifecycle::{Act, Verb};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::outcome::Decided;
use super::preflight::{Checked, Preflown};
use super::select::Chosen;
use crate::proof::Proof;

/// What of a plan is approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// All of it.
    Whole,
    /// These steps, which become a plan of their own.
    Steps(Vec<String>),
}

/// Approve a plan.
#[derive(Clone, Debug, Serialize)]
pub struct Approve {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash, as the approver saw it.
    pub plan_hash: Option<Digest>,
    /// What of it.
    #[serde(serialize_with = "in_order")]
    pub selection: Selection,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

/// The same steps are the same command, in whatever order they are named.
fn in_order<S: serde::Serializer>(selection: &Selection, to: S) -> Result<S::Ok, S::Error> {
    match selection {
        Selection::Whole => Selection::Whole.serialize(to),
        Selection::Steps(steps) => {
            let mut steps = steps.clone();
            steps.sort_unstable();
            Selection::Steps(steps).serialize(to)
        }
    }
}

impl Command for Approve {
    type Reply = Decided;
    const NAME: &'static str = "approve";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Decided, GateError> {
        let policy = gate.policy()?;
        let verb = match &self.selection {
            Selection::Whole => Verb::Approve,
            Selection::Steps(_) => Verb::Select,
        };
        for _ in 0..TRIES {
            let plan = gate.plan(&self.plan_id)?;
            gate.may(&plan, verb)?;
            Gate::same_hash(&plan, self.plan_hash)?;
            let entitled = gate.entitled_to_act(&policy, &self.proof, self.plan_hash)?;
            let Some(checked) = gate.checked_to_decide(&plan, &policy)? else { continue };
            let done = match &self.selection {
                Selection::Whole => {
                    let act = format!("approve:{}", gate.ports.machine.new_id()?);
                    let approval =
                        gate.signed(&plan.created, &caller.actor, entitled, act, None)?;
                    let act = Act::Approve { approval: Box::new(approval) };
                    gate.advance(caller, &plan, act)?.then(|| (self.plan_id.clone(), None))
                }
                Selection::Steps(steps) => {
                    let chosen = Chosen::of_steps(&checked, steps).map_err(|fault| {
                        GateError::Select { plan_id: self.plan_id.clone(), fault }
                    })?;
                    let made = gate.select(caller, &plan, &checked, &chosen, &entitled, &policy)?;
                    made.map(|derived| (derived, Some(self.plan_id.clone())))
                }
            };
            if let Some((plan_id, original)) = done {
                return gate.decided(&plan_id, original);
            }
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Decided, GateError> {
        let mut decided = gate.decided_before(&done.made)?;
        if matches!(self.selection, Selection::Steps(_)) {
            decided.original_plan_id = gate.plan(&decided.plan_id)?.created.derived_from;
        }
        Ok(decided)
    }
}

impl Gate<'_> {
    /// A plan that is to be decided on, computed again; `None` when it moved on meanwhile.
    pub(super) fn checked_to_decide(
        &self,
        plan: &PlanEntry,
        policy: &Policy,
    ) -> Result<Option<Box<Checked>>, GateError> {
        match self.preflight(plan, policy, &self.now()?) {
            Err(_) if self.has_moved(plan)? => Ok(None),
            Err(error) => Err(error),
            Ok(Preflown::Expired(cause)) => Err(self.expired(plan, &cause)?),
            Ok(Preflown::Clear(checked)) => Ok(Some(checked)),
        }
    }
}
