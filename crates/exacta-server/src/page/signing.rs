//! What a passkey signs: not a word for an act, but the very command that a form makes, with
//! everything that is ticked and written in it.
//!
//! The page asks with the fields that it is about to send. The command is made of them here,
//! and once more when they are sent; the gate makes its hash itself. If anything differs in
//! between, nothing is done.

use exacta_core::model::digest::Digest;
use exacta_core::model::id::PlanId;
use exacta_engine::gate::Command;
use exacta_engine::proof::act_text;

use super::forms::{Fields, normal};
use super::{acts, decisions};
use crate::problem::Problem;
use crate::state::AppState;

/// An act that a passkey can sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToSign {
    name: &'static str,
    plan_id: PlanId,
    plan_hash: Digest,
    command: Digest,
}

impl ToSign {
    /// A command about a plan, if it lets something happen.
    pub(super) fn of<C: Command>(
        command: &C,
        plan_id: &PlanId,
        plan_hash: Digest,
    ) -> Result<Option<Self>, Problem> {
        if !command.lets_act() {
            return Ok(None);
        }
        let digest = command.digest().map_err(|error| Problem::internal(error.to_string()))?;
        let plan_id = plan_id.clone();
        Ok(Some(Self { name: C::NAME, plan_id, plan_hash, command: digest }))
    }

    /// The text whose hash is signed.
    pub(crate) fn text(&self, nonce: &str) -> String {
        act_text(self.name, self.plan_id.as_str(), self.plan_hash, self.command, nonce)
    }
}

/// What a form is about to ask, by the address that it goes to.
pub(crate) async fn to_sign(state: &AppState, to: &str, fields: Fields) -> Result<ToSign, Problem> {
    let fields = normal(fields);
    let parts: Vec<&str> = to.split('/').collect();
    let act = match parts.as_slice() {
        ["", "projects", _, "plans", plan, "decide"] => decisions::to_sign(plan, &fields)?,
        ["", "projects", project, "runs", run, "act"] => {
            acts::to_sign(state, project, run, &fields).await?
        }
        _ => None,
    };
    act.ok_or_else(|| Problem::invalid("that act needs no passkey"))
}
