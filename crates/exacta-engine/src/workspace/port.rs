//! The port: everything the engine may do to files, named by what is meant.
//!
//! Every effect of a run goes through these operations and no other way, so a test can
//! stand between the engine and the disk: end the process at any operation, make one
//! fail, lie about one, or replace the disk by a model that forgets what was not synced.
//! Another operating system joins by implementing this trait.

use std::path::{Path, PathBuf};

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Digest;
use exacta_core::model::tree::TreeFault;
use rustix::io::Errno;

use super::lock::Lock;
use super::spot::Spot;

/// What names a file's content and permission: equal images are the same to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    /// The name of the bytes.
    pub digest: Digest,
    /// The permission bits.
    pub mode: FileMode,
}

/// Owner and extended attributes (access lists among them) of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// User and group.
    pub owner: Option<(u32, u32)>,
    /// Extended attributes in the order the system lists them.
    pub attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A regular file that may be a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Content and permission.
    pub image: Image,
    /// Its size in bytes.
    pub size: u64,
    /// Its number on this file system.
    pub inode: u64,
    /// Changes whenever someone writes to it.
    pub stamp: Stamp,
    /// Owner and attributes.
    pub metadata: Metadata,
}

/// A cheap sign that a file was not written to: its number, size and time of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Its number on this file system.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written to: seconds and nanoseconds.
    pub written: (i64, u64),
    /// When its bytes, its name or its rights last changed, which nobody can set by hand.
    pub changed: (i64, u64),
}

impl Stamp {
    /// Whether nobody has written to the file since `earlier`, whatever became of its name.
    #[must_use]
    pub fn has_bytes_of(&self, earlier: &Self) -> bool {
        let bytes = |stamp: &Self| (stamp.inode, stamp.size, stamp.written);
        bytes(self) == bytes(earlier)
    }
}

/// What lies at a spot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Nothing.
    Absent,
    /// A regular file.
    File(Seen),
    /// Something that can never be a target.
    Unfit(TreeFault),
}

/// A folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderSeen {
    /// Its number on this file system.
    pub inode: u64,
    /// Whether nothing is in it.
    pub empty: bool,
}

/// Room on the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// Bytes that may still be written.
    pub bytes: u64,
    /// Files that may still be made; `None` where the file system has no such limit.
    pub files: Option<u64>,
    /// No file is made larger than this; `None` where there is no limit.
    pub largest: Option<u64>,
}

/// What a barrier must make durable.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Files whose bytes and attributes must last.
    pub files: Vec<Spot>,
    /// Folders whose entries must last.
    pub folders: Vec<Spot>,
}

/// Why an operation did not happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// Something that no run may touch is in the way.
    #[error("`{at}`: {fault}")]
    Refused {
        /// Where.
        at: Spot,
        /// What it is.
        fault: TreeFault,
    },
    /// Something is there already.
    #[error("`{0}` already exists")]
    Taken(Spot),
    /// Nothing is there any more.
    #[error("`{0}` does not exist")]
    Gone(Spot),
    /// Owner or an attribute cannot be carried over to the new image.
    #[error("{what} of `{at}` cannot be carried over: {}", reason(*errno))]
    CannotCarry {
        /// Where.
        at: Spot,
        /// Which part of the metadata.
        what: String,
        /// What the system said.
        errno: Errno,
    },
    /// Another holder has the project.
    #[error("another process is changing this project")]
    Locked,
    /// The system refused.
    #[error("cannot {act} `{at}`: {}", reason(*errno))]
    System {
        /// What was tried.
        act: &'static str,
        /// Where.
        at: Spot,
        /// What the system said.
        errno: Errno,
    },
}

impl PortError {
    /// Whether a second name of a file stands in the way, and nothing else.
    #[must_use]
    pub fn is_hard_link(&self) -> bool {
        matches!(self, Self::Refused { fault: TreeFault::HardLinked(_), .. })
    }
}

fn reason(errno: Errno) -> String {
    std::io::Error::from(errno).to_string()
}

/// The files of one project, as the engine acts on them.
///
/// Each method is one operation: it happens or it does not, and nothing that was there
/// before is lost by it. Nothing is durable before a [`barrier`](Workspace::barrier). Many
/// threads may use one workspace. What every implementation promises is tested by one suite,
/// `exacta_testkit::workspace::PROMISES`.
pub trait Workspace: Send + Sync {
    /// Takes the project for the caller until the lock is dropped.
    ///
    /// # Errors
    /// [`PortError::Locked`] when another process, or another thread of this one, has it.
    fn lock(&self) -> Result<Lock, PortError>;

    /// Waits for the caller's turn to write the record, which takes moments. A turn excludes
    /// other turns, not locks.
    ///
    /// # Errors
    /// When the system does not let it wait.
    fn turn(&self) -> Result<Lock, PortError>;

