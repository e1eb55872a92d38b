//! The port to whoever reads file contents.
//!
//! The core never reads hostile bytes with a parser. It hands images out and takes facts
//! back; an inspector that cannot answer says so with the fact `not_analysed`, which
//! costs points and asks a person.

use alloc::string::String;
use alloc::vec::Vec;

use super::fact::Fact;
use super::kind::FactKind;
use super::vocabulary::Reason;
use crate::model::change::Change;
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;
use crate::model::plan::ASSESSOR_VERSION;
use hashbrown::HashMap;

/// A step's change of a file, for the inspector.
#[derive(Clone, Debug)]
pub struct Inspected<'a> {
    /// The change.
    pub change: &'a Change,
    /// The image before it; of a rename the image under the old name.
    pub before: Option<&'a Blob>,
    /// The image after it.
    pub after: Option<&'a Blob>,
}

impl<'a> Inspected<'a> {
    /// A change with its images.
    #[must_use]
    pub fn of(change: &'a Change, images: &'a HashMap<Digest, Blob>) -> Self {
        let image = |digest: Option<Digest>| digest.and_then(|digest| images.get(&digest));
        Self { change, before: image(change.before), after: image(change.after) }
    }

    /// Whether the image before was in another folder.
    #[must_use]
    pub fn moved(&self) -> bool {
        let folder = |path: &'a RelPath| path.ancestors().next();
        let from = self.change.renamed_from.as_ref().filter(|_| self.before.is_some());
        from.is_some_and(|from| folder(from) != folder(&self.change.path))
    }
}

/// What an inspector is asked, as one hash: facts are a function of nothing else, so the
/// same question has the same facts. Whatever [`Inspected`] gains belongs in here.
///
/// # Errors
/// Never for changes that a dry run made; the canonicaliser's error is passed on.
pub fn question(
    changes: &[Inspected<'_>],
    manifests: &[Blob],
) -> Result<Digest, serde_json::Error> {
    let image = |blob: Option<&Blob>| blob.map(Blob::digest);
    let changes: Vec<_> = changes
        .iter()
        .map(|asked| (asked.change, image(asked.before), image(asked.after)))
        .collect();
    let manifests: Vec<Digest> = manifests.iter().map(Blob::digest).collect();
    Digest::of_canonical(&(ASSESSOR_VERSION, changes, manifests))
}

/// Reads file contents and tells facts about them.
pub trait Inspector {
    /// The facts about all changes of a plan, in any order. `manifests` are the project's
    /// own, as they are before the plan: they say what the project is about.
    fn inspect(&self, changes: &[Inspected<'_>], manifests: &[Blob]) -> Vec<Fact>;
}

/// An inspector that reads nothing, and says so about every change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unread;

impl Inspector for Unread {
    fn inspect(&self, changes: &[Inspected<'_>], _: &[Blob]) -> Vec<Fact> {
        not_analysed(changes, Reason::ChildDied)
    }
}

/// The fact that nothing is known about any of the changes.
#[must_use]
pub fn not_analysed(changes: &[Inspected<'_>], reason: Reason) -> Vec<Fact> {
    changes
        .iter()
        .map(|inspected| Fact {
            step: inspected.change.step.clone(),
            path: inspected.change.path.clone(),
            line: None,
            excerpt: String::new(),
            kind: FactKind::NotAnalysed { reason },
        })
        .collect()
}
