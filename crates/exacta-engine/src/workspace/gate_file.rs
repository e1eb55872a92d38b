//! Reading the gate's own files below `.exacta`.
//!
//! No plan can name them: a `RelPath` never leads there. They are opened as carefully as
//! a target, because a project comes from anywhere.

use std::os::fd::AsFd as _;

use exacta_core::model::tree::TreeFault;

use super::look::{keeps_changing, read_whole, unreadable};
use super::root::Root;
use super::spot::STATE_FOLDER;

/// A file of the gate that is read from the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateFile {
    /// `policy.toml`
    Policy,
    /// `policy.cedar`
    Cedar,
}

impl GateFile {
    /// The name in the gate's folder.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Policy => "policy.toml",
            Self::Cedar => "policy.cedar",
        }
    }

    /// The path below the project root.
    #[must_use]
    pub fn path(self) -> String {
        format!("{STATE_FOLDER}/{}", self.name())
    }
}

impl Root {
    /// The bytes of one of the gate's files; `None` when it does not exist.
    ///
    /// # Errors
    /// When it is there but is not a plain, readable file of at most `limit` bytes.
    pub fn read_gate_file(&self, file: GateFile, limit: u64) -> Result<Option<Vec<u8>>, TreeFault> {
        for _ in 0..super::look::TRIES {
            let Some((handle, stat)) = self.open_target(&file.path())? else { return Ok(None) };
            let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
            if size > limit {
                return Err(TreeFault::TooLarge { size, limit });
            }
            if let Some(bytes) = read_whole(handle.as_fd(), &stat).map_err(unreadable)? {
                return Ok(Some(bytes));
            }
        }
        Err(keeps_changing())
    }
}
