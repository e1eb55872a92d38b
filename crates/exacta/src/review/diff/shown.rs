//! The difference of two images as a person reads it.
//!
//! Line numbers before and after, the lines around each change, the words that differ,
//! and every character that does not show. Content that is no text is dumped whole.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use exacta_core::digest::Blob;
use exacta_inspect::TokenKind;

use super::colours::{Colours, Walk};
use super::hunk::{Hunk, Row, hunks};
use super::lines::Compared;
use super::word;
use crate::render::style;
use crate::review::document::Document;
use crate::review::look::Signs;
use crate::review::text::glyphs;

/// How many pairs of lines of one review are compared word by word.
const WORD_COMPARISONS: usize = 2_000;
/// An image with more stray bytes than one in so many is no text.
const STRAY: usize = 8;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const UNSEEN: Style = AnsiColor::Yellow.on_default().invert();

/// What drawing a difference needs to know.
pub(in crate::review) struct Brush<'a> {
    signs: Signs,
    colours: &'a Colours,
    word_comparisons: usize,
}

/// Whether content is shown as a dump: it has a NUL byte, or hardly is UTF-8.
fn is_binary(bytes: &[u8]) -> bool {
    let stray = || bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>();
    bytes.contains(&0) || stray() > bytes.len() / STRAY
}

/// One side of a line: which bytes it has, where they stand in the image, how it looks.
struct Side<'a> {
    line: &'a [u8],
    start: usize,
    base: Style,
    marked: &'a [Range<usize>],
}

impl<'a> Brush<'a> {
    pub(in crate::review) fn new(signs: Signs, colours: &'a Colours) -> Self {
        Self { signs, colours, word_comparisons: WORD_COMPARISONS }
    }

    /// Draws what becomes of an image.
    pub(in crate::review) fn draw(
        &mut self,
        before: Option<&Blob>,
        after: Option<&Blob>,
        document: &mut Document,
    ) {
        let empty = Blob::new(Vec::new());
        let binary = |image: Option<&Blob>| image.is_some_and(|blob| is_binary(blob.bytes()));
        if binary(before) || binary(after) {
            for (image, mark, word) in [(before, "-", "before"), (after, "+", "after")] {
                let Some(blob) = image else { continue };
                let size = blob.bytes().len();
                document
                    .line(format!("  {word}: {size} bytes that are no text, {}", blob.digest()));
                document.dump(mark, blob.clone());
            }
            return;
        }
        let (old, new) = (before.unwrap_or(&empty), after.unwrap_or(&empty));
        let compared = Compared::new(old.bytes(), new.bytes());
        if compared.coarse {
            document.line("  too many lines differ for a comparison line by line; all of them are shown as changed");
        }
        let (old_starts, new_starts) = (starts(&compared.old), starts(&compared.new));
        let mut old_words = Walk::new(self.colours.of(&old.digest()));
        let mut new_words = Walk::new(self.colours.of(&new.digest()));
        let mark = style::MARK;
        // As wide as its numbers: narrow windows have few columns.
        let width = compared.old.len().max(compared.new.len()).max(1).ilog10() as usize + 1;
        for hunk in hunks(&compared) {
            document.content(format!("  {mark}{}{mark:#}", hunk.header()));
            let marks = self.marks(&hunk, &compared);
            for row in hunk.rows() {
                let at =
                    |starts: &[usize], line: usize| starts.get(line).copied().unwrap_or_default();
                let (gutter, line, start, base, marked, words) = match row {
                    Row::Same(old, new) => (
                        format!("{:>width$} {:>width$}  ", old + 1, new + 1),
                        get(&compared.new, new),
                        at(&new_starts, new),
                        Style::new(),
                        &[][..],
                        &mut new_words,
                    ),
                    Row::Removed(old) => (
                        format!("{:>width$} {:width$} {REMOVED}-{REMOVED:#}", old + 1, ""),
                        get(&compared.old, old),
                        at(&old_starts, old),
                        REMOVED,
                        find(&marks.old, old),
                        &mut old_words,
                    ),
                    Row::Added(new) => (
                        format!("{:width$} {:>width$} {ADDED}+{ADDED:#}", "", new + 1),
                        get(&compared.new, new),
                        at(&new_starts, new),
                        ADDED,
                        find(&marks.new, new),
                        &mut new_words,
                    ),
                };
                let body = without_end(line);
                let side = Side { line: body, start, base, marked };
                document.content(format!("  {gutter} {}", self.body(&side, words)));
                if body.len() == line.len() {
                    let quiet = style::QUIET;
                    document.content(format!(
                        "  {:indent$}{quiet}\\ no line feed at the end of the file{quiet:#}",
                        "",
                        indent = 2 * width + 2
                    ));
                }
            }
        }
    }

