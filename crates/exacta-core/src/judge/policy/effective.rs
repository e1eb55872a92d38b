//! The outcome of a merge: the policy, where each value came from, what was ignored.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::layer::{LayerName, Origin};
use super::model::Policy;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;

/// The policy in force and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The policy.
    pub policy: Policy,
    /// For each key that a layer set: the layers that its value comes from.
    pub(super) origins: BTreeMap<String, Vec<Origin>>,
    /// Values that would have loosened, in the order of the layers.
    pub ignored: Vec<Loosening>,
}

/// A value that was not taken, or not wholly, because it would have loosened the policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loosening {
    /// The key, with dots.
    pub key: String,
    /// The layer that wanted it.
    pub layer: LayerName,
    /// What the layer wanted.
    pub value: Value,
    /// What holds instead.
    pub effective: Value,
    /// Why it was ignored.
    pub why: Why,
}

/// Why a value was ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It is looser than what an earlier layer says.
    Looser,
    /// This layer may not set the key.
    NotThisLayer,
}

impl Merged {
    /// Where the value of a key came from.
    #[must_use]
    pub fn origins(&self, key: &str) -> &[Origin] {
        self.origins.get(key).map_or(&[Origin::BuiltIn], Vec::as_slice)
    }
}

impl Loosening {
    /// The same as a finding.
    #[must_use]
    pub fn issue(&self) -> Issue {
        let Self { key, layer, value, effective, why } = self;
        let layer = layer.as_str();
        let message = match why {
            Why::Looser => {
                format!("`{key} = {value}` in the {layer} policy is looser; {effective} stays")
            }
            Why::NotThisLayer => format!("the {layer} policy may not set `{key}`; it is ignored"),
        };
        Issue::warning(Code::PolicyLoosened, "tighten", message)
            .help("remove it, or set it in the layer that decides")
    }
}
