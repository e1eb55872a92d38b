//! One section: a header and its hunks, held against each other.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::super::apply::Anchor;
use super::super::hunk::{Hunk, Tail, is_creation, is_deletion, read_hunks};
use super::super::lines::{Cursor, TextLine};
use super::super::problem::DiffProblem;
use super::binary::read_binary;
use super::envelope;
use super::fault::{PatchFault, PatchProblem, Section};
use super::header::{Header, Index, Modes, Rename, read_header};
use super::name::{Prefixes, decode, names_pair, same_name, target};
use super::patch::{Body, FileOp, FilePatch, GitMode, Part, PartKind};
use crate::model::path::RelPath;
use crate::text::shown::shown;

/// The name of the empty file in repositories with SHA-1 and with SHA-256.
const EMPTY_BLOBS: [&[u8]; 2] = [
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/// How much of a patch may still come.
pub(super) struct Room {
    /// Hunks.
    pub(super) hunks: usize,
    /// Bytes of binary sections.
    pub(super) unpacked: usize,
}

/// Reads one section. The cursor stands at `diff --git ` and ends behind the section.
pub(super) fn read_section(
    text: &Arc<[u8]>,
    cursor: &mut Cursor<'_>,
    room: &mut Room,
    tail: Tail,
) -> Result<FilePatch, PatchFault> {
    let header = read_header(cursor)?;
    let (op, path, prefixes) = resolve_names(&header)?;
    if let Some((old, new)) = header.files {
        check_file_lines(&op, &path, prefixes, old, new)?;
    }
    if cursor.starts_with(b"@@@") {
        let problem = PatchProblem::Unsupported(Section::Combined);
        return Err(PatchFault::new(cursor.number(), 1, problem));
    }
    let body = match (header.files, header.binary) {
        (_, Some(line)) => {
            let binary = read_binary(cursor, &mut room.unpacked)?;
            check_binary(&header, &op, line)?;
            if binary.changes_nothing() {
                return Err(PatchFault::on(header.names, PatchProblem::ChangesNothing));
            }
            Body::Binary(binary)
        }
        (Some(_), None) => {
            let hunks = read_hunks(text, cursor, &mut room.hunks, tail)?;
            if hunks.is_empty() {
                return Err(PatchFault::new(cursor.number(), 1, PatchProblem::CutOff));
            }
            Body::Text { text: Arc::clone(text), hunks, anchor: Anchor::Ends }
        }
        (None, None) => {
            Body::Text { text: Arc::clone(text), hunks: Vec::new(), anchor: Anchor::Ends }
        }
    };
    check_end(cursor, tail)?;
    if let Body::Text { hunks, .. } = &body {
        check_content(&header, &op, hunks)?;
    }
    let (old_mode, new_mode) = resolve_modes(&header);
    let line = header.names.number;
    let kind = match &op {
        FileOp::Create => PartKind::Create,
        FileOp::Delete => PartKind::Delete,
        FileOp::Modify | FileOp::Rename { .. } | FileOp::Copy { .. } => PartKind::Modify,
    };
    let parts = vec![Part { line, kind, body }];
    Ok(FilePatch { op, path, old_mode, new_mode, line, parts })
}

/// What happens to which file, by the header alone.
fn resolve_names(header: &Header<'_>) -> Result<(FileOp, RelPath, Prefixes), PatchFault> {
    let names = header.names;
    let behind = |problem| PatchFault::behind(b"diff --git ", names, problem);
    let Some(Rename { from: from_line, to: to_line, copies, .. }) = header.rename else {
        let (path, prefixes) = same_name(names.bytes).map_err(behind)?;
        let op = match header.modes {
            Modes::Created(_) => FileOp::Create,
            Modes::Deleted(_) => FileOp::Delete,
            Modes::Unsaid | Modes::Changed { .. } => FileOp::Modify,
        };
        return Ok((op, path, prefixes));
    };
    let (old, new) =
        if copies { ("copy from ", "copy to ") } else { ("rename from ", "rename to ") };
    if matches!(header.modes, Modes::Created(_) | Modes::Deleted(_)) {
        let problem = PatchProblem::OutOfPlace(old.trim_end().into());
        return Err(PatchFault::on(from_line, problem));
    }
    let from = bare_target(old.as_bytes(), from_line)?;
    let to = bare_target(new.as_bytes(), to_line)?;
    if from == to {
        return Err(PatchFault::on(to_line, PatchProblem::SameName));
    }
    let prefixes = names_pair(names.bytes, &from, &to)
        .ok_or_else(|| behind(PatchProblem::Names(shown(names.bytes))))?;
    Ok((if copies { FileOp::Copy { from } } else { FileOp::Rename { from } }, to, prefixes))
}

/// A name of a rename line, which has no prefix.
fn bare_target(prefix: &[u8], line: TextLine<'_>) -> Result<RelPath, PatchFault> {
    decode(line.bytes)
        .and_then(|name| target(&name, ""))
        .map_err(|problem| PatchFault::behind(prefix, line, problem))
}

/// The `---` and `+++` lines must name exactly the file of the section.
fn check_file_lines(
    op: &FileOp,
    path: &RelPath,
    prefixes: Prefixes,
    old: TextLine<'_>,
    new: TextLine<'_>,
) -> Result<(), PatchFault> {
    let (old_path, new_path) = match op {
        FileOp::Create => (None, Some(path)),
        FileOp::Delete => (Some(path), None),
        FileOp::Modify => (Some(path), Some(path)),
        FileOp::Rename { from } | FileOp::Copy { from } => (Some(from), Some(path)),
    };
    check_file_line(b"--- ", prefixes.old, old, old_path)?;
    check_file_line(b"+++ ", prefixes.new, new, new_path)
}

fn check_file_line(
    start: &[u8],
    prefix: &'static str,
    line: TextLine<'_>,
    path: Option<&RelPath>,
) -> Result<(), PatchFault> {
    let fault = |problem| PatchFault::behind(start, line, problem);
    // git ends a name that has spaces with a tab, so that no date can be read into it.
    let written = line.bytes.strip_suffix(b"\t").unwrap_or(line.bytes);
    let name = decode(written).map_err(fault)?;
    let same = match path {
        None => line.bytes == b"/dev/null",
        Some(path) => name.strip_prefix(prefix.as_bytes()) == Some(path.as_str().as_bytes()),
    };
    if same {
        return Ok(());
    }
    let expected = path.map_or_else(|| "/dev/null".into(), |path| format!("{prefix}{path}"));
    Err(fault(PatchProblem::OtherName { expected, found: shown(line.bytes) }))
}

/// Behind a section comes the next one or nothing.
fn check_end(cursor: &Cursor<'_>, tail: Tail) -> Result<(), PatchFault> {
    const HEADER_STARTS: [&[u8]; 10] = [
        b"index ",
        b"old mode ",
        b"new mode ",
        b"new file mode ",
        b"deleted file mode ",
        b"similarity index ",
        b"dissimilarity index ",
        b"rename ",
        b"copy ",
        b"+++ ",
    ];
    if tail == Tail::Envelope && envelope::ends(cursor) {
        return Ok(());
    }
    let Some(line) = cursor.peek().filter(|line| !line.bytes.starts_with(b"diff --")) else {
        return Ok(());
    };
    let text = shown(line.bytes);
    Err(PatchFault::on(
        line,
        if line.bytes.starts_with(b"--- ") {
            PatchProblem::Plain(text)
        } else if line.bytes.starts_with(b"@@")
            || HEADER_STARTS.iter().any(|start| line.bytes.starts_with(start))
        {
            PatchProblem::OutOfPlace(text)
        } else {
            PatchProblem::Garbage(text)
        },
    ))
}

/// Hunks, index line and kind of section must tell one story.
fn check_content(header: &Header<'_>, op: &FileOp, hunks: &[Hunk]) -> Result<(), PatchFault> {
    if let Some(index) = header.index {
        check_index(index, header.modes, op)?;
    }
    if let Some(first) = hunks.first() {
        let stays = header.rename.is_some_and(|rename| rename.whole)
            || header.index.is_some_and(|index| index.old == index.new);
        if stays {
            return Err(PatchFault::new(first.line, 1, PatchProblem::Stays));
        }
        return check_hunks(op, hunks);
    }
    // Without hunks the header must say that the content stays as it is or is empty;
    // otherwise the rest was cut off.
    let complete = match (op, header.index, header.rename) {
        (FileOp::Create, Some(index), _) => is_empty_blob(index.new),
        (FileOp::Delete, Some(index), _) => is_empty_blob(index.old),
        (FileOp::Rename { .. } | FileOp::Copy { .. }, None, Some(rename)) => rename.whole,
        (FileOp::Modify, None, _) => {
            if matches!(header.modes, Modes::Unsaid) {
                return Err(PatchFault::on(header.names, PatchProblem::ChangesNothing));
            }
            true
        }
        _ => false,
    };
    if complete { Ok(()) } else { Err(PatchFault::on(header.names, PatchProblem::CutOff)) }
}

/// The hunks of a file that is made or goes are all of its lines.
pub(super) fn check_hunks(op: &FileOp, hunks: &[Hunk]) -> Result<(), PatchFault> {
    let problem = match op {
        FileOp::Create if !is_creation(hunks) => DiffProblem::CreationHunk,
        FileOp::Delete if !is_deletion(hunks) => DiffProblem::DeletionHunk,
        _ => return Ok(()),
    };
    let line = hunks.first().map_or(1, |first| first.line);
    Err(PatchFault::new(line, 1, PatchProblem::Hunk(problem)))
}

/// A binary section has an index line, and its header does not say that the bytes stay.
fn check_binary(header: &Header<'_>, op: &FileOp, line: TextLine<'_>) -> Result<(), PatchFault> {
    let Some(index) = header.index else {
        return Err(PatchFault::on(line, PatchProblem::Expected("index")));
    };
    check_index(index, header.modes, op)?;
    if index.old == index.new || header.rename.is_some_and(|rename| rename.whole) {
        return Err(PatchFault::on(line, PatchProblem::Stays));
    }
    Ok(())
}

fn check_index(index: Index<'_>, modes: Modes, op: &FileOp) -> Result<(), PatchFault> {
    let Index { line, old, new, mode } = index;
    let one_mode = mode.is_none() || matches!(modes, Modes::Unsaid);
    let sides = match op {
        FileOp::Create => is_nothing(old) && !is_nothing(new),
        FileOp::Delete => !is_nothing(old) && is_nothing(new),
        FileOp::Modify | FileOp::Rename { .. } | FileOp::Copy { .. } => {
            !is_nothing(old) && !is_nothing(new)
        }
    };
    if one_mode && sides {
        return Ok(());
    }
    Err(PatchFault::behind(b"index ", line, PatchProblem::Index(shown(line.bytes))))
}

/// The hash that stands for no file.
fn is_nothing(hash: &[u8]) -> bool {
    hash.iter().all(|digit| *digit == b'0')
}

fn is_empty_blob(hash: &[u8]) -> bool {
    EMPTY_BLOBS.iter().any(|blob| blob.starts_with(hash))
}

/// The mode before, if it is known, and the mode that the patch sets.
fn resolve_modes(header: &Header<'_>) -> (Option<GitMode>, Option<GitMode>) {
    match header.modes {
        Modes::Unsaid => (header.index.and_then(|index| index.mode), None),
        Modes::Changed { old, new } => (Some(old), Some(new)),
        Modes::Created(new) => (None, Some(new)),
        Modes::Deleted(old) => (Some(old), None),
    }
}
