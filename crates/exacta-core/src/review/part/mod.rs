//! The parts of a review, one file each, in the order a person needs them.

mod changes;
mod constraints;
mod estimate;
mod files;
mod scores;
mod step;
mod steps;
mod why;
mod words;

use alloc::string::String;
use alloc::vec::Vec;

pub use constraints::details;
pub use estimate::{time, usd};

pub(super) use changes::changes;
pub(super) use constraints::constraints;
pub(super) use estimate::estimate;
pub(super) use files::{files, list};
pub(super) use scores::{quality, risk};
pub(super) use step::step;
pub(super) use steps::steps;
pub(super) use why::why;
pub(super) use words::{quote, words};

use super::model::{Block, Part, PartKind};
use super::row::{Role, Row, RowKind};

/// A part while it is being written.
#[derive(Default)]
pub(super) struct Sheet(Vec<Block>);

impl Sheet {
    /// Adds a row.
    pub(super) fn row(&mut self, row: Row) {
        if let Some(Block::Rows(rows)) = self.0.last_mut() {
            rows.push(row);
        } else {
            self.0.push(Block::Rows(vec![row]));
        }
    }

    /// Adds rows.
    pub(super) fn rows(&mut self, rows: impl IntoIterator<Item = Row>) {
        rows.into_iter().for_each(|row| self.row(row));
    }

    /// Adds an empty row.
    pub(super) fn gap(&mut self) {
        self.row(Row::prose(0));
    }

    /// Adds a block.
    pub(super) fn block(&mut self, block: Block) {
        self.0.push(block);
    }

    /// The part, without a title.
    pub(super) fn part(self, kind: PartKind) -> Part {
        Part { kind, blocks: self.0 }
    }
}

/// A part that begins with an empty row and its title.
pub(super) fn titled(
    kind: PartKind,
    title: impl AsRef<str>,
    write: impl FnOnce(&mut Sheet),
) -> Part {
    let mut sheet = Sheet::default();
    sheet.gap();
    sheet.row(Row::new(RowKind::Heading, 0).with(Role::Strong, title));
    write(&mut sheet);
    sheet.part(kind)
}

/// A list in words.
fn joined<T: AsRef<str>>(list: impl IntoIterator<Item = T>) -> String {
    let mut out = String::new();
    for (at, one) in list.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(one.as_ref());
    }
    out
}
