//! Durability: the whole file system at once, or file by file beside a busy neighbour.
//!
//! One `syncfs` is nearly always cheaper than even a handful of `fsync` calls, because
//! each of those forces the file system's own journal out. But it also waits for
//! everybody's unwritten bytes: beside a process that fills the disk it takes as long as
//! that disk needs. So the unwritten bytes of the machine decide.

use rustix::fs::{self, OFlags};
use rustix::io::retry_on_intr;

use super::sight::{refused, system};
use crate::workspace::beneath::Refusal;
use crate::workspace::port::{PortError, Scope, Space};
use crate::workspace::root::Root;
use crate::workspace::spot::Spot;

/// What a disk writes in the time that one `fsync` takes.
const BYTES_A_SYNC: u64 = 512 << 10;
/// Up to this many are synced one by one where the system does not tell.
const FEW: u64 = 16;

/// Whether syncing file by file is expected to be faster.
fn one_by_one(count: u64) -> bool {
    match unwritten_bytes() {
        Some(bytes) => bytes > count.saturating_mul(BYTES_A_SYNC),
        None => count <= FEW,
    }
}

/// Bytes on this machine that no disk has yet; `None` where the system does not tell.
fn unwritten_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.trim().split(' ').next()?.parse::<u64>().ok()
    };
    Some((kibibytes("Dirty:")? + kibibytes("Writeback:")?) << 10)
}

impl Root {
    pub(super) fn make_durable(&self, scope: &Scope) -> Result<(), PortError> {
        if !one_by_one((scope.files.len() + scope.folders.len()) as u64) {
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
