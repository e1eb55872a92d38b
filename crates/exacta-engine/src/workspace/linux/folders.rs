//! The folders that were acted in last, kept open for the next operation.
//!
//! A run acts on many files of few folders, one after the other, and resolving a path is
//! a good part of what an operation costs. So the newest folder of the project and the
//! newest of the gate's own stay open, no more. A handle stands for the folder that lay
//! at the path when it was opened, never for a link that was put there since. It is closed
//! after a tenth of a second, at every barrier, whenever a turn begins and when the
//! folder itself is moved; an operation that fails through it is tried again through a
//! fresh one.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::sight::refused;
use crate::workspace::beneath::Refusal;
use crate::workspace::port::PortError;
use crate::workspace::root::Root;
use crate::workspace::spot::{STATE_FOLDER, Spot};

/// After this long a folder is looked up again.
const STALE: Duration = Duration::from_millis(100);

/// A handle, the path it was opened by, and when.
type Recent = Option<(Spot, Arc<OwnedFd>, Instant)>;

/// The newest folder of the project and the newest of the gate's own.
#[derive(Debug, Default)]
pub(in crate::workspace) struct Folders {
    recent: Mutex<[Recent; 2]>,
}

/// An open folder.
pub(super) struct Folder {
    pub(super) handle: Arc<OwnedFd>,
    /// Whether it was open already.
    reused: bool,
}

impl Folders {
    fn with<T>(&self, at: &Spot, act: impl FnOnce(&mut Recent) -> T) -> T {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let [project, own] = &mut *recent;
        act(if lies_in(at.as_str(), STATE_FOLDER) { own } else { project })
    }

    fn get(&self, at: &Spot) -> Option<Arc<OwnedFd>> {
        self.with(at, |recent| match recent {
            Some((path, handle, since)) if path == at && since.elapsed() < STALE => {
                Some(Arc::clone(handle))
            }
            _ => None,
        })
    }

    fn keep(&self, at: Spot, handle: &Arc<OwnedFd>) {
        let kept = Arc::clone(handle);
        self.with(&at.clone(), |recent| *recent = Some((at, kept, Instant::now())));
    }

    /// Closes both.
    pub(super) fn close(&self) {
        *self.recent.lock().unwrap_or_else(PoisonError::into_inner) = [None, None];
    }

    /// Closes what is no longer at its path once `moved` is elsewhere.
    fn left(&self, moved: &Spot) {
        self.with(moved, |recent| {
            recent.take_if(|(path, ..)| lies_in(path.as_str(), moved.as_str()));
        });
    }
}

fn lies_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Root {
    /// The open folder that a spot lies in.
    fn open_folder(&self, at: &Spot) -> Result<Folder, PortError> {
        let folder = at.folder();
        if let Some(handle) = self.folders().get(&folder) {
            return Ok(Folder { handle, reused: true });
        }
        let opened = self.open_beneath(folder.as_str(), OFlags::PATH | OFlags::DIRECTORY);
        let handle = Arc::new(opened.map_err(|refusal| refused("open", &folder, refusal))?);
        self.folders().keep(folder, &handle);
        Ok(Folder { handle, reused: false })
    }

    /// Acts in the folder that a spot lies in. `act` must do nothing where it fails.
    pub(super) fn in_folder<T>(
        &self,
        at: &Spot,
        act: impl Fn(&OwnedFd) -> Result<T, Errno>,
    ) -> Result<Result<T, Errno>, PortError> {
        let folder = self.open_folder(at)?;
        match act(&folder.handle) {
            Err(_) if folder.reused => {
                self.folders().close();
                Ok(act(&self.open_folder(at)?.handle))
            }
            done => Ok(done),
        }
    }

    /// Looks in the folder that a spot lies in. Where nothing is found through a folder that
    /// was open already, the whole path is asked instead of the folder looked up again: names
    /// that are not there yet are looked for before every answer.
    pub(super) fn look_in_folder<T>(
        &self,
        at: &Spot,
        look: impl Fn(&OwnedFd) -> Result<T, Errno>,
    ) -> Result<Result<T, Errno>, PortError> {
        let folder = self.open_folder(at)?;
        let found = look(&folder.handle);
        let absent = || {
            let asked = self.open_beneath(at.as_str(), OFlags::PATH);
            matches!(asked, Err(Refusal::Absent))
        };
        match &found {
            Err(Errno::NOENT) if folder.reused && absent() => Ok(found),
            Err(_) if folder.reused => {
                self.folders().close();
                Ok(look(&self.open_folder(at)?.handle))
            }
            _ => Ok(found),
        }
    }

    /// Moves `one` to `other`, or exchanges them; `act` gets the folders of both.
    pub(super) fn between(
        &self,
        one: &Spot,
        other: &Spot,
        act: impl Fn(&OwnedFd, &OwnedFd) -> Result<(), Errno>,
    ) -> Result<Result<(), Errno>, PortError> {
        let (here, there) = (self.open_folder(one)?, self.open_folder(other)?);
        let done = match act(&here.handle, &there.handle) {
            Err(_) if here.reused || there.reused => {
                self.folders().close();
                let (here, there) = (self.open_folder(one)?, self.open_folder(other)?);
                act(&here.handle, &there.handle)
            }
            done => done,
        };
        self.folders().left(one);
        self.folders().left(other);
        Ok(done)
    }
}
