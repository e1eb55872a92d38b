//! The difference of two images, as a person reads it.
//!
//! Line numbers before and after, the lines around each change, the words that differ,
//! and every character that does not show. Content that is not text is dumped whole.

use alloc::vec::Vec;
use core::ops::Range;

use super::compose::Work;
use super::glyph::glyphs;
use super::hunk::{Hunk, HunkLine, of_comparison};
use super::model::{Block, Difference, Dump, Side};
use super::part::Sheet;
use super::row::{Line, Role, Row, RowKind};
use super::syntax::Walk;
use super::word;
use crate::model::change::Change;
use crate::model::digest::Blob;
use crate::text::lines::{Changed, Compared, MAX_EFFORT};

/// An image with more stray bytes than one in so many is not text.
const STRAY: usize = 8;

/// Whether content is shown as a dump: it has a NUL byte, or hardly is UTF-8.
fn is_binary(bytes: &[u8]) -> bool {
    let stray = || bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>();
    bytes.contains(&0) || stray() > bytes.len() / STRAY
}

/// One side of a line: which bytes it has, where they stand in the image, what they are.
struct Text<'a> {
    line: &'a [u8],
    start: usize,
    role: Role,
    changed: Role,
    words: &'a [Range<usize>],
}

/// Draws what becomes of an image; `step` names the step where it is one step's work.
pub(super) fn draw(
    work: &mut Work<'_>,
    change: &Change,
    step: Option<&str>,
    images: (Option<&Blob>, Option<&Blob>),
    sheet: &mut Sheet,
) {
    let (before, after) = images;
    let empty = Blob::new(Vec::new());
    let binary = |image: Option<&Blob>| image.is_some_and(|blob| is_binary(blob.bytes()));
    if binary(before) || binary(after) {
        for (image, side, word) in [(before, Side::Before, "before"), (after, Side::After, "after")]
        {
            let Some(blob) = image else { continue };
            let size = blob.bytes().len();
            let hash = blob.digest();
            sheet.row(Row::prose(2).say(format!("{word}: {size} bytes that are not text, {hash}")));
            sheet.block(Block::Dump(Dump { side, blob: blob.clone() }));
        }
        return;
    }
    let coarse = work.comparisons.compare(before, after).coarse;
    let (old, new) = (before.unwrap_or(&empty), after.unwrap_or(&empty));
    // What was judged line by line can be compared so once more.
    let mut effort = if coarse { 0 } else { MAX_EFFORT };
    let compared = Compared::of(old.bytes(), new.bytes(), &mut effort);
    if compared.coarse {
        sheet.row(Row::prose(2).say(
            "too many lines differ for a comparison line by line; all of them are shown as changed",
        ));
    }
    let hunks = of_comparison(&compared);
    let starts = (starts(&compared.old), starts(&compared.new));
    let syntax = work.syntax;
    let mut walks = (Walk::new(syntax.of(&old.digest())), Walk::new(syntax.of(&new.digest())));
    let mut rows = Vec::new();
    for hunk in &hunks {
        let number = (!compared.coarse).then_some(hunk.number);
        let mut head = Row::new(RowKind::Hunk(number), 2).with(Role::Mark, hunk.header());
        if hunks.len() > 1 {
            let count = hunks.len();
            head = head.with(Role::Quiet, format!("  hunk {} of {count}", hunk.number));
        }
        rows.push(head);
        let words = words(hunk, &compared, &mut work.word_comparisons);
        for line in hunk.lines() {
            rows.push(row(line, &compared, &starts, &words, &mut walks));
        }
    }
    sheet.block(Block::Difference(Difference {
        path: change.path.clone(),
        step: step.map(Into::into),
        lines: number(compared.old.len().max(compared.new.len())),
        hunks: if compared.coarse { Vec::new() } else { hunks },
        rows,
    }));
}

fn row<'s>(
    line: HunkLine,
    compared: &Compared<'_>,
    starts: &(Vec<usize>, Vec<usize>),
    words: &Words,
    walks: &mut (Walk<'s>, Walk<'s>),
) -> Row {
    let (old, new) = (&compared.old, &compared.new);
    let at = |starts: &[usize], line: usize| starts.get(line).copied().unwrap_or_default();
    let (before, after, line, start, role, changed, words, walk) = match line {
        HunkLine::Same(was, is) => {
            let start = at(&starts.1, is);
            let words = &[][..];
            let (role, changed) = (Role::Context, Role::Context);
            (Some(was), Some(is), get(new, is), start, role, changed, words, &mut walks.1)
        }
        HunkLine::Removed(was) => {
            let (start, words) = (at(&starts.0, was), find(&words.old, was));
            let (role, changed) = (Role::Removed, Role::RemovedWord);
            (Some(was), None, get(old, was), start, role, changed, words, &mut walks.0)
        }
        HunkLine::Added(is) => {
            let (start, words) = (at(&starts.1, is), find(&words.new, is));
            let (role, changed) = (Role::Added, Role::AddedWord);
            (None, Some(is), get(new, is), start, role, changed, words, &mut walks.1)
        }
    };
    let body = without_end(line);
    let [before, after] = [before, after].map(|line| line.map(|line| number(line + 1)));
    let line = Line { before, after, unended: body.len() == line.len() };
    let mut row = Row::new(RowKind::Line(line), 2);
    text(&Text { line: body, start, role, changed, words }, walk, &mut row);
    row
}

/// Adds a line's text: what differs from its counterpart, what does not show, the kinds of
/// words, in this order of weight.
fn text(text: &Text<'_>, walk: &mut Walk<'_>, row: &mut Row) {
    let mut words = text.words.iter().peekable();
    for (at, glyph) in glyphs(text.line) {
        while words.next_if(|range| range.end <= at).is_some() {}
        let differs = words.peek().is_some_and(|range| range.contains(&at));
        let role = match walk.at(text.start + at) {
            _ if differs => text.changed,
            Some(kind) if text.role != Role::Removed => kind.into(),
            _ => text.role,
        };
        row.glyph(glyph, role);
    }
}

/// The words that differ, for each removed line that an added one stands for.
fn words(hunk: &Hunk, compared: &Compared<'_>, left: &mut usize) -> Words {
    let mut words = Words::default();
    for Changed { before, after } in &hunk.changes {
        for (old, new) in before.clone().zip(after.clone()) {
            let old_text = without_end(get(&compared.old, old));
            let new_text = without_end(get(&compared.new, new));
            let (old_parts, new_parts) = word::parts(old_text, new_text, left);
            words.old.push((old, old_parts));
            words.new.push((new, new_parts));
        }
    }
    words
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
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
    let start = |line: &&[u8]| {
        let start = at;
        at += line.len();
        start
    };
    lines.iter().map(start).collect()
}

/// What differs in which line; in the order of the lines.
#[derive(Default)]
struct Words {
    old: Vec<(usize, Vec<Range<usize>>)>,
    new: Vec<(usize, Vec<Range<usize>>)>,
}

fn find(words: &[(usize, Vec<Range<usize>>)], line: usize) -> &[Range<usize>] {
    let found = words.binary_search_by_key(&line, |(line, _)| *line).ok();
    found.and_then(|at| words.get(at)).map_or(&[], |(_, ranges)| ranges.as_slice())
}
