//! Sections without a `diff --git` line: the output of `diff -u` and `diff -ru`.
//!
//! The two names must agree, as they are or behind one folder each (`old/x`, `new/x`); which
//! one a reader might have meant is never guessed. `diff -N` writes a file that is not there
//! with the first moment of 1970, which is how a creation and a deletion are told from a file
//! that is empty.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec;

use super::super::apply::Anchor;
use super::super::hunk::{Tail, is_creation, is_deletion, read_hunks};
use super::super::lines::{Cursor, TextLine};
use super::fault::{PatchFault, PatchProblem, Section};
use super::name::{decode, target};
use super::patch::{Body, FileOp, FilePatch, Part, PartKind};
use crate::model::path::RelPath;
use crate::text::shown::shown;

/// How the names of a section were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Both names, as they are.
    Bare,
    /// Both names, each behind a folder of its own.
    Behind,
    /// One name, behind `a/` or `b/`; the other is `/dev/null`.
    AloneBehind,
    /// One name, as it is.
    AloneBare,
}

/// One of the two names.
struct Side<'t> {
    line: TextLine<'t>,
    start: &'static [u8],
    /// `None` for `/dev/null`.
    name: Option<Cow<'t, [u8]>>,
    /// Written with the time that stands for no file.
    absent: bool,
}

/// Whether a section of this kind starts here.
pub(super) fn starts(cursor: &Cursor<'_>, line: TextLine<'_>) -> bool {
    const OURS: [&[u8]; 3] = [b"diff --git ", b"diff --cc ", b"diff --combined "];
    let echoed =
        line.bytes.starts_with(b"diff -") && !OURS.iter().any(|o| line.bytes.starts_with(o));
    let mut ahead = cursor.clone();
    if echoed {
        ahead.next_line();
    }
    super::super::hunk::starts_file(&ahead)
}

/// Reads one section. The cursor stands at the first line of it and ends behind it.
pub(super) fn read_plain(
    text: &Arc<[u8]>,
    cursor: &mut Cursor<'_>,
    room: &mut usize,
) -> Result<(FilePatch, Written), PatchFault> {
    let first = cursor.number();
    if !cursor.starts_with(b"--- ") {
        cursor.next_line();
    }
    let expected = |cursor: &Cursor<'_>, what| {
        PatchFault::new(cursor.number(), 1, PatchProblem::Expected(what))
    };
    let old = cursor.take(b"--- ").ok_or_else(|| expected(cursor, "---"))?;
    let new = cursor.take(b"+++ ").ok_or_else(|| expected(cursor, "+++"))?;
    let old = side(b"--- ", old)?;
    let new = side(b"+++ ", new)?;
    let (path, written) = name_of(&old, &new)?;
    let hunks = read_hunks(text, cursor, room, Tail::Nothing)?;
    if hunks.is_empty() {
        return Err(PatchFault::new(cursor.number(), 1, PatchProblem::CutOff));
    }
    let made = old.name.is_none() || (old.absent && is_creation(&hunks));
    let gone = new.name.is_none() || (new.absent && is_deletion(&hunks));
    let (op, kind) = match (made, gone) {
        (true, false) => (FileOp::Create, PartKind::Create),
        (false, true) => (FileOp::Delete, PartKind::Delete),
        _ => (FileOp::Modify, PartKind::Modify),
    };
    super::section::check_hunks(&op, &hunks)?;
    check_end(cursor)?;
    let body = Body::Text { text: Arc::clone(text), hunks, anchor: Anchor::Ends };
    let parts = vec![Part { line: first, kind, body }];
    Ok((FilePatch { op, path, old_mode: None, new_mode: None, line: first, parts }, written))
}

/// Behind a section comes the next one or nothing.
fn check_end(cursor: &Cursor<'_>) -> Result<(), PatchFault> {
    match cursor.peek() {
        Some(line) if !starts(cursor, line) && !line.bytes.starts_with(b"diff --git ") => {
            Err(PatchFault::on(line, stray(line)))
        }
        _ => Ok(()),
    }
}

/// What is wrong with a line between sections.
pub(super) fn stray(line: TextLine<'_>) -> PatchProblem {
    if line.bytes.starts_with(b"Only in ") {
        PatchProblem::OnlyIn(shown(line.bytes))
    } else if line.bytes.starts_with(b"Binary files ") {
        PatchProblem::Unsupported(Section::Binary)
    } else {
        PatchProblem::Garbage(shown(line.bytes))
    }
}

