//! `renew`: a fresh plan of the same draft, on the files as they are now. It always waits
//! for a person.

use exacta_core::judge::decide::Kind;
use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::{Done, PlanEntry, Stream};
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

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

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
    /// The plan that took the place of one that was renewed, the last of them where that was
    /// renewed too; as long as it can be decided on or run.
    fn renewed_already(
        &self,
        plan: &PlanEntry,
        policy: &Policy,
    ) -> Result<Option<PlanId>, GateError> {
        let mut newest = plan.clone();
        while let Some(fresh) = self.fresh_of(&newest)? {
            newest = fresh;
        }
        let (is_another, open) = (newest.id() != plan.id(), newest.state().is_open());
        // What cannot be read any more cannot be decided on either.
        let stands = is_another
            && open
            && newest.run_id().is_none()
            && matches!(self.why_over(&newest, policy), Ok(None));
        Ok(stands.then_some(newest.created.plan_id))
    }

    /// The newest plan of the same draft that names this one as its parent.
    fn fresh_of(&self, plan: &PlanEntry) -> Result<Option<PlanEntry>, GateError> {
        let ledger = self.log.ledger();
        let mine = ledger.plans().filter(|fresh| fresh.created.parent.as_ref() == Some(plan.id()));
        let mut mine: Vec<PlanEntry> = mine.cloned().collect();
        drop(ledger);
        if mine.is_empty() {
            return Ok(None);
        }
        let of = |plan: &PlanEntry| PlanRecord::load(self.objects.as_ref(), plan);
        let record = of(plan)?;
        mine.sort_by(|one, other| other.id().cmp(one.id()));
        Ok(mine.into_iter().find(|fresh| {
            of(fresh).is_ok_and(|fresh| {
                (fresh.text, &fresh.steps, &fresh.hunks)
                    == (record.text, &record.steps, &record.hunks)
            })
        }))
    }

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
            let heirs = gate.log.ledger().version(&Stream::After(plan_id.clone()));
            // Asked for twice, it is made once.
            if let Some(fresh) = gate.renewed_already(&plan, policy)? {
                return gate.decided(&fresh, Some(plan_id.clone()));
            }
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
            let mut wanted = about(caller, &plan, events);
            // A plan that is over gets no entry of its own by which another renewal would show.
            wanted.expects.push((Stream::After(plan_id.clone()), heirs));
            if gate.commit_new(&wanted, &fresh)? {
                return gate.decided(&renewed, Some(plan_id.clone()));
            }
            gate.look_again()?;
        }
        Err(GateError::Busy)
    }
}
