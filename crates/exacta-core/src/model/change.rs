//! The unit of a file effect.
//!
//! Whatever a planner writes (diff, whole content, edits, patch) becomes changes at
//! once; everything later (drift, review, undo) is about changes only.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::model::digest::Digest;
use crate::model::path::RelPath;

/// Permission bits of a regular file, such as `0644`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileMode(u16);

impl FileMode {
    /// `0644`: what a new file gets.
    pub const REGULAR: Self = Self(0o644);
    /// `0755`: a new file that may be executed.
    pub const EXECUTABLE: Self = Self(0o755);

    /// Keeps the twelve permission bits of a raw mode.
    #[must_use]
    pub const fn from_raw(mode: u32) -> Self {
        Self((mode & 0o7777) as u16)
    }

    /// The permission bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// Whether anyone may execute the file.
    #[must_use]
    pub const fn is_executable(self) -> bool {
        self.0 & 0o111 != 0
    }

    /// Whether whoever executes the file acts as its owner or group.
    #[must_use]
    pub const fn lends_rights(self) -> bool {
        self.0 & 0o6000 != 0
    }

    /// The same mode with execution allowed to everyone who may read, or to no one.
    #[must_use]
    pub const fn with_execution(self, executable: bool) -> Self {
        if executable { Self(self.0 | ((self.0 & 0o444) >> 2)) } else { Self(self.0 & !0o111) }
    }
}

impl fmt::Display for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

impl fmt::Debug for FileMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for FileMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for FileMode {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "FileMode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "permission bits in octal",
            "pattern": "^[0-7]{4}$"
        })
    }
}

/// What happens to one file in one step: an image before, an image after.
///
/// `before: None` is a creation, `after: None` a deletion. Undo is the same change
/// with before and after exchanged; drift is `before` differing from what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// Its image after the step.
    pub after: Option<Digest>,
    /// Its image before the step.
    pub before: Option<Digest>,
    /// Its permission bits after the step.
    pub mode_after: Option<FileMode>,
    /// Its permission bits before the step.
    pub mode_before: Option<FileMode>,
    /// The file.
    pub path: RelPath,
    /// Where an imported rename came from; the matching deletion is a change of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<RelPath>,
    /// The step that makes the change.
    pub step: String,
}

/// The old names of renamed files, each with the step that renames it: deletions that are one
/// half of a rename, and do not count as files of their own.
#[must_use]
pub fn old_names(changes: &[Change]) -> BTreeSet<(&str, &RelPath)> {
    changes
        .iter()
        .filter_map(|change| Some((change.step.as_str(), change.renamed_from.as_ref()?)))
        .collect()
}

/// What becomes of one file when all its steps are done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NetChange {
    /// The file.
    pub path: RelPath,
    /// What happens to it.
    pub op: Op,
    /// Its image before the plan.
    pub before: Option<Digest>,
    /// Its image after the plan.
    pub after: Option<Digest>,
    /// Its permission bits after the plan; before it when the file goes away.
    pub mode: Option<FileMode>,
    /// Where an imported rename came from; the old name's deletion is listed beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<RelPath>,
}

/// The three things that can happen to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// It comes into being.
    Create,
    /// Its content, its mode or both change.
    Modify,
    /// It goes away.
    Delete,
}

/// Joins the changes of all steps, in execution order, to one for each file; files that
/// end as they began are left out.
#[must_use]
pub fn net(changes: &[Change]) -> Vec<NetChange> {
    let mut files: BTreeMap<&RelPath, (&Change, &Change)> = BTreeMap::new();
    for change in changes {
        files
            .entry(&change.path)
            .and_modify(|(_, last)| *last = change)
            .or_insert((change, change));
    }
    files
        .into_values()
        .filter_map(|(first, last)| {
            let op = match (first.before, last.after) {
                (None, None) => return None,
                (None, Some(_)) => Op::Create,
                (Some(_), None) => Op::Delete,
                (before, after) if before == after && first.mode_before == last.mode_after => {
                    return None;
                }
                _ => Op::Modify,
            };
            Some(NetChange {
                path: first.path.clone(),
                op,
                before: first.before,
                after: last.after,
                mode: last.mode_after.or(first.mode_before),
                renamed_from: first.renamed_from.clone(),
            })
        })
        .collect()
}
