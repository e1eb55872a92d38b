//! From every finding to the row that shows its line.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::model::{Anchor, Block, Part, Position, Side};
use super::row::{Line, Row, RowKind};
use super::subject::Subject;
use crate::model::change::Change;
use crate::model::digest::{Blob, Digest};
use crate::text::lines::lines;
use crate::text::shown::visible;

/// What stands for the rest of a line, or for a secret, in the words of a finding.
const CUTS: [&str; 2] = ["***", "…"];

/// Lets each anchor say which image it means and where the review shows the line.
pub(super) fn resolve(subject: &Subject<'_>, parts: &mut [Part]) {
    let rows = rows_of_lines(parts);
    let mut images = Images { subject, known: BTreeMap::new() };
    for part in parts {
        for block in &mut part.blocks {
            let Block::Rows(list) = block else { continue };
            let excerpts: Vec<Option<String>> = (1..=list.len())
                .map(|next| {
                    list.get(next).filter(|row| row.kind == RowKind::Excerpt).map(Row::text)
                })
                .collect();
            for (row, excerpt) in list.iter_mut().zip(excerpts) {
                let Some(anchor) = &mut row.anchor else { continue };
                anchor.side = images.side(anchor, excerpt.as_deref());
                let line = (anchor.side == Side::After, anchor.line);
                let of_file = rows.get(anchor.path.as_str());
                let at = |step| of_file?.get(step)?.get(&line).copied();
                anchor.place = at(&anchor.step).or_else(|| at(&None));
            }
        }
    }
}

/// The rows that show lines: by file, by step, by image (after or not) and number.
type Rows = BTreeMap<String, BTreeMap<Option<String>, BTreeMap<(bool, u32), Position>>>;

fn rows_of_lines(parts: &[Part]) -> Rows {
    let mut rows = Rows::new();
    for (part, one) in parts.iter().enumerate() {
        for (block, difference) in one.blocks.iter().enumerate() {
            let Block::Difference(difference) = difference else { continue };
            let of_file = rows.entry(difference.path.as_str().into()).or_default();
            let of_step = of_file.entry(difference.step.clone()).or_default();
            for (row, line) in difference.rows.iter().enumerate() {
                let RowKind::Line(Line { before, after, .. }) = line.kind else { continue };
                let place = Position { part, block, row };
                of_step.extend(before.map(|line| ((false, line), place)));
                of_step.extend(after.map(|line| ((true, line), place)));
            }
        }
    }
    rows
}

/// The images of steps, each parted into lines once.
struct Images<'a> {
    subject: &'a Subject<'a>,
    known: BTreeMap<Digest, Option<(Blob, Vec<usize>)>>,
}

impl Images<'_> {
    /// Findings are about the image after a step, those about what was removed about the one
    /// before; the words of the line tell which.
    fn side(&mut self, anchor: &Anchor, excerpt: Option<&str>) -> Side {
        let of_step = |change: &&Change| {
            change.path == anchor.path && anchor.step.as_deref().is_none_or(|id| change.step == id)
        };
        let Some(change) = self.subject.changes.iter().find(of_step) else { return Side::After };
        let (before, after) = (change.before, change.after);
        let mut fits = |image: Option<Digest>| {
            let line = image.and_then(|image| self.line(image, anchor.line));
            line.is_some_and(|line| excerpt.is_none_or(|excerpt| says(&line, excerpt)))
        };
        if !fits(after) && fits(before) { Side::Before } else { Side::After }
    }

    fn line(&mut self, image: Digest, number: u32) -> Option<String> {
        let subject = self.subject;
        let known = self.known.entry(image).or_insert_with(|| {
            let blob = subject.blob(&image)?;
            let mut ends = vec![0];
            let mut at = 0;
            ends.extend(lines(blob.bytes()).iter().map(|line| {
                at += line.len();
                at
            }));
            Some((blob, ends))
        });
        let (blob, ends) = known.as_ref()?;
        let (from, to) = (ends.get(number.checked_sub(1)? as usize)?, ends.get(number as usize)?);
        blob.bytes().get(*from..*to).map(|line| visible(line.trim_ascii()))
    }
}

/// Whether a line begins as a finding quotes it.
fn says(line: &str, excerpt: &str) -> bool {
    let cut = CUTS.iter().filter_map(|cut| excerpt.find(cut)).min().unwrap_or(excerpt.len());
    line.starts_with(excerpt.get(..cut).unwrap_or(excerpt).trim())
}
