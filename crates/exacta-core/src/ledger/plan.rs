//! What the record says about one plan.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::lifecycle::{Cause, Life, Moment, State, Use};
use crate::record::{Actor, Approval, PlanCreated};

/// Who rejected a plan, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejection {
    /// Who.
    pub actor: Actor,
    /// Why.
    pub reason: String,
    /// When, for people.
    pub time: String,
}

/// One plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanEntry {
    /// How it came in.
    pub created: PlanCreated,
    /// When, for people.
    pub created_time: String,
    /// When, for clocks.
    pub created_at: Moment,
    /// Its state.
    pub state: State,
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
    pub decision: Option<String>,
    /// Why.
    pub reasons: Vec<String>,
    /// Its approval, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// When it was approved, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_time: Option<String>,
    /// Its rejection, if it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Rejection>,
    /// Why it expired, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry: Option<Cause>,
    /// When it expired, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired_time: Option<String>,
    /// The run its approval was spent on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Whether a person put it off.
    pub paused: bool,
    /// Whether what it was made of was given up.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub forgotten: bool,
}

impl PlanEntry {
    pub(super) fn new(created: PlanCreated, time: String, at: Moment) -> Self {
        Self {
            created,
            created_time: time,
            created_at: at,
            state: State::Pending,
            version: 1,
            risk: None,
            quality: None,
            decision: None,
            reasons: Vec::new(),
            approval: None,
            approved_time: None,
            rejection: None,
            expiry: None,
            expired_time: None,
            run_id: None,
            paused: false,
            forgotten: false,
        }
    }

    /// What its life depends on; the caller knows whether the session is held.
    #[must_use]
    pub fn life(&self, session_held: bool) -> Life {
        Life {
            state: self.state,
            deadline: self.created.deadline.clone(),
            session_held,
            used: match &self.run_id {
                None => Use::Unused,
                Some(run_id) => Use::Spent { run_id: run_id.clone() },
            },
            rejection: self.rejection.as_ref().map(|rejection| rejection.reason.clone()),
            expiry: self.expiry.clone(),
        }
    }
}
