//! Why hunks that do not fit a file may have fitted once: for advice, never to apply them.

use alloc::vec::Vec;

use memchr::{memchr, memmem};

use super::hunk::{Hunk, HunkLine, Sign};

/// What became of the lines that a hunk looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The file already is what the diff would make of it.
    AlreadyApplied,
    /// The lines stand elsewhere, once: at this line, from 1.
    MovedTo(u64),
}

impl Misfit {
    /// Looks for a reason. `at` is the line of the diff text that does not fit.
    pub(super) fn find(text: &[u8], hunks: &[Hunk], before: &[u8], at: u32) -> Option<Self> {
        if already_applied(text, hunks, before) {
            return Some(Self::AlreadyApplied);
        }
        let hunk = hunks.iter().take_while(|hunk| hunk.line <= at).last()?;
        moved_to(text, hunk, before).map(Self::MovedTo)
    }
}

/// Whether the new side of every hunk stands where the diff would put it.
fn already_applied(text: &[u8], hunks: &[Hunk], file: &[u8]) -> bool {
    let (mut rest, mut line) = (file, 0);
    for hunk in hunks {
        while line < hunk.new.lines_before() {
            let Some(end) = memchr(b'\n', rest) else { return false };
            rest = rest.get(end + 1..).unwrap_or_default();
            line += 1;
        }
        let new = bytes(hunk.lines(text).filter(|line| line.sign != Sign::Remove));
        let Some(after) = rest.strip_prefix(new.as_slice()) else { return false };
        if !new.is_empty() && !new.ends_with(b"\n") && !after.is_empty() {
            return false;
        }
        rest = after;
        line += u64::from(hunk.new.count);
        // Removed lines that still stand there were not removed.
        let old = bytes(hunk.lines(text).filter(|line| line.sign != Sign::Add));
        if new.is_empty() && rest.starts_with(&old) {
            return false;
        }
    }
    !hunks.is_empty()
}

/// The line at which the old side of the hunk stands, when it stands exactly once.
fn moved_to(text: &[u8], hunk: &Hunk, file: &[u8]) -> Option<u64> {
    let old = bytes(hunk.lines(text).filter(|line| line.sign != Sign::Add));
    if old.is_empty() {
        return None;
    }
    // Every line but the first begins behind a line break.
    let mut needle = Vec::with_capacity(old.len() + 1);
    needle.push(b'\n');
    needle.extend_from_slice(&old);
    let finder = memmem::Finder::new(&needle);
    let first = if file.starts_with(&old) { Some(0) } else { None };
    let second = finder.find(file).map(|at| at + 1);
    let third = second.and_then(|at| finder.find(file.get(at..)?));
    let ((Some(at), None, _) | (None, Some(at), None)) = (first, second, third) else {
        return None;
    };
    if !old.ends_with(b"\n") && at + old.len() < file.len() {
        return None;
    }
    let line = memchr::memchr_iter(b'\n', file.get(..at)?).count() as u64 + 1;
    (line != u64::from(hunk.old.start)).then_some(line)
}

fn bytes<'t>(lines: impl Iterator<Item = HunkLine<'t>>) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines {
        out.extend_from_slice(line.content);
        if line.newline {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{DiffKind, StrictDiff};
    use super::*;
    use crate::model::path::RelPath;

    fn why(hunks: &str, file: &str) -> Option<Misfit> {
        let path = RelPath::parse("f").unwrap();
        let diff = format!("--- a/f\n+++ b/f\n{hunks}");
        let diff = StrictDiff::parse(&diff, &path, DiffKind::Modify).unwrap();
        let fault = diff.apply(file.as_bytes()).unwrap_err();
        diff.misfit(file.as_bytes(), &fault)
    }

    #[test]
    fn a_change_that_is_there_already_is_recognised() {
        let one = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
        let two = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -5,2 +5,2 @@\n e\n-f\n+F\n";
        let removal = "@@ -1,3 +1,2 @@\n a\n-b\n c\n";
        let applied = Some(Misfit::AlreadyApplied);
        for (hunks, file, expected) in [
            (one, "a\nB\nc\n", applied),
            (one, "a\nB\nc\nmore\n", applied),
            (one, "a\nX\nc\n", None),
            (two, "A\nb\nc\nd\ne\nF\n", applied),
            (two, "A\nb\nc\nd\ne\nf\n", None),
            (removal, "a\nc\n", applied),
        ] {
            assert_eq!(why(hunks, file), expected, "{hunks} {file}");
        }
    }

    #[test]
    fn lines_that_moved_are_found_when_they_stand_once() {
        let hunk = "@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n";
        let open = "@@ -1 +1 @@\n-z\n\\ No newline at end of file\n+y\n";
        for (hunks, file, expected) in [
            (hunk, "x\na\nb\nc\nd\n", Some(Misfit::MovedTo(3))),
            (hunk, "b\nc\nd\n", Some(Misfit::MovedTo(1))),
            (hunk, "x\ny\nb\nc\nd\nb\nc\nd\n", None),
            (hunk, "x\nxb\nc\nd\n", None),
            (open, "a\nz", Some(Misfit::MovedTo(2))),
            (open, "a\nzz", None),
        ] {
            assert_eq!(why(hunks, file), expected, "{hunks} {file}");
        }
    }
}
