//! The tree as it would be after the run, for checks that must not see the live one.

use std::path::Path;

use crate::run::commit::Staged;
use crate::run::fault::{Drift, Found};
use crate::run::manifest::{Item, Work};
use crate::workspace::{Dress, PortError, Sight, Workspace};

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
            let found = match self.engine.port.see(&item.slot_in(&self.folder))? {
                Sight::File(seen) if seen.image == after => continue,
                Sight::File(seen) => Found::Changed(seen.image),
                Sight::Unfit(fault) => Found::Unfit(fault),
                Sight::Absent => Found::Vanished,
            };
            drifts.push(Drift { path: item.path.clone(), found });
        }
        Ok(drifts)
    }

    fn show(&self, item: &Item, view: &dyn Workspace) -> Result<(), PortError> {
        let target = item.target();
        match item.work {
            Work::Take { .. } => view.remove(&target),
            Work::PlaceFolder { .. } => view.stage_folder(&target, &Dress::default()).map(|_| ()),
            Work::TakeFolder { .. } => match view.look_folder(&target)? {
                Some(seen) if seen.empty => view.remove_folder(&target),
                _ => Ok(()),
            },
            Work::Write { after, .. } | Work::Place { after, .. } => {
                let bytes = self.engine.port.read(&item.slot_in(&self.folder))?;
                view.remove(&target)?;
                view.stage(&target, &bytes, after.mode, &Dress::default()).map(|_| ())
            }
        }
    }
}
