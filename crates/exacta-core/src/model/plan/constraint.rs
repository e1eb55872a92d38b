//! Typed constraints (rule PS-1): what a plan must or must not do.

use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// A constraint that code can check. An unknown kind is refused, never skipped.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Constraint {
    /// Every file touched matches one of the globs.
    PathsWithin {
        /// Globs; `*` stays inside a folder, `**` crosses folders.
        globs: Vec<String>,
    },
    /// No file touched matches any of the globs.
    PathsExcept {
        /// Globs.
        globs: Vec<String>,
    },
    /// Nothing is deleted; a file that is emptied counts as deleted.
    NoDelete,
    /// No dependency is added.
    NoNewDependencies,
    /// At most this many files are touched.
    MaxFiles {
        /// The most files.
        max: u64,
    },
    /// At most this many lines are added and removed.
    MaxChangedLines {
        /// The most lines.
        max: u64,
    },
    /// For each glob, some file touched matches it.
    MustTouch {
        /// Globs.
        globs: Vec<String>,
    },
    /// Where code changes, a test changes too. With names: these checks of policy judge
    /// the staged files.
    TestsRequired {
        /// Names of checks; empty means that a test changes.
        #[serde(default)]
        checks: Vec<String>,
    },
    /// Only these domains are contacted.
    Domains {
        /// Host names, lower-case.
        domains: Vec<String>,
    },
    /// Only these recipients are written to.
    Recipients {
        /// Mail addresses.
        recipients: Vec<String>,
    },
    /// No tool is called; with names, none of these.
    NoTool {
        /// Tool names; empty means any tool.
        #[serde(default)]
        tools: Vec<String>,
    },
}

impl Constraint {
    /// Every kind, as written.
    pub const KINDS: [&'static str; 11] = [
        "paths_within",
        "paths_except",
        "no_delete",
        "no_new_dependencies",
        "max_files",
        "max_changed_lines",
        "must_touch",
        "tests_required",
        "domains",
        "recipients",
        "no_tool",
    ];

    /// The kind, as written.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::PathsWithin { .. } => "paths_within",
            Self::PathsExcept { .. } => "paths_except",
            Self::NoDelete => "no_delete",
            Self::NoNewDependencies => "no_new_dependencies",
            Self::MaxFiles { .. } => "max_files",
            Self::MaxChangedLines { .. } => "max_changed_lines",
            Self::MustTouch { .. } => "must_touch",
            Self::TestsRequired { .. } => "tests_required",
            Self::Domains { .. } => "domains",
            Self::Recipients { .. } => "recipients",
            Self::NoTool { .. } => "no_tool",
        }
    }
}

impl Serialize for Constraint {
    /// One object with its members in canonical order.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::PathsWithin { globs }
            | Self::PathsExcept { globs }
            | Self::MustTouch { globs } => {
                map.serialize_entry("globs", globs)?;
            }
            Self::Domains { domains } => map.serialize_entry("domains", domains)?,
            Self::TestsRequired { checks } if !checks.is_empty() => {
                map.serialize_entry("checks", checks)?;
            }
            _ => {}
        }
        map.serialize_entry("kind", self.kind())?;
        match self {
            Self::MaxFiles { max } | Self::MaxChangedLines { max } => {
                map.serialize_entry("max", max)?;
            }
            Self::Recipients { recipients } => map.serialize_entry("recipients", recipients)?,
            Self::NoTool { tools } if !tools.is_empty() => map.serialize_entry("tools", tools)?,
            _ => {}
        }
        map.end()
    }
}

/// Who put a constraint in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The operator's policy.
    Policy,
    /// The person who gave the intent.
    Person,
    /// The draft itself.
    Draft,
}

/// A constraint in force and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Effective {
    /// The constraint.
    pub constraint: Constraint,
    /// Where it comes from.
    pub origin: Origin,
}
