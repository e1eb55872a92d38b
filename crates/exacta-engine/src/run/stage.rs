//! Staging: every new image is written beside the project, then the manifest.
//!
//! Input: changes. Output: [`Staged`], with not one target touched. Whatever fails
//! here, the project is as it was.

use exacta_core::change::{Change, FileMode};
use exacta_core::digest::{Blob, Digest};

use crate::run::commit::{Dresses, Staged};
use crate::run::engine::Engine;
use crate::run::fault::StageError;
use crate::run::fold;
use crate::run::images::{ImageError, Images};
use crate::run::layout::{self, Shelf};
use crate::run::manifest::{Item, Manifest, Work};
use crate::run::preflight::{self, OldFolder, Survey};
use crate::run::run_id::RunId;
use crate::run::watch::{Phase, Progress, Watch};
use crate::workspace::{Dress, PortError, Spot};

/// Room a run leaves free beyond its images, for folders, manifest and journal.
const SPARE_BYTES: u64 = 1 << 20;
/// What a small file takes at the least.
const BLOCK: u64 = 4096;
/// Files a run makes beyond its images.
const SPARE_FILES: u64 = 16;
/// The manifest is as private as the folder it lies in.
const MANIFEST_MODE: u32 = 0o600;

impl<'a> Engine<'a> {
    /// Checks every target against the plan and writes the new images beside them.
    ///
    /// # Errors
    /// See [`StageError`]; nothing has changed then.
    pub fn stage(
        &self,
        run: &RunId,
        changes: &[Change],
        images: &dyn Images,
        watch: &dyn Watch,
    ) -> Result<Staged<'a>, StageError> {
        self.stage_with(run, changes, &[], images, watch)
    }

    pub(crate) fn stage_with(
        &self,
        run: &RunId,
        changes: &[Change],
        old_folders: &[OldFolder],
        images: &dyn Images,
        watch: &dyn Watch,
    ) -> Result<Staged<'a>, StageError> {
        let merged = fold::fold(changes).map_err(StageError::Inconsistent)?;
        let lock = self.port.lock()?;
        self.prepare()?;
        let unsettled = self.unsettled()?;
        if !unsettled.is_empty() {
            return Err(StageError::RecoveryNeeded(unsettled));
        }
        let folder = Shelf::Runs.of(run, self.key);
        // The journal knows one story per run; a second one would be read as the first.
        if self.journal.fate(run)?.is_some() {
            return Err(StageError::RunExists(run.clone()));
        }
        let survey = preflight::survey(*self, merged, old_folders, images, watch)?;
        if survey.is_empty() {
            return Err(StageError::Nothing);
        }
        self.check_space(&survey, images)?;
        self.port.make_private(&folder)?;
        let written = write_slots(*self, &folder, survey, old_folders, images, watch)
            .and_then(|(items, dresses)| Ok((self.write_manifest(run, &folder, items)?, dresses)));
        match written {
            Ok(((manifest, digest), dresses)) => {
                Ok(Staged { engine: *self, lock, folder, manifest, digest, dresses })
            }
            Err(error) => {
                self.discard(run, &folder);
                Err(error)
            }
        }
    }

    fn check_space(&self, survey: &Survey, images: &dyn Images) -> Result<(), StageError> {
        let made = survey.arriving.len() + survey.folders.len();
        let files = (made as u64).saturating_add(SPARE_FILES);
        let space = self.port.space()?;
        let enough_files = space.files.is_none_or(|left| left >= files);
        // Most disks have room for images of any size; then no image is asked for its own.
        let largest = space.largest.map_or(u64::MAX, |size| size.saturating_add(BLOCK));
        let most = largest.saturating_mul(survey.arriving.len() as u64);
        if enough_files && space.bytes >= most.saturating_add(SPARE_BYTES) {
            return Ok(());
        }
        let mut needed = SPARE_BYTES;
        for file in &survey.arriving {
            let size = self.size(file.after.digest, images)?;
            needed = needed.saturating_add(size.next_multiple_of(BLOCK));
        }
        if enough_files && space.bytes >= needed {
            return Ok(());
        }
        Err(StageError::NoSpace { needed, files })
    }

    /// The size of an image, without its bytes where it is a file.
    fn size(&self, digest: Digest, images: &dyn Images) -> Result<u64, StageError> {
        let Some(at) = images.lies_at(&digest) else {
            return Ok(images.image(&digest)?.bytes().len() as u64);
        };
        Ok(self.port.stamp(&at)?.ok_or(ImageError::Missing(digest))?.size)
    }

    fn write_manifest(
        &self,
        run: &RunId,
        folder: &Spot,
        items: Vec<Item>,
    ) -> Result<(Manifest, Digest), StageError> {
        let manifest = Manifest { run: run.clone(), items };
        let at = layout::manifest_in(folder);
        let unwritable =
            |_| PortError::System { act: "write", at: at.clone(), errno: rustix::io::Errno::INVAL };
        let bytes = manifest.to_bytes(self.key).map_err(unwritable)?;
        let mode = FileMode::from_raw(MANIFEST_MODE);
        self.port.stage(&at, &bytes, mode, &Dress::default())?;
        Ok((manifest, Digest::of(&bytes)))
    }

    /// Throws a staged run away. What cannot be deleted now, recovery deletes later.
    pub(crate) fn discard(&self, run: &RunId, folder: &Spot) {
        let _ = self
            .port
            .place(folder, &Shelf::Trash.of(run, self.key))
            .and_then(|()| self.empty_trash());
    }
}

