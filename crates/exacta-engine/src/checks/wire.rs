//! What passes between the engine and the child that builds the walls.
//!
//! Both are the same program in the same version, so no version is needed; nothing of
//! this is stored.

use std::path::PathBuf;

use exacta_core::model::digest::Digest;
use serde::{Deserialize, Serialize};

/// One command to run, as one line of JSON on the child's standard input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Where the project lies, and where the command sees its view.
    pub(crate) project: PathBuf,
    /// Device and inode of the project, so that no other tree is shown by mistake.
    pub(crate) identity: (u64, u64),
    pub(crate) view: View,
    /// An empty folder outside the project on which the new root is built.
    pub(crate) root: PathBuf,
    pub(crate) reads: Vec<PathBuf>,
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) command: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// The folder that the command starts in, at or below the project.
    pub(crate) folder: PathBuf,
    /// A free place for an empty home in memory; the one in `/tmp` is always there.
    pub(crate) home: Option<PathBuf>,
    /// Folders of ours that the command may write to, with the place that each has in its home.
    #[serde(default)]
    pub(crate) kept: Vec<(PathBuf, PathBuf)>,
    /// Files of ours that lie over others below what is kept, to read only.
    #[serde(default)]
    pub(crate) over: Vec<(PathBuf, PathBuf)>,
    /// The file that is its standard input; without one there is none.
    pub(crate) input: Option<PathBuf>,
    /// Whether it may use the network of this machine.
    pub(crate) network: bool,
    /// Whether it reaches a proxy on the loopback of a network of its own.
    #[serde(default)]
    pub(crate) proxied: bool,
    /// Whether its output is a terminal, which then is its input as well.
    #[serde(default)]
    pub(crate) terminal: bool,
    /// Every target with the digest and the permission bits it must have; `None` where
    /// nothing may be.
    pub(crate) targets: Vec<(String, Option<(Digest, u32)>)>,
}

/// What to show at the project's place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum View {
    /// The project below the folder `tree` in `layer`, which also has a folder `work`.
    Overlay { layer: PathBuf },
    /// This folder.
    Folder(PathBuf),
}

/// What the innermost act needs besides the command, as one argument.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) user: u32,
    pub(crate) group: u32,
    pub(crate) network: bool,
    /// Whether it gets the terminal on its input as its own.
    pub(crate) terminal: bool,
    /// Where the command may write.
    pub(crate) writes: Vec<PathBuf>,
}

/// A line of JSON on the child's standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The view cannot be made this way; nothing ran.
    NoView(String),
    /// The walls cannot be built; nothing ran.
    NoConfinement(String),
    /// The walls stand and the command starts.
    Started,
    /// The process that built the walls was ended by this signal, and all inside with it.
    Killed(i32),
    /// The command ended with this code.
    Ended(i32),
    /// The command was ended by this signal.
    Died(i32),
    /// Everything it started is gone; these targets differ from what they must be.
    Differ(Vec<String>),
}
