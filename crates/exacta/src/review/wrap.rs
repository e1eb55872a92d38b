//! Long lines on as many rows as they need.
//!
//! Every row after the first begins with a sign that no untrusted text can put there, so
//! that padding cannot move words to where our own stand.

use unicode_width::UnicodeWidthChar as _;

use super::look::{Signs, colour_at};

/// The narrowest row; below it nothing could be read, so the terminal wraps by itself.
const NARROWEST: usize = 20;
/// How many columns the sign before a further row takes.
const GOES_ON: usize = 2;
/// Ends all colours.
const RESET: &str = "\u{1b}[0m";

/// The rows of a line; a line has at least one. Colours go on from row to row.
pub(super) fn rows(line: &str, width: usize, signs: Signs) -> Rows<'_> {
    Rows { rest: Some(line), width: width.max(NARROWEST), signs, colours: Vec::new(), first: true }
}

/// How many rows a line takes.
pub(super) fn count(line: &str, width: usize, signs: Signs) -> usize {
    if line.len() <= width { 1 } else { rows(line, width, signs).count_rows() }
}

/// An iterator over the rows of a line.
pub(super) struct Rows<'a> {
    rest: Option<&'a str>,
    width: usize,
    signs: Signs,
    /// The sequences since the last reset.
    colours: Vec<&'a str>,
    first: bool,
}

impl<'a> Rows<'a> {
    /// Takes the next row's text off the line.
    fn cut(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let room = if self.first { self.width } else { self.width - GOES_ON };
        self.first = false;
        // Most rows are plain; the byte after the row must be, too, because colours that
        // end there belong to it.
        let plain = |byte: &u8| matches!(byte, b' '..=b'~');
        if rest.as_bytes().get(..=room).is_some_and(|row| row.iter().all(plain)) {
            let (row, left) = rest.split_at_checked(room)?;
            self.rest = Some(left);
            return Some(row);
        }
        let (mut at, mut column) = (0, 0);
        loop {
            let left = rest.get(at..).unwrap_or_default();
            if let Some(sequence) = colour_at(left) {
                if matches!(sequence, RESET | "\u{1b}[m") {
                    self.colours.clear();
                } else {
                    self.colours.push(sequence);
                }
                at += sequence.len();
                continue;
            }
            let Some(c) = left.chars().next() else {
                self.rest = None;
                return Some(rest);
            };
            let columns = c.width().unwrap_or(0);
            if column + columns > room {
                let (row, left) = rest.split_at_checked(at)?;
                self.rest = Some(left);
                return Some(row);
            }
            column += columns;
            at += c.len_utf8();
        }
    }

    fn count_rows(mut self) -> usize {
        std::iter::from_fn(|| self.cut()).count()
    }
}

impl Iterator for Rows<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut row = String::new();
        if !self.first {
            row.push_str(self.signs.goes_on);
            row.extend(self.colours.iter().copied());
        }
        let text = self.cut()?;
        row.push_str(text);
        if !self.colours.is_empty() {
            row.push_str(RESET);
        }
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Look;

    #[test]
    fn nothing_is_lost_between_rows_and_colours_go_on() {
        let signs = Look::PLAIN.signs();
        let line = format!("{}\u{1b}[31mred{}\u{1b}[0m end", "a".repeat(19), "宽".repeat(10));
        let found: Vec<String> = rows(&line, 20, signs).collect();
        assert_eq!(
            found,
            [
                format!("{}\u{1b}[31mr\u{1b}[0m", "a".repeat(19)),
                format!("↪ \u{1b}[31med{}\u{1b}[0m", "宽".repeat(8)),
                "↪ \u{1b}[31m宽宽\u{1b}[0m end".to_owned(),
            ]
        );
        assert_eq!(count(&line, 20, signs), 3);
        assert_eq!(rows("", 20, signs).collect::<Vec<_>>(), [""]);
    }
}