fn write_slots(
    engine: Engine<'_>,
    folder: &Spot,
    survey: Survey,
    old_folders: &[OldFolder],
    images: &dyn Images,
    watch: &dyn Watch,
) -> Result<(Vec<Item>, Dresses), StageError> {
    let mut items = Vec::new();
    let mut lost = survey.lost;
    let mut dresses = Dresses::new();
    for file in survey.leaving {
        let (work, slot) = (Work::Take { before: file.before }, items.len().to_string());
        dresses.insert(slot.clone(), file.dress);
        items.push(Item { path: file.path, work, slot, step: file.step });
    }
    for old in old_folders {
        let (path, work) = (old.path.clone(), Work::TakeFolder { inode: old.inode });
        items.push(Item { path, work, slot: items.len().to_string(), step: String::new() });
    }
    for (path, dress) in survey.folders {
        let slot = items.len().to_string();
        match engine.port.stage_folder(&folder.within(&slot), &dress) {
            Ok(inode) => {
                let work = Work::PlaceFolder { inode };
                items.push(Item { path, work, slot, step: String::new() });
            }
            Err(PortError::CannotCarry { what, errno, .. }) => {
                lost.push(PortError::CannotCarry { at: Spot::target(&path), what, errno });
                engine.port.remove_folder(&folder.within(&slot))?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    let total = survey.arriving.len();
    let spots: Option<Vec<Spot>> =
        survey.arriving.iter().map(|file| images.lies_at(&file.after.digest)).collect();
    let mut arriving = survey.arriving.into_iter().enumerate();
    let mut write_next = |ahead: Option<Blob>| {
        let Some((done, file)) = arriving.next() else { return Ok(false) };
        if watch.cancelled() {
            return Err(StageError::Cancelled);
        }
        let blob = match ahead {
            Some(blob) => blob,
            None => images.image(&file.after.digest)?,
        };
        if blob.digest() != file.after.digest {
            return Err(ImageError::Changed(file.after.digest).into());
        }
        let slot = items.len().to_string();
        let at = folder.within(&slot);
        match engine.port.stage(&at, blob.bytes(), file.after.mode, &file.dress) {
            Ok(inode) => {
                let after = file.after;
                let work = match file.before {
                    Some(before) => {
                        dresses.insert(slot.clone(), file.dress);
                        Work::Write { before, after }
                    }
                    None => Work::Place { after, inode },
                };
                items.push(Item { path: file.path, work, slot, step: file.step });
            }
            // The slot is not what matters to the reader, the target is.
            Err(PortError::CannotCarry { what, errno, .. }) => {
                lost.push(PortError::CannotCarry { at: Spot::target(&file.path), what, errno });
                engine.port.remove(&at)?;
            }
            Err(PortError::Refused { fault, .. }) => {
                return Err(PortError::Refused { at: Spot::target(&file.path), fault }.into());
            }
            Err(error) => return Err(error.into()),
        }
        watch.progress(Progress { phase: Phase::Staging, done: done + 1, total });
        Ok(true)
    };
    let mut outcome = Ok(true);
    engine.port.read_ahead(&spots.unwrap_or_default(), &mut |ahead| {
        outcome = write_next(ahead);
        matches!(outcome, Ok(true))
    });
    // Images that are no files were not called for.
    while outcome? {
        outcome = write_next(None);
    }
    if lost.is_empty() { Ok((items, dresses)) } else { Err(StageError::Metadata(lost)) }
}
