//! The answers that several commands share, in the shape that every door hands on.

use exacta_core::life::lifecycle::State;
use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::GateError;
use super::handle::Gate;
use super::notice::Recovery;

/// A plan after a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decided {
    /// The resulting plan.
    pub plan_id: PlanId,
    /// Its hash.
    pub plan_hash: Digest,
    /// Its state.
    pub state: State,
    /// The plan that it came from, when steps were selected or it was renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_plan_id: Option<PlanId>,
    /// Interrupted runs that were finished or rolled back first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<Recovery>,
}

impl Gate<'_> {
    /// The plan after a decision.
    pub(super) fn decided(
        &self,
        plan_id: &PlanId,
        original: Option<PlanId>,
    ) -> Result<Decided, GateError> {
        let plan = self.plan(plan_id)?;
        Ok(Decided {
            plan_id: plan_id.clone(),
            plan_hash: plan.created.plan_hash,
            state: plan.state(),
            original_plan_id: original,
            recovered: self.recovered(),
        })
    }

    /// The plan that a command with the same key made or decided on.
    pub(super) fn decided_before(&self, made: &str) -> Result<Decided, GateError> {
        let plan_id = PlanId::parse(made).map_err(|_| GateError::NoSuchPlan(made.into()))?;
        self.decided(&plan_id, None)
    }
}
