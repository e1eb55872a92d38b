//! `go_on_here`: the record of a folder that was moved goes on at its new place.
//!
//! Only for a folder whose old place is gone and whose record is exactly the one that was last
//! noted outside; anything else begins anew with `adopt`.

use exacta_core::life::ledger::{Done, PlanEntry};
use exacta_core::life::lifecycle::Cause;
use exacta_core::record::Event;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::Gate;
use crate::log::Wanted;
use crate::proof::Proof;

/// Note that the project lies elsewhere now. Every plan that is still open expires: it was
/// shown and approved for another place.
#[derive(Clone, Debug, Serialize)]
pub struct GoOnHere {
    /// Where it lay.
    pub from: String,
    /// Where it lies.
    pub to: String,
    /// What shows the right to decide.
    #[serde(skip)]
    pub proof: Proof,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WentOn {
    /// How many plans expired.
    pub expired: usize,
}

impl Command for GoOnHere {
    type Reply = WentOn;
    const NAME: &'static str = "go_on_here";

    fn proof(&self) -> Option<&Proof> {
        Some(&self.proof)
    }

    fn lets_act(&self) -> bool {
        true
    }

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<WentOn, GateError> {
        let policy = gate.policy()?;
        let assurance = gate.entitled(&policy, &self.proof, None)?;
        let open = |plan: &&PlanEntry| plan.state().is_open() && plan.run_id().is_none();
        let open: Vec<_> = gate.log.ledger().plans().filter(open).map(|p| p.id().clone()).collect();
        let expired = open.len();
        let mut events = vec![Event::RecordMoved { assurance, from: self.from, to: self.to }];
        let over = |plan_id| Event::PlanExpired { cause: Cause::ProjectMoved, plan_id };
        events.extend(open.into_iter().map(over));
        let (actor, key) = (caller.actor.clone(), caller.command.clone());
        if !gate.commit(&Wanted { actor, key, expects: Vec::new(), events })? {
            return Err(GateError::Busy);
        }
        Ok(WentOn { expired })
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<WentOn, GateError> {
        Ok(WentOn { expired: 0 })
    }
}

impl Gate<'_> {
    /// Whether the record is whole and ends exactly where it was last noted outside.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn is_as_noted(&self) -> Result<bool, GateError> {
        let noted = self.secrets.checkpoints.load()?;
        let head = self.head();
        let same = noted.is_some_and(|noted| noted.head == head.head);
        Ok(same && self.check_chain()?)
    }
}
