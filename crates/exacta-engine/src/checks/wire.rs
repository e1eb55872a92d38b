//! What passes between the engine and the child that builds the walls.
//!
//! Both are the same program in the same version, so no version is needed; nothing of
//! this is stored.

use std::path::PathBuf;

use exacta_core::digest::Digest;
use serde::{Deserialize, Serialize};

/// One check to run, as one line of JSON on the child's standard input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// Where the project lies, and where the check sees its view.
    pub(super) project: PathBuf,
    /// Device and inode of the project, so that no other tree is shown by mistake.
    pub(super) identity: (u64, u64),
    pub(super) view: View,
    /// An empty folder outside the project on which the new root is built.
    pub(super) root: PathBuf,
    pub(super) reads: Vec<PathBuf>,
    pub(super) hidden: Vec<PathBuf>,
    pub(super) command: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
    /// Every target and the digest it must have; `None` where nothing may be.
    pub(super) targets: Vec<(String, Option<Digest>)>,
}

/// What to show at the project's place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum View {
    /// The project below the folder `tree` in `layer`, which also has a folder `work`.
    Overlay { layer: PathBuf },
    /// This folder.
    Folder(PathBuf),
}

/// A line of JSON on the child's standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    /// The view cannot be made this way; nothing ran.
    NoView(String),
    /// The walls cannot be built; nothing ran.
    NoConfinement(String),
    /// The walls stand and the command starts.
    Started,
    /// The command ended with this code.
    Ended(i32),
    /// The command was ended by this signal.
    Died(i32),
    /// Everything it started is gone; these targets differ from what they must be.
    Differ(Vec<String>),
}
