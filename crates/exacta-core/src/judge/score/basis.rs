//! A subject with what follows from it: all facts, and which changes delete.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::subject::Subject;
use crate::judge::facts::{Fact, FactKind, Proof, of_path};
use crate::model::change::{Change, old_names};
use crate::model::path::RelPath;

/// What the factors and dimensions read.
pub(crate) struct Basis<'a> {
    /// The subject itself.
    pub(crate) subject: &'a Subject<'a>,
    proven: Vec<Fact>,
    /// For each fact of the inspector, whether the paths prove it already.
    repeated: Vec<bool>,
}

impl<'a> Basis<'a> {
    /// Adds what the paths prove.
    pub(crate) fn of(subject: &'a Subject<'a>) -> Self {
        let proven: Vec<Fact> = subject
            .changes
            .iter()
            .flat_map(|change| {
                let (created, deleted) = (change.before.is_none(), change.after.is_none());
                of_path(&change.step, &change.path, created, deleted)
            })
            .filter(|fact| !forgiven(fact, subject.facts))
            .collect();
        let known: BTreeSet<&Fact> = proven.iter().collect();
        let repeated = subject.facts.iter().map(|fact| known.contains(fact)).collect();
        Self { subject, proven, repeated }
    }

    /// Every fact once: what the paths prove in the order of the changes, then what the
    /// inspector found.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &Fact> {
        let found = self.subject.facts.iter().zip(&self.repeated);
        self.proven.iter().chain(found.filter(|(_, repeated)| !**repeated).map(|(fact, _)| fact))
    }

    /// The first fact of each file among those that `test` picks.
    pub(crate) fn first_per_file(&self, test: impl Fn(&FactKind) -> bool) -> Vec<&Fact> {
        let mut seen = BTreeSet::new();
        self.facts().filter(|fact| test(&fact.kind) && seen.insert(&fact.path)).collect()
    }

    /// The distinct files, each with the change that touches it first. A renamed file is one,
    /// under its new name.
    pub(crate) fn files(&self) -> Vec<&'a Change> {
        let left = old_names(self.subject.changes);
        let stays = |change: &&Change| !left.contains(&(change.step.as_str(), &change.path));
        let mut seen: BTreeSet<&RelPath> = BTreeSet::new();
        let files = self.subject.changes.iter().filter(stays);
        files.filter(|change| seen.insert(&change.path)).collect()
    }

    /// The new name of a file that an imported patch renames.
    pub(crate) fn renamed_to(&self, path: &RelPath) -> Option<&'a RelPath> {
        let renames = |change: &&Change| change.renamed_from.as_ref() == Some(path);
        self.subject.changes.iter().find(renames).map(|change| &change.path)
    }
}

/// Whether the inspector read a deleted test file and found its tests elsewhere. Where it
/// does not say that it read the file, the path alone speaks.
fn forgiven(fact: &Fact, found: &[Fact]) -> bool {
    if !matches!(fact.kind, FactKind::TestsLost { .. }) {
        return false;
    }
    let told = || found.iter().filter(|told| told.step == fact.step && told.path == fact.path);
    let read =
        |told: &Fact| matches!(told.kind, FactKind::Proven { proof, .. } if proof != Proof::Unread);
    let unread = |told: &Fact| matches!(told.kind, FactKind::NotAnalysed { .. });
    told().any(read) && told().all(|told| !unread(told) && told.kind != fact.kind)
}
