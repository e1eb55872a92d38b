//! Exact edits: each `old` stands exactly once in the file.
//!
//! Edits are read in the only way that leaves no doubt: all of them are about the file
//! as it is before the step, they do not overlap, and none writes text that another one
//! looks for.

use alloc::string::String;
use alloc::vec::Vec;

use memchr::memmem::{self, Finder};

use crate::model::plan::Edit;

/// Why edits do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EditFault {
    #[error("the text to replace does not occur in the file{}", .0.noted())]
    Absent(Near),
    #[error("the text to replace occurs more than once in the file")]
    Repeated,
    #[error("the edit overlaps edit {0}")]
    Overlaps(usize),
    #[error("edit {0} writes the text that this edit looks for")]
    Introduced(usize),
}

/// A shorter text may stand in a file by chance.
const TELLING: usize = 6;

/// What the file has instead of a text that it does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Near {
    Nothing,
    /// The new text, already.
    Replaced,
    /// The same lines with other line ends.
    LineEnds,
    /// The same text with other white space.
    WhiteSpace,
}

impl Near {
    /// Looks for what was meant; only for advice.
    fn of(text: &[u8], edit: &Edit) -> Self {
        let holds = |text: &[u8], part: &[u8]| memmem::find(text, part).is_some();
        let without = |text: &[u8], drop: fn(&u8) -> bool| -> Vec<u8> {
            text.iter().copied().filter(|byte| !drop(byte)).collect()
        };
        let (old, new) = (edit.old.as_bytes(), edit.new.as_bytes());
        let carriage_return: fn(&u8) -> bool = |byte| *byte == b'\r';
        let space: fn(&u8) -> bool = u8::is_ascii_whitespace;
        let bare = without(old, space);
        if holds(&without(text, carriage_return), &without(old, carriage_return)) {
            Self::LineEnds
        } else if !bare.is_empty() && holds(&without(text, space), &bare) {
            Self::WhiteSpace
        } else if without(new, space).len() >= TELLING && holds(text, new) {
            Self::Replaced
        } else {
            Self::Nothing
        }
    }

    fn noted(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Replaced => ", but the new text does",
            Self::LineEnds => ", except with other line ends",
            Self::WhiteSpace => ", except with other white space",
        }
    }
}

impl EditFault {
    pub(super) fn help(&self) -> &'static str {
        match self {
            Self::Absent(Near::Replaced) => "if the change is already there, remove the edit",
            Self::Absent(Near::LineEnds) => {
                "write the line ends of the file: `\\r\\n` where it has CR LF, `\\n` where it has LF"
            }
            Self::Absent(_) => {
                "copy the text exactly as it stands in the file, white space included"
            }
            Self::Repeated => "quote more of the lines around it, until it occurs once",
            Self::Overlaps(_) | Self::Introduced(_) => "merge the two edits into one",
        }
    }
}

/// How many bytes are searched through for these edits, at most.
pub(super) fn work(before: usize, edits: &[Edit]) -> u64 {
    let written: usize = edits.iter().map(|edit| edit.new.len() + 1).sum();
    (edits.len() as u64).saturating_mul((before + written) as u64)
}

/// The most edits of a step that are looked at for what was meant.
const MAX_NEAR: usize = 16;

/// Applies all edits to `before`; on failure names each bad edit by its index.
pub(super) fn apply(before: &[u8], edits: &[Edit]) -> Result<Vec<u8>, Vec<(usize, EditFault)>> {
    let mut spots: Vec<(usize, usize)> = Vec::with_capacity(edits.len());
    let mut faults: Vec<(usize, EditFault)> = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        match only_occurrence(before, edit.old.as_bytes()) {
            Ok(at) => spots.push((at, index)),
            Err(EditFault::Absent(_)) if faults.len() < MAX_NEAR => {
                faults.push((index, EditFault::Absent(Near::of(before, edit))));
            }
            Err(fault) => faults.push((index, fault)),
        }
    }
    spots.sort_unstable();
    let mut after = Vec::with_capacity(before.len());
    let mut done = 0;
    let mut last: Option<usize> = None;
    for &(at, index) in &spots {
        let Some(edit) = edits.get(index) else { continue };
        match (before.get(done..at), last) {
            (Some(kept), _) => after.extend_from_slice(kept),
            (None, last) => {
                faults.push((index, EditFault::Overlaps(last.unwrap_or(0) + 1)));
                continue;
            }
        }
        after.extend_from_slice(edit.new.as_bytes());
        done = at + edit.old.len();
        last = Some(index);
    }
    after.extend_from_slice(before.get(done..).unwrap_or_default());
    independent(edits, &mut faults);
    if faults.is_empty() {
        return Ok(after);
    }
    faults.sort_by_key(|(index, _)| *index);
    // One reason for each edit; the first is the one to fix.
    faults.dedup_by_key(|(index, _)| *index);
    Err(faults)
}

