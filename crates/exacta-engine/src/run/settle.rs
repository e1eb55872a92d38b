//! Settling: an unfinished run is finished or rolled back, recorded, and shelved.

use exacta_core::model::digest::Digest;

use crate::run::engine::Engine;
use crate::run::journal::{Fate, Milestone};
use crate::run::layout::Shelf;
use crate::run::manifest::Manifest;
use crate::run::roll::{Conflict, Roll};
use crate::workspace::{PortError, Scope, Spot};

impl Engine<'_> {
    /// Rolls every target back to its before image and records it.
    pub(crate) fn settle_back(
        &self,
        manifest: &Manifest,
        digest: Digest,
        folder: &Spot,
    ) -> Result<Vec<Conflict>, Vec<PortError>> {
        let rolled = self.roll(manifest, folder, Roll::Back);
        if !rolled.obstacles.is_empty() {
            return Err(rolled.obstacles);
        }
        let fate = Fate { event: Milestone::Aborted, manifest: digest };
        let one = |error| vec![error];
        self.journal.record(&manifest.run, fate).map_err(one)?;
        self.port.barrier(&self.second_scope(manifest, folder)).map_err(one)?;
        if rolled.conflicts.is_empty() && !rolled.keep {
            self.discard(&manifest.run, folder);
        } else {
            let kept = Shelf::Kept.of(&manifest.run, self.key);
            self.port.place(folder, &kept).map_err(one)?;
        }
        Ok(rolled.conflicts)
    }

    /// Gives every target its after image; the journal already says so.
    pub(crate) fn settle_forward(
        &self,
        manifest: &Manifest,
        folder: &Spot,
    ) -> Result<Vec<Conflict>, Vec<PortError>> {
        let rolled = self.roll(manifest, folder, Roll::Forward);
        if !rolled.obstacles.is_empty() {
            return Err(rolled.obstacles);
        }
        let one = |error| vec![error];
        self.port.barrier(&self.second_scope(manifest, folder)).map_err(one)?;
        let kept = Shelf::Kept.of(&manifest.run, self.key);
        self.port.place(folder, &kept).map_err(one)?;
        Ok(rolled.conflicts)
    }

    /// Every folder whose entries moved, and the journal.
    pub(crate) fn second_scope(&self, manifest: &Manifest, folder: &Spot) -> Scope {
        let mut scope = Scope { files: Vec::new(), folders: vec![folder.clone()] };
        for item in &manifest.items {
            let above = item.target().folder();
            // Most neighbours in the list lie in one folder.
            if scope.folders.last() != Some(&above) {
                scope.folders.push(above);
            }
        }
        self.with_journal(scope)
    }
}
