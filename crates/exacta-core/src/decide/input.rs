//! Everything a decision may look at.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::session::{Budget, Spend};
use super::setting::Setting;
use crate::score::{Assessment, Subject};

/// What is decided on. Two equal inputs have equal decisions.
#[derive(Clone, Debug)]
pub struct DecideInput<'a> {
    /// The plan and what is known about it.
    pub subject: &'a Subject<'a>,
    /// Its scores.
    pub assessment: &'a Assessment,
    /// The profile in force.
    pub profile: Setting,
    /// The ceiling over it.
    pub ceiling: Setting,
    /// Every policy rule that matched, and every rule that could not be evaluated as one
    /// that denies.
    pub rules: &'a [RuleVerdict],
    /// What the proposer's plans of the last minutes that nobody was asked about add up to.
    pub session: &'a Spend,
    /// How much of that is allowed.
    pub budget: Budget,
    /// Addresses that policy lists in full.
    pub listed_urls: &'a [String],
    /// Tools that write drafts and that the operator lets preset recipes use unasked.
    pub unasked_tools: &'a [String],
}

/// What a policy rule says about the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleVerdict {
    /// What it demands.
    pub verdict: Verdict,
    /// The rule's name or place.
    pub rule: String,
    /// The reason the operator gave.
    pub reason: String,
    /// The steps it is about; none when it is about the plan.
    pub steps: Vec<String>,
}

/// What a rule can demand. There is no verdict that allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The plan never runs.
    Deny,
    /// A person decides.
    Ask,
}
