//! Questions that files raise: what they are, what is in them, who may execute them.
//!
//! Each of these is dangerous by its class; here it is said in words of its own. What a
//! proof of neutrality answers asks nobody: a comment in a workflow is a comment.

use super::collect::Asks;
use crate::judge::decide::reason::ReasonKind;
use crate::judge::facts::FactKind;
use crate::judge::score::{Altered, Basis, Evidence, Proofs, altered};

/// Looks at every fact, every change and every payload.
pub(super) fn ask(basis: &Basis<'_>, proofs: &Proofs<'_>, asks: &mut Asks) {
    for fact in basis.facts().filter(|fact| proofs.raised(fact).is_some()) {
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
    for (what, evidence) in altered(basis) {
        let kind = match what {
            Altered::Mode => ReasonKind::ModeChange,
            Altered::Executable => ReasonKind::NewExecutable,
            Altered::LendsRights => ReasonKind::LendsRights,
            Altered::Binary => ReasonKind::BinaryContent,
        };
        asks.entry(kind).or_default().push(evidence);
    }
}
