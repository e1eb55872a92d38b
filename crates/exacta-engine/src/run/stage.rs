//! Staging: every new image is written beside the project, then the manifest.
//!
//! Input: changes. Output: [`Staged`], with not one target touched. Whatever fails
//! here, the project is as it was.

use std::collections::BTreeSet;

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::Digest;

use crate::run::commit::{CarriedMetadata, Staged};
use crate::run::engine::Engine;
use crate::run::fault::StageError;
use crate::run::fold::{self, Folded};
use crate::run::images::{ImageError, Images};
use crate::run::layout::{self, Shelf};
use crate::run::manifest::{Item, Manifest, Work};
use crate::run::preflight::{Arriving, OldFolder, Survey, Surveyor};
use crate::run::run_id::RunId;
use crate::run::watch::{Phase, Progress, Watch};
use crate::workspace::{Metadata, PortError, Spot};

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
        // The journal knows one story per run; a second one would be read as the first.
        if self.journal.fate(run)?.is_some() {
            return Err(StageError::RunExists(run.clone()));
        }
        self.check_space(&merged, images)?;
        let folder = RunFolder::new(*self, run);
        let slots = Slots::new(*self, &folder.spot);
        let (items, carried) = slots.fill(merged, old_folders, images, watch)?;
        let (manifest, digest) = self.write_manifest(run, &folder.spot, items)?;
        Ok(Staged { folder, engine: *self, lock, manifest, digest, carried })
    }

    fn check_space(&self, folded: &[Folded], images: &dyn Images) -> Result<(), StageError> {
        let arriving = || folded.iter().filter_map(|item| Some((item, item.after?.0)));
        let count = arriving().count() as u64;
        let created = arriving().filter(|(item, _)| item.before.is_none());
        // At the most: many of the folders above a new file are there.
        let folders: BTreeSet<&str> = created.flat_map(|(item, _)| item.path.ancestors()).collect();
        let files = count.saturating_add(folders.len() as u64).saturating_add(SPARE_FILES);
        let space = self.port.space()?;
        let enough_files = space.files.is_none_or(|left| left >= files);
        // Most disks have room for images of any size; then no image is asked for its own.
        let largest = space.largest.map_or(u64::MAX, |size| size.saturating_add(BLOCK));
        let most = largest.saturating_mul(count);
        if enough_files && space.bytes >= most.saturating_add(SPARE_BYTES) {
            return Ok(());
        }
        let mut needed = SPARE_BYTES;
        for (_, digest) in arriving() {
            needed = needed.saturating_add(self.size(digest, images)?.next_multiple_of(BLOCK));
        }
        if enough_files && space.bytes >= needed {
            return Ok(());
        }
        Err(StageError::NoSpace { needed, files, left: space })
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
        self.port.stage(&at, &bytes, mode, &Metadata::default())?;
        Ok((manifest, Digest::of(&bytes)))
    }

    /// Deletes a staged run. What cannot be deleted now, recovery deletes later.
    pub(crate) fn discard(&self, run: &RunId, folder: &Spot) {
        let _ = self
            .port
            .place(folder, &Shelf::Trash.of(run, self.key))
            .and_then(|()| self.empty_trash());
    }
}

/// The folder of a run. It is deleted when this is dropped, unless the run has started.
pub(crate) struct RunFolder<'a> {
    engine: Engine<'a>,
    run: RunId,
    pub(crate) spot: Spot,
    started: bool,
}

impl<'a> RunFolder<'a> {
    fn new(engine: Engine<'a>, run: &RunId) -> Self {
        let spot = Shelf::Runs.of(run, engine.key);
        Self { engine, run: run.clone(), spot, started: false }
    }

    /// From now on only settling the run may delete its folder.
    pub(crate) fn start(&mut self) {
        self.started = true;
    }
}

impl Drop for RunFolder<'_> {
    fn drop(&mut self) {
        if !self.started {
            self.engine.discard(&self.run, &self.spot);
        }
    }
}

/// The slots of a run, as they are filled.
struct Slots<'e> {
    engine: Engine<'e>,
    folder: &'e Spot,
    /// How many names were given out.
    count: usize,
    arriving: Vec<Item>,
    carried: CarriedMetadata,
    lost: Vec<PortError>,
}

impl<'e> Slots<'e> {
    fn new(engine: Engine<'e>, folder: &'e Spot) -> Self {
        let (arriving, carried, lost) = (Vec::new(), CarriedMetadata::new(), Vec::new());
        Self { engine, folder, count: 0, arriving, carried, lost }
    }

