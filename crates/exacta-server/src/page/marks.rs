//! What a reader of a difference wants to be told: which blocks only moved, and which hunks
//! only change white space.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::review::{Block, Difference, Line, Review, Row, RowKind};

/// A block is called moved when it has at least so many lines,
const FEWEST_LINES: usize = 3;
/// and so many characters that are not white space.
const FEWEST_CHARACTERS: usize = 30;
/// More removed lines than this are not searched for blocks that moved.
const MOST_LINES: usize = 50_000;
/// A line that stands in so many places says nothing about where a block came from.
const MOST_PLACES: usize = 16;

/// A row of a difference: part, block, row.
pub(super) type At = (usize, usize, usize);

/// What was found out about the rows of a review.
#[derive(Default)]
pub(super) struct Marks {
    /// Rows of blocks that moved, with where the other end is.
    moved: BTreeMap<At, String>,
    /// Rows that begin a hunk in which only white space differs.
    spaces: BTreeSet<At>,
}

impl Marks {
    /// Looks at every difference of a review that is shown for a step or for all steps
    /// together.
    pub(super) fn of(review: &Review) -> Self {
        let mut marks = Self::default();
        let mut removed: Vec<(At, &Difference, u32, String)> = Vec::new();
        let mut added: Vec<(At, &Difference, u32, String)> = Vec::new();
        for (part, block, difference) in differences(review) {
            marks.white_space((part, block), difference);
            for (row, one) in difference.rows.iter().enumerate() {
                let at = (part, block, row);
                match one.kind {
                    RowKind::Line(Line { before: Some(line), after: None, .. }) => {
                        removed.push((at, difference, line, one.text()));
                    }
                    RowKind::Line(Line { before: None, after: Some(line), .. }) => {
                        added.push((at, difference, line, one.text()));
                    }
                    _ => {}
                }
            }
        }
        if removed.len().max(added.len()) <= MOST_LINES {
            marks.blocks(&removed, &added);
        }
        marks
    }

    /// Where the other end of a block that moved is, in words.
    pub(super) fn moved(&self, at: At) -> Option<&str> {
        self.moved.get(&at).map(String::as_str)
    }

    /// Whether the hunk that begins here only changes white space.
    pub(super) fn only_spaces(&self, at: At) -> bool {
        self.spaces.contains(&at)
    }

    fn white_space(&mut self, (part, block): (usize, usize), difference: &Difference) {
        let mut head = None;
        let mut texts = (String::new(), String::new());
        let bare = |row: &Row| row.text().split_whitespace().collect::<String>();
        let mut close = |head: Option<usize>, texts: &mut (String, String)| {
            let (old, new) = core::mem::take(texts);
            if let Some(row) = head
                && old == new
                && !old.is_empty()
            {
                self.spaces.insert((part, block, row));
            }
        };
        for (at, row) in difference.rows.iter().enumerate() {
            match row.kind {
                RowKind::Hunk(_) => {
                    close(head, &mut texts);
                    head = Some(at);
                }
                RowKind::Line(Line { after: None, .. }) => texts.0.push_str(&bare(row)),
                RowKind::Line(Line { before: None, .. }) => texts.1.push_str(&bare(row)),
                _ => {}
            }
        }
        close(head, &mut texts);
    }

    fn blocks(
        &mut self,
        removed: &[(At, &Difference, u32, String)],
        added: &[(At, &Difference, u32, String)],
    ) {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, (.., text)) in removed.iter().enumerate() {
            places.entry(text.trim()).or_default().push(index);
        }
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        let mut at = 0;
        while let Some((.., text)) = added.get(at) {
            let here = places.get(text.trim()).map(Vec::as_slice).unwrap_or_default();
            let longest = here
                .iter()
                .filter(|_| here.len() <= MOST_PLACES && !text.trim().is_empty())
                .map(|from| (common(removed, *from, added, at, &taken), *from))
                .max();
            let Some((length, from)) = longest.filter(|(length, from)| {
                let block = removed.get(*from..from + length).unwrap_or_default();
                let characters: usize = block
                    .iter()
                    .map(|(.., text)| text.split_whitespace().map(str::len).sum::<usize>())
                    .sum();
                *length >= FEWEST_LINES && characters >= FEWEST_CHARACTERS
            }) else {
                at += 1;
                continue;
            };
            for offset in 0..length {
                let (Some(old), Some(new)) = (removed.get(from + offset), added.get(at + offset))
                else {
                    break;
                };
                taken.insert(from + offset);
                self.moved.insert(old.0, format!("moved to {}:{}", new.1.path, new.2));
                self.moved.insert(new.0, format!("moved from {}:{}", old.1.path, old.2));
            }
            at += length;
        }
    }
}

/// How many lines from here on are the same, inside one difference each.
fn common(
    removed: &[(At, &Difference, u32, String)],
    from: usize,
    added: &[(At, &Difference, u32, String)],
    at: usize,
    taken: &BTreeSet<usize>,
) -> usize {
    let follow = |first: &At, next: &At, offset: usize| {
        (first.0, first.1) == (next.0, next.1) && next.2 == first.2 + offset
    };
    let (Some(first_old), Some(first_new)) = (removed.get(from), added.get(at)) else { return 0 };
    let pairs = removed.iter().skip(from).zip(added.iter().skip(at)).enumerate();
    pairs
        .take_while(|(offset, (old, new))| {
            follow(&first_old.0, &old.0, *offset)
                && follow(&first_new.0, &new.0, *offset)
                && old.3.trim() == new.3.trim()
                && !taken.contains(&(from + offset))
        })
        .count()
}

/// Every difference of a review with its place, those of single steps left out where one of
/// all steps together is there.
fn differences(review: &Review) -> Vec<(usize, usize, &Difference)> {
    let mut list = Vec::new();
    for (part, one) in review.parts.iter().enumerate() {
        for (block, shown) in one.blocks.iter().enumerate() {
            if let Block::Difference(difference) = shown {
                list.push((part, block, difference));
            }
        }
    }
    let together: BTreeSet<&str> = list
        .iter()
        .filter(|(.., one)| one.step.is_none())
        .map(|(.., one)| one.path.as_str())
        .collect();
    list.retain(|(.., one)| one.step.is_none() || !together.contains(one.path.as_str()));
    list
}
