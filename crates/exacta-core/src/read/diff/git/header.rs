//! The header lines of a section, each in the one place where git writes it.

use super::super::lines::{Cursor, TextLine, column};
use super::fault::{PatchFault, PatchProblem, Section};
use super::patch::GitMode;
use crate::text::shown::shown;

/// What a header says, line by line; nothing is compared yet.
pub(super) struct Header<'t> {
    /// What follows `diff --git `.
    pub(super) names: TextLine<'t>,
    pub(super) modes: Modes,
    pub(super) rename: Option<Rename<'t>>,
    pub(super) index: Option<Index<'t>>,
    /// The line `GIT binary patch`, behind which the cursor stands.
    pub(super) binary: Option<TextLine<'t>>,
    /// What follows `--- ` and `+++ `.
    pub(super) files: Option<(TextLine<'t>, TextLine<'t>)>,
}

/// What the mode lines say.
#[derive(Clone, Copy)]
pub(super) enum Modes {
    Unsaid,
    Changed { old: GitMode, new: GitMode },
    Created(GitMode),
    Deleted(GitMode),
}

/// What the lines of a rename or a copy say.
#[derive(Clone, Copy)]
pub(super) struct Rename<'t> {
    /// Whether the similarity is 100 %.
    pub(super) whole: bool,
    /// Whether the old file stays.
    pub(super) copies: bool,
    /// What follows `rename from ` or `copy from `.
    pub(super) from: TextLine<'t>,
    /// What follows `rename to ` or `copy to `.
    pub(super) to: TextLine<'t>,
}

/// An `index` line.
#[derive(Clone, Copy)]
pub(super) struct Index<'t> {
    pub(super) line: TextLine<'t>,
    pub(super) old: &'t [u8],
    pub(super) new: &'t [u8],
    pub(super) mode: Option<GitMode>,
}

/// Reads from `diff --git ` up to the first hunk.
pub(super) fn read_header<'t>(cursor: &mut Cursor<'t>) -> Result<Header<'t>, PatchFault> {
    let Some(names) = cursor.take(b"diff --git ") else {
        return Err(expected(cursor, "diff --git"));
    };
    if let Some(text) = names.bytes.strip_suffix(b"\r") {
        let at = column(b"diff --git ", usize::MAX).saturating_add(column(text, text.len()));
        return Err(PatchFault::new(names.number, at.saturating_sub(1), PatchProblem::Converted));
    }
    let modes = read_modes(cursor)?;
    let rename = read_rename(cursor)?;
    let index = match cursor.take(b"index ") {
        Some(line) => Some(parse_index(line)?),
        None => None,
    };
    if let Some(line) = cursor.peek().filter(|line| line.bytes.starts_with(b"Binary files ")) {
        return Err(PatchFault::on(line, PatchProblem::Unsupported(Section::Binary)));
    }
    let binary = cursor.peek().filter(|line| line.bytes == b"GIT binary patch");
    if binary.is_some() {
        cursor.next_line();
        return Ok(Header { names, modes, rename, index, binary, files: None });
    }
    let files = match cursor.take(b"--- ") {
        Some(old) => {
            let new = cursor.take(b"+++ ").ok_or_else(|| expected(cursor, "+++ "))?;
            Some((old, new))
        }
        None => None,
    };
    Ok(Header { names, modes, rename, index, binary, files })
}

fn read_modes(cursor: &mut Cursor<'_>) -> Result<Modes, PatchFault> {
    if let Some(line) = cursor.take(b"old mode ") {
        let old = parse_mode(b"old mode ", line)?;
        let line = cursor.take(b"new mode ").ok_or_else(|| expected(cursor, "new mode "))?;
        let new = parse_mode(b"new mode ", line)?;
        if old == new {
            return Err(PatchFault::on(line, PatchProblem::ModeChange));
        }
        Ok(Modes::Changed { old, new })
    } else if let Some(line) = cursor.take(b"new file mode ") {
        Ok(Modes::Created(parse_mode(b"new file mode ", line)?))
    } else if let Some(line) = cursor.take(b"deleted file mode ") {
        Ok(Modes::Deleted(parse_mode(b"deleted file mode ", line)?))
    } else {
        Ok(Modes::Unsaid)
    }
}

fn parse_mode(prefix: &[u8], line: TextLine<'_>) -> Result<GitMode, PatchFault> {
    mode(line.bytes).map_err(|problem| PatchFault::behind(prefix, line, problem))
}

fn mode(text: &[u8]) -> Result<GitMode, PatchProblem> {
    match text {
        b"100644" => Ok(GitMode::Regular),
        b"100755" => Ok(GitMode::Executable),
        b"120000" => Err(PatchProblem::Unsupported(Section::Symlink)),
        b"160000" => Err(PatchProblem::Unsupported(Section::Gitlink)),
        other => Err(PatchProblem::Mode(shown(other))),
    }
}

fn read_rename<'t>(cursor: &mut Cursor<'t>) -> Result<Option<Rename<'t>>, PatchFault> {
    if let Some(line) = cursor.take(b"dissimilarity index ") {
        check_percent(b"dissimilarity index ", line)?;
        return Ok(None);
    }
    let Some(line) = cursor.take(b"similarity index ") else { return Ok(None) };
    let whole = check_percent(b"similarity index ", line)?;
    let copies = cursor.starts_with(b"copy from ");
    let (old, new) =
        if copies { ("copy from ", "copy to ") } else { ("rename from ", "rename to ") };
    let from = cursor.take(old.as_bytes()).ok_or_else(|| expected(cursor, old))?;
    let to = cursor.take(new.as_bytes()).ok_or_else(|| expected(cursor, new))?;
    Ok(Some(Rename { whole, copies, from, to }))
}

/// Checks a percentage and says whether it is all.
fn check_percent(prefix: &[u8], line: TextLine<'_>) -> Result<bool, PatchFault> {
    let sound = match line.bytes {
        b"100%" => true,
        [digit, b'%'] | [b'1'..=b'9', digit, b'%'] => digit.is_ascii_digit(),
        _ => false,
    };
    if sound {
        return Ok(line.bytes == b"100%");
    }
    Err(PatchFault::behind(prefix, line, PatchProblem::Percent(shown(line.bytes))))
}

/// `<hash>..<hash>[ <mode>]`
fn parse_index(line: TextLine<'_>) -> Result<Index<'_>, PatchFault> {
    let fault = || PatchFault::behind(b"index ", line, PatchProblem::Index(shown(line.bytes)));
    let mut words = line.bytes.splitn(2, |byte| *byte == b' ');
    let hashes = words.next().unwrap_or_default();
    let mode = match words.next() {
        Some(text) => {
            Some(mode(text).map_err(|problem| PatchFault::behind(b"index ", line, problem))?)
        }
        None => None,
    };
    let (old, rest) = memchr::memchr(b'.', hashes)
        .and_then(|at| hashes.split_at_checked(at))
        .ok_or_else(fault)?;
    let new = rest.strip_prefix(b"..").ok_or_else(fault)?;
    if is_hash(old) && is_hash(new) { Ok(Index { line, old, new, mode }) } else { Err(fault()) }
}

/// An object name, whole or shortened.
fn is_hash(text: &[u8]) -> bool {
    (4..=64).contains(&text.len()) && text.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn expected(cursor: &Cursor<'_>, what: &'static str) -> PatchFault {
    PatchFault::new(cursor.number(), 1, PatchProblem::Expected(what.trim_end()))
}