fn side<'t>(start: &'static [u8], line: TextLine<'t>) -> Result<Side<'t>, PatchFault> {
    let fault = |problem| PatchFault::behind(start, line, problem);
    let end = line.bytes.iter().position(|byte| *byte == b'\t').unwrap_or(line.bytes.len());
    let (name, time) = line.bytes.split_at_checked(end).unwrap_or((line.bytes, &[]));
    let time = time.strip_prefix(b"\t").unwrap_or(time);
    let absent = match time {
        [] => false,
        time => match seconds(time) {
            Some(seconds) => seconds == 0,
            None => return Err(fault(PatchProblem::Stamp(shown(time)))),
        },
    };
    if name.ends_with(b"\r") {
        return Err(fault(PatchProblem::Converted));
    }
    let name = match name {
        b"/dev/null" => None,
        name => Some(decode(name).map_err(fault)?),
    };
    Ok(Side { line, start, name, absent })
}

fn name_of(old: &Side<'_>, new: &Side<'_>) -> Result<(RelPath, Written), PatchFault> {
    let fault = |side: &Side<'_>, problem| PatchFault::behind(side.start, side.line, problem);
    let alone = |side: &Side<'_>, name: &[u8], prefix: &'static str| {
        let behind = name.starts_with(prefix.as_bytes());
        let path = target(name, if behind { prefix } else { "" });
        let written = if behind { Written::AloneBehind } else { Written::AloneBare };
        path.map(|path| (path, written)).map_err(|problem| fault(side, problem))
    };
    match (&old.name, &new.name) {
        (None, None) => Err(fault(new, PatchProblem::Names(shown(new.line.bytes)))),
        (Some(name), None) => alone(old, name, "a/"),
        (None, Some(name)) => alone(new, name, "b/"),
        (Some(one), Some(other)) if one == other => {
            let path = target(other, "").map_err(|problem| fault(new, problem))?;
            Ok((path, Written::Bare))
        }
        (Some(one), Some(other)) => {
            let rest = |name: &[u8]| {
                let at = name.iter().position(|byte| *byte == b'/')?;
                name.get(at + 1..).filter(|rest| at > 0 && !rest.is_empty()).map(<[u8]>::to_vec)
            };
            match (rest(one), rest(other)) {
                (Some(one), Some(other)) if one == other => {
                    let path = target(&other, "").map_err(|problem| fault(new, problem))?;
                    Ok((path, Written::Behind))
                }
                _ => Err(fault(new, PatchProblem::TwoNames { old: shown(one), new: shown(other) })),
            }
        }
    }
}

/// A time as `diff` writes it, `2024-02-03 04:05:06[.7][ +0100]`, in seconds since 1970; a
/// fraction that is not zero counts as one more. Only whether it is zero matters.
fn seconds(text: &[u8]) -> Option<i64> {
    let text = core::str::from_utf8(text).ok()?;
    let mut words = text.split(' ');
    let (date, time, zone) = (words.next()?, words.next()?, words.next());
    if words.next().is_some() {
        return None;
    }
    let digits = |text: &str, len: usize| -> Option<i64> {
        (text.len() == len && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse().ok())?
    };
    let mut date = date.split('-');
    let (year, month, day) =
        (digits(date.next()?, 4)?, digits(date.next()?, 2)?, digits(date.next()?, 2)?);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut clock = clock.split(':');
    let (hour, minute, second) =
        (digits(clock.next()?, 2)?, digits(clock.next()?, 2)?, digits(clock.next()?, 2)?);
    if date.next().is_some()
        || clock.next().is_some()
        || !fraction.bytes().all(|b| b.is_ascii_digit())
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    let offset = match zone {
        None => 0,
        Some(zone) => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let zone = zone.strip_prefix(['+', '-'])?;
            let (hours, minutes) = zone.split_at_checked(2)?;
            sign * (digits(hours, 2)? * 3600 + digits(minutes, 2)? * 60)
        }
    };
    // Days before or after the first of 1970, exact around it.
    let days = match (year, month, day) {
        (1970, 1, day) => day - 1,
        (1969, 12, 31) => -1,
        _ => 1000,
    };
    let more = i64::from(fraction.bytes().any(|b| b != b'0'));
    Some(days * 86_400 + hour * 3600 + minute * 60 + second - offset + more)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn the_time_that_stands_for_no_file_is_known_in_every_zone() {
        for text in [
            "1970-01-01 00:00:00.000000000 +0000",
            "1970-01-01 01:00:00.000000000 +0100",
            "1969-12-31 19:00:00.000000000 -0500",
            "1970-01-01 05:30:00 +0530",
            "1970-01-01 00:00:00",
        ] {
            assert_eq!(seconds(text.as_bytes()), Some(0), "{text}");
        }
        for text in ["2024-02-03 04:05:06.5 +0000", "1970-01-01 00:00:00.1 +0000"] {
            assert!(seconds(text.as_bytes()).is_some_and(|seconds| seconds != 0), "{text}");
        }
        for text in
            ["", "(working copy)", "2024-02-03", "2024-2-03 04:05:06", "2024-02-03 04:05:06 UTC"]
        {
            assert_eq!(seconds(text.as_bytes()), None, "{text}");
        }
    }
}
