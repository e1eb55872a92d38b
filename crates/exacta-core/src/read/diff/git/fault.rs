//! What can be wrong with a patch.

use alloc::string::String;
use core::fmt;

use super::super::fault::DiffFault;
use super::super::lines::{TextLine, column};
use super::super::problem::DiffProblem;
use crate::model::code::Code;
use crate::model::path::PathFault;

/// Why a patch cannot be imported: one place, one reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}{}", of.as_ref().map(|name| format!(": `{name}`")).unwrap_or_default())]
pub struct PatchFault {
    line: u32,
    column: u32,
    problem: PatchProblem,
    /// The file of a section that is refused for what it is.
    of: Option<String>,
}

/// A kind of section that is understood and refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// `Binary files … differ`: the bytes are not there.
    Binary,
    /// Mode 120000.
    Symlink,
    /// Mode 160000.
    Gitlink,
    /// `diff --cc`, `diff --combined` or `@@@`.
    Combined,
}

/// What is wrong, without the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchProblem {
    /// There is no text.
    #[error("the patch is empty")]
    Empty,
    /// The text does not end with LF.
    #[error("the last line does not end with a newline; the patch may be cut off")]
    Unterminated,
    /// The header lines end with CR LF.
    #[error("the line ends with CR LF, which git never writes in a header")]
    Converted,
    /// Text before the first section.
    #[error("`{0}` stands before the first file of the patch")]
    Prose(String),
    /// Text between or after sections.
    #[error("`{0}` is not part of a diff")]
    Garbage(String),
    /// `---` and `+++` without `diff --git`.
    #[error("`{0}` starts a file without a `diff --git` line before it")]
    Plain(String),
    /// A header line that is not where git writes it, or is there twice.
    #[error("`{0}` is out of place here")]
    OutOfPlace(String),
    /// A header line that must follow is not there.
    #[error("`{0}` is missing here")]
    Expected(&'static str),
    /// The two names of `diff --git` are not `a/<name> b/<name>` of this section.
    #[error("`{0}` does not name the file of this section as `a/<name> b/<name>`")]
    Names(String),
    /// A name without its prefix `a/` or `b/`.
    #[error("`{name}` does not start with `{prefix}`")]
    Prefix {
        /// The name.
        name: String,
        /// The prefix it needs.
        prefix: &'static str,
    },
    /// A quoted name that git would not write.
    #[error("`{0}` is not a name as git quotes it")]
    Quote(String),
    /// A name that is not UTF-8.
    #[error("the name `{0}` is not UTF-8")]
    NotUtf8(String),
    /// A name that is not a target.
    #[error("`{name}` cannot be a target: {fault}")]
    Path {
        /// The name.
        name: String,
        /// Why not.
        fault: PathFault,
    },
    /// A name that contradicts the other header lines.
    #[error("`{found}` contradicts the header of the section, which names `{expected}`")]
    OtherName {
        /// The name by the lines before.
        expected: String,
        /// The name here.
        found: String,
    },
    /// A rename of a file to itself.
    #[error("the file is renamed to its own name")]
    SameName,
    /// A file that an earlier section is already about.
    #[error("`{path}` has a section already, at line {line}")]
    Repeated {
        /// The file.
        path: String,
        /// The line of that section.
        line: u32,
    },
    /// A section that is refused for what it is.
    #[error("{0}")]
    Unsupported(Section),
    /// A mode that is neither 100644 nor 100755.
    #[error("mode `{0}` is neither 100644 nor 100755")]
    Mode(String),
    /// Two modes that are the same, or a mode given twice.
    #[error("the mode lines do not say what changes")]
    ModeChange,
    /// A similarity that is no percentage.
    #[error("`{0}` is not a percentage such as `95%`")]
    Percent(String),
    /// A malformed `index` line, or one that does not fit the section.
    #[error("`{0}` is not the index line that belongs here")]
    Index(String),
    /// The header says that the content stays, and hunks change it.
    #[error("the header says that the content stays as it is, and a hunk changes it")]
    Stays,
    /// The index line announces other content, and no hunk follows.
    #[error("the section ends before the content that its header announces")]
    CutOff,
    /// Neither content nor mode nor name changes.
    #[error("the section changes nothing")]
    ChangesNothing,
    /// More sections than the cap.
    #[error("the patch has more than {0} files")]
    TooManyFiles(usize),
    /// More patches in a series than the cap.
    #[error("the series has more than {0} patches")]
    TooManyPatches(usize),
    /// A hunk is wrong in itself.
    #[error("{0}")]
    Hunk(DiffProblem),
    /// A line of a binary section, or what it unpacks to, is not what git writes.
    #[error("`{0}` does not unpack to what it announces")]
    Packed(String),
    /// Binary sections that are too large together.
    #[error("the binary sections of the patch unpack to more than {} MiB", .0 >> 20)]
    TooMuchBinary(usize),
    /// A line of a message that a reader would take for a part of a diff.
    #[error("`{0}` in the message looks like a part of a diff")]
    InMessage(String),
    /// A mail whose text is encoded.
    #[error("`{0}`: the mail is encoded, so its diff cannot be read exactly")]
    Encoded(String),
    /// Messages without a diff.
    #[error("there is no change to a file in the patch")]
    NoFiles,
    /// Something behind a name that is not a time.
    #[error("`{0}` behind the name is not a time as `diff` writes it")]
    Stamp(String),
    /// `Only in …` of `diff -r`.
    #[error("`{0}` says that a file is on one side only, and not what is in it")]
    OnlyIn(String),
    /// The two names of a plain diff do not agree.
    #[error("`{old}` and `{new}` do not name one file")]
    TwoNames {
        /// The name before.
        old: String,
        /// The name after.
        new: String,
    },
    /// Names with and without a folder before them, one of them beside `/dev/null`.
    #[error("some names of the patch have a folder before them and some have none")]
    MixedNames,
    /// A series makes a file that is there.
    #[error("`{0}` is still there after the patches before this one")]
    StillThere(String),
    /// A series changes a file that is not there any more.
    #[error("`{0}` is not there any more after the patches before this one")]
    NotThere(String),
    /// A series moves files so that no single change of each says it.
    #[error("the series moves a file away from `{0}` and puts another one there")]
    Tangled(String),
}

