//! `reject`: a person says no, for good.

use exacta_core::life::ledger::Done;
use exacta_core::life::lifecycle::{Act, Verb};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::outcome::Decided;
use crate::proof::Proof;

/// Reject a plan. It will never run.
#[derive(Clone, Debug, Serialize)]
pub struct Reject {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash, as whoever decides saw it.
    pub plan_hash: Option<Digest>,
    /// Why.
    pub reason: String,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

impl Command for Reject {
    type Reply = Decided;
    const NAME: &'static str = "reject";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Decided, GateError> {
        let policy = gate.policy()?;
        let reason = (gate.ports.mask)(&self.reason);
        for _ in 0..TRIES {
            let plan = gate.plan(&self.plan_id)?;
            gate.may(&plan, Verb::Reject)?;
            Gate::same_hash(&plan, self.plan_hash)?;
            gate.entitled(&policy, &self.proof, self.plan_hash)?;
            if gate.advance(caller, &plan, Act::Reject { reason: reason.clone() })? {
                return gate.decided(&self.plan_id, None);
            }
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Decided, GateError> {
        gate.decided_before(&done.made)
    }
}
