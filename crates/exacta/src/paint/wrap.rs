//! Long lines on as many rows as they need.
//!
//! Every row after the first begins with a sign that no untrusted text can put there, so
//! that padding cannot move words to where our own stand. One thing goes on without it: an
//! id or a hash that no row has room for, so that it can be copied.

use exacta_core::review::is_mark;

use super::breaks::{self, Break, Reach};
use super::columns::columns;
use super::look::{Signs, colour_at};

/// The narrowest row; below it nothing could be read, so the terminal wraps by itself.
const NARROWEST: usize = 20;
/// How many columns the sign before a further row takes.
const GOES_ON: usize = 2;
/// Ends all colours.
const RESET: &str = "\u{1b}[0m";

/// Where a line may break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// Between words: prose, prompts, keys.
    Words,
    /// Where the row ends: content, of which every character counts.
    Anywhere,
}

/// One row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// What stands on it.
    pub(crate) text: String,
    /// Whether it goes on with an id or a hash from the row above. Where the terminal wraps
    /// by itself no line end belongs before it.
    pub(crate) tail: bool,
}

/// The rows of a line; a line has at least one. Colours go on from row to row. A further
/// row of words begins where the first did.
pub(crate) fn rows(line: &str, width: usize, signs: Signs, breaks: Breaks) -> Rows<'_> {
    let width = width.max(NARROWEST);
    let spaces = line.len() - line.trim_start_matches(' ').len();
    let indent = match breaks {
        Breaks::Words => spaces.min(width / 2),
        Breaks::Anywhere => 0,
    };
    Rows {
        rest: Some(line),
        width,
        signs,
        breaks,
        indent,
        colours: Vec::new(),
        first: true,
        quoted: false,
        tail: 0,
    }
}

/// The rows as lines for a stream: what goes on without a sign is left to the terminal.
pub(super) fn lines(line: &str, width: usize, signs: Signs) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for row in rows(line, width, signs, Breaks::Words) {
        match lines.last_mut() {
            Some(last) if row.tail => last.push_str(&row.text),
            _ => lines.push(row.text),
        }
    }
    lines
}

/// How many rows a line takes.
pub(crate) fn count(line: &str, width: usize, signs: Signs, breaks: Breaks) -> usize {
    if line.len() <= width { 1 } else { rows(line, width, signs, breaks).count_rows() }
}

/// An iterator over the rows of a line.
pub(crate) struct Rows<'a> {
    rest: Option<&'a str>,
    width: usize,
    signs: Signs,
    breaks: Breaks,
    /// Where further rows begin.
    indent: usize,
    /// The sequences since the last reset.
    colours: Vec<&'a str>,
    first: bool,
    /// Whether the rest begins between two backticks.
    quoted: bool,
    /// How many bytes of a name that was begun above the rest begins with.
    tail: usize,
}

