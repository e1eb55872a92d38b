//! Which files of the project read a document.
//!
//! Every file that is neither built, vendored nor ignored is looked at, up to fixed bounds;
//! beyond them a document counts as read, for nobody can tell.

use std::collections::{BTreeMap, VecDeque};

use exacta_core::judge::facts::readers_in;
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::{Tree as _, TreeFault};

use super::root::Root;

/// The most files that are read,
const FILES: usize = 20_000;
/// folders that are listed,
const FOLDERS: usize = 5_000;
/// bytes of one file,
const FILE_BYTES: usize = 2 << 20;
/// and of all.
const BYTES: usize = 128 << 20;

/// Folders of tools that keep what they made or fetched.
const KEPT: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".venv",
    ".tox",
    ".nox",
    ".cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".next",
    ".nuxt",
    ".gradle",
    ".terraform",
    ".yarn",
];
/// What may hold the project's own scripts although it is left out elsewhere.
const OWN: &[&str] = &["build", "dist"];
/// Endings of files without words.
const BARE: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "ico", "pdf", "woff", "woff2", "ttf", "otf", "zip", "gz",
    "xz", "bz2", "zst", "jar", "class", "so", "a", "o", "exe", "dll", "mp3", "mp4", "wasm", "bin",
    "lock", "snap", "svg", "csv", "parquet",
];

impl Root {
    /// For each of these documents a file of the project that reads it, if there is one.
    pub(super) fn documents_read(&self, documents: &[String]) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut ignored = self.ignored();
        for name in OWN {
            ignored.remove(*name);
        }
        let mut folders = VecDeque::from([String::new()]);
        let (mut listed, mut files, mut bytes) = (0, 0, 0);
        while let Some(folder) = folders.pop_front() {
            listed += 1;
            for path in self.sorted_in(&folder) {
                if found.len() == documents.len() {
                    return found;
                }
                let name = path.rsplit('/').next().unwrap_or(&path);
                let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
                let left_out = ignored.contains(name) || ignored.contains(path.as_str());
                if left_out || KEPT.contains(&name) || BARE.contains(&ending) {
                    continue;
                }
                let Ok(target) = RelPath::parse(&path) else { continue };
                let file = match self.look(&target) {
                    Ok(Some(file)) => file,
                    Err(TreeFault::Folder) => {
                        folders.push_back(path);
                        continue;
                    }
                    Ok(None) | Err(_) => continue,
                };
                files += 1;
                bytes += file.blob.bytes().len();
                if file.blob.bytes().len() <= FILE_BYTES
                    && let Ok(text) = std::str::from_utf8(file.blob.bytes())
                {
                    readers_in(&path, text, documents, &mut found);
                }
            }
            if listed >= FOLDERS || files >= FILES || bytes >= BYTES {
                break;
            }
        }
        if !folders.is_empty() {
            for document in documents {
                let more = || "more files than are looked at".to_owned();
                found.entry(document.clone()).or_insert_with(more);
            }
        }
        found
    }
}
