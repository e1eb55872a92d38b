//! Everything a decision may look at.

use alloc::collections::BTreeSet;
use alloc::string::String;

use super::session::{Budget, Spend};
use super::setting::Setting;
use crate::judge::policy::RuleVerdict;
use crate::judge::score::{Assessment, Class, Evidence, Subject};

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
    /// The same over all proposers, of whom this is one; twice the budget is theirs.
    pub everybody: &'a Spend,
    /// The class of the plan together with those of them that changed the same files, each
    /// file taken as one change from its first image; absent where there are none.
    pub together: Option<&'a (Class, Evidence)>,
    /// How much of that is allowed.
    pub budget: Budget,
    /// Addresses that policy lists in full.
    pub listed_urls: &'a BTreeSet<String>,
    /// Tools that write drafts and that the operator lets preset recipes use unasked.
    pub unasked_tools: &'a BTreeSet<String>,
}
