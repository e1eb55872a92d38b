//! The engine: a port, a journal and a key, which together can run changes.

use crate::run::journal::Journal;
use crate::run::key::Key;
use crate::run::layout::{self, Shelf};
use crate::run::run_id::RunId;
use crate::workspace::{PortError, Scope, Spot, Workspace};

/// Runs changes on one project.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    pub(crate) port: &'a dyn Workspace,
    pub(crate) journal: &'a dyn Journal,
    pub(crate) key: &'a Key,
}

impl<'a> Engine<'a> {
    /// Binds the three; nothing is read or written yet.
    #[must_use]
    pub fn new(port: &'a dyn Workspace, journal: &'a dyn Journal, key: &'a Key) -> Self {
        Self { port, journal, key }
    }

    /// Runs of ours that are not settled; empty means no recovery is needed.
    ///
    /// # Errors
    /// When the state folder cannot be read.
    pub fn unsettled(&self) -> Result<Vec<RunId>, PortError> {
        let names = self.port.list(&Shelf::Runs.spot())?;
        Ok(names.iter().filter_map(|name| layout::owner_of(name, self.key)).collect())
    }

    /// Makes the state folders that a run needs.
    pub(crate) fn prepare(&self) -> Result<(), PortError> {
        self.port.make_private(&Spot::state())?;
        Shelf::ALL.into_iter().try_for_each(|shelf| self.port.make_private(&shelf.spot()))
    }

    /// Deletes what lies in the trash; only folders that carry our tag.
    pub(crate) fn empty_trash(&self) -> Result<(), PortError> {
        let trash = Shelf::Trash.spot();
        for name in self.port.list(&trash)? {
            if layout::owner_of(&name, self.key).is_some() {
                self.delete_folder(&trash.within(&name))?;
            }
        }
        Ok(())
    }

    /// A staged folder may hold staged files: after a power loss a file can have reached
    /// its folder although the folder did not reach its place.
    fn delete_folder(&self, folder: &Spot) -> Result<(), PortError> {
        for name in self.port.list(folder)? {
            let spot = folder.within(&name);
            match self.port.look_folder(&spot)? {
                Some(_) => self.delete_folder(&spot)?,
                None => self.port.remove(&spot)?,
            }
        }
        self.port.remove_folder(folder)
    }

    /// Adds what the journal needs to a barrier.
    pub(crate) fn with_journal(&self, mut scope: Scope) -> Scope {
        scope.files.extend(self.journal.files());
        scope.folders.extend(self.journal.folders());
        // Files are named once each; a folder by everything in it.
        scope.folders.sort_unstable();
        scope.folders.dedup();
        scope
    }
}
