//! One fact with its evidence, and the list of them.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use super::kind::FactKind;
use crate::model::path::RelPath;

/// Something that is so, about one step's change of one file.
///
/// The order of facts is part of the score's evidence, so it is total and depends on
/// nothing but the facts themselves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The step that makes the change.
    pub step: String,
    /// The file.
    #[serde(deserialize_with = "checked_path")]
    pub path: RelPath,
    /// Line from 1, in the image after the step; for what was removed, in the image
    /// before it. `None` when the fact is about the file as a whole.
    pub line: Option<u32>,
    /// The line as a person may safely see it: secrets masked, hidden characters shown
    /// by their code point, length bounded. Empty when there is nothing to show.
    pub excerpt: String,
    /// What is so.
    pub kind: FactKind,
}

/// What the inspector hands back for a whole plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The form of this report; readers refuse a version they do not know.
    pub version: u32,
    /// In the order of the plan's steps, then by line and kind.
    pub facts: Vec<Fact>,
}

impl Report {
    /// The version that this code writes and reads.
    pub const VERSION: u32 = 1;

    /// A report of the current version.
    #[must_use]
    pub fn new(facts: Vec<Fact>) -> Self {
        Self { version: Self::VERSION, facts }
    }
}

/// A path that comes from outside passes every rule again.
fn checked_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RelPath, D::Error> {
    let text = String::deserialize(deserializer)?;
    RelPath::parse(&text).map_err(de::Error::custom)
}
