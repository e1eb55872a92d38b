//! What can be wrong with a diff.
//!
//! One list serves both front ends and the application: a problem is either in the text
//! of the diff or in how the diff fits the file, and [`DiffProblem::code`] says which.

use alloc::string::String;
use core::fmt;

use super::hunk::MAX_HUNKS;
use crate::model::code::Code;

/// One side of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSide {
    /// The file before.
    Old,
    /// The file after.
    New,
}

/// How a line of the file differs from the line of the diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only in a CR at the end.
    CarriageReturn,
    /// Only in white space.
    WhiteSpace,
    /// In anything else.
    Bytes,
}

/// What is wrong, without the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffProblem {
    /// There is no text.
    #[error("the diff is empty")]
    Empty,
    /// The text does not end with LF.
    #[error("the last line does not end with a newline")]
    Unterminated,
    /// A header line is not the one the target asks for.
    #[error("expected `{expected}`, found `{found}`")]
    Header {
        /// The line that belongs here.
        expected: String,
        /// The line that is here.
        found: String,
    },
    /// The text ends before both header lines.
    #[error("the diff ends where `{0}` belongs")]
    HeaderMissing(String),
    /// A header line says that the file is created or deleted, and the step says not.
    #[error("`{0}` says that the file is created or deleted, which this step does not do")]
    DevNull(String),
    /// A header line of git's own format.
    #[error("`{0}` is a git header line; the diff of a step has none")]
    GitHeader(String),
    /// Something else stands where a hunk header belongs.
    #[error("expected a hunk header such as `@@ -1,3 +1,4 @@`, found `{0}`")]
    NotAHunk(String),
    /// The headers are all there is.
    #[error("the diff has no hunk")]
    NoHunk,
    /// The line starts like a hunk header and is none.
    #[error("`{0}` is not a hunk header")]
    HunkHeader(String),
    /// A side with lines starts at line 0.
    #[error("a side that has lines cannot start at line 0")]
    ZeroStart,
    /// A line of a hunk, or after it, has no character at all.
    #[error("the line is empty")]
    EmptyLine,
    /// A line of a hunk starts with the wrong character.
    #[error("`{0}` starts with none of space, `+`, `-`, `\\`")]
    Sign(String),
    /// The body is shorter than the header says, or has other kinds of lines.
    #[error(
        "the hunk ends too early: of the {old} old and {new} new lines in its header, {old_missing} old and {new_missing} new are missing"
    )]
    TooFewLines {
        /// Old lines by the header.
        old: u32,
        /// New lines by the header.
        new: u32,
        /// Old lines that did not come.
        old_missing: u32,
        /// New lines that did not come.
        new_missing: u32,
    },
    /// The body is longer than the header says.
    #[error("the hunk goes on after the {old} old and {new} new lines of its header")]
    TooManyLines {
        /// Old lines by the header.
        old: u32,
        /// New lines by the header.
        new: u32,
    },
    /// A line that starts with a backslash is not the marker.
    #[error("`{0}` is not `\\ No newline at end of file`")]
    Marker(String),
    /// The marker follows no line that it could be about.
    #[error("`\\ No newline at end of file` does not belong here")]
    StrayMarker,
    /// A line follows the last line of a file.
    #[error("the {0} file has ended without a newline, and yet a line follows")]
    AfterEnd(FileSide),
    /// A hunk leaves its lines as they are.
    #[error("the hunk changes nothing")]
    ChangesNothing,
    /// A hunk does not lie behind the one before it.
    #[error("the hunk starts at line {start}, but the one before it reaches to line {reached}")]
    Order {
        /// Its first old line.
        start: u32,
        /// The last old line of the hunk before it.
        reached: u64,
    },
    /// The new line number contradicts the hunks before.
    #[error("the new side starts at line {found}; by the hunks before it that is line {expected}")]
    NewStart {
        /// The number that follows from the old line and the hunks before.
        expected: u64,
        /// The number in the header.
        found: u32,
    },
    /// More hunks than the cap.
    #[error("more than {MAX_HUNKS} hunks")]
    TooManyHunks,
    /// The diff goes on with another file.
    #[error("`{0}` starts a second file")]
    SecondFile(String),
    /// Text after the last hunk.
    #[error("`{0}` is not part of a hunk")]
    Trailing(String),
    /// A new file is not one hunk that starts at its first line.
    #[error("a new file is exactly one hunk that starts with `@@ -0,0 +1`")]
    CreationHunk,
    /// A deleted file is not one hunk that removes everything.
    #[error("a deleted file is exactly one hunk from line 1 to `+0,0`")]
    DeletionHunk,

    /// The file to change is not there.
    #[error("the file does not exist")]
    Missing,
    /// The file to create is already there.
    #[error("the file already exists")]
    Exists,
    /// The file is shorter than the diff needs.
    #[error("the hunk needs line {needed} of the file, which has {lines}")]
    PastEnd {
        /// The line that the hunk needs.
        needed: u64,
        /// The lines of the file.
        lines: u64,
    },
    /// A line of the file is another than the diff says.
    #[error("line {line} of the file is `{found}`, not `{expected}`")]
    LineDiffers {
        /// The line of the file, from 1.
        line: u64,
        /// What the diff says.
        expected: String,
        /// What the file has.
        found: String,
        /// In what they differ.
        difference: Difference,
    },
    /// The marker is there, and the line of the file ends with LF.
    #[error("line {0} of the file ends with a newline; the diff says that it does not")]
    HasNewline(u64),
    /// The marker is missing, and the line of the file ends without LF.
    #[error("line {0}, the last of the file, has no newline; the diff says that it has")]
    LacksNewline(u64),
    /// No context behind the change, and more of the file behind the hunk.
    #[error("the hunk has no context behind its change, but the file goes on at line {0}")]
    NotAtEnd(u64),
    /// An insertion after line 1 without context.
    #[error("the hunk starts at line 1 and shows neither that line nor the end of the file")]
    NotAtStart,
    /// Something would be added to a last line that has no newline.
    #[error("line {0}, the last of the file, has no newline, so that no line can follow it")]
    OpenLine(u64),
    /// The new side ends without newline in the middle of the file.
    #[error("the new side ends without a newline, but the file goes on at line {0}")]
    EndsEarly(u64),
    /// A deletion that does not remove everything.
    #[error("{0} bytes of the deleted file are left")]
    Leftover(usize),
    /// A binary section that was made from other bytes.
    #[error("the file is not the one that the binary section was made from")]
    OtherBytes,
}

impl DiffProblem {
    /// The finding code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Missing => Code::FileMissing,
            Self::Exists => Code::FileExists,
            Self::PastEnd { .. }
            | Self::LineDiffers { .. }
            | Self::HasNewline(_)
            | Self::LacksNewline(_)
            | Self::NotAtEnd(_)
            | Self::NotAtStart
            | Self::OpenLine(_)
            | Self::EndsEarly(_)
            | Self::Leftover(_)
            | Self::OtherBytes => Code::DiffMismatch,
            _ => Code::DiffMalformed,
        }
    }
}

impl fmt::Display for FileSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Old => "old",
            Self::New => "new",
        })
    }
}
