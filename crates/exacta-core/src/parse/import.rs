//! A git patch as a draft: each file of the patch becomes a step.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::draft::Limits;
use crate::code::Code;
use crate::diagnostic::Issue;
use crate::diff::GitPatch;
use crate::digest::Blob;
use crate::plan::{Action, Draft, FileAction, Payload, Step};

/// Reads the output of `git diff` into a draft.
///
/// The steps are independent of each other, except that a file made under a name that a
/// rename frees waits for that rename.
///
/// # Errors
/// Everything in the patch that cannot be imported, with line and column of the patch.
pub fn patch(bytes: &[u8], limits: Limits) -> Result<Draft, Vec<Issue>> {
    if bytes.len() > limits.raw_bytes {
        let message = format!("the patch is larger than {} bytes", limits.raw_bytes);
        return Err(vec![
            Issue::error(Code::PlanTooLarge, "raw_size", message)
                .help("split the patch, or let the operator raise `caps.draft_bytes`"),
        ]);
    }
    if bytes.trim_ascii_start().starts_with(b"{") {
        return Err(vec![
            Issue::error(Code::PatchMalformed, "patch", "this is JSON, not a patch")
                .place(1, 1)
                .help("hand in a plan without `--patch`"),
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
        .filter_map(|(index, file)| Some((file.renamed_from()?.as_str().into(), index)))
        .collect();
    let mut draft = Draft::empty();
    for (index, file) in patch.files.into_iter().enumerate() {
        let waits_for = freed.get(file.path.as_str()).filter(|rename| **rename != index);
        draft.steps.push(Step {
            step_id: step_id(index),
            title: None,
            description: None,
            order: None,
            dependencies: Some(waits_for.map(|rename| step_id(*rename)).into_iter().collect()),
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
