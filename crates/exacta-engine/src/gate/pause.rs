//! `pause`: a person postpones a plan. It stays pending, and its time runs on.

use exacta_core::life::ledger::Done;
use exacta_core::life::lifecycle::{Act, Verb};
use exacta_core::model::id::PlanId;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::{Gate, TRIES};
use super::outcome::Decided;

/// Postpone a plan.
#[derive(Clone, Debug, Serialize)]
pub struct Pause {
    /// The plan.
    pub plan_id: PlanId,
}

impl Command for Pause {
    type Reply = Decided;
    const NAME: &'static str = "pause";

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Decided, GateError> {
        for _ in 0..TRIES {
            let plan = gate.plan(&self.plan_id)?;
            gate.may(&plan, Verb::Pause)?;
            if gate.advance(caller, &plan, Act::Pause)? {
                return gate.decided(&self.plan_id, None);
            }
        }
        Err(GateError::Busy)
    }

    fn again(&self, gate: &Gate<'_>, done: &Done) -> Result<Decided, GateError> {
        gate.decided_before(&done.made)
    }
}
