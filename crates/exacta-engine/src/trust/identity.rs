//! Which folder a project is: a random name, and where its root was last seen.

use exacta_core::model::id::ProjectId;
use serde::{Deserialize, Serialize};

/// Where a root is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootId {
    /// The device it lies on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its path; bytes that are no text are replaced, which may only make it unknown.
    pub path: String,
}

/// A project as this user's gate knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Always `exacta/project/v1`.
    pub format: String,
    /// Its random id.
    pub project: ProjectId,
    /// Where it was last seen.
    pub root: RootId,
    /// The secret that vouches for runs and checkpoints, hexadecimal.
    pub secret: String,
}

impl Identity {
    pub(super) const FORMAT: &'static str = "exacta/project/v1";
}
