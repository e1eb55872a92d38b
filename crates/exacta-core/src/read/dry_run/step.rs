//! What one file step makes of one file.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::edit::{self, EditFault};
use crate::model::change::FileMode;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::model::digest::Blob;
use crate::model::path::RelPath;
use crate::model::plan::{Draft, FileAction, Payload};
use crate::model::tree::TreeFile;
use crate::read::diff::{DiffFault, DiffKind, FileOp, FilePatch, Misfit, StrictDiff};
use crate::text::pointer::Pointer;

/// The file after a step; `None` when the step deletes it.
pub(super) type After = Option<TreeFile>;

/// The most edits of one step that get a finding each.
const MAX_EDIT_FINDINGS: usize = 100;

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
) -> Result<After, Vec<Issue>> {
    let mode_asked = action.mode.map(FileMode::from);
    match &action.payload {
        Payload::Create(content) => {
            absent(before, Some(content.blob()), path, at)?;
            Ok(Some(TreeFile {
                blob: content.blob().clone(),
                mode: mode_asked.unwrap_or(FileMode::REGULAR),
            }))
        }
        Payload::CreateDiff(text) => {
            let made = diffed(text, path, DiffKind::Create, &[], at).map(Blob::new);
            absent(before, made.as_ref().ok(), path, at)?;
            let blob = made?;
            Ok(Some(TreeFile { blob, mode: mode_asked.unwrap_or(FileMode::REGULAR) }))
        }
        Payload::Replace(content) => {
            let before = present(before, path, at)?;
            Ok(modified(before, content.blob().clone(), mode_asked, path, at)?)
        }
        Payload::ModifyDiff(text) => {
            let before = present(before, path, at)?;
            let bytes = diffed(text, path, DiffKind::Modify, before.blob.bytes(), at)?;
            Ok(modified(before, Blob::new(bytes), mode_asked, path, at)?)
        }
        Payload::Edit(edits) => {
            let before = present(before, path, at)?;
            let bytes = edit::apply(before.blob.bytes(), edits).map_err(|faults| {
                let finding = |(index, fault): (usize, EditFault)| {
                    let message = format!("edit {} of `{path}` does not fit: {fault}", index + 1);
                    Issue::error(Code::EditMismatch, "edit", message)
                        .at(at.pointer().key("edits").index(index).key("old"))
                        .help(fault.help())
                };
                faults.into_iter().take(MAX_EDIT_FINDINGS).map(finding).collect::<Vec<_>>()
            })?;
            Ok(modified(before, Blob::new(bytes), mode_asked, path, at)?)
        }
        Payload::Delete => match before {
            Some(_) => Ok(None),
            None => Err(missing(path, at).help("check the path, or leave the step out").into()),
        },
        Payload::Patch(section) => Ok(patched(section, path, before, at)?),
    }
}

fn absent(
    before: Option<&TreeFile>,
    made: Option<&Blob>,
    path: &RelPath,
    at: At,
) -> Result<(), Issue> {
    let Some(before) = before else { return Ok(()) };
    let same = made.is_some_and(|made| made.digest() == before.blob.digest());
    let (with, help) = if same {
        (" with exactly this content", "remove the step; nothing is left to do")
    } else {
        ("", "use `file_modify` to change it")
    };
    Err(Issue::error(Code::FileExists, "create", format!("`{path}` already exists{with}"))
        .at(at.pointer().key("target"))
        .help(help))
}

fn present<'a>(
    before: Option<&'a TreeFile>,
    path: &RelPath,
    at: At,
) -> Result<&'a TreeFile, Issue> {
    before.ok_or_else(|| missing(path, at).help("check the path, or use `file_create`"))
}

fn missing(path: &RelPath, at: At) -> Issue {
    Issue::error(Code::FileMissing, "exists", format!("`{path}` does not exist"))
        .at(at.pointer().key("target"))
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
        return Err(no_effect(path).at(at.pointer()));
    }
    Ok(Some(TreeFile { blob, mode }))
}

fn no_effect(path: &RelPath) -> Issue {
    Issue::error(Code::StepNoEffect, "effect", format!("the step leaves `{path}` as it is"))
        .help("remove the step")
}

fn diffed(
    text: &str,
    path: &RelPath,
    kind: DiffKind,
    before: &[u8],
    at: At,
) -> Result<Vec<u8>, Issue> {
    let pointer = || at.pointer().key("diff");
    let diff = StrictDiff::parse(text, path, kind)
        .map_err(|fault| diff_finding(&fault, None, path).at(pointer()))?;
    diff.apply(before)
        .map_err(|fault| diff_finding(&fault, diff.misfit(before, &fault), path).at(pointer()))
}

fn diff_finding(fault: &DiffFault, misfit: Option<Misfit>, path: &RelPath) -> Issue {
    let what = match fault.code() {
        Code::DiffMalformed => "is not a strict diff",
        _ => "does not fit the file as it is now",
    };
    let help: Cow<'static, str> = match misfit {
        Some(Misfit::AlreadyApplied) => {
            "the change is already there; leave it out, or check where it is not applied yet".into()
        }
        Some(Misfit::MovedTo(line)) => format!(
            "the lines of this hunk stand at line {line} of the file now; make the diff again from the file as it is"
        )
        .into(),
        None => fault.help().into(),
    };
    Issue::error(fault.code(), "diff", format!("the diff of `{path}` {what}: {fault}"))
        .inner(fault.line(), fault.column())
        .help(help)
}

/// What to do about a section whose file is not there. A patch that was made in a folder
/// below the root names its files from there.
fn not_found(section: &FilePatch, before: Option<&[u8]>) -> Option<&'static str> {
    match (&section.op, before) {
        (FileOp::Delete, None) => Some(
            "if the file is gone already, leave it out; else make the patch with `git diff --no-relative`, because targets are paths from the project's root",
        ),
        (FileOp::Modify | FileOp::Rename { .. } | FileOp::Copy { .. }, None) => Some(
            "targets are paths from the project's root: make the patch with `git diff --no-relative` (without `--relative`), and check that the file exists",
        ),
        _ => None,
    }
}

/// A section of an imported patch; the place is a line of the patch itself.
fn patched(
    section: &FilePatch,
    path: &RelPath,
    before: Option<&TreeFile>,
    at: At,
) -> Result<After, Issue> {
    let image = before.map(|file| file.blob.bytes());
    let bytes = section.apply(image).map_err(|fault| {
        let (line, column) = (fault.line(), fault.column());
        let misfit = section.misfit(image, &fault);
        let mut issue = diff_finding(&fault, misfit, path).at(at.pointer()).place(line, column);
        issue.inner = None;
        if let Some(help) = not_found(section, image) { issue.help(help) } else { issue }
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
    let after = TreeFile { blob: Blob::new(bytes), mode };
    let unchanged = before.is_some_and(|before| {
        before.mode == after.mode && before.blob.digest() == after.blob.digest()
    });
    if unchanged && section.op == FileOp::Modify {
        return Err(no_effect(path).at(at.pointer()).place(section.line(), 1));
    }
    Ok(Some(after))
}
