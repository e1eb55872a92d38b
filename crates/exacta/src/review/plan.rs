//! What is reviewed, and what can come of it.

use std::collections::BTreeMap;
use std::time::Duration;

use exacta_core::change::Change;
use exacta_core::decide::Kind;
use exacta_core::digest::{Blob, Digest};
use exacta_core::path::RelPath;
use exacta_core::plan::{Draft, Effective};

use crate::wire::CheckReport;

/// A plan as it is stored, with everything a review shows.
#[derive(Clone, Copy)]
pub(crate) struct ReviewPlan<'a> {
    /// Its id.
    pub(crate) plan_id: &'a str,
    /// Its hash: what an approval binds.
    pub(crate) plan_hash: Digest,
    /// What was asked for, as it was handed in.
    pub(crate) intent: Option<&'a str>,
    /// Who handed it in, if the door knows.
    pub(crate) proposer: Option<&'a str>,
    /// Steps and the planner's words; untrusted.
    pub(crate) draft: &'a Draft,
    /// What happens to files, in execution order.
    pub(crate) changes: &'a [Change],
    /// The images that the changes name.
    pub(crate) image: &'a dyn Fn(&Digest) -> Option<Blob>,
    /// Risk, quality, decision, reasons, estimates, findings.
    pub(crate) report: &'a CheckReport,
    /// The constraints in force.
    pub(crate) constraints: &'a [Effective],
    /// How long it can still be decided and run.
    pub(crate) expires_in: Option<Duration>,
    /// Why it does not fit the project any more, if that is so.
    pub(crate) stale: Option<&'a str>,
}

/// What a person chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// All of it.
    Approve,
    /// These steps, with everything they need, in execution order.
    Select(Vec<String>),
    /// Not like this; the text says what should change.
    RequestChanges(String),
    /// No; the text says why.
    Reject(String),
    /// Nothing was decided.
    Later,
}

impl ReviewPlan<'_> {
    /// The image with this name; `None` when it is gone or is not what its name says.
    pub(super) fn blob(&self, digest: &Digest) -> Option<Blob> {
        (self.image)(digest).filter(|blob| blob.digest() == *digest)
    }

    /// What is compared with the image after: the image before, for a rename that of the
    /// old name.
    pub(super) fn before(&self, change: &Change) -> Option<Digest> {
        let Some(from) = &change.renamed_from else { return change.before };
        let old = |old: &&Change| old.step == change.step && old.path == *from;
        self.changes.iter().find(old).and_then(|old| old.before)
    }

    /// The new name, where a change is the end of an old one.
    pub(super) fn renamed_to(&self, change: &Change) -> Option<&RelPath> {
        let new = |new: &&Change| {
            new.step == change.step && new.renamed_from.as_ref() == Some(&change.path)
        };
        let gone = change.after.is_none();
        gone.then(|| self.changes.iter().find(new).map(|new| &new.path)).flatten()
    }

    /// Whether every image can be shown. What cannot be shown must not be approved.
    pub(super) fn is_complete(&self) -> bool {
        let images = self.changes.iter().flat_map(|change| [change.before, change.after]);
        images.flatten().all(|digest| self.blob(&digest).is_some())
    }

    /// Why no approval can be offered, if so.
    pub(super) fn obstacle(&self) -> Option<&'static str> {
        if !self.report.ok || self.report.decision == Kind::Reject {
            return Some("this plan was refused and cannot be approved");
        }
        if self.stale.is_some() {
            return Some("the project changed since the plan was made, so it cannot be approved");
        }
        (!self.is_complete())
            .then_some("an image is missing, so what would be written cannot be shown or approved")
    }
}

/// A file and everything that happens to it.
pub(super) struct Touched<'a> {
    /// The file.
    pub(super) path: &'a RelPath,
    /// The first change: what the file is before the plan.
    pub(super) first: &'a Change,
    /// The last: what it is afterwards.
    pub(super) last: &'a Change,
    /// All of them, in execution order.
    pub(super) changes: Vec<&'a Change>,
}

impl Touched<'_> {
    /// All its changes as one.
    pub(super) fn net(&self) -> Change {
        let last = self.last;
        Change { after: last.after, mode_after: last.mode_after, ..self.first.clone() }
    }

    /// Whether the file ends as it began, although steps touch it.
    pub(super) fn ends_as_it_began(&self) -> bool {
        self.first.before == self.last.after && self.first.mode_before == self.last.mode_after
    }
}

impl<'a> ReviewPlan<'a> {
    /// Every file that a step touches, in the order of the paths.
    pub(super) fn touched(&self) -> Vec<Touched<'a>> {
        let mut files: BTreeMap<&RelPath, Touched<'a>> = BTreeMap::new();
        for change in self.changes {
            files
                .entry(&change.path)
                .and_modify(|file| {
                    file.last = change;
                    file.changes.push(change);
                })
                .or_insert_with(|| Touched {
                    path: &change.path,
                    first: change,
                    last: change,
                    changes: vec![change],
                });
        }
        files.into_values().collect()
    }
}
