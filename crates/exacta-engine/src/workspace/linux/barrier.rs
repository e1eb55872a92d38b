//! Durability: one by one for a few files, the whole file system for many.
//!
//! Syncing the file system waits for everybody's dirty pages, so a small run must not
//! pay for a busy neighbour; beyond a few dozen files one call is cheaper than many.

use rustix::fs::{self, OFlags};
use rustix::io::retry_on_intr;

use super::sight::{refused, system};
use crate::workspace::beneath::Refusal;
use crate::workspace::port::{PortError, Scope, Space};
use crate::workspace::root::Root;
use crate::workspace::spot::Spot;

/// Up to this many files and folders are synced one by one.
const ONE_BY_ONE: usize = 24;

impl Root {
    pub(super) fn make_durable(&self, scope: &Scope) -> Result<(), PortError> {
        if scope.files.len() + scope.folders.len() > ONE_BY_ONE {
            let root = Spot::root();
            return retry_on_intr(|| fs::syncfs(self.handle())).map_err(system("sync", &root));
        }
        // Bytes first: a folder entry must not become durable before what it names.
        for file in &scope.files {
            self.sync_one(file, OFlags::RDONLY | OFlags::NONBLOCK)?;
        }
        for folder in &scope.folders {
            self.sync_one(folder, OFlags::RDONLY | OFlags::DIRECTORY)?;
        }
        Ok(())
    }

    fn sync_one(&self, at: &Spot, flags: OFlags) -> Result<(), PortError> {
        match self.open_beneath(at.as_str(), flags) {
            Ok(handle) => retry_on_intr(|| fs::fsync(&handle)).map_err(system("sync", at)),
            // What is no longer there has nothing left to make durable but its folder,
            // and a folder that became a file has no entries.
            Err(Refusal::Absent | Refusal::NotAFolder(_)) => Ok(()),
            Err(refusal) => Err(refused("sync", at, refusal)),
        }
    }

    pub(super) fn room(&self) -> Result<Space, PortError> {
        let stat = fs::fstatvfs(self.handle()).map_err(system("measure", &Spot::root()))?;
        Ok(Space {
            bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
            files: (stat.f_files > 0).then_some(stat.f_favail),
        })
    }
}
