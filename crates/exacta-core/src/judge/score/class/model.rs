//! The classes as data.

use alloc::string::String;
use core::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::{HIGH_FROM, MEDIUM_FROM};

/// What a change does, harmless first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Proven that nothing that runs changes.
    Neutral,
    /// Something is added that nothing existing uses.
    Additive,
    /// What exists acts differently, in known ways.
    Behaviour,
    /// A person looks at it, always.
    Dangerous,
}

impl Class {
    /// All of them, harmless first.
    pub const ALL: [Self; 4] = [Self::Neutral, Self::Additive, Self::Behaviour, Self::Dangerous];

    /// The least risk of a plan of this class.
    #[must_use]
    pub const fn floor(self) -> u32 {
        match self {
            Self::Neutral | Self::Additive => 0,
            Self::Behaviour => MEDIUM_FROM,
            Self::Dangerous => HIGH_FROM,
        }
    }

    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Additive => "additive",
            Self::Behaviour => "behaviour",
            Self::Dangerous => "dangerous",
        }
    }

    /// What it means for the program, in a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Neutral => "it is proven that nothing that runs changes",
            Self::Additive => "something is added, and nothing that exists acts differently",
            Self::Behaviour => "something that exists may act differently",
            Self::Dangerous => "it can break or expose more than the lines it changes",
        }
    }

    /// When a change is of this class, for the reference.
    #[must_use]
    pub const fn when(self) -> &'static str {
        match self {
            Self::Neutral => {
                "proven that nothing that runs changes: documents, comments and layout, names of locals, equal values"
            }
            Self::Additive => {
                "tests added or changed without a loss; new functions and types that nothing existing calls"
            }
            Self::Behaviour => {
                "everything else: what exists acts differently, or nobody could prove that it does not"
            }
            Self::Dangerous => "one of the findings below",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The class of a plan and why. Made only by the assessment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Classed {
    /// The finding that put it there.
    pub evidence: Evidence,
    /// The worst class among all changes.
    #[serde(rename = "name")]
    pub class: Class,
    /// Why, in a sentence.
    pub reason: String,
    /// How many of a hundred changed lines were read by something that understands them.
    pub understood: u32,
}
