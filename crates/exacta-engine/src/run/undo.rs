//! Undo: the same changes with before and after exchanged, through the same protocol.
//!
//! The images to restore are the originals that the run swapped out. Redo is the
//! undo of the undo.

use std::cell::OnceCell;
use std::cmp::Ordering;

use exacta_core::model::change::Change;
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;

use crate::run::commit::Staged;
use crate::run::engine::Engine;
use crate::run::fault::{Drift, Found, StageError, UndoError};
use crate::run::images::{ImageError, Images};
use crate::run::journal::Milestone;
use crate::run::layout::Shelf;
use crate::run::manifest::{Manifest, Work};
use crate::run::preflight::OldFolder;
use crate::run::run_id::RunId;
use crate::run::watch::Watch;
use crate::workspace::{Image, Lock, PortError, Sight, Spot, Workspace};

/// One file of an inverse.
#[derive(Clone, Debug)]
pub struct InversePart {
    /// What takes it back.
    pub change: Change,
    /// The image it ends in.
    pub image: Option<Blob>,
    /// What the file is instead of what the run left.
    pub found: Option<Found>,
}

impl<'a> Engine<'a> {
    /// Stages the inverse of a completed run, as the run `inverse`.
    ///
    /// # Errors
    /// [`UndoError::Conflicts`] when a file was changed since; nothing is touched then.
    pub fn stage_undo(
        &self,
        run: &RunId,
        inverse: &RunId,
        watch: &dyn Watch,
    ) -> Result<Staged<'a>, UndoError> {
        let (manifest, folder) = self.kept_manifest(run)?;
        let kept = Kept::new(self.port, &manifest, &folder);
        let (changes, old_folders) = inverse_of(&manifest);
        self.stage_with(inverse, &changes, &old_folders, &kept, watch).map_err(
            |error| match error {
                StageError::Drift(drifts) => UndoError::Conflicts(drifts),
                StageError::Image(error) => kept.explain(error),
                other => UndoError::Stage(other),
            },
        )
    }

    /// The inverse of a completed run as data: each change and the image it ends in.
    /// Nothing is touched.
    ///
    /// # Errors
    /// [`UndoError::Conflicts`] when a file was changed since.
    pub fn inverse(&self, run: &RunId) -> Result<Vec<(Change, Option<Blob>)>, UndoError> {
        let mut drifts = Vec::new();
        let mut inverse = Vec::new();
        for part in self.inverse_parts(run)? {
            let path = part.change.path.clone();
            drifts.extend(part.found.map(|found| Drift { path, found }));
            inverse.push((part.change, part.image));
        }
        if drifts.is_empty() { Ok(inverse) } else { Err(UndoError::Conflicts(drifts)) }
    }

    /// The same file by file, each with what stands in its way.
    ///
    /// # Errors
    /// When the run has no inverse.
    pub fn inverse_parts(&self, run: &RunId) -> Result<Vec<InversePart>, UndoError> {
        let (manifest, folder) = self.kept_manifest(run)?;
        let kept = Kept::new(self.port, &manifest, &folder);
        let mut parts = Vec::new();
        for change in inverse_of(&manifest).0 {
            let expected = change.before.zip(change.mode_before);
            let expected = expected.map(|(digest, mode)| Image { digest, mode });
            let seen = self.port.see(&Spot::target(&change.path));
            let found = match (seen.map_err(|error| UndoError::Stage(error.into()))?, expected) {
                (Sight::Absent, None) => None,
                (Sight::File(seen), Some(image)) if seen.image == image => None,
                (Sight::File(seen), _) => Some(Found::Changed(seen.image)),
                (Sight::Absent, Some(_)) => Some(Found::Vanished),
                (Sight::Unfit(fault), _) => Some(Found::Unfit(fault)),
            };
            let image = change.after.map(|digest| kept.image(&digest)).transpose();
            let image = image.map_err(|error| kept.explain(error))?;
            parts.push(InversePart { change, image, found });
        }
        Ok(parts)
    }

    /// Which files of a completed run can no longer be restored, because their backup is gone
    /// or was changed.
    ///
    /// # Errors
    /// [`UndoError::NotUndoable`] when nothing of it can be restored.
    pub fn lost_originals(&self, run: &RunId) -> Result<Vec<(Drift, Spot)>, UndoError> {
        let (manifest, folder) = self.kept_manifest(run)?;
        let lost = Kept::new(self.port, &manifest, &folder).lost();
        lost.map_err(|error| UndoError::Stage(error.into()))
    }

    /// What a completed run backed up, and where.
    fn kept_manifest(&self, run: &RunId) -> Result<(Manifest, Spot), UndoError> {
        let port = |error: PortError| UndoError::Stage(error.into());
        let folder = Shelf::Kept.of(run, self.key);
        let fate = self.journal.fate(run).map_err(port)?;
        let manifest = match (fate, self.read_manifest(run, &folder).map_err(port)?) {
            (Some(fate), Some((manifest, digest)))
                if fate.event == Milestone::Completed && fate.manifest == digest =>
            {
                manifest
            }
            _ => return Err(UndoError::NotUndoable(run.clone())),
        };
        Ok((manifest, folder))
    }

    /// Forgets how to undo a run. Its place in the journal stays.
    ///
    /// # Errors
    /// When its folder cannot be deleted.
    pub fn forget(&self, run: &RunId) -> Result<(), PortError> {
        self.forget_held(run, &self.port.lock()?)
    }

    /// The same for whoever holds the project already.
    pub(crate) fn forget_held(&self, run: &RunId, _: &Lock) -> Result<(), PortError> {
        let folder = Shelf::Kept.of(run, self.key);
        if self.port.look_folder(&folder)?.is_some() {
            self.port.place(&folder, &Shelf::Trash.of(run, self.key))?;
        }
        self.empty_trash()
    }
}

