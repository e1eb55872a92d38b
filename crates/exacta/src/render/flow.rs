//! A line of columns, on as many rows as a narrow terminal needs.
//!
//! Left alone, a terminal breaks wherever its edge is, in the middle of names and words.

use anstyle::Style;

use crate::paint::{columns, columns_of};

/// A text and how it looks.
pub(crate) type Column = (Style, String);

/// What stands before a row that goes on; with the space behind it, as wide as leaves room
/// for an id in forty columns.
const GOES_ON: &str = "   ";
/// How long an id is.
const ID: usize = 36;

/// The columns on one row where they fit, and where nothing wraps. Otherwise rows that break
/// between columns, in the last one between words: those of `first`, then those of `rest`
/// from a row of their own. Ids are never cut, so that they can be copied.
pub(crate) fn rows(
    columns: &[Column],
    width: Option<usize>,
    first: &[&Column],
    rest: &[&Column],
) -> Vec<String> {
    let whole = columns.iter().map(|(_, text)| columns_of(text) + 1).sum::<usize>();
    let Some(width) = width.filter(|width| whole > width + 1) else {
        return vec![joined(columns.iter().map(|(style, text)| (*style, text.as_str())))];
    };
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut used = 0;
    for (part, columns) in [first, rest].into_iter().enumerate() {
        for (index, (style, text)) in columns.iter().enumerate() {
            let words = part == 1 && index + 1 == columns.len();
            // The first columns keep their places from one line to the next.
            let text = if part == 0 { text.as_str() } else { text.trim() };
            let pieces = if words { text.split(' ') } else { text.split('\n') };
            let pieces = pieces.filter(|piece| !piece.is_empty());
            for piece in
                pieces.flat_map(|piece| cut(piece, width.saturating_sub(GOES_ON.len() + 1)))
            {
                let over = !row.is_empty() && used + 1 + columns_of(piece) > width;
                if over || (part == 1 && rows.is_empty()) {
                    rows.push(joined(row.drain(..)));
                    row.push((Style::new(), GOES_ON));
                    used = GOES_ON.len();
                }
                used += columns_of(piece) + usize::from(!row.is_empty());
                row.push((*style, piece));
            }
        }
    }
    rows.push(joined(row.drain(..)));
    rows
}

/// A piece in parts that a row has room for; left whole, the terminal would break it without
/// an indent. One as short as an id stays whole.
fn cut(piece: &str, room: usize) -> Vec<&str> {
    let room = room.max(ID);
    let mut parts = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (at, c) in piece.char_indices() {
        if used + columns(c) > room {
            parts.extend(piece.get(start..at));
            (start, used) = (at, 0);
        }
        used += columns(c);
    }
    parts.extend(piece.get(start..));
    parts
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
            assert!(rows.len() > 1 && rows.iter().all(|row| columns_of(row) <= width), "{rows:?}");
            let mut words: Vec<&str> = rows.iter().flat_map(|row| row.split_whitespace()).collect();
            words.sort_unstable();
            assert_eq!(words, whole, "{width}");
        }
        // What has no spaces does not run into the row below.
        let long =
            [("goal".into(), "x".repeat(200)), ("goal".into(), " \u{302e}\u{302e}".repeat(60))];
        for (head, text) in long {
            let columns: [Column; 2] = [head, text].map(|text| (Style::new(), text));
            let rows = rows(&columns, Some(80), &[&columns[0]], &[&columns[1]]);
            assert!(rows.len() > 2 && rows.iter().all(|row| columns_of(row) <= 80), "{rows:?}");
            assert!(rows.iter().skip(1).all(|row| row.starts_with("   ")), "{rows:?}");
        }
        for width in [None, Some(400)] {
            assert_eq!(rows(&columns, width, &[head, event, actor], &[subject, detail]).len(), 1);
        }
    }
}
