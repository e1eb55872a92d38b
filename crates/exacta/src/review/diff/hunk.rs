//! Changed parts with the lines around them.

use std::ops::Range;

use super::lines::Compared;

/// How many unchanged lines stand before and after a change.
const CONTEXT: usize = 3;

/// One hunk: ranges of lines before and after, and the changes inside.
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    pub(super) changes: Vec<(Range<usize>, Range<usize>)>,
}

/// One line of a hunk; the numbers count lines of the image from 0.
#[derive(Clone, Copy)]
pub(super) enum Row {
    /// The same before and after.
    Same(usize, usize),
    /// Only before.
    Removed(usize),
    /// Only after.
    Added(usize),
}

impl Hunk {
    /// The first line of a hunk as patches write it.
    pub(super) fn header(&self) -> String {
        format!("@@ -{} +{} @@", range(&self.old), range(&self.new))
    }

    /// The lines in the order of a patch.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let (mut old, mut new) = (self.old.start, self.new.start);
        let mut same = |rows: &mut Vec<Row>, until: usize, skip: &(usize, usize)| {
            rows.extend((old..until).zip(new..).map(|(old, new)| Row::Same(old, new)));
            (old, new) = *skip;
        };
        for (removed, added) in &self.changes {
            same(&mut rows, removed.start, &(removed.end, added.end));
            rows.extend(removed.clone().map(Row::Removed));
            rows.extend(added.clone().map(Row::Added));
        }
        same(&mut rows, self.old.end, &(0, 0));
        rows
    }
}

fn range(lines: &Range<usize>) -> String {
    // An empty range stands behind the line it names.
    let start = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{start},{}", lines.len())
}

/// The hunks of a comparison. Changes whose surroundings touch share one.
pub(super) fn hunks(compared: &Compared<'_>) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for (old, new) in &compared.changes {
        let from = old.start.saturating_sub(CONTEXT);
        let until = (old.end + CONTEXT).min(compared.old.len());
        let new_until = (new.end + CONTEXT).min(compared.new.len());
        match hunks.last_mut().filter(|hunk| hunk.old.end >= from) {
            Some(hunk) => {
                hunk.old.end = until;
                hunk.new.end = new_until;
                hunk.changes.push((old.clone(), new.clone()));
            }
            None => hunks.push(Hunk {
                old: from..until,
                new: new.start - (old.start - from)..new_until,
                changes: vec![(old.clone(), new.clone())],
            }),
        }
    }
    hunks
}
