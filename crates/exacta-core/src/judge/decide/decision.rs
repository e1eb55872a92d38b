//! The decision as data.

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reason::Reason;
use super::session::SessionTotals;
use crate::judge::policy::Profile;

/// What happens to a plan. Made only by [`decide`](super::decide).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Decision {
    /// What.
    pub kind: Kind,
    /// The stricter of profile and ceiling; absent when either is unknown.
    pub profile: Option<Profile>,
    /// Why, and what would have to change: the row first, then everything that asks.
    pub reasons: Vec<Reason>,
    /// The row of the table that matched.
    pub row: &'static str,
    /// What the proposer's plans add up to with this one, for the record.
    pub session: SessionTotals,
}

/// The four ways a plan can go, strictest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Never runs.
    Reject,
    /// A person decides.
    Wait,
    /// Runs, and the user is told.
    AutoNotify,
    /// Runs.
    AutoSilent,
}

impl Kind {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Wait => "wait",
            Self::AutoNotify => "auto_notify",
            Self::AutoSilent => "auto_silent",
        }
    }
}
