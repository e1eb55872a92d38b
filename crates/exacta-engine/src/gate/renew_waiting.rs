//! `renew_waiting`: a server that starts makes fresh plans of those that waited when the last
//! one ended. The old ones are over with their session; the fresh ones wait for a person, too.

use std::collections::BTreeSet;

use exacta_core::life::ledger::{Done, PlanEntry};
use exacta_core::life::lifecycle::{Cause, Phase};
use exacta_core::model::id::PlanId;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::Gate;
use super::outcome::Decided;
use super::stored::PlanRecord;

/// Renew every plan that waited when its session ended and whose files are unchanged.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RenewWaiting;

/// What became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenewedWaiting {
    /// The fresh plans; each names the one that it took the place of.
    pub renewed: Vec<Decided>,
    /// Plans that stay over, because what they were made for has changed.
    pub left: Vec<PlanId>,
}

impl Command for RenewWaiting {
    type Reply = RenewedWaiting;
    const NAME: &'static str = "renew_waiting";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<RenewedWaiting, GateError> {
        let policy = gate.policy()?;
        let now = gate.now()?;
        let waited = |plan: &&PlanEntry| match &plan.phase {
            Phase::Pending { .. } => {
                let over = gate.over_at(plan, &now, gate.log.ledger().newest());
                matches!(over, Some(Cause::SessionEnded))
            }
            Phase::Expired { cause: Cause::SessionEnded, grant: None, .. } => true,
            _ => false,
        };
        // Each waits again once: what was renewed before has its fresh plan already.
        let before: BTreeSet<PlanId> =
            gate.log.ledger().plans().filter_map(|plan| plan.created.parent.clone()).collect();
        let waiting: Vec<PlanEntry> = gate
            .log
            .ledger()
            .plans()
            .filter(waited)
            .filter(|plan| !before.contains(plan.id()))
            .cloned()
            .collect();
        let mut done = RenewedWaiting::default();
        for plan in waiting {
            // One that cannot be read or has changed stays over; the others go on.
            let unchanged = PlanRecord::load(gate.objects.as_ref(), &plan)
                .and_then(|record| gate.drift(&record, &policy))
                .is_ok_and(|drift| drift.is_none());
            let renewed = unchanged.then(|| gate.renewed(caller, plan.id(), &policy, &|_| Ok(())));
            match renewed {
                Some(Ok(fresh)) => done.renewed.push(fresh),
                Some(Err(_)) | None => done.left.push(plan.created.plan_id),
            }
        }
        Ok(done)
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<RenewedWaiting, GateError> {
        Ok(RenewedWaiting::default())
    }
}
