//! Recovery: what a dead process left is finished or rolled back, as the journal says.
//!
//! | journal says | manifest | what happens |
//! | --- | --- | --- |
//! | nothing | any | no target was touched: the staged images are deleted |
//! | started, aborted | ours | every target gets its before image |
//! | completed | ours | every target gets its after image |
//! | anything | torn | nothing is touched; the folder is kept and reported |
//!
//! Folders without our tag are never entered.

use exacta_core::model::digest::Digest;

use crate::run::engine::Engine;
use crate::run::fault::RecoverError;
use crate::run::journal::{Fate, Milestone};
use crate::run::layout::{self, Shelf};
use crate::run::manifest::Manifest;
use crate::run::receipt::Recovered;
use crate::run::run_id::RunId;
use crate::workspace::{PortError, Spot};

impl Engine<'_> {
    /// Settles every unsettled run. Doing it again does nothing.
    ///
    /// # Errors
    /// When something stands in the way; it may be tried again.
    pub fn recover(&self) -> Result<Recovered, RecoverError> {
        let lock = self.port.lock()?;
        self.prepare()?;
        let mut report = Recovered::default();
        let mut obstacles = Vec::new();
        for name in self.port.list(&Shelf::Runs.spot())? {
            match layout::owner_of(&name, self.key) {
                None => report.foreign.push(name),
                Some(run) => {
                    if let Err(mut found) = self.recover_one(&run, &mut report) {
                        obstacles.append(&mut found);
                    }
                }
            }
        }
        self.empty_trash()?;
        drop(lock);
        if obstacles.is_empty() { Ok(report) } else { Err(RecoverError::Unsettled { obstacles }) }
    }

    /// How many files an unsettled run is about; 0 when its manifest cannot be read.
    pub(crate) fn files_of(&self, run: &RunId) -> usize {
        let manifest = self.read_manifest(run, &Shelf::Runs.of(run, self.key));
        let items = manifest.ok().flatten().map_or_else(Vec::new, |(manifest, _)| manifest.items);
        items.iter().filter(|item| !item.is_folder()).count()
    }

    fn recover_one(&self, run: &RunId, report: &mut Recovered) -> Result<(), Vec<PortError>> {
        let one = |error| vec![error];
        let folder = Shelf::Runs.of(run, self.key);
        let fate = self.journal.fate(run).map_err(one)?;
        let manifest = self.read_manifest(run, &folder).map_err(one)?;
        match (fate, manifest) {
            (None, None) => {
                self.port.place(&folder, &Shelf::Trash.of(run, self.key)).map_err(one)?;
                report.aborted.push(run.clone());
            }
            // Without a start on the record nothing can have moved; rolling back finds
            // that out for itself instead of relying on it.
            (None, Some((manifest, digest))) => {
                self.roll_back(&manifest, digest, &folder, report)?;
            }
            (Some(fate), Some((manifest, digest))) if fate.manifest == digest => match fate.event {
                Milestone::Completed => {
                    let conflicts = self.settle_forward(&manifest, &folder)?;
                    report.conflicts.extend(conflicts.into_iter().map(|c| (run.clone(), c)));
                    report.finished.push(run.clone());
                }
                Milestone::Started | Milestone::Aborted => {
                    self.roll_back(&manifest, digest, &folder, report)?;
                }
            },
            (Some(fate), _) => {
                self.keep_torn(run, fate, &folder).map_err(one)?;
                report.torn.push(run.clone());
            }
        }
        Ok(())
    }

    fn roll_back(
        &self,
        manifest: &Manifest,
        digest: Digest,
        folder: &Spot,
        report: &mut Recovered,
    ) -> Result<(), Vec<PortError>> {
        let run = &manifest.run;
        let conflicts = self.settle_back(manifest, digest, folder)?;
        report.conflicts.extend(conflicts.into_iter().map(|c| (run.clone(), c)));
        report.aborted.push(run.clone());
        Ok(())
    }

    /// A start is on the record but its manifest is not whole: the power went before the
    /// first barrier, so no target moved. The folder is kept all the same.
    fn keep_torn(&self, run: &RunId, fate: Fate, folder: &Spot) -> Result<(), PortError> {
        if fate.event == Milestone::Started {
            self.journal.record(run, Fate { event: Milestone::Aborted, ..fate })?;
        }
        self.port.place(folder, &Shelf::Kept.of(run, self.key))
    }

    /// The manifest in a run's folder; `None` when it is missing, torn or not ours.
    pub(crate) fn read_manifest(
        &self,
        run: &RunId,
        folder: &Spot,
    ) -> Result<Option<(Manifest, Digest)>, PortError> {
        let bytes = match self.port.read(&layout::manifest_in(folder)) {
            Ok(bytes) => bytes,
            Err(PortError::Gone(_) | PortError::Refused { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let manifest = Manifest::from_bytes(&bytes, run, self.key).ok();
        Ok(manifest.map(|manifest| (manifest, Digest::of(&bytes))))
    }
}