impl<'a> Rows<'a> {
    /// Takes the next row's text off the line.
    fn cut(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let whole = self.width.saturating_sub(GOES_ON + self.indent).max(GOES_ON);
        let room = if self.first || self.tail > 0 { self.width } else { whole };
        self.first = false;
        let end = end_of_row(rest, room);
        let (row, left) = match self.breaks {
            Breaks::Anywhere => rest.split_at_checked(end_of_content(rest, end, room))?,
            // What follows a name must not stand at the start of a row without a sign.
            Breaks::Words if self.tail > 0 => {
                let name = self.tail.min(end);
                self.tail -= name;
                let name =
                    if self.tail == 0 { breaks::with_its_marks(rest, name, end) } else { name };
                breaks::after(rest, name)
            }
            Breaks::Words if end == rest.len() => (rest, ""),
            Breaks::Words => {
                let bound = end_of_row(rest, room.saturating_add(whole).saturating_add(1));
                let reach = Reach { end, bound, whole };
                match breaks::place(rest, reach, self.quoted) {
                    Break::Space(at) => breaks::after(rest, at),
                    Break::Cut => rest.split_at_checked(end)?,
                    Break::Name(left) => {
                        self.tail = left;
                        rest.split_at_checked(end)?
                    }
                }
            }
        };
        self.quoted ^= row.matches('`').count() % 2 == 1;
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

/// Where the first row of a text ends that has this much room. Colours that end there
/// belong to it.
pub(super) fn end_of_row(text: &str, room: usize) -> usize {
    // Most rows are plain; the byte after the row must be, too.
    let plain = |byte: &u8| matches!(byte, b' '..=b'~');
    if text.as_bytes().get(..=room).is_some_and(|row| row.iter().all(plain)) {
        return room;
    }
    let (mut at, mut column) = (0, 0);
    // Where the newest character begins that others may stand on.
    let mut base = 0;
    loop {
        let left = text.get(at..).unwrap_or_default();
        if let Some(sequence) = colour_at(left) {
            at += sequence.len();
            continue;
        }
        let Some(c) = left.chars().next() else { return at };
        let wide = columns(c);
        let mark = is_mark(c);
        if column + wide > room {
            // A mark is never parted from what it stands on.
            return if mark && base > 0 { base } else { at };
        }
        if !mark {
            base = at;
        }
        column += wide;
        at += c.len_utf8();
    }
}

/// Where the first row of a content ends that is full at `end`. Spaces at the end of a row
/// could not be told from columns that a wide character had no room in, so they begin the
/// next one, where they show; a row of nothing but spaces always has the same number of them.
fn end_of_content(text: &str, end: usize, room: usize) -> usize {
    let row = text.get(..end).unwrap_or(text);
    if row.len() == text.len() {
        return end;
    }
    let (mut at, mut seen) = (0, 0);
    while let Some(left) = row.get(at..).filter(|left| !left.is_empty()) {
        let length = colour_at(left).map(str::len);
        at += length.or_else(|| left.chars().next().map(char::len_utf8)).unwrap_or(1);
        if length.is_none() && !left.starts_with(' ') {
            seen = at;
        }
    }
    if seen > 0 { seen } else { end_of_row(text, room.saturating_sub(2).max(1)) }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let tail = self.tail > 0;
        let mut text = String::new();
        if !self.first {
            if !tail {
                text.extend(std::iter::repeat_n(' ', self.indent));
                text.push_str(self.signs.goes_on);
            }
            text.extend(self.colours.iter().copied());
        }
        let row = self.cut()?;
        text.push_str(row);
        if !self.colours.is_empty() {
            text.push_str(RESET);
        }
        Some(Row { text, tail })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::Look;

    const HASH: &str = "64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525";
    const ID: &str = "01a1e340-0002-7d7c-8df5-f9b2c0a1703f";

    fn prose(line: &str, width: usize) -> Vec<String> {
        let signs = Look::PLAIN.signs();
        rows(line, width, signs, Breaks::Words).map(|row| row.text).collect()
    }

    #[test]
    fn nothing_is_lost_between_rows_and_colours_go_on() {
        let signs = Look::PLAIN.signs();
        let line = format!("{}\u{1b}[31mred{}\u{1b}[0m end", "a".repeat(19), "宽".repeat(10));
        let content = |line: &str| {
            let rows = rows(line, 20, signs, Breaks::Anywhere);
            rows.map(|row| row.text).collect::<Vec<_>>()
        };
        assert_eq!(
            content(&line),
            [
                format!("{}\u{1b}[31mr\u{1b}[0m", "a".repeat(19)),
                format!("↪ \u{1b}[31med{}\u{1b}[0m", "宽".repeat(8)),
                "↪ \u{1b}[31m宽宽\u{1b}[0m end".to_owned(),
            ]
        );
        assert_eq!(count(&line, 20, signs, Breaks::Anywhere), 3);
        assert_eq!(content(""), [""]);
    }

    #[test]
    fn prose_breaks_between_words_and_cuts_only_what_has_no_room() {
        let all = |line: &str| prose(line, 20);
        assert_eq!(all("short enough"), ["short enough"]);
        assert_eq!(all("  why this plan asks for you"), ["  why this plan asks", "  ↪ for you"]);
        assert_eq!(
            all("\u{1b}[1mthe quick brown fox\u{1b}[0m jumps over"),
            ["\u{1b}[1mthe quick brown fox\u{1b}[0m", "↪ jumps over"]
        );
        assert_eq!(all("twenty columns wide. and more"), ["twenty columns wide.", "↪ and more"]);
        // A word that has room on a row of its own is not cut, however little stands before.
        assert_eq!(all("at (src/helpers.py)"), ["at (src/helpers.py)"]);
        assert_eq!(all("now (src/helpers.py)."), ["now", "↪ (src/helpers.py)."]);
        let long = "x".repeat(50);
        assert_eq!(
            all(&long),
            ["x".repeat(20), format!("↪ {}", "x".repeat(18)), format!("↪ {}", "x".repeat(12))]
        );
        // Padding moves nothing to where our own words stand.
        let padded = format!("  why{}Decision runs", " ".repeat(40));
        assert!(all(&padded).iter().skip(1).all(|row| row.starts_with("  ↪ ")));
    }

    #[test]
    fn what_stands_between_backticks_stays_together_where_a_row_has_room_for_it() {
        assert_eq!(
            prose("profile `a b c` and `exacta undo 01a1`, then", 22),
            ["profile `a b c` and", "↪ `exacta undo 01a1`,", "↪ then"]
        );
        // Too long for any row: it breaks between its words, and what follows as usual.
        assert_eq!(
            prose("`one two three four five six` and `a b` to go", 20),
            ["`one two three four", "↪ five six` and", "↪ `a b` to go"]
        );
        // A backtick that nothing closes protects nothing.
        assert_eq!(prose("it's ` one two three four", 20), ["it's ` one two three", "↪ four"]);
    }

    #[test]
    fn ids_and_hashes_are_whole_wherever_they_stand() {
        let line = format!("plan_hash  {HASH}  kept");
        let (first, rest) = HASH.split_at(29);
        assert_eq!(
            prose(&line, 40),
            [format!("plan_hash  {first}"), rest.to_owned(), "↪  kept".to_owned()]
        );
        let signs = Look::PLAIN.signs();
        let whole = [format!("plan_hash  {HASH}"), "↪  kept".to_owned()];
        assert_eq!(lines(&line, 40, signs), whole);
        assert_eq!(count(&line, 40, signs, Breaks::Words), 3);
        let command = format!("take it back: `exacta undo {ID}`; or not");
        assert_eq!(
            lines(&command, 60, signs),
            ["take it back:".to_owned(), format!("↪ `exacta undo {ID}`; or not")]
        );
        assert_eq!(
            lines(&command, 30, signs),
            [format!("take it back: `exacta undo {ID}`;"), "↪ or not".to_owned()]
        );
        // Colours of a hash go on below, and end.
        let quiet = format!("\u{1b}[2mafter {HASH}\u{1b}[0m");
        assert_eq!(lines(&quiet, 60, signs).concat().replace("\u{1b}[0m\u{1b}[2m", ""), quiet);
    }

    #[test]
    fn nothing_but_an_id_or_a_hash_goes_on_without_the_sign() {
        for token in ["-".repeat(64), "a".repeat(65), "dead-beef-".repeat(8), HASH.repeat(3)] {
            for line in [token.clone(), format!("  | {token} Risk 0/100"), format!("`{token}`")] {
                let rows = prose(&line, 30);
                let mut further = rows.iter().skip(1);
                assert!(further.all(|row| row.trim_start().starts_with("↪ ")), "{rows:?}");
            }
        }
        // What follows one has the sign.
        for line in [format!("{HASH} Risk 0/100 low"), format!("{ID}`; Risk 0/100 low")] {
            let rows = prose(&line, 21);
            let ours = rows.iter().filter(|row| row.contains("Risk"));
            assert!(ours.clone().all(|row| row.starts_with("↪ ")), "{rows:?}");
            assert_eq!(ours.count(), 1);
        }
    }

    /// Marks that some terminals give columns of their own must not push what follows them
    /// to where a row of ours would begin.
    #[test]
    fn no_character_takes_more_columns_than_it_was_given() {
        let signs = Look::PLAIN.signs();
        for c in ['\u{302e}', '\u{16ff0}', '\u{9be}', '\u{3248}', '\u{301}', '\u{1f1e6}'] {
            let line = format!("{}2 + forged", format!(" {c}{c}").repeat(30));
            let rows: Vec<Row> = rows(&line, 100, signs, Breaks::Anywhere).collect();
            assert!(rows.len() > 1, "{c:?}");
            for (number, row) in rows.iter().enumerate() {
                assert_eq!(number > 0, row.text.starts_with("↪ "), "{c:?} {row:?}");
                // What terminals give at most: two for each of these, one for a space.
                let most: usize = row.text.chars().map(|one| 1 + usize::from(one == c)).sum();
                assert!(most <= 100, "{c:?} {most}");
            }
        }
    }

    /// What stands on the rows of two different contents is different.
    #[test]
    fn no_two_contents_look_the_same() {
        let signs = Look::PLAIN.signs();
        let shown = |line: &str, width| -> Vec<String> {
            let rows = rows(line, width, signs, Breaks::Anywhere);
            // Spaces at the end of a row do not show.
            rows.map(|row| Look::PLAIN.finish(&row.text).trim_end().to_owned()).collect()
        };
        let parts =
            ["x", " ", "  ", "宽", "e\u{301}", "\u{1b}[32m \u{1b}[0m", "                    "];
        for width in [20, 21, 23] {
            let mut seen = std::collections::BTreeMap::<Vec<String>, String>::new();
            for before in 0..width + 3 {
                for one in parts {
                    for two in parts {
                        let line = format!("{}{one}{two}宽end", "x".repeat(before));
                        let plain = Look::PLAIN.finish(&line).into_owned();
                        let rows = shown(&plain, width);
                        let other = seen.insert(rows.clone(), plain.clone());
                        assert!(other.is_none_or(|other| other == plain), "{plain:?} {rows:?}");
                        // Colours are no content.
                        assert_eq!(shown(&line, width), rows);
                    }
                }
            }
        }
    }
}
