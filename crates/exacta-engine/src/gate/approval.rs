//! Who may decide, and the signed approval that follows.

use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::PlanEntry;
use exacta_core::model::digest::Digest;
use exacta_core::record::{Actor, Approval, Assurance, PasskeyAssertion, PlanCreated};

use super::error::GateError;
use super::handle::Gate;
use super::select::Chosen;
use crate::proof::Proof;
use crate::trust::verifies;

/// Somebody who may approve, and what shows it.
#[derive(Clone, Debug)]
pub(super) struct Entitled {
    pub(super) assurance: Assurance,
    pub(super) passkey: Option<PasskeyAssertion>,
}

impl From<Assurance> for Entitled {
    fn from(assurance: Assurance) -> Self {
        Self { assurance, passkey: None }
    }
}

impl Gate<'_> {
    /// What the approver is recorded with, or why they may not decide.
    #[expect(clippy::unused_self, reason = "whoever decides goes through the gate")]
    pub(super) fn entitled(
        &self,
        policy: &Policy,
        proof: &Proof,
        hash: Option<Digest>,
    ) -> Result<Assurance, GateError> {
        proof.assurance(policy, hash).ok_or(GateError::NotEntitled { needed: policy.decide })
    }

    /// The same for what lets something happen, with what a passkey signed of it. That it
    /// signed exactly this command was seen before the command was carried out.
    pub(super) fn entitled_to_act(
        &self,
        policy: &Policy,
        proof: &Proof,
        hash: Option<Digest>,
    ) -> Result<Entitled, GateError> {
        let assurance = self.entitled(policy, proof, hash)?;
        let passkey = proof.assertion();
        let assurance = if passkey.is_some() { Assurance::Passkey } else { assurance };
        Ok(Entitled { assurance, passkey })
    }

    /// The hash somebody gave must be the plan's.
    pub fn same_hash(plan: &PlanEntry, given: Option<Digest>) -> Result<(), GateError> {
        let plan_hash = plan.created.plan_hash;
        match given {
            Some(given) if given != plan_hash => {
                Err(GateError::WrongHash { plan_id: plan.id().clone(), plan_hash, given })
            }
            _ => Ok(()),
        }
    }

    /// An approval of a plan, signed for this project.
    pub(super) fn signed(
        &self,
        plan: &PlanCreated,
        approver: &Actor,
        entitled: Entitled,
        act: String,
        chosen: Option<&Chosen>,
    ) -> Result<Approval, GateError> {
        let mut approval = Approval {
            act,
            approver: approver.clone(),
            assurance: entitled.assurance,
            binding: plan.binding,
            deadline: plan.deadline.clone(),
            hunks: chosen.map(|chosen| chosen.hunks.clone()).unwrap_or_default(),
            passkey: entitled.passkey,
            plan_id: plan.plan_id.clone(),
            plan_hash: plan.plan_hash,
            steps: chosen.map(Chosen::steps),
            signature: String::new(),
        };
        let message = approval.message(&self.secrets.project)?;
        approval.signature = self.secrets.signer.sign(&message);
        Ok(approval)
    }

    /// The approval on the record must be ours and of exactly this plan.
    pub(super) fn genuine(&self, plan: &PlanEntry) -> Result<(), GateError> {
        let differs = |how: &str| GateError::Differs {
            plan_id: plan.id().clone(),
            what: format!("the approval of {}", plan.created.plan_id),
            how: how.into(),
        };
        let Some(approval) = plan.approval() else { return Err(differs("it is not there")) };
        let created = &plan.created;
        let message = approval.message(&self.secrets.project)?;
        if !verifies(&self.secrets.signer.public(), &message, &approval.signature) {
            return Err(differs("it was not signed by this gate"));
        }
        let same = approval.plan_id == created.plan_id
            && approval.plan_hash == created.plan_hash
            && approval.binding == created.binding
            && approval.deadline == created.deadline;
        if same { Ok(()) } else { Err(differs("it is that of another plan")) }
    }
}