    /// Holds a file of the gate's own, made when absent, until the lock is dropped or its
    /// holder dies.
    ///
    /// # Errors
    /// [`PortError::Locked`] when somebody else holds it.
    fn hold(&self, at: &Spot) -> Result<Lock, PortError> {
        Err(PortError::System { act: "lock", at: at.clone(), errno: Errno::NOSYS })
    }

    /// Whether somebody [holds](Workspace::hold) the file. Nothing is made.
    ///
    /// # Errors
    /// When the system does not say.
    fn is_held(&self, at: &Spot) -> Result<bool, PortError> {
        let _ = at;
        Ok(false)
    }

    /// What lies at a spot; the bytes are hashed, not kept.
    ///
    /// # Errors
    /// When the system does not say. "Unfit" is an answer, not an error.
    fn see(&self, at: &Spot) -> Result<Sight, PortError>;

    /// What lies at each of several spots, as [`see`](Workspace::see) would say.
    fn see_all(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
        spots.iter().map(|at| self.see(at)).collect()
    }

    /// Whether names in the folder of a spot may be changed, as far as the system says
    /// beforehand. A folder that does not exist yet is judged by the one it will lie in.
    ///
    /// # Errors
    /// Why they may not.
    fn may_change(&self, at: &Spot) -> Result<(), PortError> {
        let _ = at;
        Ok(())
    }

    /// Whether a file with this owner and these attributes could be made again at a spot, as
    /// far as that is known beforehand.
    ///
    /// # Errors
    /// [`PortError::CannotCarry`] with the part that could not.
    fn can_remake(&self, at: &Spot, metadata: &Metadata) -> Result<(), PortError> {
        let _ = (at, metadata);
        Ok(())
    }

    /// The stamp of whatever lies at a spot, without reading it; `None` when absent.
    ///
    /// # Errors
    /// When the system does not say.
    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// [`PortError::Gone`] when nothing is there, [`PortError::Refused`] when it is not a
    /// regular file that may be a target.
    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError>;

    /// A folder; `None` when nothing or something else is there.
    ///
    /// # Errors
    /// When the system does not say.
    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError>;

    /// What a file made in this folder inherits from it: group and default access list.
    ///
    /// # Errors
    /// When the folder is not there or the system does not say.
    fn inherited_from(&self, folder: &Spot) -> Result<Metadata, PortError>;

    /// The names in a folder, sorted; empty when it is absent.
    ///
    /// # Errors
    /// When the system does not say.
    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError>;

    /// Writes a new file and gives it mode, owner and attributes; returns its number.
    ///
    /// # Errors
    /// [`PortError::Taken`] when something is there; otherwise why the file cannot be made
    /// exactly so.
    fn stage(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        metadata: &Metadata,
    ) -> Result<u64, PortError>;

    /// Makes a folder that will be placed in the project; returns its number.
    ///
    /// # Errors
    /// [`PortError::Taken`] when something is there; otherwise why the folder cannot be made
    /// exactly so.
    fn stage_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError>;

    /// Makes a folder of the gate's own that only this user may enter; one that is there
    /// already is fine.
    ///
    /// # Errors
    /// When it cannot be made.
    fn make_private(&self, at: &Spot) -> Result<(), PortError>;

    /// Exchanges what lies at two spots, in one step.
    ///
    /// # Errors
    /// [`PortError::Gone`] when one of them is absent.
    fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError>;

    /// Moves to a spot where nothing is; never replaces.
    ///
    /// # Errors
    /// [`PortError::Taken`] or [`PortError::Gone`].
    fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError>;

    /// Adds bytes at the end of a file of the gate's own, which is made when absent.
    ///
    /// # Errors
    /// When not all bytes were added; some may have been.
    fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError>;

    /// Removes a file; fine when it is absent.
    ///
    /// # Errors
    /// When the system refuses.
    fn remove(&self, at: &Spot) -> Result<(), PortError>;

    /// Removes an empty folder; fine when it is absent.
    ///
    /// # Errors
    /// When it is not empty or the system refuses.
    fn remove_folder(&self, at: &Spot) -> Result<(), PortError>;

    /// Makes everything in the scope durable before it returns.
    ///
    /// # Errors
    /// When the system cannot promise it.
    fn barrier(&self, scope: &Scope) -> Result<(), PortError>;

    /// A private copy of the project in the empty folder `into`, without the gate's own
    /// folder, as a workspace of its own.
    ///
    /// # Errors
    /// When the folder is not empty or the copy cannot be made.
    fn view(&self, into: &Path) -> Result<Box<dyn Workspace>, PortError>;

    /// Where the project lies at this moment, for a child that needs the path. Nothing
    /// here acts on it.
    ///
    /// # Errors
    /// When this workspace lies nowhere, or the system does not say.
    fn location(&self) -> Result<PathBuf, PortError> {
        Err(PortError::System { act: "find", at: Spot::root(), errno: Errno::NOSYS })
    }

    /// Room that is left.
    ///
    /// # Errors
    /// When the system does not say.
    fn space(&self) -> Result<Space, PortError>;
}
