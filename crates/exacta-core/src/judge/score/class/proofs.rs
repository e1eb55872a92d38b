//! What was proven of each change, and which facts count against it.

use alloc::collections::BTreeMap;

use super::model::Class;
use super::table::{Raise, class_of};
use crate::judge::facts::{Fact, FactKind, Proof};
use crate::model::path::RelPath;

/// The proof of each change, by step and file.
#[derive(Debug)]
pub(crate) struct Proofs<'a> {
    proofs: BTreeMap<(&'a str, &'a RelPath), (Proof, u32)>,
}

impl<'a> Proofs<'a> {
    /// What the inspector proved. Where it says two things of one change, the worse counts.
    pub(crate) fn of(facts: impl Iterator<Item = &'a Fact>) -> Self {
        let mut proofs: BTreeMap<(&str, &RelPath), (Proof, u32)> = BTreeMap::new();
        for fact in facts {
            let FactKind::Proven { proof, lines } = fact.kind else { continue };
            let known = proofs.entry((fact.step.as_str(), &fact.path)).or_insert((proof, 0));
            known.0 = known.0.max(proof);
            known.1 = known.1.saturating_add(lines);
        }
        Self { proofs }
    }

    /// The proof of a change and how many lines it has; without one nothing is known.
    pub(crate) fn get(&self, step: &str, path: &RelPath) -> (Proof, u32) {
        self.proofs.get(&(step, path)).copied().unwrap_or((Proof::Unread, 0))
    }

    /// The class that a fact puts its change into, if it says anything about it.
    pub(crate) fn raised(&self, fact: &Fact) -> Option<Class> {
        let proof = || self.get(&fact.step, &fact.path).0;
        match class_of(&fact.kind) {
            Raise::No => None,
            Raise::Always(class) => Some(class),
            Raise::Place(class) => (proof().class() != Class::Neutral).then_some(class),
            Raise::Product(class) => {
                (proof().class() != Class::Neutral && proof() != Proof::Tests).then_some(class)
            }
            Raise::Around(class) => (proof().class() > Class::Additive).then_some(class),
        }
    }
}

impl Proof {
    /// The class of a change of which this and nothing else is known.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::Same | Self::Layout | Self::Locals | Self::Values | Self::Document => {
                Class::Neutral
            }
            Self::Tests | Self::Items => Class::Additive,
            Self::Followed | Self::Read | Self::Unread => Class::Behaviour,
        }
    }

    /// What it says, as a finding.
    #[must_use]
    pub const fn finding(self) -> &'static str {
        match self {
            Self::Same => "the content stays as it is",
            Self::Layout => "only comments and layout differ",
            Self::Locals => "only names of locals differ, and perhaps comments and layout",
            Self::Values => "the file holds the same values in the same order",
            Self::Document => "a document that nothing runs or includes",
            Self::Tests => "tests were added or changed, and none was lost",
            Self::Items => "only new items that nothing existing uses",
            Self::Followed => {
                "a document with a new address, a command or markup that a reader or a renderer \
                 follows"
            }
            Self::Read => "no proof that everything acts as before",
            Self::Unread => "no reader understands this kind of file",
        }
    }
}
