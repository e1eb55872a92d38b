//! Questions that files raise: what they are, what is in them, who may execute them.

use alloc::collections::BTreeSet;
use alloc::string::String;

use super::collect::Asks;
use crate::change::Change;
use crate::decide::reason::ReasonKind;
use crate::facts::FactKind;
use crate::plan::{Action, Content, Payload, Step};
use crate::score::{Basis, Evidence};

/// Looks at every fact, every change and every payload.
pub(super) fn ask(basis: &Basis<'_>, asks: &mut Asks) {
    for fact in basis.facts() {
        let kind = match &fact.kind {
            FactKind::RunsByItself { .. } => ReasonKind::RunsByItself,
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
    for change in basis.subject.changes {
        if let Some((kind, finding)) = mode(change) {
            asks.entry(kind).or_default().push(Evidence::of_change(change, finding, 0));
        }
        if encoded.contains(change.step.as_str()) || is_binary(basis, change) {
            let finding = Evidence::of_change(change, "binary content", 0);
            asks.entry(ReasonKind::BinaryContent).or_default().push(finding);
        }
    }
}

fn mode(change: &Change) -> Option<(ReasonKind, String)> {
    match (change.mode_before, change.mode_after) {
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
        Action::File(file) => matches!(
            &file.payload,
            Payload::Create(Content::Binary(_)) | Payload::Replace(Content::Binary(_))
        ),
        Action::Tool(_) => false,
    };
    basis.subject.draft.steps.iter().filter(bytes).map(|step| step.step_id.as_str()).collect()
}

/// Whether what the step writes is not plain text.
fn is_binary(basis: &Basis<'_>, change: &Change) -> bool {
    let written = change.after.and_then(|image| basis.bytes(image)).unwrap_or_default();
    memchr::memchr(0, written).is_some() || core::str::from_utf8(written).is_err()
}
