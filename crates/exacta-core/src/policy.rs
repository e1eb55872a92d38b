//! The rules in force while a plan is examined.
//!
//! These are the built-in values. Layers of operator and project policy tighten them
//! before they reach this crate.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use crate::digest::Digest;
use crate::plan::Constraint;
use crate::registry;

/// What the operator allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Policy {
    /// Hosts that tools may contact.
    pub allowed_domains: BTreeSet<String>,
    /// Addresses that tools may write to.
    pub allowed_recipients: BTreeSet<String>,
    /// Size caps.
    pub caps: Caps,
    /// Constraints on every plan.
    pub constraints: Vec<Constraint>,
    /// Price of a million tokens in millionths of a US dollar.
    pub micro_usd_per_million_tokens: u64,
    /// Primitives that plans may use.
    pub primitives: BTreeSet<String>,
    /// The profile in force.
    pub profile: Profile,
    /// The most tokens a plan may need.
    pub token_budget: u64,
    /// Version of the policy format.
    pub version: u32,
}

/// How much may happen without a person, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Every plan waits for a person.
    Manual,
    /// Small, safe plans run alone.
    Conservative,
    /// Medium risk runs alone too, with a notice.
    Balanced,
}

/// Size caps on a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Caps {
    /// Lines added and removed by a plan.
    pub max_changed_lines: u64,
    /// Cost of a plan in millionths of a US dollar.
    pub max_cost_micro_usd: u64,
    /// Files touched by a plan.
    pub max_files: u64,
    /// Bytes of all file images that a plan makes.
    pub max_image_bytes: u64,
    /// Pages read by a plan.
    pub max_pages: u64,
    /// Tool steps in a plan.
    pub max_steps: u64,
    /// Tool calls in a plan.
    pub max_tool_calls: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            max_steps: 12,
            max_tool_calls: 40,
            max_pages: 200,
            max_cost_micro_usd: 5_000_000,
            max_files: 500,
            max_changed_lines: 50_000,
            max_image_bytes: 256 * 1024 * 1024,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            version: 1,
            profile: Profile::Conservative,
            token_budget: 200_000,
            allowed_domains: BTreeSet::new(),
            allowed_recipients: BTreeSet::new(),
            primitives: registry::default_names().collect(),
            caps: Caps::default(),
            micro_usd_per_million_tokens: 2_000_000,
            constraints: Vec::new(),
        }
    }
}

impl Policy {
    /// The policy's name: SHA-256 of its canonical form.
    ///
    /// # Errors
    /// Never for values of this type; the canonicaliser's error is passed on.
    pub fn hash(&self) -> Result<Digest, serde_json::Error> {
        Digest::of_canonical(self)
    }
}
