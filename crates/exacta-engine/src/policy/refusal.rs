//! Why a policy folder or file is not used. Each is a reason to stop, never to go on
//! without it.

use exacta_core::model::tree::TreeFault;
use rustix::io::Errno;

/// What is wrong with a policy folder or file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The folder lies inside the project.
    #[error("its folder lies inside the project, where a plan could change it")]
    InsideProject,
    /// Somebody else owns it.
    #[error("{what} belongs to user {owner}")]
    Owner {
        /// File or folder.
        what: &'static str,
        /// The owner.
        owner: u32,
    },
    /// Somebody else may write to it.
    #[error("{what} may be written by others (mode {mode:04o})")]
    Writable {
        /// File or folder.
        what: &'static str,
        /// Permission bits.
        mode: u32,
    },
    /// A folder above it may be written by others.
    #[error("a folder above it may be written by others (mode {mode:04o})")]
    Above {
        /// Permission bits.
        mode: u32,
    },
    /// It is a symbolic link.
    #[error("it is a symbolic link")]
    Symlink,
    /// It is not a regular file.
    #[error("it is not a regular file")]
    NotAFile,
    /// Its folder is not a folder.
    #[error("its folder is not a folder")]
    NotAFolder,
    /// It is larger than a policy can be.
    #[error("it has more than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The system said no.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// A person has not confirmed it yet.
    #[error("it lies elsewhere or is looser than what a person last confirmed")]
    Unconfirmed,
    /// It could not be written.
    #[error("it cannot be written: {0}")]
    Unwritable(String),
    /// The folder that it lies in cannot be entered or read.
    #[error("the folder `{0}` cannot be read")]
    ProjectFolder(String),
    /// The project's file is not a plain file.
    #[error("{0}")]
    Project(TreeFault),
}

impl Refusal {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::InsideProject => "keep the operator's policy outside of every project",
            Self::Owner { .. } => "let the user of the gate own it, or root",
            Self::Writable { .. } => "take the right away with `chmod go-w`",
            Self::Above { .. } => {
                "take the right away with `chmod go-w`, or let the user of the gate or root own it"
            }
            Self::Symlink => "put the file itself there; links are not followed",
            Self::NotAFile | Self::NotAFolder => "move it away, or put a plain file there",
            Self::TooLarge { .. } => "make it smaller",
            Self::Unreadable(_) => "make it readable for the user of the gate, or remove it",
            Self::Unconfirmed => {
                "look at it with `exacta policy show`, then `exacta policy confirm`"
            }
            Self::Unwritable(_) => {
                "make the folder writable for the user of the gate, and no other"
            }
            Self::ProjectFolder(_) => {
                "make the folder readable for the user of the gate; the policy itself may be fine"
            }
            Self::Project(_) => "put a plain, readable file there, or remove it",
        }
    }
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Self {
        Self::Unreadable(std::io::Error::from(errno).to_string())
    }
}
