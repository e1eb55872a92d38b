//! A document on a screen, page by page, with an honest count of what was on it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::document::{Block, Document};
use super::key::Key;
use super::search::{Found, Wanted};
use crate::paint::wrap::{self, Breaks};
use crate::paint::{Look, style};

/// A line of more rows than this is cut once and kept, so that a page in the middle of it
/// is as quick as any other.
const LONG: usize = 64;

/// A document laid out for one width.
pub(super) struct Pager {
    document: Document,
    look: Look,
    /// For each block the row it begins at, and how its lines fall into rows.
    blocks: Vec<(usize, Fall)>,
    /// The rows of long lines, by line.
    long: BTreeMap<usize, Vec<String>>,
    /// Whether each row has been on the screen.
    seen: Vec<bool>,
    seen_count: usize,
    top: usize,
    /// The line that was found last.
    found: Option<usize>,
}

/// How the lines of a block fall into rows.
enum Fall {
    /// The row after each line, counted from the start of the block.
    Ends(Vec<usize>),
    /// Every line takes so many.
    Even(usize),
}

impl Pager {
    /// Lays a document out.
    pub(super) fn new(document: Document, look: Look) -> Self {
        let (blocks, long, seen) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut pager =
            Self { document, look, blocks, long, seen, seen_count: 0, top: 0, found: None };
        pager.lay_out();
        pager
    }

    /// Lays it out again for another width. A line stays seen when all of it was, and the
    /// line at the top stays there.
    pub(super) fn resize(&mut self, look: Look) {
        if look == self.look {
            return;
        }
        self.look = look;
        let top = self.line_of(self.top);
        let lines: Vec<bool> = (0..self.document.len())
            .map(|line| {
                let (from, to) = (self.row_of(line), self.row_of(line + 1));
                self.seen.get(from..to).unwrap_or_default().iter().all(|seen| *seen)
            })
            .collect();
        self.lay_out();
        for (line, _) in lines.iter().enumerate().filter(|(_, seen)| **seen) {
            self.mark(self.row_of(line)..self.row_of(line + 1));
        }
        self.top = self.row_of(top);
    }

    fn lay_out(&mut self) {
        let width = self.look.width.unwrap_or(usize::MAX);
        let (signs, look) = (self.look.signs(), self.look);
        let (mut row, mut first) = (0, 0);
        let mut long = BTreeMap::new();
        self.blocks = self
            .document
            .blocks()
            .iter()
            .map(|block| {
                let start = row;
                let fall = match block {
                    Block::Lines(lines) => {
                        let mut end = 0;
                        let ends = lines.iter().enumerate().map(|(index, (line, breaks))| {
                            let line = look.finish(line);
                            let rows = wrap::count(&line, width, signs, *breaks);
                            if rows > LONG {
                                let cut = wrap::rows(&line, width, signs, *breaks);
                                long.insert(first + index, cut.map(|row| row.text).collect());
                            }
                            end += rows;
                            end
                        });
                        let ends: Vec<usize> = ends.collect();
                        row += end;
                        Fall::Ends(ends)
                    }
                    Block::Dump(..) => {
                        let each = wrap::count(&block.line(0).0, width, signs, Breaks::Anywhere);
                        row += each * block.len();
                        Fall::Even(each)
                    }
                };
                first += block.len();
                (start, fall)
            })
            .collect();
        self.long = long;
        self.seen = vec![false; row];
        self.seen_count = 0;
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.seen.len()
    }

    /// The row at the top of the page.
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// How many rows have been on the screen.
    pub(super) fn seen(&self) -> usize {
        self.seen_count
    }

    fn mark(&mut self, rows: Range<usize>) {
        for seen in self.seen.get_mut(rows).unwrap_or_default() {
            self.seen_count += usize::from(!*seen);
            *seen = true;
        }
    }

    /// The first row of a line.
    fn row_of(&self, line: usize) -> usize {
        let mut line = line;
        for (block, (start, fall)) in self.document.blocks().iter().zip(&self.blocks) {
            if line < block.len() {
                return start
                    + match fall {
                        Fall::Even(each) => each * line,
                        Fall::Ends(ends) => {
                            line.checked_sub(1).and_then(|at| ends.get(at)).copied().unwrap_or(0)
                        }
                    };
            }
            line -= block.len();
        }
        self.rows()
    }

