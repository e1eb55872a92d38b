//! Questions that files raise: what they are, what is in them, who may execute them.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;

use super::collect::Asks;
use crate::judge::decide::reason::ReasonKind;
use crate::judge::facts::FactKind;
use crate::judge::score::{Basis, Evidence};
use crate::model::change::{Change, FileMode};
use crate::model::path::RelPath;
use crate::model::plan::{Action, Content, Payload, Step};

/// Looks at every fact, every change and every payload.
pub(super) fn ask(basis: &Basis<'_>, asks: &mut Asks) {
    for fact in basis.facts() {
        let kind = match &fact.kind {
            // A manifest may say what runs with the next install or build.
            FactKind::RunsByItself { .. } | FactKind::BuildScript { .. } => {
                ReasonKind::RunsByItself
            }
            FactKind::HiddenCharacter { .. } => ReasonKind::HiddenCharacters,
            FactKind::LookAlikeIdentifier { .. } | FactKind::LookAlikePath { .. } => {
                ReasonKind::LookAlikeName
            }
            FactKind::NotAnalysed { .. } => ReasonKind::NotAnalysed,
            _ => continue,
        };
        asks.entry(kind).or_default().push(Evidence::of_fact(fact, 0));
    }
    let encoded = encoded(basis);
    let mut modes: BTreeMap<&RelPath, FileMode> = BTreeMap::new();
    for change in basis.subject.changes {
        // A file that goes and comes back has the mode it had.
        let had = change.mode_before.or_else(|| modes.get(&change.path).copied());
        modes.extend(had.map(|mode| (&change.path, mode)));
        if let Some((kind, finding)) = mode(had, change.mode_after) {
            asks.entry(kind).or_default().push(Evidence::of_change(change, finding, 0));
        }
        if let Some(mode) = change.mode_after.filter(|mode| mode.lends_rights()) {
            let finding = Evidence::of_change(change, format!("a file with mode {mode}"), 0);
            asks.entry(ReasonKind::LendsRights).or_default().push(finding);
        }
        if encoded.contains(change.step.as_str()) || is_binary(basis, change) {
            let finding = Evidence::of_change(change, "binary content", 0);
            asks.entry(ReasonKind::BinaryContent).or_default().push(finding);
        }
    }
}

fn mode(before: Option<FileMode>, after: Option<FileMode>) -> Option<(ReasonKind, String)> {
    match (before, after) {
        (Some(before), Some(after)) if before != after => {
            Some((ReasonKind::ModeChange, format!("mode {before} becomes {after}")))
        }
        (None, Some(after)) if after.is_executable() => {
            Some((ReasonKind::NewExecutable, format!("new file with mode {after}")))
        }
        _ => None,
    }
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
