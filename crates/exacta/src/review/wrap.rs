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
    let (width, colours) = (width.max(NARROWEST), Vec::new());
    Rows { rest: Some(line), width, signs, colours, first: true, indent: None }
}

/// The same for prose: a row ends between two words where it can, and the next begins
/// where the first did.
pub(super) fn prose(line: &str, width: usize, signs: Signs) -> Rows<'_> {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    let rows = rows(line, width, signs);
    Rows { indent: Some(spaces.min(rows.width / 2)), ..rows }
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
    /// Where the rows of prose begin; `None` for what is no prose.
    indent: Option<usize>,
}

impl<'a> Rows<'a> {
    /// Takes the next row's text off the line.
    fn cut(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let before = if self.first { 0 } else { GOES_ON + self.indent.unwrap_or(0) };
        let room = self.width.saturating_sub(before).max(GOES_ON);
        self.first = false;
        let (row, left) = rest.split_at_checked(end_of_row(rest, room))?;
        let (row, left) = match self.indent {
            Some(_) if !left.is_empty() => between_words(rest, row.len(), room),
            _ => (row, left),
        };
        self.rest = Some(left).filter(|left| !left.is_empty());
        self.note_colours(row);
        Some(row)
    }

    /// Keeps what the next row must begin with.
    fn note_colours(&mut self, row: &'a str) {
        for (at, _) in row.match_indices('\u{1b}') {
            match row.get(at..).and_then(colour_at) {
                Some(RESET | "\u{1b}[m") => self.colours.clear(),
                Some(sequence) => self.colours.push(sequence),
                None => {}
            }
        }
    }

    fn count_rows(mut self) -> usize {
        std::iter::from_fn(|| self.cut()).count()
    }
}

/// A text parted at the last space before `end`, which the end of the row stands for. A
/// word that would leave half of the row empty is cut.
fn between_words(text: &str, end: usize, room: usize) -> (&str, &str) {
    let reach = text.get(..end + 1).filter(|row| row.ends_with(' ')).or_else(|| text.get(..end));
    match reach.and_then(|row| row.rfind(' ')) {
        Some(space) if space > room / 2 => {
            (text.get(..space).unwrap_or_default(), text.get(space + 1..).unwrap_or_default())
        }
        _ => text.split_at_checked(end).unwrap_or((text, "")),
    }
}

/// Where the first row of a text ends that has this much room. Colours that end there
/// belong to it.
fn end_of_row(text: &str, room: usize) -> usize {
    // Most rows are plain; the byte after the row must be, too.
    let plain = |byte: &u8| matches!(byte, b' '..=b'~');
    if text.as_bytes().get(..=room).is_some_and(|row| row.iter().all(plain)) {
        return room;
    }
    let (mut at, mut column) = (0, 0);
    loop {
        let left = text.get(at..).unwrap_or_default();
        if let Some(sequence) = colour_at(left) {
            at += sequence.len();
            continue;
        }
        let Some(c) = left.chars().next() else { return at };
        let columns = c.width().unwrap_or(0);
        if column + columns > room {
            return at;
        }
        column += columns;
        at += c.len_utf8();
    }
}

impl Iterator for Rows<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut row = String::new();
        if !self.first {
            row.extend(std::iter::repeat_n(' ', self.indent.unwrap_or(0)));
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

    #[test]
    fn prose_breaks_between_words_and_cuts_only_what_has_no_room() {
        let signs = Look::PLAIN.signs();
        let all = |line: &str| prose(line, 20, signs).collect::<Vec<_>>();
        assert_eq!(all("short enough"), ["short enough"]);
        assert_eq!(all("  why this plan asks for you"), ["  why this plan asks", "  ↪ for you"]);
        assert_eq!(
            all("\u{1b}[1mthe quick brown fox\u{1b}[0m jumps over"),
            ["\u{1b}[1mthe quick brown fox\u{1b}[0m", "↪ jumps over"]
        );
        assert_eq!(all("twenty columns wide. and more"), ["twenty columns wide.", "↪ and more"]);
        let hash = "a".repeat(50);
        assert_eq!(
            all(&hash),
            ["a".repeat(20), format!("↪ {}", "a".repeat(18)), format!("↪ {}", "a".repeat(12))]
        );
        // Padding moves nothing to where our own words stand.
        let padded = format!("  why{}Decision runs", " ".repeat(40));
        assert!(all(&padded).iter().skip(1).all(|row| row.starts_with("  ↪ ")));
    }
}
