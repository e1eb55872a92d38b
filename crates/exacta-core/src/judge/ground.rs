//! What a plan is looked at on: the project's files, who reads them, the policy.

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::HashMap;

use super::examine::Context;
use super::facts::{
    Answers, Fact, Inspector, asked, moved_modules, named, readers, settle, with_names,
};
use super::policy::Policy;
use super::score::{Class, Evidence, worst_of};
use crate::model::change::Change;
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;
use crate::model::tree::Tree;

/// What a plan is looked at on.
pub(super) struct Ground<'a> {
    pub(super) tree: &'a dyn Tree,
    pub(super) inspector: &'a dyn Inspector,
    pub(super) policy: &'a Policy,
}

impl Ground<'_> {
    /// What the inspector tells about the changes; what the project answers is noted.
    pub(super) fn look(
        &self,
        changes: &[Change],
        images: &HashMap<Digest, Blob>,
        answers: &mut Answers,
    ) -> Vec<Fact> {
        let nothing = Blob::new(Vec::new());
        let inspected = asked(changes, images, &nothing);
        if inspected.is_empty() {
            return Vec::new();
        }
        let mut facts = self.inspector.inspect(&inspected, &manifests(self.tree));
        facts.extend(moved_modules(changes));
        facts.extend(readers(changes, &facts, self.tree, answers));
        let checks = self.policy.checks.values();
        let checks: Vec<String> = checks.flat_map(|check| check.command.iter().cloned()).collect();
        facts.extend(named(changes, self.tree, &checks, answers));
        let facts = settle(with_names(facts, changes, self.tree), changes, self.tree, answers);
        answers.note(&facts);
        facts
    }

    /// What the plan does together with recent ones that nobody was asked about: each file
    /// that they share as one change from the image before the first of them.
    pub(super) fn with_recent(
        &self,
        joined: &[Change],
        images: &HashMap<Digest, Blob>,
        context: &Context,
    ) -> Option<(Class, Evidence)> {
        let earlier = |change: &Change| {
            let first = context.everybody.firsts.get(change.path.as_str()).copied()?;
            (change.before != Some(first)).then_some(first)
        };
        let mut images = images.clone();
        let mut changes = Vec::new();
        for change in joined {
            let Some(first) = earlier(change) else { continue };
            if Some(first) == change.after {
                continue;
            }
            let Some(blob) = context.window.iter().find(|blob| blob.digest() == first) else {
                let finding = "the image before recent plans is not kept";
                return Some((Class::Dangerous, Evidence::of_change(change, finding, 0)));
            };
            images.insert(first, blob.clone());
            changes.push(Change { before: Some(first), ..change.clone() });
        }
        if changes.is_empty() {
            return None;
        }
        // The window is an input of the decision; its questions are not the plan's.
        worst_of(&self.look(&changes, &images, &mut Answers::default()))
    }
}

/// One change for each file, from its first image to its last: what several steps do to a
/// file in turn is judged as one as well.
pub(super) fn as_one(changes: &[Change]) -> Vec<Change> {
    let mut joined: Vec<Change> = Vec::with_capacity(changes.len());
    let mut places: HashMap<&RelPath, usize> = HashMap::new();
    for change in changes {
        let known = places.get(&change.path).and_then(|at| joined.get_mut(*at));
        let Some(first) = known else {
            places.insert(&change.path, joined.len());
            joined.push(change.clone());
            continue;
        };
        first.after = change.after;
        first.mode_after = change.mode_after;
        first.step.clone_from(&change.step);
    }
    joined.retain(|change| change.before != change.after);
    joined
}

/// The manifests at the project's root that can be read.
fn manifests(tree: &dyn Tree) -> Vec<Blob> {
    ["Cargo.toml", "package.json", "pyproject.toml"]
        .iter()
        .filter_map(|name| RelPath::parse(name).ok())
        .filter_map(|path| Some(tree.look(&path).ok()??.blob))
        .collect()
}
