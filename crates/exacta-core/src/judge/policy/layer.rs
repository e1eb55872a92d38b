//! One layer of policy: what one file says, typed, before anything is merged.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use super::caps::Cap;
use super::registered::{Check, Proposer, Skill};
use super::rule::Rule;
use super::tools::ToolsLayer;
use super::words::{Decide, Profile};
use crate::model::digest::Digest;
use crate::model::plan::Constraint;

/// The layers, in the order in which they are laid over each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LayerName {
    /// The machine's floor.
    System,
    /// The person who runs the gate.
    Operator,
    /// The project; anybody who can write to it writes this.
    Project,
    /// Variables of whoever starts the gate; they can only lower caps.
    Environment,
}

impl LayerName {
    /// Every layer, in order.
    pub const ALL: [Self; 4] = [Self::System, Self::Operator, Self::Project, Self::Environment];

    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Operator => "operator",
            Self::Project => "project",
            Self::Environment => "environment",
        }
    }

    /// Whether the layer may set what no layer before it has set.
    #[must_use]
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::System | Self::Operator)
    }
}

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// No layer set it.
    BuiltIn,
    /// The machine's floor.
    System,
    /// The operator.
    Operator,
    /// The project.
    Project,
    /// The environment.
    Environment,
}

impl Origin {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::System => LayerName::System.as_str(),
            Self::Operator => LayerName::Operator.as_str(),
            Self::Project => LayerName::Project.as_str(),
            Self::Environment => LayerName::Environment.as_str(),
        }
    }
}

impl From<LayerName> for Origin {
    fn from(name: LayerName) -> Self {
        match name {
            LayerName::System => Self::System,
            LayerName::Operator => Self::Operator,
            LayerName::Project => Self::Project,
            LayerName::Environment => Self::Environment,
        }
    }
}

/// A layer that took part in a policy, named by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Hash of its bytes, with the values of `profile` and `autonomy_ceiling` left out.
    pub digest: Digest,
    /// Which layer.
    pub layer: LayerName,
}

/// What one file says. `None` and empty maps mean that it says nothing about a key.
///
/// Made by [`read`](super::read()), which alone knows the file's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Which layer it is, and the hash of its bytes.
    pub source: Source,
    /// `profile`
    pub profile: Option<Profile>,
    /// `autonomy_ceiling`
    pub autonomy_ceiling: Option<Profile>,
    /// `decide`
    pub decide: Option<Decide>,
    /// `commit`
    pub commit: Option<bool>,
    /// `editor_decides`
    pub editor_decides: Option<bool>,
    /// `ttl_minutes`
    pub ttl_minutes: Option<u64>,
    /// `token_budget`
    pub token_budget: Option<u64>,
    /// `retention_days`
    pub retention_days: Option<u64>,
    /// `allowed_domains`
    pub allowed_domains: Option<BTreeSet<String>>,
    /// `allowed_recipients`
    pub allowed_recipients: Option<BTreeSet<String>>,
    /// `primitives`
    pub primitives: Option<BTreeSet<String>>,
    /// `unasked_primitives`
    pub unasked_primitives: Option<BTreeSet<String>>,
    /// `known_urls`
    pub known_urls: Option<BTreeSet<String>>,
    /// `project_config`
    pub project_config: Option<BTreeSet<String>>,
    /// `caps.*`
    pub caps: BTreeMap<Cap, u64>,
    /// `prices.default`, in millionths of a US dollar for a million tokens
    pub default_price: Option<u64>,
    /// `prices.models.*`
    pub prices: BTreeMap<String, u64>,
    /// `session_budget.risk`
    pub session_risk: Option<u64>,
    /// `session_budget.files`
    pub session_files: Option<u64>,
    /// `session_budget.lines`
    pub session_lines: Option<u64>,
    /// `session_budget.minutes`
    pub session_minutes: Option<u64>,
    /// `proposers.*`
    pub proposers: BTreeMap<String, Proposer>,
    /// `skills.*`
    pub skills: BTreeMap<String, Skill>,
    /// `checks.*`
    pub checks: BTreeMap<String, Check>,
    /// `constraints`
    pub constraints: Vec<Constraint>,
    /// `rule`
    pub rules: Vec<Rule>,
    /// `tools`
    pub tools: ToolsLayer,
}

impl Layer {
    /// A layer that says nothing.
    #[must_use]
    pub fn empty(source: Source) -> Self {
        Self {
            source,
            profile: None,
            autonomy_ceiling: None,
            decide: None,
            commit: None,
            editor_decides: None,
            ttl_minutes: None,
            token_budget: None,
            retention_days: None,
            allowed_domains: None,
            allowed_recipients: None,
            primitives: None,
            unasked_primitives: None,
            known_urls: None,
            project_config: None,
            caps: BTreeMap::new(),
            default_price: None,
            prices: BTreeMap::new(),
            session_risk: None,
            session_files: None,
            session_lines: None,
            session_minutes: None,
            proposers: BTreeMap::new(),
            skills: BTreeMap::new(),
            checks: BTreeMap::new(),
            constraints: Vec::new(),
            rules: Vec::new(),
            tools: ToolsLayer::default(),
        }
    }
}
