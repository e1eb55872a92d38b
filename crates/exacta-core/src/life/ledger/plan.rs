//! What the record says about one plan.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::judge::decide::Kind;
use crate::life::lifecycle::{Cause, Life, Moment, Phase, State};
use crate::model::id::{PlanId, RunId};
use crate::record::{Actor, Approval, PlanCreated};

/// One plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanEntry {
    /// How it came in.
    pub created: PlanCreated,
    /// Who handed it in, as the door knew them.
    pub by: Actor,
    /// When, for people.
    pub created_time: String,
    /// When, for clocks.
    pub created_at: Moment,
    /// Where it is in its life.
    pub phase: Phase,
    /// How many entries are about it.
    pub version: u64,
    /// Its risk, once scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<u32>,
    /// Its quality in thousandths, once scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<u32>,
    /// The decision, once made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Kind>,
    /// Why.
    pub reasons: Vec<String>,
    /// Whether what it was made of was deleted.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub forgotten: bool,
}

impl PlanEntry {
    pub(super) fn new(created: PlanCreated, by: Actor, time: String, at: Moment) -> Self {
        Self {
            created,
            by,
            created_time: time,
            created_at: at,
            phase: Phase::Pending { paused: false },
            version: 1,
            risk: None,
            quality: None,
            decision: None,
            reasons: Vec::new(),
            forgotten: false,
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &PlanId {
        &self.created.plan_id
    }

    /// Its state.
    #[must_use]
    pub const fn state(&self) -> State {
        self.phase.state()
    }

    /// Whether a person postponed it.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        matches!(self.phase, Phase::Pending { paused: true })
    }

    /// Its approval, if it has or had one.
    #[must_use]
    pub fn approval(&self) -> Option<&Approval> {
        self.phase.grant().map(|grant| &grant.approval)
    }

    /// Why it expired, if it did.
    #[must_use]
    pub const fn expiry(&self) -> Option<&Cause> {
        self.phase.expiry()
    }

    /// The run that its approval was spent on.
    #[must_use]
    pub const fn run_id(&self) -> Option<&RunId> {
        self.phase.run_id()
    }

    /// What its life depends on; the caller knows whether the session is held.
    #[must_use]
    pub fn life(&self, session_held: bool) -> Life<'_> {
        Life {
            plan_id: &self.created.plan_id,
            phase: &self.phase,
            deadline: &self.created.deadline,
            session_held,
        }
    }
}
