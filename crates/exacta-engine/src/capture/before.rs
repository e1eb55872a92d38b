//! What lay where in the project when the command started.
//!
//! Times alone do not tell it: a file that is deleted has none any more, and a folder that
//! is moved into place brings files along that nobody touched. So the names in every
//! folder are kept, each with the number of what it stood for. Reading names is cheap:
//! no file is opened, and folders of builds and repositories are left out.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::judge::DEEPEST;

/// The coarsest clock of a file system, in seconds.
const COARSEST: i64 = 2;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    inode: u64,
    kind: fs::FileType,
}

/// The names in a folder; nothing when it cannot be read.
type Names = Option<BTreeMap<OsString, Entry>>;

/// The names in every folder at one time.
#[derive(Clone)]
pub(super) struct Before {
    project: PathBuf,
    folders: BTreeMap<PathBuf, Names>,
    /// Folders as they are now, for comparison.
    now: BTreeMap<PathBuf, Names>,
    since: (i64, i64),
}

impl Before {
    /// Looks at every folder that is not left out.
    pub(super) fn of(
        project: &Path,
        since: (i64, i64),
        left_out: &dyn Fn(&Path) -> bool,
    ) -> io::Result<Self> {
        let mut folders = BTreeMap::new();
        let mut waiting = vec![PathBuf::new()];
        while let Some(folder) = waiting.pop() {
            let names = names(&project.join(&folder))?;
            for (name, _) in names.iter().flatten().filter(|(_, entry)| entry.kind.is_dir()) {
                let path = folder.join(name);
                if path.components().count() <= DEEPEST && !left_out(&path) {
                    waiting.push(path);
                }
            }
            folders.insert(folder, names);
        }
        Ok(Self { project: project.into(), folders, now: BTreeMap::new(), since })
    }

    /// Whether the name still stands for what it stood for, or still for nothing; so must
    /// every folder on the way to it.
    pub(super) fn holds(&mut self, path: &Path) -> io::Result<bool> {
        let mut above = PathBuf::new();
        for part in path {
            let Some(before) = self.folders.get(&above) else { return Ok(false) };
            if !self.now.contains_key(&above) {
                self.now.insert(above.clone(), names(&self.project.join(&above))?);
            }
            let (before, now) = match (before, self.now.get(&above).and_then(Option::as_ref)) {
                (Some(before), Some(now)) => (before.get(part), now.get(part)),
                // Nobody could read the names, but the folder tells when they changed.
                _ => return self.untouched(&above),
            };
            match (before, now) {
                (None, None) => return Ok(true),
                (before, now) if before != now => return Ok(false),
                // Nothing lay below, and nothing does.
                (Some(entry), _) if !entry.kind.is_dir() => return Ok(true),
                _ => {}
            }
            above.push(part);
        }
        Ok(true)
    }

    fn untouched(&self, folder: &Path) -> io::Result<bool> {
        let seen = fs::symlink_metadata(self.project.join(folder))?;
        Ok(!changed_since(&seen, self.since))
    }
}

/// Whether something was changed at a time or later. Some file systems keep seconds only,
/// or every other one; there a change counts as late as it may have been.
pub(super) fn changed_since(seen: &Metadata, since: (i64, i64)) -> bool {
    is_since((seen.ctime(), seen.ctime_nsec()), since)
}

fn is_since(time: (i64, i64), since: (i64, i64)) -> bool {
    match time {
        (second, 0) => second.saturating_add(COARSEST) > since.0,
        exact => exact >= since,
    }
}

fn names(folder: &Path) -> io::Result<Names> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // It may have gone while we looked, and the name above it tells.
        Err(error) if is_closed(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut names = BTreeMap::new();
    for entry in entries {
        let entry = entry?;
        match entry.file_type() {
            Ok(kind) => drop(names.insert(entry.file_name(), Entry { inode: entry.ino(), kind })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(names))
}

fn is_closed(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotADirectory | NotFound | PermissionDenied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarse_clock_hides_no_change() {
        for (time, since, later) in [
            ((9, 500), (9, 500), true),
            ((9, 499), (9, 500), false),
            ((10, 1), (9, 500), true),
            // Whole seconds: it may have been at the end of them.
            ((9, 0), (9, 500), true),
            ((8, 0), (9, 500), true),
            ((7, 0), (9, 500), false),
            ((10, 0), (9, 500), true),
        ] {
            assert_eq!(is_since(time, since), later, "{time:?} {since:?}");
        }
    }
}
