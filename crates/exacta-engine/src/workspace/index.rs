//! Which names the project's own files define.
//!
//! Asked only about names that a change newly uses. Files are read in the order of their
//! paths' bytes up to fixed bounds; what is built, vendored, hidden or named by the project's
//! own `.gitignore` is left out. What cannot be read defines nothing, so that a name is known
//! only because it was found.

use std::collections::{BTreeSet, VecDeque};

use exacta_core::judge::facts::{defined_in, is_built_or_cached};
use exacta_core::model::path::RelPath;
use exacta_core::model::tree::Tree as _;

use super::port::Workspace as _;
use super::root::Root;
use super::spot::Spot;

/// The most files that are read,
const FILES: usize = 5_000;
/// folders that are listed,
const FOLDERS: usize = 2_000;
/// bytes of one file,
const FILE_BYTES: usize = 512 << 10;
/// and of all.
const BYTES: usize = 64 << 20;

/// Endings of files that may define something.
const SOURCES: &[&str] = &[
    "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "java", "c",
    "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "kt", "swift", "rb", "php", "cs", "scala",
];

impl Root {
    /// Those of `names` that a file of the project defines.
    pub(super) fn names_defined(&self, names: &[String]) -> Vec<String> {
        let asked: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let mut found = BTreeSet::new();
        let ignored = self.ignored();
        let mut folders = VecDeque::from([String::new()]);
        let (mut listed, mut files, mut bytes) = (0, 0, 0);
        while let Some(folder) = folders.pop_front() {
            listed += 1;
            if listed > FOLDERS || found.len() == asked.len() {
                break;
            }
            for path in self.sorted_in(&folder) {
                let name = path.rsplit('/').next().unwrap_or(&path);
                if name.starts_with('.')
                    || ignored.contains(name)
                    || ignored.contains(path.as_str())
                {
                    continue;
                }
                let Some((_, ending)) = name.rsplit_once('.') else {
                    // A name without an ending is most likely a folder; listing a file gives nothing.
                    folders.push_back(path);
                    continue;
                };
                if !SOURCES.contains(&ending) || files >= FILES || bytes >= BYTES {
                    continue;
                }
                let Ok(target) = RelPath::parse(&path) else { continue };
                if is_built_or_cached(target.as_str()) {
                    continue;
                }
                let Ok(Some(file)) = self.look(&target) else { continue };
                files += 1;
                bytes += file.blob.bytes().len();
                if file.blob.bytes().len() <= FILE_BYTES
                    && let Ok(text) = std::str::from_utf8(file.blob.bytes())
                {
                    defined_in(text, &asked, &mut found);
                }
            }
        }
        found.into_iter().collect()
    }

    /// What lies in a folder, in the order of bytes.
    pub(super) fn sorted_in(&self, folder: &str) -> Vec<String> {
        let spot = if folder.is_empty() {
            Spot::root()
        } else {
            let Ok(path) = RelPath::parse(folder) else { return Vec::new() };
            Spot::target(&path)
        };
        let mut names = self.list(&spot).unwrap_or_default();
        names.sort_unstable();
        let join = |name: String| if folder.is_empty() { name } else { format!("{folder}/{name}") };
        names.into_iter().map(join).collect()
    }

    /// Plain names and paths of the project's own `.gitignore`. Patterns are left alone: what
    /// they would leave out is read, which only makes more names known.
    pub(super) fn ignored(&self) -> BTreeSet<String> {
        const ALWAYS: &[&str] = &[
            "node_modules",
            "vendor",
            "target",
            "dist",
            "build",
            "third_party",
            "__pycache__",
            "venv",
        ];
        let mut out: BTreeSet<String> = ALWAYS.iter().map(|name| (*name).to_owned()).collect();
        let file = RelPath::parse(".gitignore").ok().and_then(|path| self.look(&path).ok()?);
        let text = file.and_then(|file| String::from_utf8(file.blob.bytes().to_vec()).ok());
        for line in text.unwrap_or_default().lines() {
            let name = line.trim().trim_matches('/');
            if !(name.is_empty() || name.starts_with(['#', '!']) || name.contains(['*', '?', '[']))
            {
                out.insert(name.to_owned());
            }
        }
        out
    }
}
