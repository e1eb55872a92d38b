//! The port: everything the engine may do to files, named by what is meant.
//!
//! Every effect of a run goes through these operations and no other way, so a test can
//! stand between the engine and the disk: end the process at any operation, make one
//! fail, lie about one, or replace the disk by a model that forgets what was not synced.
//! Another operating system joins by implementing this trait.

use std::path::{Path, PathBuf};

use exacta_core::change::FileMode;
use exacta_core::digest::{Blob, Digest};
use exacta_core::tree::TreeFault;
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
pub struct Dress {
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
    pub dress: Dress,
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
    #[error("`{0}` is there already")]
    Taken(Spot),
    /// Nothing is there any more.
    #[error("`{0}` is not there")]
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
    /// Another process holds the project.
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

fn reason(errno: Errno) -> String {
    std::io::Error::from(errno).to_string()
}

/// A target and the file whose bytes are meant for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// What is looked at.
    pub target: Spot,
    /// What is read, where that is a file.
    pub image: Option<Spot>,
}

/// What lies at a target, and the image where it was read ahead of time.
pub type Looked = (Result<Sight, PortError>, Option<Blob>);

/// The files of one project, as the engine acts on them.
///
/// Each method is one operation: it happens or it does not, and nothing that was there
/// before is lost by it. Nothing is durable before a [`barrier`](Workspace::barrier).
pub trait Workspace {
    /// Takes the project for this process until the lock is dropped.
    ///
    /// # Errors
    /// [`PortError::Locked`] when another process has it.
    fn lock(&self) -> Result<Lock, PortError>;

    /// Waits until it is this process's turn to write the record, which takes moments.
    ///
    /// # Errors
    /// When the system does not let it wait.
    fn turn(&self) -> Result<Lock, PortError>;

    /// What lies at a spot; the bytes are hashed, not kept.
    ///
    /// # Errors
    /// When the system does not say. "Unfit" is an answer, not an error.
    fn see(&self, at: &Spot) -> Result<Sight, PortError>;

    /// What lies at each of several spots, as [`see`](Workspace::see) would say.
    fn see_all(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
        spots.iter().map(|at| self.see(at)).collect()
    }

    /// Calls `act` for the number of each spot, in order and on this thread, until it says
    /// that this is enough, and tells what lies at each spot once `act` is through with it.
    /// Nothing is told when it was enough before the end.
    fn see_behind(
        &self,
        spots: &[Spot],
        act: &mut dyn FnMut(usize) -> bool,
    ) -> Vec<Result<Sight, PortError>> {
        if (0..spots.len()).all(act) { self.see_all(spots) } else { Vec::new() }
    }

    /// Whether names in the folder of a spot may be changed, as far as the system tells
    /// beforehand. A folder that is not there yet is judged by the one it will lie in.
    ///
    /// # Errors
    /// Why they may not.
    fn may_change(&self, at: &Spot) -> Result<(), PortError> {
        let _ = at;
        Ok(())
    }

    /// Whether a file with this owner and these attributes could be made again at a spot, as
    /// far as that can be told beforehand.
    ///
    /// # Errors
    /// [`PortError::CannotCarry`] with the part that could not.
    fn can_remake(&self, at: &Spot, dress: &Dress) -> Result<(), PortError> {
        let _ = (at, dress);
        Ok(())
    }

    /// The stamp of whatever lies at a spot, without reading it; `None` when absent.
    ///
    /// # Errors
    /// When the system does not say.
    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError>;

    /// Calls `then` for each pair, in order and on this thread, until it says that this is
    /// enough. It is told what lies at the target, and given the image where that was small
    /// and could be read ahead of time; whatever it is not given it
    /// [`read`](Workspace::read)s itself.
    fn look_ahead(&self, pairs: &[Pair], then: &mut dyn FnMut(Looked) -> bool) {
        let _ = pairs.iter().all(|pair| then((self.see(&pair.target), None)));
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// When nothing, or no regular file, is there.
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
    fn heritage(&self, folder: &Spot) -> Result<Dress, PortError>;

    /// The names in a folder, sorted; empty when it is absent.
    ///
    /// # Errors
    /// When the system does not say.
    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError>;

    /// Writes a new file and gives it mode, owner and attributes; returns its number.
    ///
    /// # Errors
    /// When something is there, or the file cannot be made exactly so.
    fn stage(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        dress: &Dress,
    ) -> Result<u64, PortError>;

    /// Makes a folder that will be placed in the project; returns its number.
    ///
    /// # Errors
    /// When something is there, or the folder cannot be made exactly so.
    fn stage_folder(&self, at: &Spot, dress: &Dress) -> Result<u64, PortError>;

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

    /// Where the project lies at this moment, for a child that must be told. Nothing
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
