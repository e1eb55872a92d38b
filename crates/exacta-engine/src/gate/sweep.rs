//! `sweep`: plans whose time is over, or whose files have changed, are recorded as expired.

use exacta_core::judge::policy::Policy;
use exacta_core::life::ledger::{Done, PlanEntry};
use exacta_core::life::lifecycle::{Cause, Refusal};
use exacta_core::model::id::PlanId;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::Gate;
use super::stored::PlanRecord;

/// Look at every live plan and expire those that are over.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Sweep {
    /// Look at this one only.
    pub plan_id: Option<PlanId>,
}

/// The plans that expired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// They.
    pub expired: Vec<PlanId>,
}

impl Command for Sweep {
    type Reply = Swept;
    const NAME: &'static str = "sweep";

    fn carry_out(self, gate: &Gate<'_>, _: &Caller<'_>) -> Result<Swept, GateError> {
        let policy = gate.policy()?;
        let wanted = |plan: &&PlanEntry| {
            let live = plan.state().is_open() && plan.run_id().is_none();
            live && self.plan_id.as_ref().is_none_or(|only| only == plan.id())
        };
        let live: Vec<PlanEntry> = gate.log.ledger().plans().filter(wanted).cloned().collect();
        let (mut expired, mut failed) = (Vec::new(), None);
        for plan in live {
            match gate.swept(&plan, &policy) {
                Ok(true) => expired.push(plan.created.plan_id),
                Ok(false) => {}
                // One plan that cannot be read does not keep the others alive.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(Swept { expired }), Err)
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<Swept, GateError> {
        Ok(Swept::default())
    }
}

impl Gate<'_> {
    /// Whether a plan has just expired: by its time first, which the record alone tells.
    fn swept(&self, plan: &PlanEntry, policy: &Policy) -> Result<bool, GateError> {
        let Some(cause) = self.why_over(plan, policy)? else { return Ok(false) };
        Ok(matches!(self.expire(plan, &cause)?, Refusal::Expired { .. }))
    }

    /// Why a plan that is open on the record can no longer be decided on or run.
    pub(super) fn why_over(
        &self,
        plan: &PlanEntry,
        policy: &Policy,
    ) -> Result<Option<Cause>, GateError> {
        let now = self.now()?;
        if let Some(cause) = self.over_at(plan, &now, self.log.ledger().newest()) {
            return Ok(Some(cause));
        }
        self.drift(&PlanRecord::load(self.objects.as_ref(), plan)?, policy)
    }
}
