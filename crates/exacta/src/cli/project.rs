//! Which folder is the project.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use exacta_engine::workspace::Root;

use super::CliError;

/// Opens the project around the current folder: the nearest folder upwards that has an
/// `.exacta` of this user, or else the current folder itself.
pub(crate) fn open() -> Result<Root, CliError> {
    Ok(Root::open(find(Path::new(".")))?)
}

fn find(start: &Path) -> PathBuf {
    let Ok(absolute) = std::path::absolute(start) else { return start.into() };
    absolute.ancestors().find(|folder| is_project(folder)).map_or_else(|| start.into(), Into::into)
}

/// Whether `folder` is a project of the user. Someone else's `.exacta` above must not
/// decide what a path means.
fn is_project(folder: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let own = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|meta| meta.is_dir() && meta.uid() == user && meta.mode() & 0o002 == 0)
    };
    own(folder) && own(&folder.join(".exacta"))
}
