//! A line of columns, on as many rows as a narrow terminal needs.
//!
//! Left alone, a terminal breaks wherever its edge is, in the middle of names and words.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

/// A text and how it looks.
pub(crate) type Column = (Style, String);

/// What stands before a row that goes on; with the space behind it, as wide as leaves room
/// for an id in forty columns.
const GOES_ON: &str = "   ";

/// The columns on one row where they fit, and where nothing wraps. Otherwise rows that break
/// between columns, in the last one between words: those of `first`, then those of `rest`
/// from a row of their own. Ids are never cut, so that they can be copied.
pub(crate) fn rows(
    columns: &[Column],
    width: Option<usize>,
    first: &[&Column],
    rest: &[&Column],
) -> Vec<String> {
    let whole = columns.iter().map(|(_, text)| text.width() + 1).sum::<usize>();
    let Some(width) = width.filter(|width| whole > width + 1) else {
        return vec![joined(columns.iter().map(|(style, text)| (*style, text.as_str())))];
    };
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut used = 0;
    for (part, columns) in [first, rest].into_iter().enumerate() {
        for (index, (style, text)) in columns.iter().enumerate() {
            let words = part == 1 && index + 1 == columns.len();
            // The first column keeps its place, whatever stands before its text.
            let text = if part == 0 && index == 0 { text.as_str() } else { text.trim() };
            let pieces = if words { text.split(' ') } else { text.split('\n') };
            for piece in pieces.filter(|piece| !piece.is_empty()) {
                let over = !row.is_empty() && used + 1 + piece.width() > width;
                if over || (part == 1 && rows.is_empty()) {
                    rows.push(joined(row.drain(..)));
                    row.push((Style::new(), GOES_ON));
                    used = GOES_ON.width();
                }
                used += piece.width() + usize::from(!row.is_empty());
                row.push((*style, piece));
            }
        }
    }
    rows.push(joined(row.drain(..)));
    rows
}

fn joined<'t>(pieces: impl Iterator<Item = (Style, &'t str)>) -> String {
    let mut pieces: Vec<(Style, &str)> = pieces.collect();
    while pieces.last().is_some_and(|(_, piece)| piece.trim().is_empty()) {
        pieces.pop();
    }
    if let Some((_, last)) = pieces.last_mut() {
        *last = last.trim_end();
    }
    let pieces = pieces.iter().map(|(style, piece)| format!("{style}{piece}{style:#}"));
    pieces.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_break_between_words_and_fit() {
        let id = "01a1e340-0002-7d7c-8df5-f9b2c0a1703f";
        let columns = [
            "   7 2026-11-16T09:30:00.000Z".to_owned(),
            "plan_expired   ".to_owned(),
            id.to_owned(),
            "uid 1000".to_owned(),
            format!(" some of its steps were approved as the plan {id}"),
        ]
        .map(|text| (Style::new(), text));
        let [head, event, subject, actor, detail] = &columns;
        let mut whole: Vec<&str> =
            columns.iter().flat_map(|(_, text)| text.split_whitespace()).collect();
        whole.sort_unstable();
        for width in [40, 60, 80, 120] {
            let rows = rows(&columns, Some(width), &[head, event, actor], &[subject, detail]);
            assert!(rows.len() > 1 && rows.iter().all(|row| row.width() <= width), "{rows:?}");
            let mut words: Vec<&str> = rows.iter().flat_map(|row| row.split_whitespace()).collect();
            words.sort_unstable();
            assert_eq!(words, whole, "{width}");
        }
        for width in [None, Some(400)] {
            assert_eq!(rows(&columns, width, &[head, event, actor], &[subject, detail]).len(), 1);
        }
    }
}
