//! The worst class among the changes of a plan.

use alloc::vec::Vec;

use super::altered::altered;
use super::model::{Class, Classed};
use super::proofs::Proofs;
use crate::judge::facts::{Fact, FactKind, Proof};
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::MANY_DELETES;
use crate::model::change::Change;

/// The worst class so far and the first finding of it.
struct Worst {
    found: Option<(Class, Evidence)>,
}

impl Worst {
    fn note(&mut self, class: Class, evidence: impl FnOnce() -> Evidence) {
        if self.found.as_ref().is_none_or(|(known, _)| class > *known) {
            self.found = Some((class, evidence()));
        }
    }
}

/// The class of a plan, for each step and over first before and last after; none where no
/// file changes, for tools have floors of their own.
pub(crate) fn of(basis: &Basis<'_>) -> Option<Classed> {
    let proofs = Proofs::of(basis.facts());
    let mut worst = Worst { found: None };
    // Facts first: they say more than that something was not proven.
    for fact in basis.facts() {
        if let Some(class) = proofs.raised(fact) {
            worst.note(class, || Evidence::of_fact(fact, 0));
        }
    }
    for (_, evidence) in altered(basis) {
        worst.note(Class::Dangerous, || evidence);
    }
    let gone: Vec<&Change> =
        basis.subject.changes.iter().filter(|change| basis.subject.deletes(change)).collect();
    if let Some(first) = gone.get(MANY_DELETES as usize) {
        let finding = format!("{} files deleted or left without content", gone.len());
        worst.note(Class::Dangerous, || Evidence::of_change(first, finding, 0));
    }
    let (mut all, mut read) = (0u64, 0u64);
    for change in basis.subject.changes {
        let (proof, lines) = proofs.get(&change.step, &change.path);
        // A change that nobody counted is one line that nobody understood.
        let lines = u64::from(lines.max(1));
        all += lines;
        let gone = change.after.is_none();
        read += if proof == Proof::Unread && !gone { 0 } else { lines };
        if basis.subject.deletes(change) {
            let finding = "file deleted, or left without content";
            worst.note(Class::Behaviour, || Evidence::of_change(change, finding, 0));
        } else if change.renamed_from.is_some() {
            worst.note(Class::Behaviour, || Evidence::of_change(change, "file renamed", 0));
        } else {
            worst.note(proof.class(), || Evidence::of_change(change, proof.finding(), 0));
        }
    }
    if let Some((class, evidence)) = worst_of(basis.subject.whole) {
        worst.note(class, || evidence);
    }
    let (class, evidence) = worst.found?;
    let understood = u32::try_from(read * 100 / all.max(1)).unwrap_or(0);
    let reason = format!("{}: {}", class.sentence(), evidence.finding);
    Some(Classed { evidence, class, reason, understood })
}

/// The worst class that facts about whole files speak for.
pub(crate) fn worst_of(facts: &[Fact]) -> Option<(Class, Evidence)> {
    let proofs = Proofs::of(facts.iter());
    let mut worst = Worst { found: None };
    for fact in facts {
        if let Some(class) = proofs.raised(fact) {
            worst.note(class, || Evidence::of_fact(fact, 0));
        }
        if let FactKind::Proven { proof, .. } = fact.kind {
            worst.note(proof.class(), || Evidence::of_fact(fact, 0));
        }
    }
    worst.found
}
