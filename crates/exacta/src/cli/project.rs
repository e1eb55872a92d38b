//! Which folder is the project.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use exacta_engine::workspace::Root;

use super::CliError;
use crate::render::Printer;

/// Opens the project around the current folder: the nearest folder upwards that has an
/// `.exacta` or a `.git` of this user, or else the current folder itself. Says so when
/// that is another folder, because it decides what every target means.
pub(crate) fn open(printer: &mut Printer) -> Result<Root, CliError> {
    let folder = find();
    if let Some(folder) = &folder {
        printer.note(&format!("project folder: {}", folder.display()));
    }
    Ok(Root::open(folder.unwrap_or_else(|| PathBuf::from(".")))?)
}

/// The project folder, when it is not the current one.
fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let found = here.ancestors().find(|folder| is_project(folder))?;
    (found != here).then(|| found.into())
}

/// Whether `folder` is a project of the user. Someone else's folder above must not decide
/// what a path means.
fn is_project(folder: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let own = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|meta| !meta.is_symlink() && meta.uid() == user && meta.mode() & 0o002 == 0)
    };
    own(folder) && (own(&folder.join(".exacta")) || own(&folder.join(".git")))
}