impl PatchFault {
    pub(super) fn new(line: u32, column: u32, problem: PatchProblem) -> Self {
        Self { line, column, problem, of: None }
    }

    /// Names the file of a section that is refused for what it is.
    pub(super) fn of(mut self, name: impl FnOnce() -> String) -> Self {
        if matches!(self.problem, PatchProblem::Unsupported(_) | PatchProblem::Mode(_)) {
            self.of = Some(name());
        }
        self
    }

    /// A problem with a whole line.
    pub(super) fn on(line: TextLine<'_>, problem: PatchProblem) -> Self {
        Self::new(line.number, 1, problem)
    }

    /// A problem with what stands behind a prefix of a line.
    pub(super) fn behind(prefix: &[u8], line: TextLine<'_>, problem: PatchProblem) -> Self {
        Self::new(line.number, column(prefix, prefix.len()), problem)
    }

    /// The line of the patch, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> u32 {
        self.column
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &PatchProblem {
        &self.problem
    }

    /// `PatchUnsupported` for what is understood and refused, a path code for a name
    /// that is no target, otherwise `PatchMalformed`.
    #[must_use]
    pub fn code(&self) -> Code {
        match &self.problem {
            PatchProblem::Unsupported(_) | PatchProblem::Mode(_) => Code::PatchUnsupported,
            PatchProblem::Path { fault: PathFault::Reserved { .. }, .. } => Code::PlanPathReserved,
            PatchProblem::Path { .. } => Code::PlanPathInvalid,
            _ => Code::PatchMalformed,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match &self.problem {
            PatchProblem::Empty => "hand in the output of `git diff`",
            PatchProblem::Prose(_) | PatchProblem::Garbage(_) => {
                "hand in the whole output of `git diff`, `git show`, `git format-patch` or `diff -u`, and nothing else"
            }
            PatchProblem::Converted => {
                "hand in the patch as git wrote it; its line endings were converted on the way"
            }
            PatchProblem::Plain(_) => "make the patch with `git diff`",
            PatchProblem::Prefix { .. } => "make the patch with `git diff --default-prefix`",
            PatchProblem::Names(_)
            | PatchProblem::Quote(_)
            | PatchProblem::OtherName { .. }
            | PatchProblem::SameName
            | PatchProblem::OutOfPlace(_)
            | PatchProblem::Expected(_)
            | PatchProblem::Percent(_)
            | PatchProblem::Index(_)
            | PatchProblem::ModeChange
            | PatchProblem::Stays
            | PatchProblem::ChangesNothing => {
                "make the patch again with `git diff`; do not edit its header lines by hand"
            }
            PatchProblem::Unterminated | PatchProblem::CutOff => {
                "hand in the whole output of `git diff`, without `-D` and up to its last newline"
            }
            PatchProblem::NotUtf8(_) => "rename the file to a name in UTF-8 first",
            PatchProblem::Path { fault, .. } => fault.help(),
            PatchProblem::Repeated { .. } => {
                "hand in one diff, in which each file has one section: `git diff OLD NEW` for several commits, `--no-renames` instead of `-B`"
            }
            PatchProblem::Unsupported(section) => section.help(),
            PatchProblem::Mode(_) => "give the file mode 100644 or 100755",
            PatchProblem::TooManyFiles(_) => "split the patch",
            PatchProblem::TooManyPatches(_) | PatchProblem::Tangled(_) => {
                "hand in the whole as one diff: `git diff BASE TIP`"
            }
            PatchProblem::Hunk(
                DiffProblem::TooFewLines { .. } | DiffProblem::TooManyLines { .. },
            ) => "hand in the whole patch as git wrote it: it was cut off or edited on the way",
            PatchProblem::Hunk(DiffProblem::EmptyLine) => {
                "hand in the patch as git wrote it: an editor or a mail program took the space of an empty context line away"
            }
            PatchProblem::Hunk(DiffProblem::Sign(_)) => {
                "hand in what `git diff` prints, without `--word-diff` and unedited"
            }
            PatchProblem::Hunk(problem) => problem.help(),
            PatchProblem::Packed(_) => {
                "make the patch again with `git diff --binary`; the section was changed on the way"
            }
            PatchProblem::TooMuchBinary(_) => {
                "split the patch, or leave large binary files out (`git diff … -- . ':(exclude)FILE'`)"
            }
            PatchProblem::InMessage(_) => {
                "hand in the diff without its message: `git diff COMMIT^ COMMIT`"
            }
            PatchProblem::Encoded(_) => {
                "hand in the file that `git format-patch` wrote, without `--attach`, not a mail that was sent"
            }
            PatchProblem::NoFiles => {
                "propose the branch itself to see what a merge would do; `git diff PARENT COMMIT` is what it did"
            }
            PatchProblem::Stamp(_) => "make the diff again with `diff -u`, or with `git diff`",
            PatchProblem::OnlyIn(_) => "make the diff with `diff -ruN`, so that the file is in it",
            PatchProblem::TwoNames { .. } => {
                "name the file alike on both sides: `diff -u old/FILE new/FILE`, or `--label a/FILE --label b/FILE`"
            }
            PatchProblem::MixedNames => {
                "make the patch in one way: `git diff`, or `diff -ruN OLD NEW`"
            }
            PatchProblem::StillThere(_) | PatchProblem::NotThere(_) => {
                "hand in the patches in the order in which they apply; `git log -p` needs `--reverse`"
            }
        }
    }
}

impl From<DiffFault> for PatchFault {
    fn from(fault: DiffFault) -> Self {
        Self::new(fault.line(), fault.column(), PatchProblem::Hunk(fault.into_problem()))
    }
}

impl Section {
    fn help(self) -> &'static str {
        match self {
            Self::Binary => "make the patch with `git diff --binary`, so that the bytes are in it",
            Self::Symlink => "leave symbolic links out; only regular files are changed",
            Self::Gitlink => "leave submodules out; only regular files are changed",
            Self::Combined => "make the patch against one parent: `git diff PARENT COMMIT`",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binary => "the patch does not have the bytes of a binary file",
            Self::Symlink => "symbolic links (mode 120000) cannot be imported",
            Self::Gitlink => "submodules (mode 160000) cannot be imported",
            Self::Combined => "combined diffs (of a merge) cannot be imported",
        })
    }
}
