//! Lines that are one statement, joined for the patterns that only see all of it.
//!
//! Whether a line goes on is told from its end and from the start of the next one. A
//! statement has a bounded number of lines and bytes; beyond them each line stands alone.

use super::line::Line;
use super::side::Side;
use super::subject::Subject;

/// The most lines of a statement above and below the line that was asked about.
const REACH: usize = 8;
/// The longest statement in bytes.
const MOST: usize = 4096;

/// A line with the lines it goes on in.
pub(super) struct Statement {
    /// Its first and last line.
    pub(super) last: usize,
    /// With disguises taken off.
    pub(super) plain: String,
    /// The same in lower case.
    pub(super) lower: String,
    /// Where each line begins in it.
    begins: Vec<(usize, usize)>,
}

impl Statement {
    /// The statement that the line is part of, as far as it does not reach above `floor`.
    pub(super) fn around(
        subject: &Subject<'_>,
        side: &Side<'_>,
        index: usize,
        floor: usize,
    ) -> Option<Self> {
        let sql = subject.ends_in(&["sql"]);
        let mut lines = vec![index];
        let mut first = index;
        for above in (floor..index).rev().take(REACH) {
            if side.is_comment(above) {
                continue;
            }
            if !goes_on(side, above, first, sql) {
                break;
            }
            first = above;
            lines.insert(0, above);
        }
        let mut last = index;
        for below in (index + 1..side.lines.len()).take(REACH) {
            if side.is_comment(below) {
                continue;
            }
            if !goes_on(side, last, below, sql) {
                break;
            }
            last = below;
            lines.push(below);
        }
        let bytes: usize =
            lines.iter().filter_map(|line| side.lines.get(*line)).map(|line| line.len()).sum();
        if bytes > MOST {
            lines = vec![index];
        }
        Self::join(side, &lines)
    }

    fn join(side: &Side<'_>, lines: &[usize]) -> Option<Self> {
        let mut plain = String::new();
        let mut begins = Vec::with_capacity(lines.len());
        for index in lines {
            let line = Line::new(side.lines, *index, false)?;
            let folded = line.plain.as_ref();
            if !plain.is_empty() {
                // The sign that a line goes on is no part of what it says.
                if plain.trim_end().ends_with('\\') {
                    plain.truncate(plain.trim_end().len() - 1);
                }
                plain.push(' ');
            }
            begins.push((plain.len(), *index));
            plain.push_str(folded);
        }
        let last = *lines.last()?;
        let lower = plain.to_ascii_lowercase();
        Some(Self { last, plain, lower, begins })
    }

    /// The line of a byte, and the byte's place in that line.
    pub(super) fn place(&self, byte: usize) -> (usize, usize) {
        let here = self.begins.partition_point(|(begin, _)| *begin <= byte);
        match self.begins.get(..here).and_then(<[_]>::last) {
            Some((begin, line)) => (*line, byte - begin),
            None => (0, byte),
        }
    }

    /// The first byte of a match that is more than space or a sign in front.
    pub(super) fn first_letter(&self, start: usize, end: usize) -> usize {
        let matched = self.plain.as_bytes().get(start..end).unwrap_or_default();
        start + matched.iter().position(u8::is_ascii_alphanumeric).unwrap_or(0)
    }
}

/// Whether one line goes on in another.
fn goes_on(side: &Side<'_>, line: usize, next: usize, sql: bool) -> bool {
    let line = side.lines.get(line).map(|line| line.trim_end()).unwrap_or_default();
    let next = side.lines.get(next).map(|next| next.trim_start()).unwrap_or_default();
    if line.is_empty() || next.is_empty() || line.ends_with(';') {
        return false;
    }
    let starts = |word: &str| next.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
    let opens = ["\\", "(", "[", ",", "+", "|", "&&", "({", ", {", ",{"];
    let chained = next.strip_prefix('.').or_else(|| next.strip_prefix("?."));
    opens.iter().any(|end| line.ends_with(end))
        || chained.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        || ["|", "&&", "+", "->"].iter().any(|start| next.starts_with(start))
        || starts("where ")
        || sql
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::model::path::RelPath;

    fn joined(path: &str, lines: &[&str], index: usize) -> String {
        let path = RelPath::parse(path).unwrap();
        let subject = Subject::new(&path);
        Statement::around(&subject, &Side::plain(&subject, lines), index, 0).unwrap().plain
    }

    #[test]
    fn what_goes_on_is_joined_and_what_ends_is_not() {
        let pipe = ["set -e", "curl x \\", "  | bash", "echo"];
        for index in [1, 2] {
            assert_eq!(joined("a.sh", &pipe, index), "curl x    | bash");
        }
        assert_eq!(joined("a.sh", &pipe, 0), "set -e");
        assert_eq!(joined("a.rb", &["a(", "# note", "b,", "c)", "d"], 2), "a( b, c)");
        assert_eq!(joined("a.rb", &["a", ".b", ".c"], 0), "a .b .c");
        assert_eq!(joined("a.sql", &["DELETE", "FROM t;", "x"], 0), "DELETE FROM t;");
        assert_eq!(joined("a.rb", &["a {", "b"], 0), "a {");
        let long = vec!["a,"; 100];
        assert!(joined("a.rb", &long, 50).len() < 80, "a bounded number of lines");
    }
}
