//! What a check of the record found.

use exacta_core::model::digest::Digest;
use schemars::JsonSchema;
use serde::Serialize;

/// What kind of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// An entry says something else than it did.
    Edited,
    /// Entries or files are gone.
    Missing,
    /// An entry stands where it does not belong, or twice.
    Misplaced,
    /// The record ends before the head that was noted.
    Cut,
    /// The record is another one than the one that was noted.
    Replaced,
    /// An entry was signed with a key that is not the record's.
    ForeignKey,
    /// What it is compared with belongs to another project.
    OtherProject,
    /// The project was moved.
    Moved,
    /// The project is a copy.
    Copied,
    /// The record came with the files; nothing is known of it here.
    NoCheckpointHere,
    /// A plan or audit file is not what the record says.
    Projection,
    /// An object has other bytes than its name promises, or is gone.
    Object,
    /// What a run put aside for its undo was changed, or is gone.
    Backup,
}

impl ProblemKind {
    /// The written form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Missing => "missing",
            Self::Misplaced => "misplaced",
            Self::Cut => "cut",
            Self::Replaced => "replaced",
            Self::ForeignKey => "foreign_key",
            Self::OtherProject => "other_project",
            Self::Moved => "moved",
            Self::Copied => "copied",
            Self::NoCheckpointHere => "no_checkpoint_here",
            Self::Projection => "projection",
            Self::Object => "object",
            Self::Backup => "backup",
        }
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// The entry, if it is about one.
    pub entry: Option<u64>,
    /// The file, below the project root.
    pub file: String,
    /// What is wrong.
    pub message: String,
}

/// What the check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many entries were read.
    pub entries: u64,
    /// The link of the newest one.
    pub head: Digest,
    /// What is wrong; empty when nothing is.
    pub problems: Vec<Problem>,
}

/// Which parts are checked; the chain always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// Whether signatures are verified.
    pub signatures: bool,
    /// Whether every entry is read, not only its link.
    pub entries: bool,
}

impl Depth {
    /// Everything.
    pub const WHOLE: Self = Self { signatures: true, entries: true };
}
