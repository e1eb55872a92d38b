//! The policy in force: every key with its one value.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::arbiter::Arbiters;
use super::caps::Caps;
use super::layer::Source;
use super::registered::{Check, Proposer, Skill};
use super::rule::Rule;
use super::tools::Tools;
use super::words::{Decide, Profile};
use crate::model::digest::Digest;
use crate::model::plan::Constraint;

/// What the operator allows. [`Policy::default`] is what holds when no layer says
/// anything; [`merge`](super::merge()) makes every other one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Policy {
    /// Hosts that tools may contact; `*.` covers every name below.
    pub allowed_domains: BTreeSet<String>,
    /// Addresses that tools may write to.
    pub allowed_recipients: BTreeSet<String>,
    /// Whom the layers want to be asked beside the rules.
    #[serde(skip_serializing_if = "Arbiters::is_empty")]
    pub arbiters: Arbiters,
    /// The loosest profile that may take effect.
    #[serde(skip)]
    pub autonomy_ceiling: Profile,
    /// Size caps.
    pub caps: Caps,
    /// Commands that judge staged files.
    pub checks: BTreeMap<String, Check>,
    /// Whether what a run put in place is committed, wherever a person runs it.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub commit: bool,
    /// Constraints on every plan.
    pub constraints: Vec<Constraint>,
    /// What an approval must be proven by.
    pub decide: Decide,
    /// Whether what somebody chooses in their editor decides, where it shows the whole effect.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub editor_decides: bool,
    /// Long addresses that need no question.
    pub known_urls: BTreeSet<String>,
    /// Price of a million tokens in millionths of a US dollar.
    pub micro_usd_per_million_tokens: u64,
    /// The same for models with a price of their own.
    pub prices: BTreeMap<String, u64>,
    /// Primitives that plans may use.
    pub primitives: BTreeSet<String>,
    /// The profile the layers chose; see [`Policy::effective_profile`].
    #[serde(skip)]
    pub profile: Profile,
    /// Files whose change expires every plan, as globs.
    pub project_config: BTreeSet<String>,
    /// Known proposers.
    pub proposers: BTreeMap<String, Proposer>,
    /// Days after which `gc` gives up what plans that are over were made of.
    pub retention_days: u64,
    /// Rules, in the order of the layers.
    pub rules: Vec<Rule>,
    /// How much may run unasked within a while.
    pub session_budget: SessionBudget,
    /// Skills that narrow what a plan may do.
    pub skills: BTreeMap<String, Skill>,
    /// The layers that took part.
    pub sources: Vec<Source>,
    /// The most tokens a plan may need.
    pub token_budget: u64,
    /// What tools may reach and with what.
    #[serde(skip_serializing_if = "Tools::is_built_in")]
    pub tools: Tools,
    /// How long a plan may wait and an approval may be used.
    pub ttl_minutes: u64,
    /// Primitives that write drafts and that preset recipes may use unasked.
    pub unasked_primitives: BTreeSet<String>,
    /// Version of the policy format.
    pub version: u32,
}

/// How much one proposer may do unasked within a rolling window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionBudget {
    /// The most distinct files.
    pub files: u64,
    /// The most lines added and removed.
    pub lines: u64,
    /// The window in minutes.
    pub minutes: u64,
    /// The most risk, summed over plans.
    pub risk: u64,
}

/// What a plan's binding keeps about the policy it was made under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PolicyRecord {
    /// The profile the layers chose.
    pub active_profile: Profile,
    /// The ceiling the layers chose.
    pub autonomy_ceiling: Profile,
    /// The stricter of the two.
    pub effective_profile: Profile,
    /// Names everything in the policy but profile and ceiling.
    pub safety_policy_hash: Digest,
    /// Version of the policy format.
    pub safety_policy_version: String,
}

impl Policy {
    /// The profile that decides: the stricter of `profile` and `autonomy_ceiling`.
    #[must_use]
    pub fn effective_profile(&self) -> Profile {
        self.profile.min(self.autonomy_ceiling)
    }

    /// The policy's name: SHA-256 over the bytes of every layer, with the values of
    /// `profile` and `autonomy_ceiling` left out, and over the values in force.
    ///
    /// The values in force are covered too, so that another set of built-in values is
    /// another policy.
    ///
    /// # Errors
    /// Never for values of this type; the canonicaliser's error is passed on.
    pub fn hash(&self) -> Result<Digest, serde_json::Error> {
        Digest::of_canonical(self)
    }

    /// What a binding records.
    ///
    /// # Errors
    /// As [`Policy::hash`].
    pub fn record(&self) -> Result<PolicyRecord, serde_json::Error> {
        Ok(PolicyRecord {
            safety_policy_version: self.version.to_string(),
            safety_policy_hash: self.hash()?,
            active_profile: self.profile,
            autonomy_ceiling: self.autonomy_ceiling,
            effective_profile: self.effective_profile(),
        })
    }
}
