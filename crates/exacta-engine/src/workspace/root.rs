//! The project root: a directory handle that is opened once.
//!
//! After that no name above the root is ever looked up again, so that re-pointing a
//! link or moving the folder cannot send a later operation to another tree.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{self, CWD, Mode, OFlags};

use super::beneath;
use super::linux::Folders;
use super::spot::Spot;
use crate::trust::RootId;

/// The largest file that is read unless [`Options::size_limit`] says otherwise.
pub const DEFAULT_SIZE_LIMIT: u64 = 64 << 20;

/// The largest file of the gate's index, which grows with the record.
const INDEX_LIMIT: u64 = 1 << 30;

/// How a path is resolved below the root; both ways give the same guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    /// `openat2`: the kernel refuses links and other file systems in one call.
    Kernel,
    /// One `openat` a component, each checked; for kernels that lack `openat2`.
    Walk,
}

/// How a root is opened.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Files larger than this are refused.
    pub size_limit: u64,
    /// The way paths are resolved; `None` takes the kernel's when it has one.
    pub resolver: Option<Resolver>,
}

impl Default for Options {
    fn default() -> Self {
        Self { size_limit: DEFAULT_SIZE_LIMIT, resolver: None }
    }
}

/// The project root cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("the project folder `{}` cannot be opened: {source}", path.display())]
pub struct RootError {
    path: PathBuf,
    source: io::Error,
}

/// An open project root.
#[derive(Debug)]
pub struct Root {
    handle: OwnedFd,
    mount: Mount,
    resolver: Resolver,
    size_limit: u64,
    folders: Folders,
}

/// What must stay equal for two files to lie on one file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) device: u64,
    /// Tells bind mounts of one device apart; 0 where the kernel does not say.
    pub(super) id: u64,
}

impl Root {
    /// Opens a project folder; `path` itself may be a link, which is followed now and
    /// never again.
    ///
    /// # Errors
    /// When it is not a folder or may not be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RootError> {
        Self::open_with(path, Options::default())
    }

    /// Opens a project folder with a chosen limit and resolver.
    ///
    /// # Errors
    /// When it is not a folder or may not be read.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, RootError> {
        let path = path.as_ref();
        let fault =
            |errno: rustix::io::Errno| RootError { path: path.into(), source: errno.into() };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = fs::openat(CWD, path, flags, Mode::empty()).map_err(fault)?;
        let mount = beneath::mount_of(handle.as_fd()).map_err(fault)?;
        let resolver = match options.resolver {
            Some(chosen) => chosen,
            None if beneath::kernel_can(handle.as_fd()) => Resolver::Kernel,
            None => Resolver::Walk,
        };
        let folders = Folders::default();
        Ok(Self { handle, mount, resolver, size_limit: options.size_limit, folders })
    }

    /// Which folder it is: device, number and path.
    #[must_use]
    pub fn id(&self) -> RootId {
        let stat = fs::fstat(&self.handle).ok();
        let number = |value: Option<u64>| value.unwrap_or(0);
        // The handle's own path: what the folder is called now, links resolved.
        let own = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&self.handle));
        let path = std::fs::read_link(own).unwrap_or_default();
        RootId {
            device: self.mount.device,
            inode: number(stat.map(|stat| stat.st_ino)),
            path: path.to_string_lossy().into_owned(),
        }
    }

    /// The way paths are resolved.
    #[must_use]
    pub fn resolver(&self) -> Resolver {
        self.resolver
    }

    /// The size above which a file is refused.
    #[must_use]
    pub fn size_limit(&self) -> u64 {
        self.size_limit
    }

    /// The same at one place.
    pub(super) fn limit_at(&self, at: &Spot) -> u64 {
        if at.is_index() { self.size_limit.max(INDEX_LIMIT) } else { self.size_limit }
    }

    pub(crate) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    pub(super) fn folders(&self) -> &Folders {
        &self.folders
    }

    pub(super) fn mount(&self) -> Mount {
        self.mount
    }
}
