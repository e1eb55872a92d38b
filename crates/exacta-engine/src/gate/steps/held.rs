//! The lock of one run: whoever holds it is at it.

use exacta_core::model::id::RunId;

use crate::gate::error::GateError;
use crate::gate::handle::Gate;
use crate::workspace::{Lock, PortError, Spot};

const FOLDER: &str = "steps";

fn file(run_id: &RunId) -> Spot {
    Spot::state().within(FOLDER).within(run_id.as_str())
}

impl Gate<'_> {
    /// Holds a run, so that nobody else goes on with it. The lock is free again when its holder
    /// ends, however it ends.
    pub(super) fn hold_run(&self, run_id: &RunId) -> Result<Lock, GateError> {
        let port = self.ports.port;
        port.make_private(&Spot::state())?;
        port.make_private(&Spot::state().within(FOLDER))?;
        match port.hold(&file(run_id)) {
            Ok(lock) => Ok(lock),
            Err(PortError::Locked) => Err(GateError::RunUnderWay { run_id: run_id.clone() }),
            Err(error) => Err(error.into()),
        }
    }

    /// Forgets the lock of a run that has ended or never began. Whoever takes it all the same
    /// finds out by the record.
    pub(super) fn free_run(&self, run_id: &RunId, lock: Lock) {
        drop(lock);
        // What stays of it counts for nothing: nobody holds it.
        let _ = self.ports.port.remove(&file(run_id));
    }

    /// Whether somebody is at a run with tool steps right now.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn is_driven(&self, run_id: &RunId) -> Result<bool, GateError> {
        Ok(self.ports.port.is_held(&file(run_id))?)
    }
}
