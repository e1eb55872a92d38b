//! What a change does beside its text: permission bits, and bytes that are not text.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::model::change::{Change, FileMode};
use crate::model::path::RelPath;
use crate::model::plan::{Action, Content, Payload, Step};

/// What is altered beside text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Altered {
    /// The permission bits.
    Mode,
    /// A new file may be executed.
    Executable,
    /// A file that runs with the rights of its owner or group.
    LendsRights,
    /// Content that is not text.
    Binary,
}

/// Everything that is altered beside text, in the order of the changes.
pub(crate) fn altered(basis: &Basis<'_>) -> Vec<(Altered, Evidence)> {
    let encoded = encoded(basis);
    let mut modes: BTreeMap<&RelPath, FileMode> = BTreeMap::new();
    let mut out = Vec::new();
    for change in basis.subject.changes {
        // A file that goes and comes back has the mode it had.
        let had = change.mode_before.or_else(|| modes.get(&change.path).copied());
        modes.extend(had.map(|mode| (&change.path, mode)));
        match (had, change.mode_after) {
            (Some(before), Some(after)) if before != after => {
                let finding = format!("mode {before} becomes {after}");
                out.push((Altered::Mode, Evidence::of_change(change, finding, 0)));
            }
            (None, Some(after)) if after.is_executable() => {
                let finding = format!("new file with mode {after}");
                out.push((Altered::Executable, Evidence::of_change(change, finding, 0)));
            }
            _ => {}
        }
        if let Some(mode) = change.mode_after.filter(|mode| mode.lends_rights()) {
            let finding = Evidence::of_change(change, format!("a file with mode {mode}"), 0);
            out.push((Altered::LendsRights, finding));
        }
        if encoded.contains(change.step.as_str()) || is_binary(basis, change) {
            out.push((Altered::Binary, Evidence::of_change(change, "binary content", 0)));
        }
    }
    out
}

/// Steps whose content was handed in as bytes.
fn encoded<'a>(basis: &Basis<'a>) -> BTreeSet<&'a str> {
    let bytes = |step: &&Step| match &step.action {
        Action::File(file) => match &file.payload {
            Payload::Create(content) | Payload::Replace(content) => {
                matches!(content, Content::Binary(_))
            }
            Payload::Patch(section) => section.is_binary(),
            _ => false,
        },
        Action::Tool(_) => false,
    };
    basis.subject.draft.steps.iter().filter(bytes).map(|step| step.step_id.as_str()).collect()
}

/// Whether what the step writes is not plain text.
fn is_binary(basis: &Basis<'_>, change: &Change) -> bool {
    let written = change.after.and_then(|image| basis.subject.bytes(image)).unwrap_or_default();
    memchr::memchr(0, written).is_some() || core::str::from_utf8(written).is_err()
}
