//! The files as a plan saw them, so that it can be shown exactly so later.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::{Tree, TreeFault, TreeFile};
use serde::{Deserialize, Serialize};

use crate::run::Images;

/// A file as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrozenFile {
    pub(super) blob: Digest,
    pub(super) mode: u32,
}

/// What an examination asked about the project, and the answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrozenTree {
    /// Every path that was looked at; null where nothing was.
    pub(super) files: BTreeMap<String, Option<FrozenFile>>,
    /// Those of them that the plan does not change: they answered a question, and only the
    /// answer counts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) around: BTreeSet<String>,
    pub(super) has_tests: bool,
    pub(super) siblings: BTreeMap<String, Vec<String>>,
    /// Names that code newly uses, and whether the project defined them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) names: BTreeMap<String, bool>,
    /// Documents, and which file of the project read each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) readers: BTreeMap<String, String>,
    /// Paths that could not be targets, and why.
    pub(super) unfit: BTreeMap<String, String>,
}

impl FrozenTree {
    /// Notes which of the paths the plan changes.
    pub(super) fn set_targets(&mut self, targets: &BTreeSet<&str>) {
        let around = self.files.keys().filter(|path| !targets.contains(path.as_str()));
        self.around = around.cloned().collect();
    }

    /// Every path that the plan changes, with what was there.
    pub(super) fn targets(&self) -> impl Iterator<Item = (&String, &Option<FrozenFile>)> {
        self.files.iter().filter(|(path, _)| !self.around.contains(*path))
    }
}

/// A tree that notes every answer.
pub(super) struct Recording<'a> {
    tree: &'a dyn Tree,
    seen: RefCell<FrozenTree>,
    blobs: RefCell<BTreeMap<Digest, Blob>>,
}

impl<'a> Recording<'a> {
    pub(super) fn of(tree: &'a dyn Tree) -> Self {
        Self { tree, seen: RefCell::default(), blobs: RefCell::default() }
    }

    /// The answers, and the bytes of every file seen.
    pub(super) fn end(self) -> (FrozenTree, BTreeMap<Digest, Blob>) {
        (self.seen.into_inner(), self.blobs.into_inner())
    }
}

impl Tree for Recording<'_> {
    fn look(&self, path: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
        let answer = self.tree.look(path);
        let mut seen = self.seen.borrow_mut();
        match &answer {
            Ok(file) => {
                let frozen = file.as_ref().map(|file| {
                    let blob = file.blob.digest();
                    self.blobs.borrow_mut().insert(blob, file.blob.clone());
                    FrozenFile { blob, mode: file.mode.bits() }
                });
                seen.files.insert(path.as_str().into(), frozen);
            }
            Err(fault) => {
                seen.unfit.insert(path.as_str().into(), fault.to_string());
            }
        }
        answer
    }

    fn siblings(&self, path: &RelPath) -> Vec<String> {
        let names = self.tree.siblings(path);
        self.seen.borrow_mut().siblings.insert(path.as_str().into(), names.clone());
        names
    }

    fn defined(&self, names: &[String]) -> Vec<String> {
        let answer = self.tree.defined(names);
        let mut seen = self.seen.borrow_mut();
        seen.names.extend(names.iter().map(|name| (name.clone(), answer.contains(name))));
        answer
    }

    fn readers(&self, documents: &[String]) -> BTreeMap<String, String> {
        let answer = self.tree.readers(documents);
        self.seen.borrow_mut().readers.extend(answer.clone());
        answer
    }

    fn has_tests(&self) -> bool {
        let answer = self.tree.has_tests();
        self.seen.borrow_mut().has_tests = answer;
        answer
    }
}

/// The tree that was seen, with its bytes from the object store.
pub(super) struct Replayed<'a> {
    pub(super) tree: &'a FrozenTree,
    pub(super) objects: &'a dyn Images,
}

impl Tree for Replayed<'_> {
    fn look(&self, path: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
        if let Some(why) = self.tree.unfit.get(path.as_str()) {
            return Err(TreeFault::Unreadable(why.clone()));
        }
        let Some(Some(file)) = self.tree.files.get(path.as_str()) else { return Ok(None) };
        let blob = self
            .objects
            .image(&file.blob)
            .map_err(|error| TreeFault::Unreadable(error.to_string()))?;
        Ok(Some(TreeFile { blob, mode: FileMode::from_raw(file.mode) }))
    }

    fn siblings(&self, path: &RelPath) -> Vec<String> {
        self.tree.siblings.get(path.as_str()).cloned().unwrap_or_default()
    }

    fn defined(&self, names: &[String]) -> Vec<String> {
        let known = |name: &&String| self.tree.names.get(*name).copied().unwrap_or_default();
        names.iter().filter(known).cloned().collect()
    }

    fn readers(&self, documents: &[String]) -> BTreeMap<String, String> {
        let known = self.tree.readers.iter();
        known
            .filter(|(document, _)| documents.contains(document))
            .map(|(document, by)| (document.clone(), by.clone()))
            .collect()
    }

    fn has_tests(&self) -> bool {
        self.tree.has_tests
    }
}
