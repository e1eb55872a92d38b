//! What one file step makes of one file.

use alloc::vec::Vec;

use super::edit;
use crate::change::FileMode;
use crate::code::Code;
use crate::diagnostic::Issue;
use crate::diff::{DiffFault, DiffKind, FileOp, FilePatch, StrictDiff};
use crate::digest::Blob;
use crate::path::RelPath;
use crate::plan::{Draft, FileAction, Payload};
use crate::pointer::Pointer;
use crate::tree::TreeFile;

/// The file after a step; `None` when the step deletes it.
pub(super) type After = Option<TreeFile>;

/// The step's position in the draft; becomes a pointer only when there is a finding.
#[derive(Clone, Copy)]
pub(super) struct At(pub(super) usize);

impl At {
    pub(super) fn pointer(self) -> Pointer {
        Draft::step_pointer(self.0)
    }
}

/// Applies a step to the file at its target. For an imported rename, `before` is the
/// file at the old name.
pub(super) fn apply(
    action: &FileAction,
    path: &RelPath,
    before: Option<&TreeFile>,
    at: At,
) -> Result<After, Issue> {
    let mode_asked = action.mode.map(FileMode::from);
    match &action.payload {
        Payload::Create(content) => {
            absent(before, path, at)?;
            Ok(Some(TreeFile {
                blob: content.blob().clone(),
                mode: mode_asked.unwrap_or(FileMode::REGULAR),
            }))
        }
        Payload::CreateDiff(text) => {
            absent(before, path, at)?;
            let bytes = diffed(text, path, DiffKind::Create, &[], at)?;
            Ok(Some(TreeFile {
                blob: Blob::new(bytes),
                mode: mode_asked.unwrap_or(FileMode::REGULAR),
            }))
        }
        Payload::Replace(content) => {
            let before = present(before, path, at)?;
            modified(before, content.blob().clone(), mode_asked, path, at)
        }
        Payload::ModifyDiff(text) => {
            let before = present(before, path, at)?;
            let bytes = diffed(text, path, DiffKind::Modify, before.blob.bytes(), at)?;
            modified(before, Blob::new(bytes), mode_asked, path, at)
        }
        Payload::Edit(edits) => {
            let before = present(before, path, at)?;
            let bytes = edit::apply(before.blob.bytes(), edits).map_err(|(index, fault)| {
                Issue::error(
                    Code::EditMismatch,
                    "edit",
                    format!("edit {} of `{path}` does not fit: {fault}", index + 1),
                )
                .at(at.pointer().key("edits").index(index).key("old"))
                .help(fault.help())
            })?;
            modified(before, Blob::new(bytes), mode_asked, path, at)
        }
        Payload::Delete => present(before, path, at).map(|_| None),
        Payload::Patch(section) => patched(section, path, before, at),
    }
}

fn absent(before: Option<&TreeFile>, path: &RelPath, at: At) -> Result<(), Issue> {
    if before.is_none() {
        return Ok(());
    }
    Err(Issue::error(Code::FileExists, "create", format!("`{path}` already exists"))
        .at(at.pointer().key("target"))
        .help("use `file_modify` to change it"))
}

fn present<'a>(
    before: Option<&'a TreeFile>,
    path: &RelPath,
    at: At,
) -> Result<&'a TreeFile, Issue> {
    before.ok_or_else(|| {
        Issue::error(Code::FileMissing, "exists", format!("`{path}` does not exist"))
            .at(at.pointer().key("target"))
            .help("check the path, or use `file_create`")
    })
}

fn modified(
    before: &TreeFile,
    blob: Blob,
    mode_asked: Option<FileMode>,
    path: &RelPath,
    at: At,
) -> Result<After, Issue> {
    let mode = mode_asked.unwrap_or(before.mode);
    if blob.digest() == before.blob.digest() && mode == before.mode {
        return Err(Issue::error(
            Code::StepNoEffect,
            "effect",
            format!("the step leaves `{path}` as it is"),
        )
        .at(at.pointer())
        .help("remove the step"));
    }
    Ok(Some(TreeFile { blob, mode }))
}

fn diffed(
    text: &str,
    path: &RelPath,
    kind: DiffKind,
    before: &[u8],
    at: At,
) -> Result<Vec<u8>, Issue> {
    StrictDiff::parse(text, path, kind)
        .and_then(|diff| diff.apply(before))
        .map_err(|fault| diff_finding(&fault, path).at(at.pointer().key("diff")))
}

fn diff_finding(fault: &DiffFault, path: &RelPath) -> Issue {
    let what = match fault.code() {
        Code::DiffMalformed => "is not a strict diff",
        _ => "does not fit the file as it is now",
    };
    Issue::error(fault.code(), "diff", format!("the diff of `{path}` {what}: {fault}"))
        .inner(fault.line(), fault.column())
        .help(fault.help())
}

/// A section of an imported patch; the place is a line of the patch itself.
fn patched(
    section: &FilePatch,
    path: &RelPath,
    before: Option<&TreeFile>,
    at: At,
) -> Result<After, Issue> {
    let bytes = section.apply(before.map(|file| file.blob.bytes())).map_err(|fault| {
        let (line, column) = (fault.line(), fault.column());
        let mut issue = diff_finding(&fault, path).at(at.pointer()).place(line, column);
        issue.inner = None;
        issue
    })?;
    let Some(bytes) = bytes else { return Ok(None) };
    let base = match (&section.op, before) {
        (FileOp::Create, _) | (_, None) => FileMode::REGULAR,
        (_, Some(file)) => file.mode,
    };
    let mode = match section.new_mode {
        Some(mode) => base.with_execution(mode.file_mode().is_executable()),
        None => base,
    };
    Ok(Some(TreeFile { blob: Blob::new(bytes), mode }))
}