    /// Compares every target with the plan and writes what takes its place. Answers the
    /// movements in the order in which they are made.
    fn fill(
        mut self,
        folded: Vec<Folded>,
        old_folders: &[OldFolder],
        images: &dyn Images,
        watch: &dyn Watch,
    ) -> Result<(Vec<Item>, CarriedMetadata), StageError> {
        let port = self.engine.port;
        let spots: Vec<Spot> = folded.iter().map(|item| Spot::target(&item.path)).collect();
        let mut surveyor = Surveyor::new(self.engine, &folded, old_folders, images);
        let mut sights = port.see_all(&spots).into_iter();
        let (mut done, total) = (0, folded.len());
        let mut unwritten = None;
        for (item, at) in folded.into_iter().zip(&spots) {
            if watch.cancelled() {
                return Err(StageError::Cancelled);
            }
            // What was not looked at may be anything.
            let sight = sights.next().unwrap_or_else(|| port.see(at))?;
            // Where one image cannot be written, every target is still compared.
            if let Some(file) = surveyor.take_in(item, sight)?
                && unwritten.is_none()
            {
                unwritten = self.write(file, images).err();
            }
            done += 1;
            watch.progress(Progress { phase: Phase::Staging, done, total });
        }
        let survey = surveyor.end()?;
        match unwritten {
            Some(error) => Err(error),
            None => self.finish(survey, old_folders),
        }
    }

    /// A slot's name; with the first one the folder is made.
    fn name(&mut self) -> Result<String, StageError> {
        if self.count == 0 {
            self.engine.port.make_private(self.folder)?;
        }
        self.count += 1;
        Ok((self.count - 1).to_string())
    }

    fn write(&mut self, file: Arriving, images: &dyn Images) -> Result<(), StageError> {
        let blob = images.image(&file.after.digest)?;
        if blob.digest() != file.after.digest {
            return Err(ImageError::Changed(file.after.digest).into());
        }
        let slot = self.name()?;
        let (port, at) = (self.engine.port, self.folder.within(&slot));
        match port.stage(&at, blob.bytes(), file.after.mode, &file.metadata) {
            Ok(inode) => {
                let after = file.after;
                let work = match file.before {
                    Some(before) => {
                        self.carried.insert(slot.clone(), file.metadata);
                        Work::Write { before, after }
                    }
                    None => Work::Place { after, inode },
                };
                self.arriving.push(Item { path: file.path, work, slot, step: file.step });
                Ok(())
            }
            // The slot is not what matters to the reader, the target is.
            Err(PortError::CannotCarry { what, errno, .. }) => {
                let at_target = Spot::target(&file.path);
                self.lost.push(PortError::CannotCarry { at: at_target, what, errno });
                Ok(port.remove(&at)?)
            }
            Err(PortError::Refused { fault, .. }) => {
                Err(PortError::Refused { at: Spot::target(&file.path), fault }.into())
            }
            Err(PortError::System { act, at: failed, errno }) if failed == at => {
                let at = Spot::target(&file.path);
                Err(PortError::System { act, at, errno }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What leaves and what is made besides.
    fn finish(
        mut self,
        survey: Survey,
        old_folders: &[OldFolder],
    ) -> Result<(Vec<Item>, CarriedMetadata), StageError> {
        if self.count == 0 && survey.leaving.is_empty() {
            return Err(StageError::Nothing);
        }
        let mut items = Vec::new();
        for file in survey.leaving {
            let (work, slot) = (Work::Take { before: file.before }, self.name()?);
            self.carried.insert(slot.clone(), file.metadata);
            items.push(Item { path: file.path, work, slot, step: file.step });
        }
        for old in old_folders {
            let (path, work) = (old.path.clone(), Work::TakeFolder { inode: old.inode });
            items.push(Item { path, work, slot: self.name()?, step: String::new() });
        }
        for (path, metadata) in survey.folders {
            let slot = self.name()?;
            let (port, at) = (self.engine.port, self.folder.within(&slot));
            match port.stage_folder(&at, &metadata) {
                Ok(inode) => {
                    let work = Work::PlaceFolder { inode };
                    items.push(Item { path, work, slot, step: String::new() });
                }
                Err(PortError::CannotCarry { what, errno, .. }) => {
                    self.lost.push(PortError::CannotCarry { at: Spot::target(&path), what, errno });
                    port.remove_folder(&at)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.lost.extend(survey.lost);
        if !self.lost.is_empty() {
            return Err(StageError::Metadata(self.lost));
        }
        items.append(&mut self.arriving);
        Ok((items, self.carried))
    }
}
