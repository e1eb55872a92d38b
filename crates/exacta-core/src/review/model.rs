//! A review as data.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::hunk::Hunk;
use super::row::{Role, Row};
use crate::model::change::FileMode;
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;

/// Everything that a person sees before deciding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Review {
    /// The plan's id.
    pub plan_id: String,
    /// What an approval binds.
    pub plan_hash: Digest,
    /// Why no approval can be offered.
    pub obstacle: Option<Obstacle>,
    /// Why the plan does not fit the project any more.
    pub stale: Option<String>,
    /// The steps in the order they run.
    pub steps: Vec<ReviewedStep>,
    /// Every file that a step touches, in the order of the paths.
    pub files: Vec<ReviewedFile>,
    /// What to read, in the order a person needs it.
    pub parts: Vec<Part>,
}

/// Why a plan cannot be approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// It was refused.
    Refused,
    /// The project changed since it was made.
    Stale,
    /// An image is missing, and what cannot be shown must not be approved.
    MissingImage,
}

/// A step, by what it does and not by what it is called.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewedStep {
    /// Its id as the draft spells it.
    pub id: String,
    /// The steps that it needs, by their places in the list.
    pub needs: Vec<usize>,
    /// The files that it touches.
    pub paths: Vec<RelPath>,
    /// What it does.
    pub effects: Vec<Row>,
}

/// A file and what becomes of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewedFile {
    /// The file.
    pub path: RelPath,
    /// What becomes of it.
    pub state: FileState,
    /// Lines that are new; for a rename, compared with the old name's.
    pub added: u64,
    /// Lines that are gone.
    pub removed: u64,
    /// Its permission bits before.
    pub mode_before: Option<FileMode>,
    /// Its permission bits after.
    pub mode_after: Option<FileMode>,
    /// Its image before.
    pub before: Option<Digest>,
    /// Its image after.
    pub after: Option<Digest>,
    /// The other name of a rename.
    pub renamed: Option<RelPath>,
    /// The steps that touch it, in their order.
    pub steps: Vec<String>,
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// It comes into being.
    Created,
    /// Its content, its mode or both change.
    Modified,
    /// It goes away.
    Deleted,
    /// It comes into being with the content of another, which goes away.
    RenamedFrom,
    /// It goes away; its content goes on under another name.
    RenamedTo,
    /// Steps touch it, and it ends as it began.
    Unchanged,
}

/// One part of a review.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Part {
    /// What it is about.
    pub kind: PartKind,
    /// What it shows, in its order.
    pub blocks: Vec<Block>,
}

/// What a part is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// What will happen, in a line.
    Summary,
    /// Why a person is asked.
    Why,
    /// What was asked for.
    Intent,
    /// The steps.
    Steps,
    /// The differences.
    Changes,
    /// The files.
    Files,
    /// The constraints and how each is met.
    Constraints,
    /// The risk and its evidence.
    Risk,
    /// The quality and its evidence.
    Quality,
    /// What it will cost.
    Estimate,
    /// The planner's words.
    Words,
    /// The names of the plan.
    Names,
}

/// Rows that belong together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Rows of words.
    Rows(Vec<Row>),
    /// The difference of two images.
    Difference(Difference),
    /// Every byte of an image that is not text.
    Dump(Dump),
}

/// The difference of two images.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Difference {
    /// The file.
    pub path: RelPath,
    /// The step whose change it is; absent where it is what several steps do together.
    pub step: Option<String>,
    /// How many lines the longer image has.
    pub lines: u32,
    /// The hunks that can be selected, each with the number under which it is shown. Empty
    /// where the images are too large to be compared line by line.
    pub hunks: Vec<Hunk>,
    /// The hunks' rows in their order.
    pub rows: Vec<Row>,
}

/// One of the two images of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// As it was.
    Before,
    /// As it will be.
    After,
}

/// A line that something is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Anchor {
    /// The file.
    pub path: RelPath,
    /// The step whose images count.
    pub step: Option<String>,
    /// Which image.
    pub side: Side,
    /// Its number, from 1.
    pub line: u32,
    /// Where the review shows it; absent where no hunk reaches that far.
    pub place: Option<Position>,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Position {
    /// The part, from 0.
    pub part: usize,
    /// The block in it.
    pub block: usize,
    /// The row in that.
    pub row: usize,
}

/// Every byte of an image. Its rows are made on demand: they take five times its room.
#[derive(Clone, Debug)]
pub struct Dump {
    /// Which image.
    pub side: Side,
    /// The image.
    pub blob: Blob,
}

/// How many bytes one row of a dump shows.
const BYTES_A_ROW: usize = 16;

impl Dump {
    /// How many rows it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blob.bytes().len().div_ceil(BYTES_A_ROW)
    }

    /// Whether the image has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blob.bytes().is_empty()
    }

    /// One of its rows.
    #[must_use]
    pub fn row(&self, index: usize) -> Row {
        let bytes = self.blob.bytes().chunks(BYTES_A_ROW).nth(index).unwrap_or_default();
        let (mark, role) = match self.side {
            Side::Before => ("-", Role::Removed),
            Side::After => ("+", Role::Added),
        };
        let mut text = format!(" {:08x} ", index * BYTES_A_ROW);
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, " {byte:02x}");
        }
        text.extend(core::iter::repeat_n(' ', (BYTES_A_ROW - bytes.len()) * 3 + 2));
        text.push('|');
        let readable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        text.extend(bytes.iter().map(|byte| if readable(byte) { char::from(*byte) } else { '.' }));
        text.push('|');
        Row::content(2).with(role, mark).say(text)
    }
}

impl Serialize for Dump {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.len()).map(|index| self.row(index)))
    }
}

impl JsonSchema for Dump {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Dump".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <Vec<Row>>::json_schema(generator)
    }
}
