//! `gc`: objects that nothing on the record needs are deleted.

use std::collections::BTreeSet;

use exacta_core::life::ledger::Done;
use exacta_core::model::digest::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{Caller, Command};
use super::error::GateError;
use super::handle::Gate;
use super::patience::patiently;
use super::stored::PlanRecord;
use crate::log::LogError;
use crate::run::ImageError;

/// Delete objects that nothing on the record needs.
#[derive(Clone, Debug, Serialize)]
pub struct Collect;

/// What was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Collected {
    /// Objects that were deleted.
    pub deleted: usize,
}

impl Command for Collect {
    type Reply = Collected;
    const NAME: &'static str = "gc";
    /// This may be what makes the room for recovery.
    const RECOVERS_FIRST: bool = false;

    fn carry_out(self, gate: &Gate<'_>, caller: &Caller<'_>) -> Result<Collected, GateError> {
        let lock = patiently(caller.watch, || gate.ports.port.lock())?;
        gate.look_again()?;
        gate.retire(caller, &lock)?;
        let turn = gate.ports.port.turn()?;
        gate.look_again()?;
        let Some(records) = gate.log.ledger().records() else {
            let why = "not every plan can be read, so it is not known what is needed".into();
            return Err(LogError::Broken { entry: 0, why }.into());
        };
        let mut keep: BTreeSet<Digest> = records.into_iter().collect();
        let now = gate.now()?;
        let plans: Vec<_> = gate.log.ledger().plans().cloned().collect();
        for plan in plans.into_iter().filter(|plan| !plan.forgotten) {
            let state = gate.state_now(&plan, &now, gate.log.ledger().newest());
            let live = state.is_open() && plan.run_id().is_none();
            match PlanRecord::load(gate.objects.as_ref(), &plan) {
                Ok(record) => keep.extend(record.blobs),
                // What is over needs nothing any more; `verify` tells of it. What can still
                // run may get its object back, and would miss the rest.
                Err(GateError::Image(ImageError::Missing(_) | ImageError::Changed(_))) if !live => {
                }
                Err(error) => return Err(error),
            }
        }
        let deleted = gate.objects.collect(&keep)?;
        drop((turn, lock));
        Ok(Collected { deleted })
    }

    fn again(&self, _: &Gate<'_>, _: &Done) -> Result<Collected, GateError> {
        Ok(Collected { deleted: 0 })
    }
}
