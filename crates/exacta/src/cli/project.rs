//! Which folder is the project.

use std::path::{Path, PathBuf};

use exacta_engine::workspace::Root;

use super::CliError;

/// Opens the project around the current folder: the nearest folder upwards that has an
/// `.exacta`, or else the current folder itself.
pub(crate) fn open() -> Result<Root, CliError> {
    Ok(Root::open(find(Path::new(".")))?)
}

fn find(start: &Path) -> PathBuf {
    let Ok(absolute) = std::path::absolute(start) else { return start.into() };
    absolute
        .ancestors()
        .find(|folder| folder.join(".exacta").is_dir())
        .map_or_else(|| start.into(), Into::into)
}
