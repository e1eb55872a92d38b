//! Hunks: read once, checked completely, kept as ranges of the text.
//!
//! The reader trusts no number of a header: nothing is allocated from a count, and a
//! hunk that comes out of here has exactly the lines that its header announces, lies
//! behind the hunk before it and changes something.

use alloc::vec::Vec;
use core::ops::Range;

use super::fault::DiffFault;
use super::lines::{Cursor, TextLine};
use super::problem::{DiffProblem, FileSide};
use super::range::{Side, parse_header};
use crate::text::shown::shown;

/// The most hunks that one diff or one whole patch may have.
pub const MAX_HUNKS: usize = 100_000;

/// The line that marks a last line without newline.
const MARKER: &[u8] = b"\\ No newline at end of file";

/// One hunk, whose body is a range of the text it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Side,
    pub(super) new: Side,
    /// The line of the diff text that holds the header.
    pub(super) line: u32,
    /// Whether any line is context.
    pub(super) has_context: bool,
    /// Whether the last line is context.
    pub(super) ends_in_context: bool,
    body: Range<usize>,
}

/// What may follow the hunks of a file, besides another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// Nothing.
    Nothing,
    /// An empty line before the next mail or commit, or before the end.
    Envelope,
}

/// What a line of a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Context,
    Remove,
    Add,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct HunkLine<'t> {
    pub(super) sign: Sign,
    pub(super) content: &'t [u8],
    /// Whether it ends with LF in the file.
    pub(super) newline: bool,
    /// The line of the diff text.
    pub(super) number: u32,
}

impl Hunk {
    /// The lines of the hunk; `text` is the text that it was read from.
    pub(super) fn lines<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = HunkLine<'t>> {
        let body = text.get(self.body.clone()).unwrap_or_default();
        let mut cursor = Cursor::new(body, self.line.saturating_add(1));
        core::iter::from_fn(move || {
            let line = cursor.next_line()?;
            let (sign, content) = signed(line)?;
            let newline = cursor.take(MARKER).is_none();
            Some(HunkLine { sign, content, newline, number: line.number })
        })
    }

    /// Whether both sides hold the same bytes.
    fn changes_nothing(&self, text: &[u8]) -> bool {
        let old = self.lines(text).filter(|line| line.sign != Sign::Add);
        let new = self.lines(text).filter(|line| line.sign != Sign::Remove);
        self.old.count == self.new.count
            && old.zip(new).all(|(a, b)| a.content == b.content && a.newline == b.newline)
    }
}

/// Whether the hunks are all lines of a new file.
pub(super) fn is_creation(hunks: &[Hunk]) -> bool {
    matches!(hunks, [only] if only.old == Side { start: 0, count: 0 } && only.new.start == 1)
}

/// Whether the hunks are all lines of a file that goes away.
pub(super) fn is_deletion(hunks: &[Hunk]) -> bool {
    matches!(hunks, [only] if only.new == Side { start: 0, count: 0 } && only.old.start == 1)
}