    /// The words that differ, for each removed line that an added one stands for.
    fn marks(&mut self, hunk: &Hunk, compared: &Compared<'_>) -> Marks {
        let mut marks = Marks::default();
        for (removed, added) in &hunk.changes {
            for (old, new) in removed.clone().zip(added.clone()) {
                let old_text = without_end(get(&compared.old, old));
                let new_text = without_end(get(&compared.new, new));
                let (old_parts, new_parts) =
                    word::parts(old_text, new_text, &mut self.word_comparisons);
                marks.old.push((old, old_parts));
                marks.new.push((new, new_parts));
            }
        }
        marks
    }

    fn body(&self, side: &Side<'_>, words: &mut Walk<'_>) -> String {
        let mut out = String::with_capacity(side.line.len());
        let mut tone = Style::new();
        let mut marked = side.marked.iter().peekable();
        for (at, glyph) in glyphs(side.line) {
            while marked.next_if(|range| range.end <= at).is_some() {}
            let is_marked = marked.peek().is_some_and(|range| range.contains(&at));
            let next = match words.at(side.start + at) {
                _ if is_marked => side.base.bold().invert(),
                _ if !glyph.is_plain() => UNSEEN,
                Some(kind) if side.base != REMOVED => of_kind(kind, side.base),
                _ => side.base,
            };
            if next != tone {
                // Writing to a string cannot fail.
                let _ = write!(out, "{tone:#}{next}");
                tone = next;
            }
            glyph.write(self.signs, &mut out);
        }
        let _ = write!(out, "{tone:#}");
        out
    }
}

fn of_kind(kind: TokenKind, base: Style) -> Style {
    match kind {
        TokenKind::Keyword => AnsiColor::Magenta.on_default(),
        TokenKind::Quoted => AnsiColor::Yellow.on_default(),
        TokenKind::Literal => AnsiColor::Cyan.on_default(),
        TokenKind::Comment => base.dimmed(),
        TokenKind::Type => AnsiColor::Blue.on_default(),
        TokenKind::Function => base.bold(),
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

fn get<'a>(lines: &[&'a [u8]], line: usize) -> &'a [u8] {
    lines.get(line).copied().unwrap_or_default()
}

/// Where each line begins in its image.
fn starts(lines: &[&[u8]]) -> Vec<usize> {
    let mut at = 0;
    lines
        .iter()
        .map(|line| {
            let start = at;
            at += line.len();
            start
        })
        .collect()
}

/// What to mark in which line; in the order of the lines.
#[derive(Default)]
struct Marks {
    old: Vec<(usize, Vec<Range<usize>>)>,
    new: Vec<(usize, Vec<Range<usize>>)>,
}

fn find(marks: &[(usize, Vec<Range<usize>>)], line: usize) -> &[Range<usize>] {
    let found = marks.binary_search_by_key(&line, |(line, _)| *line).ok();
    found.and_then(|at| marks.get(at)).map_or(&[], |(_, ranges)| ranges.as_slice())
}