    /// The line that a row belongs to.
    fn line_of(&self, row: usize) -> usize {
        let (mut low, mut high) = (0, self.document.len());
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.row_of(middle) <= row { low = middle } else { high = middle }
        }
        low
    }

    /// Moves as a key says; whether it is a key that moves.
    pub(super) fn moved(&mut self, key: &Key, height: usize) -> bool {
        let page = isize::try_from(height).unwrap_or(1);
        match key {
            Key::Down | Key::Enter | Key::Char('j') => self.scroll(1, height),
            Key::Up | Key::Char('k') => self.scroll(-1, height),
            Key::PageDown | Key::Char(' ' | 'f') => self.scroll(page, height),
            Key::PageUp | Key::Char('b') => self.scroll(-page, height),
            Key::Home | Key::Char('g') => self.go_to_end(false, height),
            Key::End | Key::Char('G') => self.go_to_end(true, height),
            Key::Char('n') => self.go_to_heading(true, height),
            Key::Char('p') => self.go_to_heading(false, height),
            _ => return false,
        }
        true
    }

    /// Moves so many rows down, or up.
    pub(super) fn scroll(&mut self, by: isize, height: usize) {
        let last = self.rows().saturating_sub(height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// Moves to the first or the last page.
    pub(super) fn go_to_end(&mut self, last: bool, height: usize) {
        self.top = if last { self.rows().saturating_sub(height) } else { 0 };
    }

    /// Moves to the next heading, or the one before.
    pub(super) fn go_to_heading(&mut self, next: bool, height: usize) {
        let mut rows = self.document.headings().iter().map(|line| self.row_of(*line));
        let found = if next {
            rows.find(|row| *row > self.top)
        } else {
            rows.take_while(|row| *row < self.top).last()
        };
        let last = self.rows().saturating_sub(height);
        if let Some(row) = found {
            self.top = row.min(last);
        }
    }

    /// Moves to the next line with what is wanted, or the one before; `None` when no line
    /// has it.
    pub(super) fn find(&mut self, wanted: &Wanted, next: bool, height: usize) -> Option<Found> {
        let plain = Look { colour: false, ..self.look };
        let fits = |(text, _): &(Cow<'_, str>, Breaks)| wanted.is_in(&plain.finish(text));
        let lines: Vec<usize> = self
            .document
            .lines()
            .enumerate()
            .filter(|(_, line)| fits(line))
            .map(|(line, _)| line)
            .collect();
        // From the line that was found, while it is on the page; else from the page.
        let (first, last) =
            (self.line_of(self.top), self.line_of((self.top + height).saturating_sub(1)));
        let from = self.found.filter(|line| (first..=last).contains(line));
        let at = if next {
            lines.iter().position(|line| from.map_or(*line >= first, |from| *line > from))
        } else {
            lines.iter().rposition(|line| *line < from.unwrap_or(first))
        };
        let around = at.is_none();
        let at = at.or(if next { Some(0) } else { lines.len().checked_sub(1) })?;
        let line = *lines.get(at)?;
        self.found = Some(line);
        // What it belongs to stands above it.
        let row = self.row_of(line) + self.row_with(line, wanted);
        self.top = row.saturating_sub(height / 4).min(self.rows().saturating_sub(height));
        Some(Found { number: at + 1, of: lines.len(), around })
    }

    /// The row of a line that has what is wanted; the first when rows part it.
    fn row_with(&self, line: usize, wanted: &Wanted) -> usize {
        let plain = Look { colour: false, ..self.look };
        let mut rows = self.rows_of(line, 0, usize::MAX).into_iter();
        rows.position(|row| wanted.is_in(&plain.finish(&row))).unwrap_or(0)
    }

    /// So many rows of a line, from one of them on.
    fn rows_of(&self, line: usize, skip: usize, most: usize) -> Vec<String> {
        if let Some(rows) = self.long.get(&line) {
            return rows.iter().skip(skip).take(most).cloned().collect();
        }
        let (width, signs) = (self.look.width.unwrap_or(usize::MAX), self.look.signs());
        let Some((text, breaks)) = self.line(line) else { return Vec::new() };
        let rows = wrap::rows(&text, width, signs, breaks).skip(skip).take(most);
        rows.map(|row| row.text).collect()
    }

    /// The rows of the page, which count as seen from now on.
    pub(super) fn page(&mut self, height: usize) -> Vec<String> {
        let last = self.rows().saturating_sub(height);
        self.top = self.top.min(last);
        let mut line = self.line_of(self.top);
        let mut skip = self.top - self.row_of(line);
        let mut page = Vec::new();
        while page.len() < height && line < self.document.len() {
            let (begin, room) = (page.len(), height - page.len());
            page.extend(self.rows_of(line, skip, room));
            if self.found == Some(line) && self.look.colour {
                page.iter_mut().skip(begin).for_each(|row| *row = stands_out(row));
            }
            (line, skip) = (line + 1, 0);
        }
        let shown = self.top..self.top + page.len();
        self.mark(shown);
        page
    }

    fn line(&self, line: usize) -> Option<(String, Breaks)> {
        let mut line = line;
        for block in self.document.blocks() {
            if line < block.len() {
                let (text, breaks) = block.line(line);
                return Some((self.look.finish(&text).into_owned(), breaks));
            }
            line -= block.len();
        }
        None
    }
}

/// A row with one style instead of its own colours.
fn stands_out(row: &str) -> String {
    let found = style::FOUND;
    format!("{found}{}{found:#}", Look::PLAIN.finish(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> Document {
        let mut document = Document::default();
        (0..count).for_each(|n| document.line(format!("line {n}")));
        document
    }

    #[test]
    fn what_was_jumped_over_does_not_count_as_seen() {
        let look = Look { width: Some(40), ..Look::PLAIN };
        let mut pager = Pager::new(numbered(100), look);
        assert_eq!(pager.page(10).first().map(String::as_str), Some("line 0"));
        pager.go_to_end(true, 10);
        assert_eq!(pager.page(10).last().map(String::as_str), Some("line 99"));
        assert_eq!((pager.seen(), pager.rows()), (20, 100));
        pager.scroll(-1, 10);
        pager.page(10);
        assert_eq!(pager.seen(), 21);
    }

    #[test]
    fn a_line_that_was_seen_in_part_is_not_seen_after_a_resize() {
        let mut document = numbered(2);
        // Long enough to be kept cut at the first width, not at the second.
        document.line("x".repeat(4000));
        let look = |width| Look { width: Some(width), ..Look::PLAIN };
        let mut pager = Pager::new(document, look(40));
        pager.page(5);
        assert_eq!(pager.seen(), 5);
        pager.resize(look(100));
        assert_eq!((pager.seen(), pager.rows()), (2, 43));
        let everything = pager.page(43).concat().matches('x').count();
        assert_eq!(everything, 4000);
        assert_eq!(pager.seen(), 43);
    }

    #[test]
    fn what_is_looked_for_is_found_line_by_line_and_around_the_end() {
        let mut document = numbered(30);
        document.line("\u{1b}[32mA Needle\u{1b}[0m");
        document.line(format!("{} needle", "x".repeat(400)));
        let look = Look { width: Some(40), colour: true, ..Look::PLAIN };
        let mut pager = Pager::new(document, look);
        let any = Wanted::new("needle");
        let found = |pager: &mut Pager, wanted: &Wanted, next| {
            pager.find(wanted, next, 8).map(|found| (found.number, found.of, found.around))
        };
        assert_eq!(found(&mut pager, &any, true), Some((1, 2, false)));
        let page = pager.page(8);
        assert_eq!(page.get(2).map(String::as_str), Some("\u{1b}[7mA Needle\u{1b}[0m"));
        assert_eq!(found(&mut pager, &any, true), Some((2, 2, false)));
        // The row that has it, not only the line.
        assert!(pager.page(8).iter().any(|row| row.contains("needle")));
        assert_eq!(found(&mut pager, &any, true), Some((1, 2, true)));
        assert_eq!(found(&mut pager, &any, false), Some((2, 2, true)));
        assert_eq!(found(&mut pager, &Wanted::new("Needle"), false), Some((1, 1, false)));
        assert_eq!(found(&mut pager, &Wanted::new("nothing such"), true), None);
        assert!(pager.seen() < pager.rows());
    }
}
