//! Private files outside the project, written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::place::TrustError;
use crate::accounts::others_can_write;

const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;
const OTHERS: u32 = 0o077;
/// No file of ours comes near this size.
const LIMIT: u64 = 1 << 20;
/// Room beyond the end of a file, in which its end is found.
const SPARE: usize = 64;

pub(super) fn fault(path: &Path) -> impl Fn(io::Error) -> TrustError {
    let path = path.to_path_buf();
    move |source| TrustError::Io { path: path.clone(), source }
}

/// Makes a folder that only this user may enter, or checks that an existing one is so. A new
/// one is there also after a power loss.
pub(super) fn private_folder(path: &Path) -> Result<(), TrustError> {
    let above: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    match fs::DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(fault(path)(error)),
    }
    for made in above {
        sync_folder(made).map_err(fault(made))?;
    }
    let meta = fs::symlink_metadata(path).map_err(fault(path))?;
    let mine = meta.uid() == rustix::process::geteuid().as_raw();
    if !meta.is_dir() || !mine || meta.mode() & OTHERS != 0 {
        return Err(TrustError::NotPrivate { path: path.into() });
    }
    Ok(())
}

/// Whether nobody else can put another folder in the place of this one: in each folder above
/// it, as far as they are there, this user and root alone may write.
pub(super) fn private_above(path: &Path) -> Result<(), TrustError> {
    let there = path.ancestors().skip(1).find(|above| above.exists());
    let Some(there) = there else { return Ok(()) };
    let real = there.canonicalize().map_err(fault(there))?;
    let user = rustix::process::geteuid().as_raw();
    for above in real.ancestors() {
        let stat = rustix::fs::stat(above).map_err(|errno| fault(above)(errno.into()))?;
        if others_can_write(&stat, user) {
            return Err(TrustError::OpenAbove { path: above.into() });
        }
    }
    Ok(())
}

/// The bytes of a private file; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, TrustError> {
    let file = match open(path, false) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fault(path)(error)),
    };
    let size = check(&file, path)?.min(LIMIT);
    // With room to spare a file is read at one go; without, in pieces that double.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + SPARE);
    file.take(LIMIT).read_to_end(&mut bytes).map_err(fault(path))?;
    Ok(Some(bytes))
}

/// Writes a private file; afterwards it is there whole, also after a power loss.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), TrustError> {
    let aside = aside(path);
    let written = stage(&aside, bytes)
        .and_then(|()| fs::rename(&aside, path))
        .and_then(|()| sync_folder(path));
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written.map_err(fault(path))
}

/// Writes a private file that must not be there yet; one that is there stays.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), TrustError> {
    let aside = aside(path);
    // A hard link never replaces, so of two processes one is first.
    let linked = stage(&aside, bytes).and_then(|()| match fs::hard_link(&aside, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.and_then(|()| sync_folder(path)),
    });
    let _ = fs::remove_file(&aside);
    linked.map_err(fault(path))
}

/// A name beside `path` that no other process uses.
fn aside(path: &Path) -> std::path::PathBuf {
    path.with_extension(format!("new-{}", std::process::id()))
}

fn stage(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(PRIVATE_FILE)
        .custom_flags(nofollow())
        .open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Opens a private file without following a link; for writing it is made when absent.
pub(super) fn open(path: &Path, write: bool) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(write)
        .create(write)
        .truncate(false)
        .mode(PRIVATE_FILE)
        .custom_flags(nofollow())
        .open(path)
}

/// A file that others may read or write is no secret and no witness. How long it is.
pub(super) fn check(file: &File, path: &Path) -> Result<u64, TrustError> {
    let meta = file.metadata().map_err(fault(path))?;
    let mine = meta.uid() == rustix::process::geteuid().as_raw();
    if !meta.is_file() || !mine || meta.mode() & OTHERS != 0 {
        return Err(TrustError::NotPrivate { path: path.into() });
    }
    Ok(meta.len())
}

fn nofollow() -> i32 {
    i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0)
}