fn only_occurrence(text: &[u8], old: &[u8]) -> Result<usize, EditFault> {
    let finder = Finder::new(old);
    let first = finder.find(text).ok_or(EditFault::Absent(Near::Nothing))?;
    // Overlapping repeats count too.
    match text.get(first + 1..).and_then(|rest| finder.find(rest)) {
        Some(_) => Err(EditFault::Repeated),
        None => Ok(first),
    }
}

/// No edit's new text holds what another edit looks for. One search over all new texts
/// joined, so the cost is linear in the draft for each edit.
fn independent(edits: &[Edit], faults: &mut Vec<(usize, EditFault)>) {
    if edits.len() < 2 {
        return;
    }
    let mut joined = String::new();
    let mut starts = Vec::with_capacity(edits.len());
    for edit in edits {
        starts.push(joined.len());
        joined.push_str(&edit.new);
        // NUL cannot occur in a draft, so no match spans two edits.
        joined.push('\0');
    }
    for (index, edit) in edits.iter().enumerate() {
        for at in Finder::new(edit.old.as_bytes()).find_iter(joined.as_bytes()) {
            let writer = starts.partition_point(|start| *start <= at).saturating_sub(1);
            if writer != index {
                faults.push((index, EditFault::Introduced(writer + 1)));
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(pairs: &[(&str, &str)]) -> Vec<Edit> {
        pairs.iter().map(|(old, new)| Edit { old: (*old).into(), new: (*new).into() }).collect()
    }

    #[test]
    fn each_old_text_is_replaced_once() {
        let after = apply(b"one two three", &edits(&[("three", "3"), ("one", "1")])).unwrap();
        assert_eq!(after, b"1 two 3");
        // An edit may keep its own text.
        assert_eq!(apply(b"ab", &edits(&[("a", "aa"), ("b", "B")])).unwrap(), b"aaB");
    }

    #[test]
    fn doubt_is_refused() {
        for (text, pairs, index, fault) in [
            ("x", &[("y", "z")][..], 0, EditFault::Absent(Near::Nothing)),
            ("xx", &[("x", "z")], 0, EditFault::Repeated),
            ("aaa", &[("aa", "z")], 0, EditFault::Repeated),
            ("abc", &[("ab", "1"), ("bc", "2")], 1, EditFault::Overlaps(1)),
            ("ab", &[("a", "b!"), ("b", "c")], 1, EditFault::Introduced(1)),
        ] {
            assert_eq!(apply(text.as_bytes(), &edits(pairs)), Err(vec![(index, fault)]), "{text}");
        }
    }

    #[test]
    fn every_bad_edit_is_named() {
        let pairs = [("one", "1"), ("four", "4"), ("t", "T"), ("o", "x")];
        let faults = apply(b"one two three", &edits(&pairs)).unwrap_err();
        let absent = EditFault::Absent(Near::Nothing);
        assert_eq!(faults, [(1, absent), (2, EditFault::Repeated), (3, EditFault::Repeated)]);
    }

    #[test]
    fn what_was_meant_is_recognised() {
        for (text, old, new, near) in [
            ("a\r\nb\r\n", "a\nb\n", "c", Near::LineEnds),
            ("a\nb\n", "a\r\nb\r\n", "c", Near::LineEnds),
            ("if x:\n\ty()", "if x:\n    y()", "c", Near::WhiteSpace),
            ("let b = 1;", "let a = 1;", "let b = 1;", Near::Replaced),
            ("text", "other", "", Near::Nothing),
        ] {
            let fault = apply(text.as_bytes(), &edits(&[(old, new)]));
            assert_eq!(fault, Err(vec![(0, EditFault::Absent(near))]), "{text:?}");
        }
    }
}
