//! Name spaces and who we are in them.

use std::fs;
use std::io;

use rustix::thread::UnshareFlags;

/// Moves this process into new name spaces. It must have no other thread.
pub(super) fn leave(spaces: UnshareFlags) -> io::Result<()> {
    #[expect(
        deprecated,
        reason = "the safe form; it is unsound only for the table of open files, which we keep"
    )]
    Ok(rustix::thread::unshare(spaces)?)
}

/// Says who the one user inside is: `inside` there, `outside` in the space around it.
pub(super) fn become_user(inside: (u32, u32), outside: (u32, u32)) -> io::Result<()> {
    // Older kernels have no such file, and where it was denied before it stays so.
    match fs::write("/proc/self/setgroups", "deny") {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::write("/proc/self/uid_map", format!("{} {} 1", inside.0, outside.0))?;
    fs::write("/proc/self/gid_map", format!("{} {} 1", inside.1, outside.1))
}

/// Who the check shall be: the user outside, but never anybody's root.
pub(super) fn ordinary(id: u32) -> u32 {
    if id == 0 { 1000 } else { id }
}
