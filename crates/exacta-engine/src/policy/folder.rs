//! One policy folder outside the project: is it to be trusted, and what does its file say.
//!
//! Everything is asked of handles that are opened once, so that what was checked is what
//! is read.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr};

use super::refusal::Refusal;
use crate::accounts::others_can_write;
use crate::workspace::{Root, read_whole};

/// Bits that let group or others write.
const OTHERS_WRITE: u32 = 0o022;
/// How deep a path may be before we stop going up.
const MOST_FOLDERS: usize = 4096;
/// How often a file that changes while it is read is read again.
const TRIES: usize = 8;

/// A folder that passed every check.
#[derive(Debug)]
pub(super) struct Folder<'a> {
    handle: OwnedFd,
    owners: &'a [u32],
    /// Who else but root may own what is above.
    user: Option<u32>,
}

impl<'a> Folder<'a> {
    /// Opens and checks a folder; `None` when it does not exist.
    pub(super) fn open(
        path: &Path,
        owners: &'a [u32],
        project: &Root,
    ) -> Result<Option<Self>, Refusal> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = match retry_on_intr(|| fs::openat(CWD, path, flags, Mode::empty())) {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return absent(path),
            Err(Errno::NOTDIR) => return Err(Refusal::NotAFolder),
            Err(errno) => return Err(errno.into()),
        };
        let stat = fs::fstat(&handle)?;
        trusted("its folder", &stat, owners)?;
        let folder = Self { handle, owners, user: owners.first().copied() };
        folder.check_above(project)?;
        Ok(Some(folder))
    }

    /// Goes up to the root of the file system: the project is not on the way, and no
    /// folder on it lets others put another one in place.
    fn check_above(&self, project: &Root) -> Result<(), Refusal> {
        let project = fs::fstat(project.handle())?;
        let same = |a: &Stat, b: &Stat| (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino);
        let mut here = fs::fstat(&self.handle)?;
        let mut above: Option<OwnedFd> = None;
        for _ in 0..MOST_FOLDERS {
            if same(&here, &project) {
                return Err(Refusal::InsideProject);
            }
            let dir = above.as_ref().map_or(self.handle.as_fd(), AsFd::as_fd);
            let next = up(dir)?;
            let stat = fs::fstat(&next)?;
            if same(&stat, &here) {
                return Ok(());
            }
            if self.user.is_some_and(|user| others_can_write(&stat, user)) {
                return Err(Refusal::Above { mode: stat.st_mode & 0o7777 });
            }
            (here, above) = (stat, Some(next));
        }
        Err(Refusal::Unreadable("its path is too deep".into()))
    }

    /// The bytes of a file in the folder; `None` when it does not exist.
    pub(super) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, Refusal> {
        // NONBLOCK: a FIFO must not hold us up before we can refuse it.
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        for _ in 0..TRIES {
            let opened = retry_on_intr(|| fs::openat(&self.handle, name, flags, Mode::empty()));
            let handle = match opened {
                Ok(handle) => handle,
                Err(Errno::NOENT) => return Ok(None),
                Err(Errno::LOOP) => return Err(Refusal::Symlink),
                Err(Errno::NXIO) => return Err(Refusal::NotAFile),
                Err(errno) => return Err(errno.into()),
            };
            let stat = fs::fstat(&handle)?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                return Err(Refusal::NotAFile);
            }
            trusted("it", &stat, self.owners)?;
            if u64::try_from(stat.st_size).is_ok_and(|size| size > limit) {
                return Err(Refusal::TooLarge { limit });
            }
            if let Some(bytes) = read_whole(handle.as_fd(), &stat)? {
                return Ok(Some(bytes));
            }
        }
        Err(Refusal::Unreadable("it keeps changing while it is read".into()))
    }
}

/// A folder that is not there, unless a dangling link stands in its place: then a policy
/// was meant to be there.
fn absent<T>(path: &Path) -> Result<Option<T>, Refusal> {
    match fs::lstat(path) {
        Ok(_) => Err(Refusal::Symlink),
        Err(_) => Ok(None),
    }
}

fn up(dir: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    retry_on_intr(|| fs::openat(dir, "..", flags, Mode::empty()))
}

fn trusted(what: &'static str, stat: &Stat, owners: &[u32]) -> Result<(), Refusal> {
    if !owners.contains(&stat.st_uid) {
        return Err(Refusal::Owner { what, owner: stat.st_uid });
    }
    let mode = stat.st_mode & 0o7777;
    if mode & OTHERS_WRITE != 0 {
        return Err(Refusal::Writable { what, mode });
    }
    Ok(())
}
