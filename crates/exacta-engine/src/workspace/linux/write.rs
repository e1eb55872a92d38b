//! Making: new files and folders, and the end of the gate's own files.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use exacta_core::model::change::FileMode;
use exacta_core::model::tree::TreeFault;
use rustix::fs::{self, Mode, OFlags, XattrFlags};
use rustix::io::{self, Errno, retry_on_intr};

use super::attributes;
use super::sight::{refused, system};
use crate::workspace::beneath::Refusal;
use crate::workspace::port::{Metadata, PortError};
use crate::workspace::root::Root;
use crate::workspace::spot::Spot;

/// Only this user reads and writes.
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
/// What a file may be made with; the rest is given when its owner is settled.
const PLAIN_BITS: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

impl Root {
    pub(super) fn write_new(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        metadata: &Metadata,
    ) -> Result<u64, PortError> {
        let failed = system("write", at);
        // What could not be looked at again could not be undone.
        let (size, limit) = (bytes.len() as u64, self.limit_at(at));
        if size > limit {
            let fault = TreeFault::TooLarge { size, limit };
            return Err(PortError::Refused { at: at.clone(), fault });
        }
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The mode it will have, as far as the process's mask lets it. Nobody else looks
        // into a folder of the gate's own.
        let wanted = Mode::from_raw_mode(mode.bits());
        let first = wanted.intersection(PLAIN_BITS).union(PRIVATE_FILE);
        let open = |folder: &OwnedFd| retry_on_intr(|| fs::openat(folder, at.name(), flags, first));
        let handle = match self.in_folder(at, open)? {
            Ok(handle) => handle,
            Err(Errno::EXIST) => return Err(PortError::Taken(at.clone())),
            Err(errno) => return Err(failed(errno)),
        };
        write_all(handle.as_fd(), bytes).map_err(&failed)?;
        let fresh = fs::fstat(&handle).map_err(&failed)?;
        let changed = attributes::apply(handle.as_fd(), &fresh, metadata, at)?;
        // Last, because a change of owner clears the set-user bit and an access list
        // sets the group's.
        if changed || Mode::from_raw_mode(fresh.st_mode) != wanted {
            fs::fchmod(&handle, wanted).map_err(&failed)?;
        }
        Ok(fresh.st_ino)
    }

    pub(super) fn new_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError> {
        let failed = system("make the folder", at);
        // The process's mask applies, as it would to a folder a person makes.
        let open_to_all = Mode::from_raw_mode(0o777);
        let create = |dir: &OwnedFd| retry_on_intr(|| fs::mkdirat(dir, at.name(), open_to_all));
        match self.in_folder(at, create)? {
            Ok(()) => {}
            Err(Errno::EXIST) => return Err(PortError::Taken(at.clone())),
            Err(errno) => return Err(failed(errno)),
        }
        let handle = self
            .open_beneath(at.as_str(), OFlags::RDONLY | OFlags::DIRECTORY)
            .map_err(|refusal| refused("open", at, refusal))?;
        let fresh = fs::fstat(&handle).map_err(&failed)?;
        attributes::apply(handle.as_fd(), &fresh, metadata, at)?;
        for (name, list) in &metadata.attributes {
            if name == attributes::ACCESS {
                let default = attributes::DEFAULT_ACCESS;
                fs::fsetxattr(&handle, default, list, XattrFlags::empty()).map_err(&failed)?;
            }
        }
        let stat = fs::fstat(&handle).map_err(&failed)?;
        if metadata.owner.is_some() {
            let mode = Mode::from_raw_mode(stat.st_mode) | Mode::SGID;
            fs::fchmod(&handle, mode).map_err(&failed)?;
        }
        Ok(stat.st_ino)
    }

    pub(super) fn private_folder(&self, at: &Spot) -> Result<(), PortError> {
        let failed = system("make the folder", at);
        // Whoever needs this folder begins something new.
        self.folders().close();
        // A link or a file that somebody put there is found out now, not in mid-run.
        let open = || self.open_beneath(at.as_str(), OFlags::RDONLY | OFlags::DIRECTORY);
        match open() {
            Ok(_) => return Ok(()),
            Err(Refusal::Absent) => {}
            Err(refusal) => return Err(refused("open", at, refusal)),
        }
        let create = |dir: &OwnedFd| retry_on_intr(|| fs::mkdirat(dir, at.name(), Mode::RWXU));
        let made = match self.in_folder(at, create)? {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(errno) => return Err(failed(errno)),
        };
        let handle = open().map_err(|refusal| refused("open", at, refusal))?;
        if !made {
            return Ok(());
        }
        // An inherited access list would reach into every staged file.
        if attributes::has_any(handle.as_fd()).map_err(&failed)? {
            for list in [attributes::DEFAULT_ACCESS, attributes::ACCESS] {
                match fs::fremovexattr(&handle, list) {
                    Ok(()) | Err(Errno::NODATA | Errno::NOTSUP) => {}
                    Err(errno) => return Err(failed(errno)),
                }
            }
        }
        let fresh = fs::fstat(&handle).map_err(&failed)?;
        if Mode::from_raw_mode(fresh.st_mode) == Mode::RWXU {
            return Ok(());
        }
        fs::fchmod(&handle, Mode::RWXU).map_err(&failed)
    }

    pub(super) fn add(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        let handle = self.own_file(at, OFlags::WRONLY | OFlags::APPEND)?;
        write_all(handle.as_fd(), bytes).map_err(system("write", at))
    }

    /// A file of the gate's own that is there already.
    pub(super) fn own_file_there(&self, at: &Spot) -> Result<OwnedFd, PortError> {
        self.open_own(at, OFlags::RDONLY).map_err(|error| match error {
            PortError::System { errno: Errno::NOENT, .. } => PortError::Gone(at.clone()),
            other => other,
        })
    }

    /// A file of the gate's own, made when absent.
    pub(super) fn own_file(&self, at: &Spot, flags: OFlags) -> Result<OwnedFd, PortError> {
        self.open_own(at, flags | OFlags::CREATE)
    }

    fn open_own(&self, at: &Spot, flags: OFlags) -> Result<OwnedFd, PortError> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let open =
            |dir: &OwnedFd| retry_on_intr(|| fs::openat(dir, at.name(), flags, PRIVATE_FILE));
        let handle = self.in_folder(at, open)?.map_err(system("open", at))?;
        let stat = fs::fstat(&handle).map_err(system("open", at))?;
        self.check_own(&stat).map_err(|fault| PortError::Refused { at: at.clone(), fault })?;
        Ok(handle)
    }
}

fn write_all(handle: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let done = retry_on_intr(|| io::write(handle, bytes))?;
        if done == 0 {
            return Err(Errno::IO);
        }
        bytes = bytes.get(done..).unwrap_or_default();
    }
    Ok(())
}