/// Reads hunks until a line comes that starts none. `room` is how many may still come.
pub(super) fn read_hunks(
    text: &[u8],
    cursor: &mut Cursor<'_>,
    room: &mut usize,
    tail: Tail,
) -> Result<Vec<Hunk>, DiffFault> {
    let mut hunks = Vec::new();
    let mut sofar = SoFar::default();
    while let Some(line) = cursor.peek().filter(|line| line.bytes.starts_with(b"@@")) {
        *room = room
            .checked_sub(1)
            .ok_or_else(|| DiffFault::new(line.number, 1, DiffProblem::TooManyHunks))?;
        cursor.next_line();
        let (old, new) = parse_header(line)?;
        sofar.place(line.number, old, new)?;
        let hunk = read_body(cursor, line.number, old, new, (&mut sofar, tail))?;
        if hunk.changes_nothing(text) {
            return Err(DiffFault::new(line.number, 1, DiffProblem::ChangesNothing));
        }
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// What the hunks that were read so far mean for the next one.
#[derive(Default)]
struct SoFar {
    last: Option<Side>,
    added: u64,
    removed: u64,
    old_ended: bool,
    new_ended: bool,
}

impl SoFar {
    /// Checks that the numbers of a header follow from the hunks before.
    fn place(&mut self, line: u32, old: Side, new: Side) -> Result<(), DiffFault> {
        let fault = |problem| Err(DiffFault::new(line, 1, problem));
        if (old.start == 0 && old.count > 0) || (new.start == 0 && new.count > 0) {
            return fault(DiffProblem::ZeroStart);
        }
        if let Some(last) = self.last {
            let reached = last.lines_through();
            let same_place = last.count == 0 && old.count == 0;
            if old.lines_before() < reached || (same_place && old.lines_before() == reached) {
                return fault(DiffProblem::Order { start: old.start, reached });
            }
        }
        // Nothing was removed that did not lie before, so this never goes below zero.
        let before = (old.lines_before() + self.added).saturating_sub(self.removed);
        let expected = before + u64::from(new.count > 0);
        if u64::from(new.start) != expected {
            return fault(DiffProblem::NewStart { expected, found: new.start });
        }
        self.last = Some(old);
        self.added += u64::from(new.count);
        self.removed += u64::from(old.count);
        Ok(())
    }

    /// Checks that a line may still come on the sides that it is on.
    fn step(&mut self, line: TextLine<'_>, sign: Sign, ends: bool) -> Result<(), DiffFault> {
        let fault = |side| Err(DiffFault::new(line.number, 1, DiffProblem::AfterEnd(side)));
        if sign != Sign::Add {
            if self.old_ended {
                return fault(FileSide::Old);
            }
            self.old_ended = ends;
        }
        if sign != Sign::Remove {
            if self.new_ended {
                return fault(FileSide::New);
            }
            self.new_ended = ends;
        }
        Ok(())
    }
}

fn read_body(
    cursor: &mut Cursor<'_>,
    header: u32,
    old: Side,
    new: Side,
    (sofar, tail): (&mut SoFar, Tail),
) -> Result<Hunk, DiffFault> {
    let start = cursor.at();
    let (mut old_missing, mut new_missing) = (old.count, new.count);
    let mut has_context = false;
    let mut ends_in_context = false;
    while old_missing > 0 || new_missing > 0 {
        let short =
            DiffProblem::TooFewLines { old: old.count, new: new.count, old_missing, new_missing };
        let Some(line) = cursor.next_line() else {
            return Err(DiffFault::new(cursor.number(), 1, short));
        };
        let fault = |problem| DiffFault::new(line.number, 1, problem);
        let Some((sign, _)) = signed(line) else {
            return Err(fault(match line.bytes.first() {
                None => DiffProblem::EmptyLine,
                Some(b'@' | b'd') => short,
                Some(b'\\') => DiffProblem::StrayMarker,
                Some(_) => DiffProblem::Sign(shown(line.bytes)),
            }));
        };
        if sign != Sign::Add {
            old_missing = old_missing.checked_sub(1).ok_or_else(|| fault(short.clone()))?;
        }
        if sign != Sign::Remove {
            new_missing = new_missing.checked_sub(1).ok_or_else(|| fault(short))?;
        }
        let ends = take_marker(cursor)?;
        sofar.step(line, sign, ends)?;
        ends_in_context = sign == Sign::Context;
        has_context |= ends_in_context;
    }
    let body = start..cursor.at();
    refuse_surplus(cursor, old, new, tail)?;
    Ok(Hunk { old, new, line: header, has_context, ends_in_context, body })
}

fn signed(line: TextLine<'_>) -> Option<(Sign, &[u8])> {
    let (first, content) = line.bytes.split_first()?;
    let sign = match first {
        b' ' => Sign::Context,
        b'-' => Sign::Remove,
        b'+' => Sign::Add,
        _ => return None,
    };
    Some((sign, content))
}

/// Moves behind the marker, if the next line is it.
fn take_marker(cursor: &mut Cursor<'_>) -> Result<bool, DiffFault> {
    let Some(line) = cursor.peek().filter(|line| line.bytes.starts_with(b"\\")) else {
        return Ok(false);
    };
    if line.bytes != MARKER {
        let problem = DiffProblem::Marker(shown(line.bytes));
        return Err(DiffFault::new(line.number, 1, problem));
    }
    cursor.next_line();
    Ok(true)
}

/// A line that can only belong to a hunk must not follow one that is complete.
fn refuse_surplus(cursor: &Cursor<'_>, old: Side, new: Side, tail: Tail) -> Result<(), DiffFault> {
    let Some(line) = cursor.peek() else { return Ok(()) };
    let problem = match line.bytes.first() {
        // Whether it is one before the next envelope, the front end says.
        None if tail == Tail::Envelope => return Ok(()),
        None => DiffProblem::EmptyLine,
        Some(b'\\') => DiffProblem::StrayMarker,
        Some(b' ' | b'+') => DiffProblem::TooManyLines { old: old.count, new: new.count },
        // `--- ` may start another file and `-- ` a mail signature: the front end says so.
        Some(b'-') if !starts_file(cursor) && line.bytes != b"-- " => {
            DiffProblem::TooManyLines { old: old.count, new: new.count }
        }
        Some(_) => return Ok(()),
    };
    Err(DiffFault::new(line.number, 1, problem))
}

/// Whether `--- ` and `+++ ` come next.
pub(super) fn starts_file(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    ahead.take(b"--- ").is_some() && ahead.starts_with(b"+++ ")
}
