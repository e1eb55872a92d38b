//! Mounting, one meaning a function.

use std::ffi::CString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::mount::{self, MountFlags, MountPropagationFlags};

/// What a mount of ours never needs.
const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// From now on nothing we mount shows outside.
pub(super) fn keep_to_ourselves() -> io::Result<()> {
    let flags = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    Ok(mount::mount_change("/", flags)?)
}

/// An empty file system in memory.
pub(super) fn empty(at: &Path, options: &str) -> io::Result<()> {
    let options = CString::new(options)?;
    Ok(mount::mount("tmpfs", at, "tmpfs", PLAIN, Some(options.as_c_str()))?)
}

/// The processes of this name space.
pub(super) fn processes(at: &Path) -> io::Result<()> {
    let flags = PLAIN | MountFlags::NOEXEC;
    Ok(mount::mount("proc", at, "proc", flags, None)?)
}

/// The project below a layer of our own; all names are relative and plain, because the
/// options of a mount are one text with separators.
pub(super) fn overlay(at: &str, lower: &str, upper: &str, work: &str) -> io::Result<()> {
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr");
    let options = CString::new(options)?;
    Ok(mount::mount("overlay", at, "overlay", PLAIN, Some(options.as_c_str()))?)
}

/// Shows `from` at `at` as well.
pub(super) fn also(from: &Path, at: &Path) -> io::Result<()> {
    Ok(mount::mount_bind_recursive(from, at)?)
}

/// The same, with everything below read-only and devices no more than names.
pub(super) fn also_read_only(from: &Path, at: &Path) -> io::Result<()> {
    read_only(from, at, PLAIN)
}

/// Shows a device: it can be read and written to, but nothing about it can be changed.
pub(super) fn device(from: &Path, at: &Path) -> io::Result<()> {
    read_only(from, at, MountFlags::NOSUID)
}

fn read_only(from: &Path, at: &Path, as_well: MountFlags) -> io::Result<()> {
    also(from, at)?;
    for (place, flags) in below(at)? {
        let flags = flags | MountFlags::BIND | MountFlags::RDONLY | as_well;
        mount::mount_remount(&place, flags, "")?;
    }
    Ok(())
}

/// Takes away the right to write from a file system that [`empty`] made.
pub(super) fn freeze(at: &Path) -> io::Result<()> {
    Ok(mount::mount_remount(at, PLAIN | MountFlags::RDONLY | MountFlags::BIND, "")?)
}

/// Every mount at or below a place, with the flags that the kernel wants repeated.
fn below(at: &Path) -> io::Result<Vec<(PathBuf, MountFlags)>> {
    let at = at.canonicalize()?;
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    let rows = table.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(4);
        Some((PathBuf::from(plain(fields.next()?)), flags_of(fields.next()?)))
    });
    Ok(rows.filter(|(place, _)| place.starts_with(&at)).collect())
}

fn flags_of(options: &str) -> MountFlags {
    let flag = |option: &str| match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        "nosymfollow" => MountFlags::NOSYMFOLLOW,
        _ => MountFlags::empty(),
    };
    options.split(',').map(flag).fold(MountFlags::empty(), MountFlags::union)
}

/// The table writes space, tab, newline and backslash as three octal digits.
fn plain(name: &str) -> String {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    escapes.iter().fold(name.to_owned(), |name, (from, to)| name.replace(from, to))
}
