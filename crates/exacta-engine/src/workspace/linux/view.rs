//! A private copy of the project, so that checks never run in the live tree.
//!
//! Blocks are shared with the originals where the file system can; otherwise bytes are
//! copied. Links are copied as links, special files and other file systems are left out.

use std::ffi::OsString;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;

use super::sight::system;
use crate::workspace::port::PortError;
use crate::workspace::root::{Options, Root};
use crate::workspace::spot::{STATE_FOLDER, Spot};

/// Folders nested deeper than this are refused rather than followed.
const DEEPEST: u32 = 256;

impl Root {
    pub(super) fn copy_into(&self, into: &Path) -> Result<Self, PortError> {
        let root = Spot::root();
        let failed = system("copy", &root);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let to = fs::openat(CWD, into, flags, Mode::empty()).map_err(&failed)?;
        if Dir::read_from(&to)
            .map_err(&failed)?
            .filter_map(Result::ok)
            .any(|e| !is_dots(e.file_name()))
        {
            return Err(failed(Errno::NOTEMPTY));
        }
        let from = fs::openat(self.handle(), ".", flags, Mode::empty()).map_err(&failed)?;
        copy_folder(&from, &to, self.mount().device, 0).map_err(&failed)?;
        let options = Options { size_limit: self.size_limit(), resolver: Some(self.resolver()) };
        Self::open_with(into, options).map_err(|_| failed(Errno::IO))
    }

    pub(super) fn found(&self) -> Result<PathBuf, PortError> {
        let root = Spot::root();
        let failed = system("find", &root);
        let link = format!("/proc/self/fd/{}", self.handle().as_raw_fd());
        let path = fs::readlink(link, Vec::new()).map_err(&failed)?;
        let path = PathBuf::from(OsString::from_vec(path.into_bytes()));
        let there = fs::stat(&path).map_err(&failed)?;
        let own = fs::fstat(self.handle()).map_err(&failed)?;
        // A folder that was deleted or moved meanwhile is not where its old name says.
        if (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino) {
            Ok(path)
        } else {
            Err(failed(Errno::NOENT))
        }
    }
}

fn is_dots(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

fn copy_folder(from: &OwnedFd, to: &OwnedFd, device: u64, depth: u32) -> Result<(), Errno> {
    if depth > DEEPEST {
        return Err(Errno::NAMETOOLONG);
    }
    for name in names(from)? {
        if depth == 0 && name.to_bytes() == STATE_FOLDER.as_bytes() {
            continue;
        }
        match fs::statat(from, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if stat.st_dev == device => {
                copy_entry(from.as_fd(), to, &name, &stat, depth)?;
            }
            // It lies elsewhere, or vanished while we copied.
            Ok(_) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

fn names(folder: &OwnedFd) -> Result<Vec<CString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        if !is_dots(entry.file_name()) {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}

fn copy_entry(
    from: BorrowedFd<'_>,
    to: &OwnedFd,
    name: &CStr,
    stat: &Stat,
    depth: u32,
) -> Result<(), Errno> {
    let open = |dir: BorrowedFd<'_>, flags| {
        fs::openat(dir, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => {
            let target = fs::readlinkat(from, name, Vec::new())?;
            fs::symlinkat(&target, to, name)
        }
        FileType::Directory => {
            fs::mkdirat(to, name, Mode::RWXU)?;
            let made = open(to.as_fd(), OFlags::RDONLY | OFlags::DIRECTORY)?;
            copy_folder(
                &open(from, OFlags::RDONLY | OFlags::DIRECTORY)?,
                &made,
                stat.st_dev,
                depth + 1,
            )?;
            fs::fchmod(&made, Mode::from_raw_mode(stat.st_mode) | Mode::RWXU)
        }
        FileType::RegularFile => {
            let source = open(from, OFlags::RDONLY | OFlags::NONBLOCK)?;
            copy_file(source, to, name, stat)
        }
        _ => Ok(()),
    }
}

fn copy_file(source: OwnedFd, to: &OwnedFd, name: &CStr, stat: &Stat) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let copy = fs::openat(to, name, flags, Mode::RUSR | Mode::WUSR)?;
    if fs::ioctl_ficlone(&copy, &source).is_err() {
        let (mut source, mut copy) =
            (File::from(source), File::from(copy.try_clone().map_err(|error| raw(&error))?));
        std::io::copy(&mut source, &mut copy).map_err(|error| raw(&error))?;
    }
    fs::fchmod(&copy, Mode::from_raw_mode(stat.st_mode))?;
    // Build tools compare times; a copy that looks new would be built from scratch.
    let time = |seconds, nanoseconds: u64| Timespec {
        tv_sec: seconds,
        tv_nsec: i64::try_from(nanoseconds).unwrap_or(0),
    };
    let times = Timestamps {
        last_access: time(stat.st_atime, stat.st_atime_nsec),
        last_modification: time(stat.st_mtime, stat.st_mtime_nsec),
    };
    fs::futimens(&copy, &times)
}

fn raw(error: &std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}
