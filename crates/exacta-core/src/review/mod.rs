//! The review: what a person sees before deciding, without saying how it looks.
//!
//! Input: a [`Subject`], which the engine fills. Output: a [`Review`] of parts, blocks and
//! rows of spans, each span with a [`Role`]. Every door paints this one model, so a terminal
//! and a page can only differ in how they look. The rule behind it: what claims to be an
//! effect is derived from the changes that will run, two different contents never have the
//! same spans, nothing is cut off, and the planner's words stand apart.
//!
//! [`hunks`] numbers the parts of a difference, by its two images alone; [`apply_hunks`]
//! makes the image that a selection of them stands for.

mod anchor;
pub mod assessment;
mod compose;
mod difference;
mod glyph;
mod hunk;
mod model;
mod part;
mod row;
mod subject;
mod syntax;
#[cfg(test)]
mod tests;
mod word;

pub use compose::{changes, compose, step};
pub use glyph::{Marks, does_not_show, is_mark};
pub use hunk::{Hunk, HunkLine, NoSuchHunk, apply_hunks, hunks};
pub use model::{
    Anchor, Block, Difference, Dump, FileState, Obstacle, Part, PartKind, Position, Review,
    ReviewedFile, ReviewedStep, Side,
};
pub use part::{details, time, usd};
pub use row::{Line, Role, Row, RowKind, Span};
pub use subject::{Subject, Touched};
pub use syntax::{Syntax, Token, TokenKind};
