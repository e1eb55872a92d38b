//! Rows of the review model as lines of a terminal.

use std::fmt::Write as _;

use anstyle::Style;
use exacta_core::review::{Line, Role, Row, RowKind, Span};

use super::wrap::Breaks;
use super::{Look, columns_of, style};

/// How many columns a tab takes at most.
const TAB: usize = 4;

/// Where a row of this kind may break.
pub(crate) fn breaks_of(kind: RowKind) -> Breaks {
    match kind {
        RowKind::Heading | RowKind::Prose | RowKind::Excerpt | RowKind::Quote => Breaks::Words,
        RowKind::File
        | RowKind::Content
        | RowKind::QuotedContent
        | RowKind::Hunk(_)
        | RowKind::Line(_) => Breaks::Anywhere,
    }
}

/// The lines of a row; `digits` is how wide the numbers of lines are. A row has one, and one
/// more where a file ends without a line feed.
pub(crate) fn lines_of(row: &Row, look: Look, digits: usize) -> Vec<String> {
    let mut line = " ".repeat(row.indent.into());
    let quiet = style::QUIET;
    // Writing to a string cannot fail.
    let _ = match row.kind {
        RowKind::Quote | RowKind::QuotedContent => {
            write!(line, "{quiet}{}{quiet:#} ", look.signs().bar)
        }
        RowKind::Line(Line { before, after, .. }) => {
            let number = |line: Option<u32>| line.map_or_else(String::new, |line| line.to_string());
            let (sign, tone) = match (before, after) {
                (Some(_), None) => ('-', style::REMOVED),
                (None, Some(_)) => ('+', style::ADDED),
                _ => (' ', Style::new()),
            };
            let (before, after) = (number(before), number(after));
            write!(line, "{before:>digits$} {after:>digits$} {tone}{sign}{tone:#} ")
        }
        _ => Ok(()),
    };
    let mut column = 0;
    let mut tone = Style::new();
    for span in &row.spans {
        let next = style::of(span.role, row.kind);
        if next != tone {
            let _ = write!(line, "{tone:#}{next}");
            tone = next;
        }
        column += write_span(span, look, column, &mut line);
    }
    let _ = write!(line, "{tone:#}");
    let mut lines = vec![line];
    if let RowKind::Line(Line { unended: true, .. }) = row.kind {
        let margin = " ".repeat(usize::from(row.indent) + 2 * digits + 2);
        lines.push(format!("{margin}{quiet}\\ no line feed at the end of the file{quiet:#}"));
    }
    lines
}

/// Writes what a span says, with the signs of this side; how many columns it takes.
fn write_span(span: &Span, look: Look, column: usize, out: &mut String) -> usize {
    let signs = look.signs();
    let start = out.len();
    match (span.role, signs.tab, signs.space) {
        (Role::Becomes, ..) => out.push_str(signs.becomes),
        (Role::Tab, Some(sign), _) => {
            let columns = TAB - column % TAB;
            out.push(sign);
            out.extend(std::iter::repeat_n(' ', columns - 1));
            return columns;
        }
        (Role::Tab, None, _) => out.push_str("<U+0009>"),
        (Role::LastSpace, _, Some(sign)) => {
            out.extend(span.text.chars().map(|_| sign));
            return span.text.len();
        }
        (Role::LastSpace, _, None) => {
            span.text.chars().for_each(|_| out.push_str("<U+0020>"));
        }
        _ => out.push_str(&span.text),
    }
    columns_of(out.get(start..).unwrap_or_default())
}

/// A text of unknown make on one line, every character of it visible.
pub(crate) fn one_line(text: &str, look: Look) -> String {
    let row = Row::content(0).show(Role::Plain, text.as_bytes());
    let plain = Look { colour: false, ..look };
    let lines = lines_of(&row, plain, 0);
    lines.iter().map(|line| plain.finish(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_last_spaces_have_signs_or_are_spelled_out() {
        assert_eq!(one_line("a\tb \t", Look::PLAIN), "a→  b·→ ");
        let ascii = Look { utf8: false, ..Look::PLAIN };
        assert_eq!(one_line("a\tb ", ascii), "a<U+0009>b<U+0020>");
        assert_eq!(one_line("a→b", Look::PLAIN), "a<U+2192>b");
    }

    #[test]
    fn a_line_of_a_file_has_its_numbers_and_its_sign() {
        let line = |before, after, unended| {
            let kind = RowKind::Line(Line { before, after, unended });
            let lines = lines_of(&Row::new(kind, 2).say("x"), Look::PLAIN, 2);
            lines.iter().map(|line| Look::PLAIN.finish(line).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(line(Some(9), Some(10), false), ["   9 10   x"]);
        assert_eq!(line(Some(9), None, false), ["   9    - x"]);
        assert_eq!(
            line(None, Some(10), true),
            ["     10 + x", "        \\ no line feed at the end of the file"]
        );
    }
}
