//! Folders that say of themselves that they are caches.
//!
//! Many tools put a file there that begins with a fixed line, so that nobody keeps what
//! can be made anew.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// The file, and how it begins.
const MARK: &str = "CACHEDIR.TAG";
const BEGINS: &[u8; 43] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// What is known of folders; each is looked at once.
#[derive(Default)]
pub(super) struct Caches(BTreeMap<PathBuf, bool>);

impl Caches {
    /// The outermost folder around a path that says so. A folder of the project must have
    /// said it there: no command hides what it changed by saying it in its copy.
    pub(super) fn around(&mut self, path: &Path, project: &Path, copy: &Path) -> Option<PathBuf> {
        let above: Vec<&Path> = path.ancestors().skip(1).collect();
        let mut folders = above.into_iter().rev().filter(|folder| *folder != Path::new(""));
        let found = folders.find(|folder| {
            if let Some(known) = self.0.get(*folder) {
                return *known;
            }
            let live = project.join(folder);
            let is_new = fs::symlink_metadata(&live).is_err();
            let says = says_cache(&if is_new { copy.join(folder) } else { live });
            self.0.insert(folder.to_path_buf(), says);
            says
        });
        found.map(Into::into)
    }
}

fn says_cache(folder: &Path) -> bool {
    // Neither a link nor a pipe, not even one that took its place just now.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(mark) = rustix::fs::open(folder.join(MARK), flags, Mode::empty()) else { return false };
    let mut mark = File::from(mark);
    let mut begins = [0; BEGINS.len()];
    mark.metadata().is_ok_and(|mark| mark.is_file())
        && mark.read_exact(&mut begins).is_ok()
        && begins == *BEGINS
}