fn inverse_of(manifest: &Manifest) -> (Vec<Change>, Vec<OldFolder>) {
    let digest = |image: Option<Image>| image.map(|image| image.digest);
    let mode = |image: Option<Image>| image.map(|image| image.mode);
    let mut folders = Vec::new();
    let mut changes = Vec::new();
    for item in &manifest.items {
        match item.work {
            Work::PlaceFolder { inode } => {
                folders.push(OldFolder { path: item.path.clone(), inode });
            }
            Work::TakeFolder { .. } => {}
            Work::Write { .. } | Work::Place { .. } | Work::Take { .. } => {
                let (before, after) = (item.after(), item.before());
                changes.push(Change {
                    path: item.path.clone(),
                    before: digest(before),
                    after: digest(after),
                    mode_before: mode(before),
                    mode_after: mode(after),
                    step: item.step.clone(),
                    renamed_from: None,
                });
            }
        }
    }
    // Innermost first, so that each is empty when its turn comes.
    folders.reverse();
    (changes, folders)
}

/// The originals a run swapped out.
struct Kept<'a> {
    port: &'a dyn Workspace,
    originals: Vec<(RelPath, Image, Spot)>,
    /// Their numbers in the order of digests,
    by_digest: Vec<usize>,
    /// and of paths, which only files that come again are asked for.
    by_path: OnceCell<Vec<usize>>,
}

impl<'a> Kept<'a> {
    fn new(port: &'a dyn Workspace, manifest: &Manifest, folder: &Spot) -> Self {
        let originals: Vec<_> = manifest
            .items
            .iter()
            .filter_map(|item| Some((item.path.clone(), item.before()?, item.slot_in(folder))))
            .collect();
        let by_digest = in_order(&originals, |(_, image, _)| &image.digest);
        Self { port, originals, by_digest, by_path: OnceCell::new() }
    }

    fn of_digest(&self, digest: &Digest) -> Option<&Spot> {
        let found =
            find(&self.originals, &self.by_digest, |(_, image, _)| image.digest.cmp(digest));
        found.map(|(_, _, at)| at)
    }

    /// The originals that are not what the run swapped out.
    fn lost(&self) -> Result<Vec<(Drift, Spot)>, PortError> {
        let mut lost = Vec::new();
        for (path, image, at) in &self.originals {
            match self.port.see(at)? {
                Sight::File(seen) if seen.image.digest == image.digest => {}
                _ => {
                    let drift = Drift { path: path.clone(), found: Found::BackupChanged };
                    lost.push((drift, at.clone()));
                }
            }
        }
        Ok(lost)
    }

    /// A program that held a file open across the run may have saved into the original
    /// after it was swapped out. That edit must not be taken for the original: all such
    /// files are named.
    fn explain(&self, error: ImageError) -> UndoError {
        match self.lost() {
            Ok(edited) if edited.is_empty() => UndoError::Stage(error.into()),
            Ok(edited) => {
                UndoError::Conflicts(edited.into_iter().map(|(drift, _)| drift).collect())
            }
            Err(error) => UndoError::Stage(error.into()),
        }
    }
}

impl Images for Kept<'_> {
    fn image(&self, digest: &Digest) -> Result<Blob, ImageError> {
        let at = self.of_digest(digest).ok_or(ImageError::Missing(*digest))?;
        let blob = Blob::new(self.port.read(at)?);
        if blob.digest() == *digest { Ok(blob) } else { Err(ImageError::Changed(*digest)) }
    }

    fn lies_at(&self, digest: &Digest) -> Option<Spot> {
        self.of_digest(digest).cloned()
    }

    fn origin(&self, path: &RelPath) -> Option<Spot> {
        let by_path = self.by_path.get_or_init(|| in_order(&self.originals, |(path, ..)| path));
        find(&self.originals, by_path, |(known, ..)| known.cmp(path)).map(|(_, _, at)| at.clone())
    }
}

/// The numbers of `things` in the order of their keys.
fn in_order<'t, T, K: Ord + 't>(things: &'t [T], key: impl Fn(&'t T) -> &'t K) -> Vec<usize> {
    let mut keyed: Vec<(&K, usize)> =
        things.iter().enumerate().map(|(number, thing)| (key(thing), number)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, number)| number).collect()
}

/// One of `things`, whose numbers are in `order`.
fn find<'t, T>(
    things: &'t [T],
    order: &[usize],
    compare: impl Fn(&T) -> Ordering,
) -> Option<&'t T> {
    let by_number = |number: &usize| things.get(*number).map_or(Ordering::Less, &compare);
    things.get(*order.get(order.binary_search_by(by_number).ok()?)?)
}
