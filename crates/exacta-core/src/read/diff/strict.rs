//! The diff of a draft step: one file, named exactly, nothing but hunks.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::apply::{Anchor, apply};
use super::fault::DiffFault;
use super::hunk::{Hunk, MAX_HUNKS, Tail, is_creation, read_hunks, starts_file};
use super::lines::{Cursor, TextLine, column, common_prefix};
use super::misfit::Misfit;
use super::problem::DiffProblem;
use crate::model::path::RelPath;
use crate::text::shown::shown;

#[cfg(test)]
mod tests;

/// What the step does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    /// Makes a file that was not there.
    Create,
    /// Changes a file that is there.
    Modify,
}

/// A strict unified diff of one target, sound in itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictDiff {
    text: Arc<[u8]>,
    hunks: Vec<Hunk>,
    kind: DiffKind,
}

impl StrictDiff {
    /// Reads the diff of a step on `target`.
    ///
    /// # Errors
    /// The first line that is not exactly what a strict diff has there.
    pub fn parse(text: &str, target: &RelPath, kind: DiffKind) -> Result<Self, DiffFault> {
        let bytes = text.as_bytes();
        if bytes.is_empty() {
            return Err(DiffFault::new(1, 1, DiffProblem::Empty));
        }
        let mut cursor = Cursor::new(bytes, 1);
        let old = match kind {
            DiffKind::Create => String::from("--- /dev/null"),
            DiffKind::Modify => format!("--- a/{target}"),
        };
        header(&mut cursor, &old)?;
        header(&mut cursor, &format!("+++ b/{target}"))?;
        let mut room = MAX_HUNKS;
        let hunks = read_hunks(bytes, &mut cursor, &mut room, Tail::Nothing)?;
        if let Some(line) = cursor.peek() {
            return Err(DiffFault::new(line.number, 1, surplus(&cursor, line, &hunks)));
        }
        let Some(first) = hunks.first() else {
            return Err(DiffFault::new(cursor.number(), 1, DiffProblem::NoHunk));
        };
        if kind == DiffKind::Create && !is_creation(&hunks) {
            return Err(DiffFault::new(first.line, 1, DiffProblem::CreationHunk));
        }
        require_last_newline(bytes)?;
        Ok(Self { text: bytes.into(), hunks, kind })
    }

    /// The file after, made from the file before; a created file has nothing before.
    ///
    /// # Errors
    /// The first line of the diff that does not fit.
    pub fn apply(&self, before: &[u8]) -> Result<Vec<u8>, DiffFault> {
        if self.kind == DiffKind::Create && !before.is_empty() {
            return Err(DiffFault::new(1, 1, DiffProblem::Exists));
        }
        apply(&self.text, &self.hunks, Anchor::Ends, before)
    }

    /// Why the diff may have fitted once, after `apply` failed with `fault`.
    #[must_use]
    pub fn misfit(&self, before: &[u8], fault: &DiffFault) -> Option<Misfit> {
        Misfit::find(&self.text, &self.hunks, before, fault.line())
    }

    /// Whether the diff makes a file or changes one.
    #[must_use]
    pub fn kind(&self) -> DiffKind {
        self.kind
    }
}

fn header(cursor: &mut Cursor<'_>, expected: &str) -> Result<(), DiffFault> {
    let Some(line) = cursor.next_line() else {
        let problem = DiffProblem::HeaderMissing(expected.into());
        return Err(DiffFault::new(cursor.number(), 1, problem));
    };
    if line.bytes == expected.as_bytes() {
        return Ok(());
    }
    let at = column(line.bytes, common_prefix(line.bytes, expected.as_bytes()));
    let found = shown(line.bytes);
    Err(if is_git_header(line) {
        DiffFault::new(line.number, 1, DiffProblem::GitHeader(found))
    } else if matches!(line.bytes, b"--- /dev/null" | b"+++ /dev/null") {
        DiffFault::new(line.number, 5, DiffProblem::DevNull(found))
    } else {
        DiffFault::new(line.number, at, DiffProblem::Header { expected: expected.into(), found })
    })
}

fn is_git_header(line: TextLine<'_>) -> bool {
    const STARTS: [&[u8]; 12] = [
        b"diff ",
        b"index ",
        b"old mode ",
        b"new mode ",
        b"new file mode ",
        b"deleted file mode ",
        b"similarity index ",
        b"dissimilarity index ",
        b"rename ",
        b"copy ",
        b"GIT binary patch",
        b"Binary files ",
    ];
    STARTS.iter().any(|start| line.bytes.starts_with(start))
}

/// What is wrong with a line that is no hunk header where one could stand.
fn surplus(cursor: &Cursor<'_>, line: TextLine<'_>, hunks: &[Hunk]) -> DiffProblem {
    let text = shown(line.bytes);
    if is_git_header(line) {
        DiffProblem::GitHeader(text)
    } else if hunks.is_empty() {
        DiffProblem::NotAHunk(text)
    } else if starts_file(cursor) {
        DiffProblem::SecondFile(text)
    } else {
        DiffProblem::Trailing(text)
    }
}

fn require_last_newline(text: &[u8]) -> Result<(), DiffFault> {
    if text.ends_with(b"\n") {
        return Ok(());
    }
    let start = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
    let last = text.get(start..).unwrap_or_default();
    let lines = memchr::memchr_iter(b'\n', text).count().saturating_add(1);
    let number = u32::try_from(lines).unwrap_or(u32::MAX);
    Err(DiffFault::new(number, column(last, last.len()), DiffProblem::Unterminated))
}
