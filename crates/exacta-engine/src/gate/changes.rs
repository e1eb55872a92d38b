//! `changes`: a person wants another plan; this one is over at once.

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

/// Ask for another plan.
#[derive(Clone, Debug, Serialize)]
pub struct RequestChanges {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash, as whoever decides saw it.
    pub plan_hash: Option<Digest>,
    /// What is wanted.
    pub request: String,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

impl Command for RequestChanges {
    type Reply = Decided;
    const NAME: &'static str = "changes";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Decided, GateError> {
        let policy = gate.policy()?;
        let request = (gate.ports.mask)(&self.request);
        for _ in 0..TRIES {
            let plan = gate.plan(&self.plan_id)?;
            gate.may(&plan, Verb::RequestChanges)?;
            Gate::same_hash(&plan, self.plan_hash)?;
            gate.entitled(&policy, &self.proof, self.plan_hash)?;
            if gate.advance(caller, &plan, Act::RequestChanges { request: request.clone() })? {
                return gate.decided(&self.plan_id, None);
            }
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Decided, GateError> {
        gate.decided_before(&done.made)
    }
}
