//! What is reviewed: plain values that the engine fills from what is stored.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::time::Duration;

use super::model::Obstacle;
use crate::judge::decide::Kind;
use crate::judge::examine::{Examined, Verdict};
use crate::model::change::Change;
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;
use crate::model::plan::Draft;
use crate::read::dry_run::Comparisons;

/// A plan as it is stored, with everything a review shows.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Its id.
    pub plan_id: &'a str,
    /// Its hash: what an approval binds.
    pub plan_hash: Digest,
    /// What was asked for, as it was handed in.
    pub intent: Option<&'a str>,
    /// Who handed it in, if the door knows.
    pub proposer: Option<&'a str>,
    /// Steps and the planner's words; untrusted.
    pub draft: &'a Draft,
    /// What happens to files, in execution order.
    pub changes: &'a [Change],
    /// The images that the changes name.
    pub image: &'a dyn Fn(&Digest) -> Option<Blob>,
    /// Risk, quality, decision, reasons, estimates, findings, constraints.
    pub examined: &'a Examined,
    /// How long it can still be decided and run.
    pub expires_in: Option<Duration>,
    /// Why it does not fit the project any more, if that is so.
    pub stale: Option<&'a str>,
}

impl Subject<'_> {
    /// The image with this name; `None` when it is gone or is not what its name says.
    #[must_use]
    pub fn blob(&self, digest: &Digest) -> Option<Blob> {
        (self.image)(digest).filter(|blob| blob.digest() == *digest)
    }

    /// What is compared with the image after: the image before, for a rename that of the
    /// old name.
    #[must_use]
    pub fn before(&self, change: &Change) -> Option<Digest> {
        let Some(from) = &change.renamed_from else { return change.before };
        let old = |old: &&Change| old.step == change.step && old.path == *from;
        self.changes.iter().find(old).and_then(|old| old.before)
    }

    /// The new name, where a change is the end of an old one.
    #[must_use]
    pub fn renamed_to(&self, change: &Change) -> Option<&RelPath> {
        let new = |new: &&Change| {
            new.step == change.step && new.renamed_from.as_ref() == Some(&change.path)
        };
        let gone = change.after.is_none();
        gone.then(|| self.changes.iter().find(new).map(|new| &new.path)).flatten()
    }

    /// Whether every image can be shown. What cannot be shown must not be approved.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let images = self.changes.iter().flat_map(|change| [change.before, change.after]);
        images.flatten().all(|digest| self.blob(&digest).is_some())
    }

    /// Why no approval can be offered, if so. Looks at every image.
    #[must_use]
    pub fn obstacle(&self) -> Option<Obstacle> {
        let rejected =
            self.examined.decision.as_ref().is_none_or(|decision| decision.kind == Kind::Reject);
        if rejected || !self.examined.is_sound() {
            return Some(Obstacle::Refused);
        }
        if self.stale.is_some() {
            return Some(Obstacle::Stale);
        }
        (!self.is_complete()).then_some(Obstacle::MissingImage)
    }

    /// The comparisons that were made when the plan was judged, to go on with.
    pub(super) fn comparisons(&self) -> Comparisons {
        match &self.examined.verdict {
            Verdict::Sound(plan) => plan.comparisons().clone(),
            Verdict::Rejected { dry_run, .. } => dry_run.comparisons.clone(),
        }
    }
}

/// A file and everything that happens to it.
#[derive(Clone, Debug)]
pub struct Touched<'a> {
    /// The file.
    pub path: &'a RelPath,
    /// The first change: what the file is before the plan.
    pub first: &'a Change,
    /// The last: what it is afterwards.
    pub last: &'a Change,
    /// All of them, in execution order.
    pub changes: Vec<&'a Change>,
}

impl Touched<'_> {
    /// All its changes as one.
    #[must_use]
    pub fn net(&self) -> Change {
        let last = self.last;
        Change { after: last.after, mode_after: last.mode_after, ..self.first.clone() }
    }

    /// Whether the file ends as it began, although steps touch it.
    #[must_use]
    pub fn ends_as_it_began(&self) -> bool {
        self.first.before == self.last.after && self.first.mode_before == self.last.mode_after
    }
}

impl<'a> Subject<'a> {
    /// What is shown: every file that a step touches, where a file that does nothing but go on
    /// under another name is one, under that name.
    #[must_use]
    pub fn shown(&self) -> Vec<Touched<'a>> {
        let mut files = self.touched();
        let gone: BTreeSet<&RelPath> =
            files.iter().filter_map(|file| self.other_half(file)).map(|old| &old.path).collect();
        files.retain(|file| !gone.contains(file.path));
        files
    }

    /// The end of the old name, where all that happens to a file is that it comes from there.
    #[must_use]
    pub fn other_half(&self, file: &Touched<'_>) -> Option<&'a Change> {
        let [new] = file.changes.as_slice() else { return None };
        let from = new.renamed_from.as_ref().filter(|_| new.before.is_none())?;
        let mut of_old = self.changes.iter().filter(|change| change.path == *from);
        let old = of_old.next().filter(|old| old.step == new.step && old.after.is_none())?;
        of_old.next().is_none().then_some(old)
    }

    /// Every file that a step touches, in the order of the paths.
    #[must_use]
    pub fn touched(&self) -> Vec<Touched<'a>> {
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
