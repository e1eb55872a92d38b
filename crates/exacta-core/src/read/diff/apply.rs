//! Hunks on the bytes of a file: the exact line, the exact bytes, or a fault.

use alloc::vec::Vec;

use memchr::memchr;

use super::fault::DiffFault;
use super::hunk::{Hunk, HunkLine, Sign};
use super::lines::{column, common_prefix};
use super::problem::{DiffProblem, Difference};
use crate::text::shown::shown;

/// What shows that a hunk is where it belongs, besides its line numbers and lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// A hunk without context behind its change reaches the end of the file, and one
    /// that starts at line 1 starts the file.
    Ends,
    /// Nothing: the patch was made without any context.
    LineNumbers,
}

/// Applies hunks that were read from `text`, in one pass over `before`.
pub(super) fn apply(
    text: &[u8],
    hunks: &[Hunk],
    anchor: Anchor,
    before: &[u8],
) -> Result<Vec<u8>, DiffFault> {
    let mut pass = Pass { rest: before, line: 0, open: false, out: Vec::new() };
    pass.out.reserve(before.len());
    for hunk in hunks {
        pass.hunk(text, hunk, anchor)?;
    }
    pass.out.extend_from_slice(pass.rest);
    Ok(pass.out)
}

/// How far the file has been read and written.
struct Pass<'b> {
    rest: &'b [u8],
    /// Lines read.
    line: u64,
    /// Whether the last line read has no newline.
    open: bool,
    out: Vec<u8>,
}

impl<'b> Pass<'b> {
    fn hunk(&mut self, text: &[u8], hunk: &Hunk, anchor: Anchor) -> Result<(), DiffFault> {
        self.copy_to(hunk.old.lines_before(), hunk)?;
        let fault = |problem| Err(DiffFault::new(hunk.line, 1, problem));
        if anchor == Anchor::Ends && hunk.old.start == 1 && hunk.old.count == 0 {
            return fault(DiffProblem::NotAtStart);
        }
        let mut new_open = false;
        for line in hunk.lines(text) {
            if line.sign != Sign::Add {
                self.expect(line)?;
            } else if self.open && hunk.old.count == 0 {
                return fault(DiffProblem::OpenLine(self.line));
            }
            if line.sign != Sign::Remove {
                self.out.extend_from_slice(line.content);
                if line.newline {
                    self.out.push(b'\n');
                } else {
                    new_open = true;
                }
            }
        }
        let next = self.line + 1;
        if new_open && !self.rest.is_empty() {
            return fault(DiffProblem::EndsEarly(next));
        }
        if anchor == Anchor::Ends && !hunk.ends_in_context && !self.rest.is_empty() {
            return fault(DiffProblem::NotAtEnd(next));
        }
        Ok(())
    }

    /// Copies the file as it is up to and including line `last`.
    fn copy_to(&mut self, last: u64, hunk: &Hunk) -> Result<(), DiffFault> {
        while self.line < last {
            let Some(line) = self.next_line() else {
                let needed = last + u64::from(hunk.old.count > 0);
                let problem = DiffProblem::PastEnd { needed, lines: self.line };
                return Err(DiffFault::new(hunk.line, 1, problem));
            };
            self.out.extend_from_slice(line);
        }
        Ok(())
    }

    /// Reads the next line of the file, which must be the one that the diff shows.
    fn expect(&mut self, expected: HunkLine<'_>) -> Result<(), DiffFault> {
        let fault = |column, problem| Err(DiffFault::new(expected.number, column, problem));
        let Some(line) = self.next_line() else {
            let problem = DiffProblem::PastEnd { needed: self.line + 1, lines: self.line };
            return fault(1, problem);
        };
        let found = line.strip_suffix(b"\n").unwrap_or(line);
        if found != expected.content {
            // The sign takes the first column.
            let offset = common_prefix(found, expected.content);
            return fault(
                column(expected.content, offset).saturating_add(1),
                DiffProblem::LineDiffers {
                    line: self.line,
                    expected: shown(expected.content),
                    found: shown(found),
                    difference: difference(found, expected.content),
                },
            );
        }
        match (self.open, expected.newline) {
            (false, false) => fault(1, DiffProblem::HasNewline(self.line)),
            (true, true) => fault(1, DiffProblem::LacksNewline(self.line)),
            _ => Ok(()),
        }
    }

    fn next_line(&mut self) -> Option<&'b [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        let (line, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        self.line += 1;
        self.open = !line.ends_with(b"\n");
        Some(line)
    }
}

fn difference(found: &[u8], expected: &[u8]) -> Difference {
    if found.strip_suffix(b"\r") == Some(expected) || expected.strip_suffix(b"\r") == Some(found) {
        return Difference::CarriageReturn;
    }
    if ink(found).eq(ink(expected)) { Difference::WhiteSpace } else { Difference::Bytes }
}

fn ink(line: &[u8]) -> impl Iterator<Item = &u8> {
    line.iter().filter(|byte| !byte.is_ascii_whitespace())
}
