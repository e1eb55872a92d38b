//! A review as lines of a terminal, some of them made only when they are looked at.

use std::borrow::Cow;

use exacta_core::review::{Block as Modelled, Dump, Part, PartKind, Review, Row, RowKind};
use exacta_core::text::shown::visible;

use super::graph::graph;
use crate::paint::wrap::Breaks;
use crate::paint::{Look, breaks_of, lines_of};

/// Lines with our colours in them; untrusted text in them was made visible before.
#[derive(Default)]
pub(super) struct Document {
    blocks: Vec<Block>,
    headings: Vec<usize>,
}

/// Lines that belong together.
pub(super) enum Block {
    /// Ready lines, each with the places where it may break.
    Lines(Vec<(String, Breaks)>),
    /// A dump of an image; its rows are made on demand.
    Dump(Dump, Look),
}

impl Block {
    /// How many lines it has.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Lines(lines) => lines.len(),
            Self::Dump(dump, _) => dump.len(),
        }
    }

    /// One of its lines, and where it may break.
    pub(super) fn line(&self, index: usize) -> (Cow<'_, str>, Breaks) {
        match self {
            Self::Lines(lines) => {
                let line = lines.get(index).map(|(line, breaks)| (line.as_str(), *breaks));
                let (line, breaks) = line.unwrap_or(("", Breaks::Words));
                (Cow::Borrowed(line), breaks)
            }
            Self::Dump(dump, look) => {
                let lines = lines_of(&dump.row(index), *look, 0);
                (Cow::Owned(lines.concat()), Breaks::Anywhere)
            }
        }
    }
}

impl Document {
    /// A whole review.
    pub(super) fn of_review(review: &Review, look: Look) -> Self {
        let mut document = Self::default();
        for part in &review.parts {
            document.part(part, look);
            if part.kind == PartKind::Steps {
                document.graph(review);
            }
            if part.kind == PartKind::Summary && review.stale.is_some() {
                let id = crate::paint::one_line(&review.plan_id, look);
                document.line(format!(
                    "`exacta renew {id}` makes a fresh plan for the files as they are"
                ));
            }
        }
        document
    }

    /// The graph of the steps, where tools wait for one another.
    fn graph(&mut self, review: &Review) {
        let tools = review.steps.iter().any(|step| step.paths.is_empty());
        let joined = review.steps.iter().any(|step| !step.needs.is_empty());
        if !tools || !joined {
            return;
        }
        self.line(String::new());
        self.line("  Which step needs which:");
        let lines = graph(&review.steps);
        let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
        for (line, step) in lines {
            let id = step.and_then(|step| review.steps.get(step)).map(|step| step.id.as_str());
            let id = id.map(|id| visible(id.as_bytes())).unwrap_or_default();
            self.line(format!("    {line:<width$}  {id}").trim_end().to_owned());
        }
    }

    /// One part of a review.
    pub(super) fn of_part(part: &Part, look: Look) -> Self {
        let mut document = Self::default();
        document.part(part, look);
        document
    }

    fn part(&mut self, part: &Part, look: Look) {
        for block in &part.blocks {
            match block {
                Modelled::Rows(rows) => rows.iter().for_each(|row| self.row(row, look, 0)),
                Modelled::Difference(difference) => {
                    // As wide as its numbers: narrow windows have few columns.
                    let digits = difference.lines.max(1).ilog10() as usize + 1;
                    difference.rows.iter().for_each(|row| self.row(row, look, digits));
                }
                Modelled::Dump(dump) => self.blocks.push(Block::Dump(dump.clone(), look)),
            }
        }
    }

    fn row(&mut self, row: &Row, look: Look, digits: usize) {
        if matches!(row.kind, RowKind::Heading | RowKind::File) {
            self.headings.push(self.len());
        }
        for line in lines_of(row, look, digits) {
            self.push(line, breaks_of(row.kind));
        }
    }

    /// Adds a line of prose.
    pub(super) fn line(&mut self, line: impl Into<String>) {
        self.push(line.into(), Breaks::Words);
    }

    fn push(&mut self, line: String, breaks: Breaks) {
        if let Some(Block::Lines(lines)) = self.blocks.last_mut() {
            lines.push((line, breaks));
        } else {
            self.blocks.push(Block::Lines(vec![(line, breaks)]));
        }
    }

    /// The blocks in their order.
    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The line numbers of the headings and of other places to jump to.
    pub(super) fn headings(&self) -> &[usize] {
        &self.headings
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.blocks.iter().map(Block::len).sum()
    }

    /// Every line in its order, and where it may break.
    pub(super) fn lines(&self) -> impl Iterator<Item = (Cow<'_, str>, Breaks)> {
        self.blocks.iter().flat_map(|block| (0..block.len()).map(|index| block.line(index)))
    }
}
