//! A few characters around a fault, with a caret under it.

use exacta_core::diagnostic::Place;
use exacta_core::shown::visible;

/// The widest excerpt, in characters.
const WIDTH: usize = 96;

/// One line of a text, made visible, and the column of the caret in it.
pub(super) struct Excerpt {
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) caret: usize,
}

/// The excerpt at `place`. Long lines are shown around the fault; cuts are marked.
pub(super) fn at(text: &[u8], place: Place) -> Option<Excerpt> {
    let row = text.split(|byte| *byte == b'\n').nth(place.line.checked_sub(1)? as usize)?;
    let row = String::from_utf8_lossy(row);
    let row = row.trim_end_matches('\r');
    let column = (place.column as usize).saturating_sub(1);
    let start = column.saturating_sub(WIDTH / 2);
    let start = if start < 8 { 0 } else { start };
    let lead: String = row.chars().skip(start).take(column - start).collect();
    let rest: String =
        row.chars().skip(column).take(WIDTH - lead.chars().count().min(WIDTH)).collect();
    let more = row.chars().nth(column + rest.chars().count()).is_some();
    let lead = visible(lead.replace('\t', "    ").as_bytes());
    let rest = visible(rest.replace('\t', "    ").as_bytes());
    let cut = if start > 0 { "…" } else { "" };
    let end = if more { "…" } else { "" };
    Some(Excerpt {
        line: place.line,
        caret: lead.chars().count() + cut.chars().count(),
        text: format!("{cut}{lead}{rest}{end}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_fault() {
        let text = "one\n\tt\u{202e}wo x\n";
        let excerpt = at(text.as_bytes(), Place { line: 2, column: 6 }).unwrap();
        assert_eq!(excerpt.text, "    t<U+202E>wo x");
        assert_eq!(excerpt.text.chars().nth(excerpt.caret), Some(' '));
    }

    #[test]
    fn a_long_line_is_shown_around_the_fault() {
        let text = format!("{}!{}", "a".repeat(500), "b".repeat(500));
        let excerpt = at(text.as_bytes(), Place { line: 1, column: 501 }).unwrap();
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with('…'));
        assert_eq!(excerpt.text.chars().nth(excerpt.caret), Some('!'));
        assert!(excerpt.text.chars().count() <= WIDTH + 2);
    }
}
