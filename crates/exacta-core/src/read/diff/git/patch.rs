//! A patch that has been read: what happens to which file.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::super::apply::{Anchor, apply};
use super::super::fault::DiffFault;
use super::super::hunk::Hunk;
use super::super::misfit::Misfit;
use super::super::problem::DiffProblem;
use super::binary::Binary;
use crate::model::change::FileMode;
use crate::model::path::RelPath;

/// A patch: each file at most once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitPatch {
    /// The files, in the order of the text; those of a series in the order of their names.
    pub files: Vec<FilePatch>,
    /// The first lines of the messages around the diffs.
    pub subjects: Vec<String>,
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
    /// It is made from another file, which stays or has a section of its own.
    Copy {
        /// The other file, as it was before the patch.
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

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// What happens.
    pub op: FileOp,
    /// The file; for a rename or a copy its new name.
    pub path: RelPath,
    /// The mode that the file had where the patch was made, when the patch says so.
    pub old_mode: Option<GitMode>,
    /// The mode that the patch gives the file; `None` leaves it as it is.
    pub new_mode: Option<GitMode>,
    /// The line of the patch on which the section starts.
    pub(super) line: u32,
    /// What happens to its bytes, one section of a series after the other.
    pub(super) parts: Vec<Part>,
}

/// What one section does to the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The line on which the section starts.
    pub(super) line: u32,
    pub(super) kind: PartKind,
    pub(super) body: Body,
}

/// What a section needs to find and leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Create,
    Modify,
    Delete,
}

/// How a section says what becomes of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Hunks, none where the bytes stay.
    Text { text: Arc<[u8]>, hunks: Vec<Hunk>, anchor: Anchor },
    /// Both images, packed.
    Binary(Binary),
}

impl Part {
    fn apply(&self, before: Option<&[u8]>) -> Result<Option<Vec<u8>>, DiffFault> {
        let fault = |problem| Err(DiffFault::new(self.line, 1, problem));
        let before = match (self.kind, before) {
            (PartKind::Create, Some(_)) => return fault(DiffProblem::Exists),
            (PartKind::Create, None) => &[],
            (_, None) => return fault(DiffProblem::Missing),
            (_, Some(bytes)) => bytes,
        };
        let after = match &self.body {
            Body::Text { text, hunks, anchor } => apply(text, hunks, *anchor, before)?,
            Body::Binary(binary) => match binary.apply(before) {
                Some(after) => after,
                None => return fault(DiffProblem::OtherBytes),
            },
        };
        if self.kind != PartKind::Delete {
            return Ok(Some(after));
        }
        if after.is_empty() { Ok(None) } else { fault(DiffProblem::Leftover(after.len())) }
    }

    /// Whether it says anything about the bytes.
    pub(super) fn changes_content(&self) -> bool {
        match &self.body {
            Body::Text { hunks, .. } => !hunks.is_empty(),
            Body::Binary(_) => true,
        }
    }
}

impl FilePatch {
    /// The file after, made from the file before; `None` is a file that is not there.
    /// For a rename or a copy `before` is the other file.
    ///
    /// # Errors
    /// When the file is there and should not be, or the other way round, or the first
    /// line of a hunk that does not fit. Lines are those of the whole patch.
    pub fn apply(&self, before: Option<&[u8]>) -> Result<Option<Vec<u8>>, DiffFault> {
        let mut image = before.map(Cow::Borrowed);
        for part in &self.parts {
            image = part.apply(image.as_deref())?.map(Cow::Owned);
        }
        Ok(image.map(Cow::into_owned))
    }

    /// Why the section may have fitted once, after `apply` failed with `fault`.
    #[must_use]
    pub fn misfit(&self, before: Option<&[u8]>, fault: &DiffFault) -> Option<Misfit> {
        let [Part { body: Body::Text { text, hunks, .. }, .. }] = self.parts.as_slice() else {
            return None;
        };
        match (&self.op, before) {
            (FileOp::Create, Some(bytes)) => {
                let made = self.apply(None).ok().flatten();
                (made.as_deref() == Some(bytes)).then_some(Misfit::AlreadyApplied)
            }
            (FileOp::Modify, Some(bytes)) => Misfit::find(text, hunks, bytes, fault.line()),
            (FileOp::Delete, None) => Some(Misfit::AlreadyApplied),
            _ => None,
        }
    }

    /// The file that a rename takes away.
    #[must_use]
    pub fn renamed_from(&self) -> Option<&RelPath> {
        match &self.op {
            FileOp::Rename { from } => Some(from),
            FileOp::Create | FileOp::Modify | FileOp::Delete | FileOp::Copy { .. } => None,
        }
    }

    /// The file that a copy is made from.
    #[must_use]
    pub fn copied_from(&self) -> Option<&RelPath> {
        match &self.op {
            FileOp::Copy { from } => Some(from),
            FileOp::Create | FileOp::Modify | FileOp::Delete | FileOp::Rename { .. } => None,
        }
    }

    /// The step type that this section becomes; a rename creates its new name.
    #[must_use]
    pub fn step_type(&self) -> &'static str {
        match self.op {
            FileOp::Create | FileOp::Rename { .. } | FileOp::Copy { .. } => "file_create",
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
        self.parts.iter().any(Part::changes_content)
    }

    /// Whether a section of the file is `GIT binary patch`.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.body, Body::Binary(_)))
    }

    /// Every hunk of the file.
    pub(super) fn hunks(&self) -> impl Iterator<Item = &Hunk> {
        self.parts.iter().flat_map(|part| match &part.body {
            Body::Text { hunks, .. } => hunks.as_slice(),
            Body::Binary(_) => &[],
        })
    }

    /// Holds the hunks to their line numbers alone.
    pub(super) fn unanchor(&mut self) {
        for part in &mut self.parts {
            if let Body::Text { anchor, .. } = &mut part.body {
                *anchor = Anchor::LineNumbers;
            }
        }
    }
}
