//! A rule: when its conditions hold, the plan is refused or a person is asked.
//!
//! There is no rule that allows: rules only tighten.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::layer::LayerName;
use crate::model::change::Op;
use crate::model::plan::Recipe;
use crate::model::registry::Effect;

/// The word for a plan whose proposer was not authenticated.
pub const ANONYMOUS: &str = "anonymous";

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The layer it stands in.
    pub layer: LayerName,
    /// When it applies.
    #[serde(rename = "match")]
    pub condition: Condition,
    /// Its position in that layer, from 1.
    pub number: usize,
    /// Why, for the person who meets it.
    pub reason: String,
    /// What then happens.
    pub then: Then,
}

/// What a rule does to a plan that it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// The plan is refused.
    Deny,
    /// A person decides.
    Ask,
}

impl Then {
    /// Both outcomes as written.
    pub const WORDS: &'static [(&'static str, Self)] = &[("deny", Self::Deny), ("ask", Self::Ask)];
}

/// What can happen to a file, as written; emptying one counts as deleting it too.
pub(super) const OPS: &[(&str, Op)] =
    &[("create", Op::Create), ("modify", Op::Modify), ("delete", Op::Delete)];

/// Every condition that is given must hold; none at all holds for every plan.
///
/// `paths` and `ops` must hold for one and the same file, `tools` and `effects` for one
/// and the same call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// What a call does outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<Effect>>,
    /// The least number of lines added and removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_changed_lines: Option<u64>,
    /// The least risk score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_risk: Option<u64>,
    /// What happens to the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ops: Option<Vec<Op>>,
    /// Globs; letter case does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// Authenticated proposers; [`ANONYMOUS`] for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposers: Option<Vec<String>>,
    /// Recipes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipes: Option<Vec<Recipe>>,
    /// Names of primitives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
}
