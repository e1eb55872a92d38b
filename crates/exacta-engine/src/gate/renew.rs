//! `renew`: a fresh plan of the same draft, on the files as they are now. It always waits
//! for a person.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::{Done, PlanEntry};
use exacta_core::life::lifecycle::{Act, Verb};
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_core::record::Event;
use serde::Serialize;

use super::command::{Caller, Command};
use super::create::Origin;
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::life::about;
use super::outcome::Decided;
use super::stored::PlanRecord;
use crate::proof::Proof;

/// Make a fresh plan of the same draft.
#[derive(Clone, Debug, Serialize)]
pub struct Renew {
    /// The plan.
    pub plan_id: PlanId,
    /// Its hash, as whoever decides saw it.
    pub plan_hash: Option<Digest>,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

impl Command for Renew {
    type Reply = Decided;
    const NAME: &'static str = "renew";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Decided, GateError> {
        let policy = gate.policy()?;
        gate.renewed(caller, &self.plan_id, &policy, &|plan| {
            Gate::same_hash(plan, self.plan_hash)?;
            gate.entitled(&policy, &self.proof, self.plan_hash).map(|_| ())
        })
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Decided, GateError> {
        let mut decided = gate.decided_before(&done.made)?;
        decided.original_plan_id = gate.plan(&decided.plan_id)?.created.parent;
        Ok(decided)
    }
}

/// Whether whoever asks may have a plan renewed.
type Entitled<'e> = dyn Fn(&PlanEntry) -> Result<(), GateError> + 'e;

impl Gate<'_> {
    /// The fresh plan; it waits for a person, whoever asked for it.
    pub(super) fn renewed(
        &self,
        caller: &Caller<'_>,
        plan_id: &PlanId,
        policy: &Policy,
        entitled: &Entitled<'_>,
    ) -> Result<Decided, GateError> {
        let gate = self;
        for _ in 0..TRIES {
            let (plan, now) = (gate.plan(plan_id)?, gate.now()?);
            entitled(&plan)?;
            gate.may(&plan, Verb::Renew)?;
            let record = PlanRecord::load(gate.objects.as_ref(), &plan)?;
            let context = record.context()?;
            let origin = Origin {
                kind: record.kind,
                text: gate.objects.get(&record.text)?.bytes().to_vec(),
                steps: record.steps.clone(),
                hunks: record.hunks.clone(),
                correlation_id: record.correlation_id.clone(),
                derived_from: plan.created.derived_from.clone().zip(record.derived_from),
                parent: Some(plan_id.clone()),
                undoes: plan.created.undoes.clone(),
                intent: record.intent.clone(),
                constraints: context.constraints,
                proposer: record.proposer.clone(),
                measured: record.binding.measured(),
            };
            let draft = record.draft(gate.objects.as_ref())?;
            let fresh = gate.create(draft, &origin, policy, &now)?;
            let renewed = fresh.created.plan_id.clone();
            let mut events = fresh.events();
            if fresh.decision() == Kind::Reject {
                let reason = fresh.rejection();
                events.push(Event::PlanRejected { plan_id: renewed.clone(), reason });
            }
            events.extend(gate.events_of(&plan, Act::Renew { renewed: renewed.clone() })?);
            if gate.commit_new(&about(caller, &plan, events), &fresh)? {
                return gate.decided(&renewed, Some(plan_id.clone()));
            }
            gate.look_again()?;
        }
        Err(GateError::Busy)
    }
}
