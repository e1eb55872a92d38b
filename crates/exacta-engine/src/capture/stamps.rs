//! What a command touched in a copy of the project, by the stamps that files bear.
//!
//! The kernel sets the time of change itself, and no program can set it back, so a file
//! with the same number, size, permissions and time of change was not touched. The command of a
//! session still runs while its copy is looked at, so everything is held fast first.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::errand::CaptureError;
use super::footing::{Footing, Held};
use super::judge::{DEEPEST, Judge, names, unreadable};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    mode: u32,
    links: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(seen: &Metadata) -> Self {
        Self {
            inode: seen.ino(),
            size: seen.size(),
            mode: seen.mode(),
            links: seen.nlink(),
            changed: (seen.ctime(), seen.ctime_nsec()),
        }
    }
}

/// Longer than a tick of the clock that files bear.
const TICK: Duration = Duration::from_millis(20);
/// The same where files bear whole seconds.
const SECONDS: Duration = Duration::from_millis(1_100);

/// Every file of a copy, before the command ran. Folders have no stamp of their own.
pub(super) struct Stamps(BTreeMap<PathBuf, Option<Stamp>>);

impl Stamps {
    pub(super) fn of(tree: &Path) -> Result<Self, CaptureError> {
        let mut stamps = BTreeMap::new();
        walk(tree, &mut |path, _, seen, _| {
            stamps.insert(path.to_owned(), (!seen.is_dir()).then(|| Stamp::of(seen)));
            Ok(())
        })?;
        // Files bear the time of the last tick of the clock; the command starts in another. A
        // file system that knows seconds only has no parts of them anywhere.
        let whole = |stamp: &Stamp| stamp.changed.1 == 0;
        let seconds = stamps.len() > 1 && stamps.values().flatten().all(whole);
        std::thread::sleep(if seconds { SECONDS } else { TICK });
        Ok(Self(stamps))
    }

    /// Tells the judge of everything that has another stamp, or none any more.
    pub(super) fn touched(&self, tree: &Path, judge: &mut Judge<'_>) -> Result<(), CaptureError> {
        let mut left: BTreeSet<&Path> = self.0.keys().map(PathBuf::as_path).collect();
        walk(tree, &mut |path, held, seen, entries| {
            left.remove(path);
            let before = self.0.get(path);
            if seen.is_dir() {
                if before.is_none_or(Option::is_some) && entries == Some(0) {
                    judge.left_out(path.to_string_lossy().into_owned(), "an empty folder");
                }
                return match (before, entries) {
                    (Some(Some(_)), Some(0)) => judge.gone(path),
                    _ => Ok(()),
                };
            }
            if before == Some(&Some(Stamp::of(seen))) {
                return Ok(());
            }
            // What a link says is only compared; it cannot be opened by its handle.
            let at = if seen.is_symlink() { tree.join(path) } else { held.path() };
            judge.present(path, &at, seen)
        })?;
        for path in left {
            if self.0.get(path).is_some_and(Option::is_some) {
                judge.gone(path)?;
            }
        }
        Ok(())
    }
}

/// Hears of an entry: its path, where it can be read, what it is, and how many entries it has if
/// it is a folder.
type Tell<'t> = dyn FnMut(&Path, &Held, &Metadata, Option<usize>) -> Result<(), CaptureError> + 't;

/// Every entry below a folder, with the number of entries of those that are folders.
fn walk(tree: &Path, tell: &mut Tell<'_>) -> Result<(), CaptureError> {
    let footing = Footing::at(tree).map_err(|source| unreadable(tree, source))?;
    let mut folders: Vec<(PathBuf, Vec<OsString>)> = vec![(PathBuf::new(), names(tree)?)];
    while let Some((folder, names_in)) = folders.pop() {
        for name in names_in {
            let path = folder.join(name);
            let fail = |source| unreadable(&path, source);
            let held = match footing.hold(&path) {
                Ok(held) => held,
                // Its command still runs and has taken it away.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(fail(error)),
            };
            let seen = held.metadata().map_err(fail)?;
            if !seen.is_dir() {
                tell(&path, &held, &seen, None)?;
                continue;
            }
            if path.components().count() > DEEPEST {
                return Err(fail(ErrorKind::InvalidFilename.into()));
            }
            // It is our copy, whatever rights the command took away.
            held.open_up(&seen).map_err(fail)?;
            let inside = names(&held.path())?;
            tell(&path, &held, &seen, Some(inside.len()))?;
            folders.push((path, inside));
        }
    }
    Ok(())
}
