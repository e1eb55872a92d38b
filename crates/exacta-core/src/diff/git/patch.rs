//! A patch that has been read: what happens to which file.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::super::apply::{Anchor, apply};
use super::super::fault::DiffFault;
use super::super::hunk::Hunk;
use super::super::misfit::Misfit;
use super::super::problem::DiffProblem;
use crate::change::FileMode;
use crate::path::RelPath;

/// A patch: each file at most once, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitPatch {
    /// The files.
    pub files: Vec<FilePatch>,
}

/// What happens to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOp {
    /// It is made; nothing was there.
    Create,
    /// Its content, its mode or both change.
    Modify,
    /// It goes away.
    Delete,
    /// It takes the place of another file, which goes away.
    Rename {
        /// The file that goes away.
        from: RelPath,
    },
}

/// A file mode that git records for a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitMode {
    /// `100644`
    Regular,
    /// `100755`
    Executable,
}

impl GitMode {
    /// The permission bits that a new file of this mode gets.
    #[must_use]
    pub const fn file_mode(self) -> FileMode {
        match self {
            Self::Regular => FileMode::REGULAR,
            Self::Executable => FileMode::EXECUTABLE,
        }
    }
}

/// One section of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// What happens.
    pub op: FileOp,
    /// The file; for a rename its new name.
    pub path: RelPath,
    /// The mode that the file had where the patch was made, when the patch says so.
    pub old_mode: Option<GitMode>,
    /// The mode that the patch gives the file; `None` leaves it as it is.
    pub new_mode: Option<GitMode>,
    /// The line of the patch on which the section starts.
    pub(super) line: u32,
    pub(super) text: Arc<[u8]>,
    pub(super) hunks: Vec<Hunk>,
    pub(super) anchor: Anchor,
}

impl FilePatch {
    /// The file after, made from the file before; `None` is a file that is not there.
    /// For a rename `before` is the file that goes away.
    ///
    /// # Errors
    /// When the file is there and should not be, or the other way round, or the first
    /// line of a hunk that does not fit. Lines are those of the whole patch.
    pub fn apply(&self, before: Option<&[u8]>) -> Result<Option<Vec<u8>>, DiffFault> {
        let fault = |problem| Err(DiffFault::new(self.line, 1, problem));
        let before = match (&self.op, before) {
            (FileOp::Create, Some(_)) => return fault(DiffProblem::Exists),
            (FileOp::Create, None) => &[],
            (_, None) => return fault(DiffProblem::Missing),
            (_, Some(bytes)) => bytes,
        };
        let after = apply(&self.text, &self.hunks, self.anchor, before)?;
        if self.op != FileOp::Delete {
            return Ok(Some(after));
        }
        if after.is_empty() { Ok(None) } else { fault(DiffProblem::Leftover(after.len())) }
    }

    /// Why the section may have fitted once, after `apply` failed with `fault`.
    #[must_use]
    pub fn misfit(&self, before: Option<&[u8]>, fault: &DiffFault) -> Option<Misfit> {
        match (&self.op, before) {
            (FileOp::Create, Some(bytes)) => {
                let made = self.apply(None).ok().flatten();
                (made.as_deref() == Some(bytes)).then_some(Misfit::AlreadyApplied)
            }
            (FileOp::Modify, Some(bytes)) => {
                Misfit::find(&self.text, &self.hunks, bytes, fault.line())
            }
            (FileOp::Delete, None) => Some(Misfit::AlreadyApplied),
            _ => None,
        }
    }

    /// The file that a rename takes away.
    #[must_use]
    pub fn renamed_from(&self) -> Option<&RelPath> {
        match &self.op {
            FileOp::Rename { from } => Some(from),
            FileOp::Create | FileOp::Modify | FileOp::Delete => None,
        }
    }

    /// The step type that this section becomes; a rename creates its new name.
    #[must_use]
    pub fn step_type(&self) -> &'static str {
        match self.op {
            FileOp::Create | FileOp::Rename { .. } => "file_create",
            FileOp::Modify => "file_modify",
            FileOp::Delete => "file_delete",
        }
    }

    /// The line of the patch on which the section of this file starts, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Whether the content changes; a rename or a mode change can leave it as it is.
    #[must_use]
    pub fn changes_content(&self) -> bool {
        !self.hunks.is_empty()
    }
}
