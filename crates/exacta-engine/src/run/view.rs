//! The tree as it would be after the run, for checks that must not see the live one.

use std::path::{Path, PathBuf};

use exacta_core::model::path::RelPath;

use crate::run::commit::Staged;
use crate::run::fault::{Drift, Found};
use crate::run::manifest::{Item, Work};
use crate::workspace::{Image, Metadata, PortError, Sight, Spot, Workspace};

/// What the run would make of one path.
pub(crate) enum Shown<'a> {
    /// Nothing.
    Gone(&'a RelPath),
    /// A new folder.
    Folder(&'a RelPath),
    /// Nothing, if the folder is empty by then.
    EmptyFolder(&'a RelPath),
    /// This image, which lies in a slot.
    File { path: &'a RelPath, image: Image, slot: Spot },
}

impl Staged<'_> {
    /// Copies the project into the empty folder `into`, with every staged image in
    /// place. The project itself is not touched.
    ///
    /// # Errors
    /// When the folder is not empty or the copy cannot be made.
    pub fn view(&self, into: &Path) -> Result<Box<dyn Workspace>, PortError> {
        let view = self.engine.port.view(into)?;
        for item in &self.manifest.items {
            self.show(item, &*view)?;
        }
        Ok(view)
    }

    /// Staged images that are no longer what was staged. To be asked after anything ran
    /// that might have reached them; empty means all is well.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn verify(&self) -> Result<Vec<Drift>, PortError> {
        let mut drifts = Vec::new();
        for item in &self.manifest.items {
            let Some(after) = item.after() else { continue };
            let found = match self.engine.port.see(&item.slot_in(&self.folder.spot))? {
                Sight::File(seen) if seen.image == after => continue,
                Sight::File(seen) => Found::Changed(seen.image),
                Sight::Unfit(fault) => Found::Unfit(fault),
                Sight::Absent => Found::Vanished,
            };
            drifts.push(Drift { path: item.path.clone(), found });
        }
        Ok(drifts)
    }

    /// The run as changes to a tree, in the order they are made.
    pub(crate) fn shown(&self) -> impl Iterator<Item = Shown<'_>> {
        self.manifest.items.iter().map(|item| match item.work {
            Work::Take { .. } => Shown::Gone(&item.path),
            Work::PlaceFolder { .. } => Shown::Folder(&item.path),
            Work::TakeFolder { .. } => Shown::EmptyFolder(&item.path),
            Work::Write { after, .. } | Work::Place { after, .. } => Shown::File {
                path: &item.path,
                image: after,
                slot: item.slot_in(&self.folder.spot),
            },
        })
    }

    /// The bytes in a slot.
    pub(crate) fn staged_bytes(&self, slot: &Spot) -> Result<Vec<u8>, PortError> {
        self.engine.port.read(slot)
    }

    /// Where the project lies.
    pub(crate) fn location(&self) -> Result<PathBuf, PortError> {
        self.engine.port.location()
    }

    fn show(&self, item: &Item, view: &dyn Workspace) -> Result<(), PortError> {
        let target = item.target();
        match item.work {
            Work::Take { .. } => view.remove(&target),
            Work::PlaceFolder { .. } => {
                view.stage_folder(&target, &Metadata::default()).map(|_| ())
            }
            Work::TakeFolder { .. } => match view.look_folder(&target)? {
                Some(seen) if seen.empty => view.remove_folder(&target),
                _ => Ok(()),
            },
            Work::Write { after, .. } | Work::Place { after, .. } => {
                let bytes = self.engine.port.read(&item.slot_in(&self.folder.spot))?;
                view.remove(&target)?;
                view.stage(&target, &bytes, after.mode, &Metadata::default()).map(|_| ())
            }
        }
    }
}
