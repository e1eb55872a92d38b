//! `confirm_policy`: a person says that the operator's policy counts where it lies now and
//! as it reads now, and the record says who.

use exacta_core::life::ledger::Done;
use exacta_core::model::digest::Digest;
use serde::Serialize;

use super::change_policy::PolicyChanged;
use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::Gate;
use super::notice::Notice;
use crate::policy::OperatorPolicy;
use crate::proof::Proof;

/// Confirm the operator's policy.
#[derive(Clone, Debug, Serialize)]
pub struct ConfirmPolicy {
    /// The hash of the policy in force, as whoever decides saw it.
    pub policy_hash: Option<Digest>,
    /// What shows the right to decide, as the policy in force demands it.
    #[serde(skip)]
    pub proof: Proof,
    /// What is confirmed.
    #[serde(skip)]
    pub operator: OperatorPolicy,
}

impl Command for ConfirmPolicy {
    type Reply = PolicyChanged;
    const NAME: &'static str = "confirm_policy";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<PolicyChanged, GateError> {
        let (policy, assurance) = gate.may_set_policy(&self.proof, self.policy_hash)?;
        gate.note_policy(&policy)?;
        let changed = gate.policy_set(caller, &policy, &self.operator, assurance)?;
        gate.retract(|notice| matches!(notice, Notice::PolicyUnconfirmed { .. }));
        Ok(changed)
    }

    fn again(&self, gate: &Gate<'_>, _: &Done) -> Result<PolicyChanged, GateError> {
        let now = gate.policy()?.record()?;
        Ok(PolicyChanged { before: now.clone(), now })
    }
}
