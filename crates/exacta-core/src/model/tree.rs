//! What the dry run may ask about the project's files.
//!
//! The core never opens a file. The engine implements [`Tree`] over a directory
//! handle that refuses links and special files; tests implement it in memory.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::model::change::FileMode;
use crate::model::digest::Blob;
use crate::model::path::RelPath;

/// A regular file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Its bytes.
    pub blob: Blob,
    /// Its permission bits.
    pub mode: FileMode,
}

/// Why a path cannot be a target, although its spelling is sound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeFault {
    /// A component of the path is a symbolic link.
    #[error("`{0}` is a symbolic link")]
    Symlink(String),
    /// A component that should be a folder is something else.
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    /// The target itself is a folder.
    #[error("it is a folder")]
    Folder,
    /// The target is a FIFO, socket or device.
    #[error("it is a {0}, not a regular file")]
    Special(&'static str),
    /// The file has more than one name, so a change would show elsewhere too.
    #[error("it has {0} hard links")]
    HardLinked(u64),
    /// The file lies on another file system than the project root.
    #[error("it lies on another file system than the project")]
    OtherDevice,
    /// The file is larger than the engine reads.
    #[error("it has {size} bytes; the limit is {limit}")]
    TooLarge {
        /// Its size.
        size: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// The system refused to read it.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

/// The project's files, read-only.
pub trait Tree {
    /// The file at `path`; `None` when nothing is there.
    ///
    /// # Errors
    /// When something is there that can never be a target.
    fn look(&self, path: &RelPath) -> Result<Option<TreeFile>, TreeFault>;

    /// The names beside `path`, as far as they can be told.
    fn siblings(&self, path: &RelPath) -> Vec<String> {
        let _ = path;
        Vec::new()
    }

    /// Which of these names the project's own files define. Where nobody can tell, none.
    fn defined(&self, names: &[String]) -> Vec<String> {
        let _ = names;
        Vec::new()
    }

    /// Which file of the project reads each of these documents, if one does. Where nobody can
    /// tell, none.
    fn readers(&self, documents: &[String]) -> BTreeMap<String, String> {
        let _ = documents;
        BTreeMap::new()
    }

    /// Whether the project has tests. Where nobody can tell, it is taken to have some.
    fn has_tests(&self) -> bool {
        true
    }
}
