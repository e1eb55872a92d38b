//! What a command touched, read from the layer that lay over the project.
//!
//! The layer holds whole files, folders on the way to them, and marks for what is gone.
//! Everything that ran is dead, so nothing changes under our eyes; links are never
//! followed.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use super::errand::CaptureError;
use super::judge::{DEEPEST, Judge, names, unreadable};
use crate::workspace::STATE_FOLDER;

/// Set by the kernel on a folder that hides what lies below it.
const HIDES: &str = "user.overlay.opaque";

/// Tells the judge of everything in the layer.
pub(super) fn touched(tree: &Path, judge: &mut Judge<'_>) -> Result<(), CaptureError> {
    folder(tree, Path::new(""), judge)
}

fn folder(tree: &Path, path: &Path, judge: &mut Judge<'_>) -> Result<(), CaptureError> {
    let at = tree.join(path);
    // It is our layer, whatever rights the command took away.
    let seen = fs::symlink_metadata(&at).map_err(|source| unreadable(path, source))?;
    let open = fs::Permissions::from_mode(seen.mode() & 0o7777 | 0o700);
    fs::set_permissions(&at, open).map_err(|source| unreadable(path, source))?;
    let new = names(&at)?;
    let live = judge.live(path);
    let is_new = !fs::symlink_metadata(&live).is_ok_and(|live| live.is_dir());
    if new.is_empty() && is_new {
        judge.left_out(path.to_string_lossy().into_owned(), "an empty folder");
    }
    if !is_new && hides(&at) {
        for name in names(&live)? {
            if new.binary_search(&name).is_err() && !is_state(path, &name) {
                judge.gone(&path.join(name))?;
            }
        }
    }
    for name in new {
        entry(tree, &path.join(&name), is_state(path, &name), judge)?;
    }
    Ok(())
}

fn entry(
    tree: &Path,
    path: &Path,
    is_state: bool,
    judge: &mut Judge<'_>,
) -> Result<(), CaptureError> {
    let at = tree.join(path);
    let now = fs::symlink_metadata(&at).map_err(|source| unreadable(path, source))?;
    if now.file_type().is_char_device() && now.rdev() == 0 {
        // Our own mark hides the gate's folder.
        return if is_state { Ok(()) } else { judge.gone(path) };
    }
    if !now.is_dir() {
        return judge.present(path, &at, &now);
    }
    if path.components().count() > DEEPEST {
        judge.unfit(path, "it lies too deep");
        return Ok(());
    }
    let before = fs::symlink_metadata(judge.live(path)).ok();
    if before.is_some_and(|before| !before.is_dir()) && names(&at).is_ok_and(|n| n.is_empty()) {
        judge.gone(path)?;
    }
    folder(tree, path, judge)
}

fn is_state(folder: &Path, name: &std::ffi::OsStr) -> bool {
    folder.as_os_str().is_empty() && name == STATE_FOLDER
}

fn hides(folder: &Path) -> bool {
    let mut value = [0_u8; 4];
    let got = rustix::fs::lgetxattr(folder, HIDES, &mut value);
    got.is_ok_and(|length| length > 0 && value.first() == Some(&b'y'))
}
