//! Looking at one target: is it there, may it be one, what are its bytes.
//!
//! Five system calls for an ordinary file: open, stat, read, stat, close. The second
//! stat shows whether someone wrote while we read; then the read is repeated.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::{Blob, Digest, Hashing};
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::{Tree, TreeFault, TreeFile};
use rustix::fs::{self, FileType, OFlags, Stat};
use rustix::io::{self, Errno, retry_on_intr};

use super::beneath::{Refusal, name_of};
use super::root::Root;

/// How often a file that changes while it is read is read again.
pub(super) const TRIES: u32 = 8;
/// How much of a file is in memory while it is hashed.
const CHUNK: usize = 64 << 10;

impl Tree for Root {
    fn look(&self, path: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
        for _ in 0..TRIES {
            let Some((handle, stat)) = self.open_target(path.as_str())? else { return Ok(None) };
            if let Some(bytes) = read_whole(handle.as_fd(), &stat).map_err(unreadable)? {
                let mode = FileMode::from_raw(stat.st_mode);
                return Ok(Some(TreeFile { blob: Blob::new(bytes), mode }));
            }
        }
        Err(keeps_changing())
    }

    fn siblings(&self, path: &RelPath) -> Vec<String> {
        self.names_beside(path)
    }

    fn defined(&self, names: &[String]) -> Vec<String> {
        self.names_defined(names)
    }

    fn readers(&self, documents: &[String]) -> BTreeMap<String, String> {
        self.documents_read(documents)
    }

    fn has_tests(&self) -> bool {
        self.tests_exist()
    }
}

impl Root {
    /// Opens what may be a target for reading; `None` when nothing is there.
    pub(super) fn open_target(&self, path: &str) -> Result<Option<(OwnedFd, Stat)>, TreeFault> {
        // NONBLOCK: a FIFO without a writer must not hold us up before we can refuse it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let handle = match self.open_beneath(path, flags) {
            Ok(handle) => handle,
            Err(Refusal::Absent) => return Ok(None),
            Err(refusal) => return Err(refusal.into()),
        };
        let stat = fs::fstat(&handle).map_err(unreadable)?;
        self.check_target(&stat)?;
        // No link left: it was deleted between open and stat.
        Ok((stat.st_nlink != 0).then_some((handle, stat)))
    }

    /// Whether a file may be a target at all.
    pub(super) fn check_target(&self, stat: &Stat) -> Result<(), TreeFault> {
        self.check_within(stat, self.size_limit())
    }

    /// The same for a file that may have so many bytes.
    pub(super) fn check_within(&self, stat: &Stat, limit: u64) -> Result<(), TreeFault> {
        self.check_own(stat)?;
        let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
        if size > limit { Err(TreeFault::TooLarge { size, limit }) } else { Ok(()) }
    }

    /// The same for a file of the gate's own, which may be of any size.
    pub(super) fn check_own(&self, stat: &Stat) -> Result<(), TreeFault> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(TreeFault::Folder),
            other => return Err(TreeFault::Special(name_of(other))),
        }
        if stat.st_dev != self.mount().device {
            return Err(TreeFault::OtherDevice);
        }
        if stat.st_nlink > 1 {
            return Err(TreeFault::HardLinked(stat.st_nlink));
        }
        Ok(())
    }
}

/// The whole file, or `None` when it changed while it was read.
pub(crate) fn read_whole(handle: BorrowedFd<'_>, stat: &Stat) -> Result<Option<Vec<u8>>, Errno> {
    let Ok(size) = usize::try_from(stat.st_size) else { return Ok(None) };
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(size).is_err() {
        return Err(Errno::NOMEM);
    }
    while bytes.len() < size {
        let got = retry_on_intr(|| io::read(handle, rustix::buffer::spare_capacity(&mut bytes)))?;
        if got == 0 {
            return Ok(None);
        }
    }
    bytes.truncate(size);
    Ok(is_unchanged(handle, stat)?.then_some(bytes))
}

/// The name of the file's bytes, which are never all in memory; `None` when it changed
/// while it was read.
pub(super) fn hash_whole(handle: BorrowedFd<'_>, stat: &Stat) -> Result<Option<Digest>, Errno> {
    let Ok(mut left) = usize::try_from(stat.st_size) else { return Ok(None) };
    let mut hashing = Hashing::default();
    let mut chunk = Vec::with_capacity(left.clamp(1, CHUNK));
    while left > 0 {
        chunk.clear();
        let got = retry_on_intr(|| io::read(handle, rustix::buffer::spare_capacity(&mut chunk)))?;
        chunk.truncate(left);
        if got == 0 {
            return Ok(None);
        }
        hashing.add(&chunk);
        left = left.saturating_sub(got);
    }
    Ok(is_unchanged(handle, stat)?.then(|| hashing.digest()))
}

/// Whether nobody wrote to the file since `stat` was taken.
fn is_unchanged(handle: BorrowedFd<'_>, stat: &Stat) -> Result<bool, Errno> {
    let now = fs::fstat(handle)?;
    Ok(now.st_size == stat.st_size
        && (now.st_mtime, now.st_mtime_nsec) == (stat.st_mtime, stat.st_mtime_nsec)
        && now.st_mode == stat.st_mode)
}

impl From<Refusal> for TreeFault {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Symlink(component) => Self::Symlink(component),
            Refusal::NotAFolder(component) => Self::NotAFolder(component),
            Refusal::OtherDevice => Self::OtherDevice,
            Refusal::Special(kind) => Self::Special(kind),
            Refusal::Denied(errno) => unreadable(errno),
            Refusal::Absent => unreadable(Errno::NOENT),
        }
    }
}

pub(super) fn keeps_changing() -> TreeFault {
    TreeFault::Unreadable("it keeps changing while it is read".into())
}

pub(super) fn unreadable(errno: Errno) -> TreeFault {
    TreeFault::Unreadable(std::io::Error::from(errno).to_string())
}
