//! What operators register by name: proposers, skills and checks.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::caps::Cap;
use super::words::Locality;

/// Someone who may hand in plans, as the operator knows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proposer {
    /// Where the model runs.
    pub class: Locality,
    /// Its model.
    pub model: String,
    /// The provider of its model.
    pub provider: String,
    /// The skills it may name. `None`: any, or none at all. A list: every plan of this
    /// proposer names one of them.
    pub skills: Option<BTreeSet<String>>,
}

/// What plans under one skill may do; it can only narrow the policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Skill {
    /// Caps on such plans; the smaller of these and the policy's count.
    pub caps: BTreeMap<Cap, u64>,
    /// The primitives such plans may use. `None`: all that policy allows.
    pub primitives: Option<BTreeSet<String>>,
}

/// A command that plans refer to by name and that judges the staged files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Program and arguments; no shell reads them.
    pub command: Vec<String>,
    /// On which runs.
    #[serde(skip_serializing_if = "Runs::is_always")]
    pub runs: Runs,
    /// When the check counts as failed.
    pub timeout_seconds: u64,
}

/// On which runs a check judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Runs {
    /// On all.
    #[default]
    Always,
    /// On those whose plan, or whoever set its constraints, names it.
    Named,
}

impl Runs {
    /// Whether it needs no name.
    #[must_use]
    pub const fn is_always(&self) -> bool {
        matches!(self, Self::Always)
    }
}
