//! A few characters around a fault, with a caret under it.

use exacta_core::model::diagnostic::Place;
use exacta_core::text::shown::visible;
use exacta_inspect::mask_secrets;

/// The widest excerpt, in characters.
const WIDTH: usize = 96;

/// How much behind a fault is looked at for secrets, in characters.
const MASKED: usize = 4096;

/// One line of a text, made visible, and the column of the caret in it.
pub(super) struct Excerpt {
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) caret: usize,
}

/// The most bytes that are read for the excerpts of one text. A text without line breaks is
/// read from its start for each finding; later findings then go without an excerpt.
const MAX_READ: usize = 256 << 20;

/// A text that many excerpts are taken from.
pub(super) struct Rows<'t> {
    text: &'t [u8],
    /// Where each line begins; found when the first excerpt is asked for.
    starts: Vec<usize>,
    unread: usize,
}

impl<'t> Rows<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Self { text, starts: Vec::new(), unread: MAX_READ }
    }

    /// The excerpt at `place`.
    pub(super) fn at(&mut self, place: Place) -> Option<Excerpt> {
        if self.starts.is_empty() {
            let breaks = self.text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            self.starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        }
        let index = place.line.checked_sub(1)? as usize;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        self.unread = self.unread.checked_sub(end - start)?;
        self.text.get(start..end).map(|row| around(row, place))
    }
}

/// A line around a fault. Long lines are cut, and the cuts are marked.
fn around(row: &[u8], place: Place) -> Excerpt {
    let row = String::from_utf8_lossy(row);
    let row = row.trim_end_matches('\r');
    let column = (place.column as usize).saturating_sub(1);
    let start = column.saturating_sub(WIDTH / 2);
    let start = if start < 8 { 0 } else { start };
    let lead: String = row.chars().skip(start).take(column - start).collect();
    // Masked before it is cut: half of a secret does not look like one.
    let lead = mask_secrets(&lead);
    let rest: String = row.chars().skip(column).take(MASKED).collect();
    let masked = mask_secrets(&rest);
    let rest: String = masked.chars().take(WIDTH - lead.chars().count().min(WIDTH)).collect();
    let more = masked.chars().nth(rest.chars().count()).is_some();
    let lead = visible(lead.replace('\t', "    ").as_bytes());
    let rest = visible(rest.replace('\t', "    ").as_bytes());
    let cut = if start > 0 { "…" } else { "" };
    let end = if more { "…" } else { "" };
    Excerpt {
        line: place.line,
        caret: lead.chars().count() + cut.chars().count(),
        text: format!("{cut}{lead}{rest}{end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, place: Place) -> Option<Excerpt> {
        Rows::of(text.as_bytes()).at(place)
    }

    #[test]
    fn the_caret_stands_under_the_fault() {
        let text = "one\n\tt\u{202e}wo x\n";
        let excerpt = at(text, Place { line: 2, column: 6 }).unwrap();
        assert_eq!(excerpt.text, "    t<U+202E>wo x");
        assert_eq!(excerpt.text.chars().nth(excerpt.caret), Some(' '));
    }

    #[test]
    fn a_long_line_is_shown_around_the_fault() {
        let text = format!("{}!{}", "a".repeat(500), "b".repeat(500));
        let excerpt = at(&text, Place { line: 1, column: 501 }).unwrap();
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with('…'));
        assert_eq!(excerpt.text.chars().nth(excerpt.caret), Some('!'));
        assert!(excerpt.text.chars().count() <= WIDTH + 2);
    }

    #[test]
    fn every_line_is_found_and_none_beyond() {
        let mut rows = Rows::of(b"a\n\nb");
        let line = |line| Place { line, column: 1 };
        let texts: Vec<_> =
            (0..5).map(|at| rows.at(line(at)).map(|excerpt| excerpt.text)).collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(texts, [None, text("a"), text(""), text("b"), None]);
    }
}
