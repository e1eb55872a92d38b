//! Looking: what lies at a spot, without keeping its bytes.

use std::num::NonZero;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::thread;

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Digest;
use exacta_core::model::tree::TreeFault;
use rustix::fs::{self, AtFlags, Dir, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::attributes;
use super::side_by_side::side_by_side;
use crate::workspace::beneath::Refusal;
use crate::workspace::look::{hash_whole, read_whole};
use crate::workspace::port::{FolderSeen, Image, Metadata, PortError, Seen, Sight, Stamp};
use crate::workspace::root::Root;
use crate::workspace::spot::Spot;

/// How often a file that changes while it is read is read again.
const TRIES: u32 = 8;
/// Fewer looks than this are not worth a further thread: starting one takes as long as
/// looking at some files.
const A_THREAD: usize = 32;
/// More threads than this would only get in each other's way.
const LOOKS_AT_A_TIME: usize = 4;

/// What was read of a file, nothing, or why it cannot be a target.
type Read<T> = Result<Option<T>, TreeFault>;

/// How many threads are worth it.
fn threads_for(looks: usize) -> usize {
    // Asking for the number of cores takes as long as looking at a few files.
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = || *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get));
    match looks / A_THREAD {
        0 | 1 => 1,
        worth => worth.min(cores()).min(LOOKS_AT_A_TIME),
    }
}

pub(super) fn system(act: &'static str, at: &Spot) -> impl Fn(Errno) -> PortError {
    move |errno| PortError::System { act, at: at.clone(), errno }
}

/// A refusal in the words of the port.
pub(super) fn refused(act: &'static str, at: &Spot, refusal: Refusal) -> PortError {
    match refusal {
        Refusal::Absent => PortError::Gone(at.clone()),
        Refusal::Denied(errno) => system(act, at)(errno),
        other => PortError::Refused { at: at.clone(), fault: other.into() },
    }
}

impl Root {
    pub(super) fn sight(&self, at: &Spot) -> Result<Sight, PortError> {
        let look = |handle: BorrowedFd<'_>, stat: &Stat| {
            let metadata = attributes::metadata_of(handle, stat)?;
            let digest = hash_whole(handle, stat)?;
            Ok(digest.map(|digest| seen_file(stat, digest, metadata)))
        };
        match self.reading(at, look)? {
            Ok(Some(seen)) => Ok(Sight::File(seen)),
            Ok(None) => Ok(Sight::Absent),
            Err(fault) => Ok(Sight::Unfit(fault)),
        }
    }

    pub(super) fn sights(&self, spots: &[Spot]) -> Vec<Result<Sight, PortError>> {
        side_by_side(threads_for(spots.len()), spots, |at| self.sight(at))
    }

    pub(super) fn stamp_of(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        let nofollow = AtFlags::SYMLINK_NOFOLLOW;
        let look = |dir: &OwnedFd| retry_on_intr(|| fs::statat(dir, at.name(), nofollow));
        match self.look_in_folder(at, look) {
            Ok(Ok(stat)) => Ok(Some(stamp(&stat))),
            Ok(Err(Errno::NOENT)) | Err(PortError::Gone(_)) => Ok(None),
            Ok(Err(errno)) => Err(system("read", at)(errno)),
            Err(error) => Err(error),
        }
    }

    pub(super) fn bytes(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        match self.reading(at, read_whole)? {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(PortError::Gone(at.clone())),
            Err(fault) => Err(PortError::Refused { at: at.clone(), fault }),
        }
    }

    /// Reads what may be a target with `read`, again where it changed meanwhile.
    fn reading<T>(
        &self,
        at: &Spot,
        read: impl Fn(BorrowedFd<'_>, &Stat) -> Result<Option<T>, Errno>,
    ) -> Result<Read<T>, PortError> {
        let failed = system("read", at);
        // Looking should leave no trace, and a new time of access is one more thing to
        // make durable. Only the owner may ask for that.
        let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOATIME;
        for _ in 0..TRIES {
            let handle = match self.open_beneath(at.as_str(), flags) {
                Ok(handle) => handle,
                Err(Refusal::Absent) => return Ok(Ok(None)),
                Err(Refusal::Denied(Errno::PERM)) if flags.contains(OFlags::NOATIME) => {
                    flags.remove(OFlags::NOATIME);
                    continue;
                }
                Err(Refusal::Denied(errno)) => return Err(failed(errno)),
                Err(other) => return Ok(Err(other.into())),
            };
            let stat = fs::fstat(&handle).map_err(&failed)?;
            if stat.st_nlink == 0 {
                continue;
            }
            if let Err(fault) = self.check_within(&stat, self.limit_at(at)) {
                return Ok(Err(fault));
            }
            if let Some(found) = read(handle.as_fd(), &stat).map_err(&failed)? {
                return Ok(Ok(Some(found)));
            }
        }
        Err(failed(Errno::AGAIN))
    }

    pub(super) fn folder_seen(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        let failed = system("read", at);
        let handle = match self.open_beneath(at.as_str(), OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(handle) => handle,
            Err(Refusal::Denied(errno)) => return Err(failed(errno)),
            Err(_) => return Ok(None),
        };
        let inode = fs::fstat(&handle).map_err(&failed)?.st_ino;
        let mut empty = true;
        for entry in Dir::new(handle).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                empty = false;
                break;
            }
        }
        Ok(Some(FolderSeen { inode, empty }))
    }

    pub(super) fn names(&self, at: &Spot) -> Result<Vec<String>, PortError> {
        let failed = system("list", at);
        let handle = match self.open_beneath(at.as_str(), OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(handle) => handle,
            Err(Refusal::Absent) => return Ok(Vec::new()),
            Err(refusal) => return Err(refused("list", at, refusal)),
        };
        let mut names = Vec::new();
        for entry in Dir::new(handle).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            match entry.file_name().to_bytes() {
                b"." | b".." => {}
                // A name we did not make cannot be one of ours.
                name => names.extend(String::from_utf8(name.to_vec())),
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    pub(super) fn inherited(&self, folder: &Spot) -> Result<Metadata, PortError> {
        let failed = system("read", folder);
        let handle = self
            .open_beneath(folder.as_str(), OFlags::RDONLY | OFlags::DIRECTORY)
            .map_err(|refusal| refused("read", folder, refusal))?;
        let stat = fs::fstat(&handle).map_err(&failed)?;
        let group = Mode::from_raw_mode(stat.st_mode)
            .contains(Mode::SGID)
            .then(|| (rustix::process::geteuid().as_raw(), stat.st_gid));
        let list =
            attributes::value(handle.as_fd(), attributes::DEFAULT_ACCESS).map_err(&failed)?;
        let attributes = list.map(|list| (attributes::ACCESS.to_vec(), list)).into_iter().collect();
        Ok(Metadata { owner: group, attributes })
    }
}

fn seen_file(stat: &Stat, digest: Digest, metadata: Metadata) -> Seen {
    let image = Image { digest, mode: FileMode::from_raw(stat.st_mode) };
    let stamp = stamp(stat);
    Seen { image, size: stamp.size, inode: stat.st_ino, stamp, metadata }
}

fn stamp(stat: &Stat) -> Stamp {
    Stamp {
        inode: stat.st_ino,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        written: (stat.st_mtime, stat.st_mtime_nsec),
        changed: (stat.st_ctime, stat.st_ctime_nsec),
    }
}
