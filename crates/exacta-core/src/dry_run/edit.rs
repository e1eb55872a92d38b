//! Exact edits: each `old` stands exactly once in the file.
//!
//! Edits are read in the only way that leaves no doubt: all of them are about the file
//! as it is before the step, they do not overlap, and none writes text that another one
//! looks for.

use alloc::string::String;
use alloc::vec::Vec;

use memchr::memmem::Finder;

use crate::plan::Edit;

/// Why edits do not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EditFault {
    #[error("the text to replace does not occur in the file")]
    Absent,
    #[error("the text to replace occurs more than once in the file")]
    Repeated,
    #[error("the edit overlaps edit {0}")]
    Overlaps(usize),
    #[error("edit {0} writes the text that this edit looks for")]
    Introduced(usize),
}

impl EditFault {
    pub(super) fn help(&self) -> &'static str {
        match self {
            Self::Absent => "copy the text exactly as it stands in the file, white space included",
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

/// Applies all edits to `before`; on failure names the edit by its index.
pub(super) fn apply(before: &[u8], edits: &[Edit]) -> Result<Vec<u8>, (usize, EditFault)> {
    let mut spots: Vec<(usize, usize)> = Vec::with_capacity(edits.len());
    for (index, edit) in edits.iter().enumerate() {
        let at = only_occurrence(before, edit.old.as_bytes()).map_err(|fault| (index, fault))?;
        spots.push((at, index));
    }
    spots.sort_unstable();
    let mut after = Vec::with_capacity(before.len());
    let mut done = 0;
    let mut last: Option<usize> = None;
    for &(at, index) in &spots {
        let Some(edit) = edits.get(index) else { continue };
        match (before.get(done..at), last) {
            (Some(kept), _) => after.extend_from_slice(kept),
            (None, last) => return Err((index, EditFault::Overlaps(last.unwrap_or(0) + 1))),
        }
        after.extend_from_slice(edit.new.as_bytes());
        done = at + edit.old.len();
        last = Some(index);
    }
    after.extend_from_slice(before.get(done..).unwrap_or_default());
    independent(edits)?;
    Ok(after)
}

fn only_occurrence(text: &[u8], old: &[u8]) -> Result<usize, EditFault> {
    let finder = Finder::new(old);
    let first = finder.find(text).ok_or(EditFault::Absent)?;
    // Overlapping repeats count too.
    match text.get(first + 1..).and_then(|rest| finder.find(rest)) {
        Some(_) => Err(EditFault::Repeated),
        None => Ok(first),
    }
}

/// No edit's new text holds what another edit looks for. One search over all new texts
/// joined, so the cost is linear in the draft for each edit.
fn independent(edits: &[Edit]) -> Result<(), (usize, EditFault)> {
    if edits.len() < 2 {
        return Ok(());
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
                return Err((index, EditFault::Introduced(writer + 1)));
            }
        }
    }
    Ok(())
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
            ("x", &[("y", "z")][..], 0, EditFault::Absent),
            ("xx", &[("x", "z")], 0, EditFault::Repeated),
            ("aaa", &[("aa", "z")], 0, EditFault::Repeated),
            ("abc", &[("ab", "1"), ("bc", "2")], 1, EditFault::Overlaps(1)),
            ("ab", &[("a", "b!"), ("b", "c")], 1, EditFault::Introduced(1)),
        ] {
            assert_eq!(apply(text.as_bytes(), &edits(pairs)), Err((index, fault)), "{text}");
        }
    }
}
