//! A git patch as a draft: each file of the patch becomes a step.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::draft::Limits;
use crate::code::Code;
use crate::diagnostic::{Issue, Place};
use crate::diff::{FileOp, FilePatch, GitPatch};
use crate::digest::Blob;
use crate::path::fold_key;
use crate::plan::{Action, Draft, FileAction, Payload, Step};

/// Reads the output of `git diff` into a draft.
///
/// The steps are independent of each other, except that a file made under a name that a
/// rename or a deletion frees waits for that. Names that some systems take for one count as
/// one, so that a patch may change the case of a name.
///
/// # Errors
/// Everything in the patch that cannot be imported, with line and column of the patch.
pub fn patch(bytes: &[u8], limits: Limits) -> Result<Draft, Vec<Issue>> {
    if bytes.len() > limits.raw_bytes {
        let message = format!("the patch is larger than {} bytes", limits.raw_bytes);
        return Err(vec![
            Issue::error(Code::PlanTooLarge, "raw_size", message).help("split the patch"),
        ]);
    }
    if bytes.trim_ascii_start().starts_with(b"{") {
        return Err(vec![
            Issue::error(Code::PatchMalformed, "patch", "this is JSON, not a patch")
                .place(1, 1)
                .help("hand in a plan without `--patch`"),
        ]);
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(vec![
            Issue::error(Code::PatchMalformed, "patch", "the patch is UTF-16, not UTF-8")
                .place(1, 1)
                .help("let git write the file itself: `git diff --output=FILE`"),
        ]);
    }
    if bytes.trim_ascii_start().starts_with(b"\x1b[") {
        return Err(vec![
            Issue::error(Code::PatchMalformed, "patch", "the patch has colours in it")
                .place(1, 1)
                .help("make it with `git diff --no-color`"),
        ]);
    }
    let patch = GitPatch::parse(bytes).map_err(|faults| {
        faults
            .iter()
            .map(|fault| {
                Issue::error(fault.code(), "patch", format!("{fault}"))
                    .place(fault.line(), fault.column())
                    .help(fault.help())
            })
            .collect::<Vec<_>>()
    })?;
    let step_id = |index: usize| format!("step_{}", index + 1);
    let freed: BTreeMap<String, usize> = patch
        .files
        .iter()
        .enumerate()
        .filter_map(|(index, file)| {
            let gone = match &file.op {
                FileOp::Rename { from } => from,
                FileOp::Delete => &file.path,
                FileOp::Create | FileOp::Modify => return None,
            };
            Some((fold_key(gone.as_str()).into_owned(), index))
        })
        .collect();
    let mut draft = Draft::empty();
    for (index, file) in patch.files.into_iter().enumerate() {
        let waits_for = freed
            .get(&*fold_key(file.path.as_str()))
            .filter(|step| **step != index && file.op != FileOp::Delete);
        draft.steps.push(Step {
            step_id: step_id(index),
            title: Some(title(&file)),
            description: None,
            order: None,
            dependencies: Some(waits_for.map(|step| step_id(*step)).into_iter().collect()),
            requires_approval: None,
            risk_tier: None,
            action: Action::File(FileAction {
                target: file.path.as_str().into(),
                payload: Payload::Patch(file),
                mode: None,
            }),
        });
    }
    draft.patch = Some(Blob::new(bytes.to_vec()));
    Ok(draft)
}

/// What a section does: a patch has no words of its own.
fn title(file: &FilePatch) -> String {
    let path = &file.path;
    match &file.op {
        FileOp::Create => format!("Create {path}"),
        FileOp::Modify if !file.changes_content() => format!("Change the mode of {path}"),
        FileOp::Modify => format!("Modify {path}"),
        FileOp::Delete => format!("Delete {path}"),
        FileOp::Rename { from } if file.changes_content() => {
            format!("Rename {from} to {path} and modify it")
        }
        FileOp::Rename { from } => format!("Rename {from} to {path}"),
    }
}

/// Fills in `place` for every finding about a step of an imported patch: the line at which
/// the section of its file starts.
pub fn locate_patch(draft: &Draft, issues: &mut [Issue]) {
    for issue in issues.iter_mut().filter(|issue| issue.place.is_none()) {
        let mut tokens = issue.pointer.tokens();
        let index = match (tokens.next().as_deref(), tokens.next()) {
            (Some("steps"), Some(index)) => index.parse::<usize>().ok(),
            _ => None,
        };
        let named = issue.step_id.as_deref();
        let step = match index {
            Some(index) => draft.steps.get(index),
            None => named.and_then(|id| draft.steps.iter().find(|step| step.step_id == id)),
        };
        if let Some(Action::File(FileAction { payload: Payload::Patch(section), .. })) =
            step.map(|step| &step.action)
        {
            issue.place = Some(Place { line: section.line(), column: 1 });
        }
    }
}
