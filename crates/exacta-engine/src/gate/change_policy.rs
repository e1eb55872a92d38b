//! `change_policy`: a person changes what the operator's policy says, and the record says who.

use exacta_core::judge::policy::{Edit, Policy, PolicyRecord};
use exacta_core::life::ledger::Done;
use exacta_core::model::digest::Digest;
use exacta_core::record::{Assurance, Event, PolicySeen};
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::Gate;
use crate::log::Wanted;
use crate::policy::OperatorPolicy;
use crate::proof::Proof;

/// Change the operator's policy.
#[derive(Clone, Debug, Serialize)]
pub struct ChangePolicy {
    /// What it shall say.
    pub edit: Edit,
    /// The hash of the policy in force, as whoever decides saw it.
    pub policy_hash: Option<Digest>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
    /// Where it is written.
    #[serde(skip)]
    pub operator: OperatorPolicy,
}

/// The policy after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyChanged {
    /// What was in force before.
    pub before: PolicyRecord,
    /// What is in force now.
    pub now: PolicyRecord,
}

impl Command for ChangePolicy {
    type Reply = PolicyChanged;
    const NAME: &'static str = "change_policy";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<PolicyChanged, GateError> {
        let (policy, assurance) = gate.may_set_policy(&self.proof, self.policy_hash)?;
        self.operator.is_confirmed()?;
        self.operator.foresee(&self.edit)?;
        // Once a policy is on the record, every other one is noted when it is met: also this
        // one, should the power fail before the last line of this function.
        gate.note_policy(&policy)?;
        self.operator.change(&self.edit)?;
        gate.policy_set(caller, &policy, &self.operator, assurance)
    }

    fn again(&self, gate: &Gate<'_>, _: &Done) -> Result<PolicyChanged, GateError> {
        let now = gate.policy()?.record()?;
        Ok(PolicyChanged { before: now.clone(), now })
    }
}

impl Gate<'_> {
    /// The policy in force, for whoever saw it and may decide under it.
    pub(super) fn may_set_policy(
        &self,
        proof: &Proof,
        policy_hash: Option<Digest>,
    ) -> Result<(Policy, Assurance), GateError> {
        let policy = self.policy()?;
        let now = policy.record()?.safety_policy_hash;
        if let Some(given) = policy_hash.filter(|given| *given != now) {
            return Err(GateError::WrongPolicyHash { now, given });
        }
        let assurance = self.entitled(&policy, proof, policy_hash)?;
        Ok((policy, assurance))
    }

    /// Notes the operator's policy as it is now, and writes down who answers for it.
    pub(super) fn policy_set(
        &self,
        caller: &Caller<'_>,
        before: &Policy,
        operator: &OperatorPolicy,
        assurance: Assurance,
    ) -> Result<PolicyChanged, GateError> {
        operator.note()?;
        let policy = self.policy()?;
        let seen = PolicySeen { assurance: Some(assurance), ..Gate::seen(&policy)? };
        self.commit(&Wanted {
            actor: caller.actor.clone(),
            key: caller.command.clone(),
            expects: Vec::new(),
            events: vec![Event::PolicyChanged(seen)],
        })?;
        Ok(PolicyChanged { before: before.record()?, now: policy.record()? })
    }
}
