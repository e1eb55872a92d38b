//! Opening a path below the root: no link in any component, no other file system.
//!
//! Two ways with one meaning. The kernel's `openat2` answers in a single call; the walk
//! opens component after component and is also what explains a refusal, because
//! `openat2` does not say which component it refused.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, ResolveFlags, StatxFlags};
use rustix::io::{Errno, retry_on_intr};

use super::root::{Mount, Resolver, Root};

/// How often a resolution that lost a race against a rename is tried again.
const TRIES: u32 = 64;

/// Why a path did not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nothing is there, or a folder above it is missing.
    Absent,
    /// This component is a symbolic link.
    Symlink(String),
    /// This component is not a folder.
    NotAFolder(String),
    /// A component lies on another file system.
    OtherDevice,
    /// A socket or device that cannot be opened.
    Special(&'static str),
    /// The system said no.
    Denied(Errno),
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT => Self::Absent,
            Errno::XDEV => Self::OtherDevice,
            other => Self::Denied(other),
        }
    }
}

/// Whether this kernel (and any filter around this process) lets us use `openat2`.
pub(super) fn kernel_can(dir: BorrowedFd<'_>) -> bool {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    fs::openat2(dir, ".", flags, Mode::empty(), resolve_flags()).is_ok()
}

/// The file system a handle lies on.
pub(super) fn mount_of(handle: BorrowedFd<'_>) -> Result<Mount, Errno> {
    let device = fs::fstat(handle)?.st_dev;
    let id = match fs::statx(handle, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID) {
        Ok(stat) if stat.stx_mask & StatxFlags::MNT_ID.bits() != 0 => stat.stx_mnt_id,
        _ => 0,
    };
    Ok(Mount { device, id })
}

impl Root {
    /// Opens `path` below the root with `flags`; never follows a link, never blocks.
    pub(super) fn open_beneath(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Refusal> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match self.resolver() {
            Resolver::Walk => self.walk(path, flags),
            Resolver::Kernel => self.ask_kernel(path, flags),
        }
    }

    fn ask_kernel(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Refusal> {
        for _ in 0..TRIES {
            let opened = retry_on_intr(|| {
                fs::openat2(self.handle(), path, flags, Mode::empty(), resolve_flags())
            });
            match opened {
                Ok(handle) => return Ok(handle),
                Err(Errno::AGAIN) => {}
                Err(Errno::LOOP | Errno::NOTDIR | Errno::NXIO) => {
                    // Only the walk can name the component; if it now finds nothing
                    // wrong, the tree moved under us and the kernel is asked again.
                    self.walk(path, flags)?;
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(Refusal::Denied(Errno::AGAIN))
    }

    fn walk(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Refusal> {
        let mut above: Option<OwnedFd> = None;
        let mut rest = path;
        while let Some((name, after)) = rest.split_once('/') {
            let dir = above.as_ref().map_or(self.handle(), AsFd::as_fd);
            let seen = path.strip_suffix(after).unwrap_or(path).trim_end_matches('/');
            above = Some(self.enter(dir, name, seen)?);
            rest = after;
        }
        let dir = above.as_ref().map_or(self.handle(), AsFd::as_fd);
        self.finish(dir, rest, path, flags)
    }

    /// One folder further down; `seen` is the path so far, for the message.
    fn enter(&self, dir: BorrowedFd<'_>, name: &str, seen: &str) -> Result<OwnedFd, Refusal> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = retry_on_intr(|| fs::openat(dir, name, flags, Mode::empty()))?;
        match FileType::from_raw_mode(fs::fstat(&handle)?.st_mode) {
            FileType::Directory => self.same_mount(handle),
            FileType::Symlink => Err(Refusal::Symlink(seen.into())),
            _ => Err(Refusal::NotAFolder(seen.into())),
        }
    }

    /// The last component, opened as the caller wants it.
    fn finish(
        &self,
        dir: BorrowedFd<'_>,
        name: &str,
        path: &str,
        flags: OFlags,
    ) -> Result<OwnedFd, Refusal> {
        // Looked at before it is opened, so that a device is never opened by the walk.
        let stat = retry_on_intr(|| fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => return Err(Refusal::Symlink(path.into())),
            FileType::RegularFile if flags.contains(OFlags::DIRECTORY) => {
                return Err(Refusal::NotAFolder(path.into()));
            }
            FileType::RegularFile | FileType::Directory => {}
            other => return Err(Refusal::Special(name_of(other))),
        }
        match retry_on_intr(|| fs::openat(dir, name, flags, Mode::empty())) {
            Ok(handle) => self.same_mount(handle),
            Err(Errno::LOOP) => Err(Refusal::Symlink(path.into())),
            Err(errno) => Err(errno.into()),
        }
    }

    fn same_mount(&self, handle: OwnedFd) -> Result<OwnedFd, Refusal> {
        if mount_of(handle.as_fd())? == self.mount() {
            Ok(handle)
        } else {
            Err(Refusal::OtherDevice)
        }
    }
}

/// What a file that is neither regular nor a folder is called.
pub(super) fn name_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "FIFO",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        _ => "special file",
    }
}

fn resolve_flags() -> ResolveFlags {
    ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV
}
