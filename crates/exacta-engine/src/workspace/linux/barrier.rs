//! Durability: the whole file system at once, or file by file beside a busy neighbour.
//!
//! One `syncfs` is nearly always cheaper than even a handful of `fsync` calls, because
//! each of those forces the file system's own journal out. But it also waits for
//! everybody's unwritten bytes: beside a process that fills the disk it takes as long as
//! that disk needs. So the unwritten bytes of the machine decide. Where files are synced
//! one by one, several are under way at a time: the file system then writes its journal
//! once for all that wait for it.

use std::fs::File;
use std::io::Read as _;

use rustix::fs::{self, OFlags};
use rustix::io::retry_on_intr;

use super::side_by_side::side_by_side;
use super::sight::{refused, system};
use crate::workspace::beneath::Refusal;
use crate::workspace::port::{PortError, Scope, Space};
use crate::workspace::root::Root;
use crate::workspace::spot::Spot;

/// What a disk writes in the time that one `fsync` among several takes.
const BYTES_A_SYNC: u64 = 128 << 10;
/// How many are synced at a time.
const AT_A_TIME: usize = 8;
/// Fewer than this are not worth a further thread.
const A_THREAD: usize = 4;
/// Up to this many are synced one by one where the system does not say.
const FEW: u64 = 16;

/// Whether syncing file by file is expected to be faster.
fn one_by_one(count: u64) -> bool {
    match unwritten_bytes() {
        Some(bytes) => bytes > count.saturating_mul(BYTES_A_SYNC),
        None => count <= FEW,
    }
}

/// Bytes on this machine that no disk has yet; `None` where the system does not say.
fn unwritten_bytes() -> Option<u64> {
    // Room for all of it at once: the system counts anew for every piece that is read.
    let mut text = String::with_capacity(4096);
    File::open("/proc/meminfo").ok()?.read_to_string(&mut text).ok()?;
    let kibibytes = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        rest.trim().split(' ').next()?.parse::<u64>().ok()
    };
    Some((kibibytes("Dirty:")? + kibibytes("Writeback:")?) << 10)
}

impl Root {
    pub(super) fn make_durable(&self, scope: &Scope) -> Result<(), PortError> {
        // Whatever waits for the disk may have waited long.
        self.folders().close();
        if !one_by_one((scope.files.len() + scope.folders.len()) as u64) {
            let root = Spot::root();
            return retry_on_intr(|| fs::syncfs(self.handle())).map_err(system("sync", &root));
        }
        self.sync_each(scope)
    }

    fn sync_each(&self, scope: &Scope) -> Result<(), PortError> {
        // In any order: before the barrier is through nobody may rely on any of it, just
        // as if the system had begun to write by itself.
        let files = scope.files.iter().map(|at| (at, OFlags::RDONLY | OFlags::NONBLOCK));
        let folders = scope.folders.iter().map(|at| (at, OFlags::RDONLY | OFlags::DIRECTORY));
        let all: Vec<(&Spot, OFlags)> = files.chain(folders).collect();
        let threads = (all.len() / A_THREAD).clamp(1, AT_A_TIME);
        // They wait for the disk, not for a core.
        let sync = |(at, flags): &(&Spot, OFlags)| self.sync_one(at, *flags);
        side_by_side(threads, &all, sync).into_iter().collect()
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
            largest: Some(self.size_limit()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::model::path::RelPath;

    /// What cannot be synced is reported, and what is no longer there needs no syncing.
    #[test]
    fn one_by_one_nothing_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "x").unwrap();
        std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
        let root = Root::open(folder.path()).unwrap();
        let spot = |name: &str| Spot::target(&RelPath::parse(name).unwrap());
        let scope = |files: &[&str], folders: &[&str]| Scope {
            files: files.iter().map(|name| spot(name)).collect(),
            folders: folders.iter().map(|name| spot(name)).collect(),
        };
        let refused =
            |scope: &Scope| matches!(root.sync_each(scope), Err(PortError::Refused { .. }));
        assert_eq!(root.sync_each(&scope(&["file", "gone"], &["gone", "file"])), Ok(()));
        assert!(refused(&scope(&["link"], &[])));
        assert!(refused(&scope(&["file", "file", "file", "file", "file", "link"], &[])));
        assert!(refused(&scope(&["file"], &["link"])));
    }
}
