//! Files that tools keep: whole or not at all, for their owner alone.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::ToolError;

/// How long a lock of another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder of ours could not be used.
pub(crate) fn failed(path: &Path, fault: &io::Error) -> ToolError {
    ToolError::new("FOLDER_FAILED", format!("`{}`: {fault}", path.display()))
}

/// Makes a folder that only its owner can enter.
pub(crate) fn make(folder: &Path) -> Result<(), ToolError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|fault| failed(folder, &fault))
}

/// Writes a file of this name: complete and durable when this returns, or as it was.
pub(crate) fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, ToolError> {
    make(folder)?;
    let target = folder.join(name);
    let beside = folder.join(format!(".{name}.{}", std::process::id()));
    let write = || -> io::Result<()> {
        let _ = fs::remove_file(&beside);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, &target)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|fault| {
        let _ = fs::remove_file(&beside);
        failed(&target, &fault)
    })?;
    Ok(target)
}

/// Writes a file that is not there yet. One that already holds this is left as it is; one
/// that holds anything else was edited, and stays.
pub(crate) fn put_new(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, ToolError> {
    let target = folder.join(name);
    match fs::read(&target) {
        Ok(found) if found == bytes => Ok(target),
        Ok(_) => Err(edited(&target)),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => put(folder, name, bytes),
        Err(fault) => Err(failed(&target, &fault)),
    }
}

fn edited(path: &Path) -> ToolError {
    ToolError::new("DRAFT_EDITED", format!("`{}` was edited since; it stays", path.display()))
}

/// Removes a file, unless it no longer holds what we wrote. Nothing there is fine.
pub(crate) fn take_back(path: &Path, bytes: &[u8]) -> Result<(), ToolError> {
    match fs::read(path) {
        Ok(found) if found == bytes => fs::remove_file(path).map_err(|fault| failed(path, &fault)),
        Ok(_) => Err(edited(path)),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(fault) => Err(failed(path, &fault)),
    }
}

/// Reads at most so many bytes; none when there is no such file.
pub(crate) fn read(path: &Path, most: u64) -> Result<Option<Vec<u8>>, ToolError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(fault) => return Err(failed(path, &fault)),
    };
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|fault| failed(path, &fault))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
        return Err(ToolError::new(
            "FILE_TOO_LONG",
            format!("`{}` is longer than {most} bytes", path.display()),
        ));
    }
    Ok(Some(bytes))
}

/// Holds a folder against other processes while `act` runs.
pub(crate) fn locked<T>(
    folder: &Path,
    act: impl FnOnce() -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    make(folder)?;
    let path = folder.join(".lock");
    let open = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = open.map_err(|fault| failed(&path, &fault))?;
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(ToolError::new(
                    "FOLDER_BUSY",
                    "another process uses the tools' folder",
                ));
            }
            Err(TryLockError::Error(fault)) => return Err(failed(&path, &fault)),
        }
    }
    act()
}
