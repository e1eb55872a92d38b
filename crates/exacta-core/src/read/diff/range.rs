//! The header line of a hunk: which lines of which side.

use super::fault::DiffFault;
use super::lines::{TextLine, column};
use super::problem::DiffProblem;
use crate::text::shown::shown;

/// Line and count of one side of a hunk header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) start: u32,
    pub(super) count: u32,
}

impl Side {
    /// How many lines of the file lie before this side. A side without lines names the
    /// line before it.
    pub(super) fn lines_before(self) -> u64 {
        u64::from(self.start) - u64::from(self.count > 0 && self.start > 0)
    }

    /// How many lines lie before the end of this side.
    pub(super) fn lines_through(self) -> u64 {
        self.lines_before() + u64::from(self.count)
    }
}

/// `@@ -l[,c] +l[,c] @@[ text]`
pub(super) fn parse_header(line: TextLine<'_>) -> Result<(Side, Side), DiffFault> {
    let mut rest = line.bytes;
    let parsed = literal(&mut rest, b"@@ -").and_then(|()| {
        let old = side(&mut rest)?;
        literal(&mut rest, b" +")?;
        let new = side(&mut rest)?;
        literal(&mut rest, b" @@")?;
        (rest.is_empty() || rest.starts_with(b" ")).then_some((old, new))
    });
    parsed.ok_or_else(|| {
        let at = column(line.bytes, line.bytes.len() - rest.len());
        DiffFault::new(line.number, at, DiffProblem::HunkHeader(shown(line.bytes)))
    })
}

fn literal(rest: &mut &[u8], text: &[u8]) -> Option<()> {
    *rest = rest.strip_prefix(text)?;
    Some(())
}

fn side(rest: &mut &[u8]) -> Option<Side> {
    let start = number(rest)?;
    let count = if literal(rest, b",").is_some() { number(rest)? } else { 1 };
    Some(Side { start, count })
}

/// A decimal number without sign and without leading zero.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (text, tail) = rest.split_at_checked(digits)?;
    if text.len() > 1 && text.starts_with(b"0") {
        return None;
    }
    let value = core::str::from_utf8(text).ok()?.parse().ok()?;
    *rest = tail;
    Some(value)
}
