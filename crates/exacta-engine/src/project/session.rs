//! Sessions: an id and a lock that its owner holds.
//!
//! A plan belongs to the session of the process that serves the project, if one does, and
//! otherwise to the boot. A session is over when its lock is free or the machine was started
//! anew. The lock is a file with the session's own id as its name, so that one look tells
//! whether that very session is held; `current` says which one to look at. Whoever dies
//! between taking the lock and saying so has never been the current session.

use std::sync::Arc;

use exacta_core::life::lifecycle::Moment;

use crate::machine::is_id;
use crate::workspace::{Lock, PortError, Spot, Workspace, replace};

const FOLDER: &str = "sessions";
const CURRENT: &str = "current";
const SERVED: &str = "serve:";
const BOOT: &str = "boot:";

/// A session that this process owns; it is over when this is dropped.
#[must_use = "the session is over as soon as this is dropped"]
pub struct Session {
    id: String,
    workspace: Arc<dyn Workspace + Send + Sync>,
    lock: Option<Lock>,
}

impl Session {
    pub(super) fn own(
        workspace: Arc<dyn Workspace + Send + Sync>,
        id: String,
    ) -> Result<Self, PortError> {
        let port = workspace.as_ref();
        port.make_private(&Spot::state())?;
        port.make_private(&folder())?;
        let turn = port.turn()?;
        if let Some(other) = said(port) {
            if port.is_held(&file(&other))? {
                return Err(PortError::Locked);
            }
            port.remove(&file(&other))?;
        }
        let lock = port.hold(&file(&id))?;
        replace(port, &folder().within(CURRENT), id.as_bytes())?;
        drop(turn);
        Ok(Self { id, workspace, lock: Some(lock) })
    }

    /// How plans name it.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{SERVED}{}", self.id)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.lock.take());
        // What stays of it counts for nothing: nobody holds it.
        let _ = self.workspace.remove(&file(&self.id));
    }
}

/// The session that plans made now belong to.
pub(crate) fn current(port: &dyn Workspace, now: &Moment) -> String {
    match said(port) {
        Some(id) if port.is_held(&file(&id)).unwrap_or(false) => format!("{SERVED}{id}"),
        _ => format!("{BOOT}{}", now.boot),
    }
}

/// Whether a plan's session is not over yet. Where that cannot be told, it is.
pub(crate) fn is_held(port: &dyn Workspace, session: &str, now: &Moment) -> bool {
    if let Some(boot) = session.strip_prefix(BOOT) {
        return boot == now.boot;
    }
    let id = session.strip_prefix(SERVED).filter(|id| is_id(id));
    id.is_some_and(|id| port.is_held(&file(id)).unwrap_or(false))
}

/// The session that was said to be the current one; whether it is held is another matter.
fn said(port: &dyn Workspace) -> Option<String> {
    let bytes = port.read(&folder().within(CURRENT)).ok()?;
    String::from_utf8(bytes).ok().filter(|id| is_id(id))
}

fn folder() -> Spot {
    Spot::state().within(FOLDER)
}

fn file(id: &str) -> Spot {
    folder().within(id)
}
