//! Why a run did not happen, or did not stay.

use std::fmt;

use exacta_core::model::path::RelPath;
use exacta_core::model::tree::TreeFault;

use crate::run::images::ImageError;
use crate::run::roll::Conflict;
use crate::run::run_id::RunId;
use crate::workspace::{Image, PortError, Space};

/// How a target differs from what the plan was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Other bytes.
    Changed(Image),
    /// The same bytes, other permission bits.
    Mode(Image),
    /// The same bytes and bits, another owner, access list or attribute.
    Metadata,
    /// Nothing, where a file should be.
    Vanished,
    /// A file, where nothing should be.
    Appeared(Image),
    /// Something that can never be a target.
    Unfit(TreeFault),
    /// The backup was edited.
    BackupChanged,
}

/// One target that is not as the plan expects it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The target.
    pub path: RelPath,
    /// What is there instead.
    pub found: Found,
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.found {
            Found::Changed(_) => write!(f, "`{path}` has changed"),
            Found::Mode(now) => write!(f, "`{path}` now has mode {}", now.mode),
            Found::Metadata => {
                write!(f, "the owner, access list or attributes of `{path}` have changed")
            }
            Found::Vanished => write!(f, "`{path}` has vanished"),
            Found::Appeared(_) => write!(f, "`{path}` has appeared"),
            Found::Unfit(fault) => write!(f, "`{path}`: {fault}"),
            Found::BackupChanged => write!(f, "the backup of `{path}` was edited or is gone"),
        }
    }
}

/// Entries of a list, joined for a message.
pub(crate) fn joined<T: fmt::Display>(list: &[T]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Needed and left, of whatever there is too little.
fn room_for(needed: u64, files: u64, left: &Space) -> String {
    let bytes = (left.bytes < needed).then(|| {
        let free = left.bytes;
        format!("{needed} bytes are needed and {free} are free")
    });
    let count = left.files.filter(|free| *free < files);
    let count = count.map(|free| format!("{files} new files are needed and {free} are free"));
    bytes.into_iter().chain(count).collect::<Vec<_>>().join("; ")
}

/// Why nothing was staged. The project is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    /// Targets are not what the plan was made for.
    #[error("the project has changed: {}", joined(.0))]
    Drift(Vec<Drift>),
    /// Owner or attributes of these targets cannot be carried over.
    #[error("metadata would be lost: {}", joined(.0))]
    Metadata(Vec<PortError>),
    /// The file system is too full.
    #[error("the file system is too full: {}", room_for(*.needed, *.files, .left))]
    NoSpace {
        /// Bytes the run needs.
        needed: u64,
        /// Files the run needs.
        files: u64,
        /// What there is.
        left: Space,
    },
    /// An earlier run was interrupted.
    #[error("an earlier run was interrupted and must be recovered first: {}", joined(.0))]
    RecoveryNeeded(Vec<RunId>),
    /// Two changes of one path do not follow from each other.
    #[error("the changes of `{0}` do not follow from each other")]
    Inconsistent(RelPath),
    /// This run was staged before.
    #[error("the run {0} exists already")]
    RunExists(RunId),
    /// There is nothing to do.
    #[error("no file would change")]
    Nothing,
    /// The watcher asked to stop.
    #[error("stopped on request; nothing was changed")]
    Cancelled,
    /// An after image could not be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// An operation failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// What made a commit roll back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// A target changed at the last moment; that edit is in place.
    #[error("the project changed while the run was under way: {}", joined(.0))]
    Drift(Vec<Drift>),
    /// The watcher asked to stop.
    #[error("stopped on request")]
    Cancelled,
    /// The caller decided so.
    #[error("rolled back on request")]
    Asked,
    /// An operation failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// Why a run did not end in a receipt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// Every target has its before image again, except those a user edited meanwhile.
    #[error("rolled back: {cause}")]
    RolledBack {
        /// Why.
        cause: Cause,
        /// Targets that keep a user's edit; both images are kept.
        conflicts: Vec<Conflict>,
    },
    /// Not every target could be rolled back; [`recover`](super::Engine::recover) goes on
    /// when the obstacle is gone.
    #[error("recovery is needed: {cause}; {}", joined(.obstacles))]
    Unsettled {
        /// Why the run stopped.
        cause: Cause,
        /// What stood in the way of rolling back.
        obstacles: Vec<PortError>,
    },
}

/// Why recovery could not finish or roll back every interrupted run. It may be tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecoverError {
    /// Some runs are still unsettled.
    #[error("an interrupted run could be neither finished nor rolled back yet: {}", joined(.obstacles))]
    Unsettled {
        /// What stands in the way.
        obstacles: Vec<PortError>,
    },
    /// An operation failed before anything was decided.
    #[error(transparent)]
    Port(#[from] PortError),
}

/// Why a run cannot be undone. The project is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// What the run left was changed since; nothing of it is touched.
    #[error("these files were changed since: {}", joined(.0))]
    Conflicts(Vec<Drift>),
    /// The run never completed, is not known here, or was forgotten.
    #[error("the run {0} has nothing that can be undone")]
    NotUndoable(RunId),
    /// The inverse run could not be staged.
    #[error(transparent)]
    Stage(StageError),
}
