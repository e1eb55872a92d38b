//! What lies around a target: its neighbours, and whether the project has tests.
//!
//! These answers only steer scores, so they are bounded and never fail: what cannot be
//! listed is left out, and a project that is too large to search is taken to have tests.

use exacta_core::judge::facts::project_has_tests;
use exacta_core::model::path::RelPath;

use super::port::Workspace as _;
use super::root::Root;
use super::spot::Spot;

/// The most folders that are listed to find a test.
const MOST_FOLDERS: usize = 200;
/// How deep tests are looked for below the root.
const DEPTH: usize = 3;

impl Root {
    /// The names beside `path`.
    pub(super) fn names_beside(&self, path: &RelPath) -> Vec<String> {
        let mut names = self.list(&Spot::target(path).folder()).unwrap_or_default();
        names.retain(|name| name != path.name());
        names
    }

    /// Whether a test lies in the upper folders of the project.
    pub(super) fn tests_exist(&self) -> bool {
        let mut level = vec![String::new()];
        let mut listed = 0;
        for _ in 0..DEPTH {
            let mut next = Vec::new();
            for folder in level {
                listed += 1;
                if listed > MOST_FOLDERS {
                    return true;
                }
                let paths = self.paths_in(&folder);
                if project_has_tests(paths.iter().map(String::as_str)) {
                    return true;
                }
                // A name without an ending is most likely a folder; listing a file gives nothing.
                next.extend(paths.into_iter().filter(|path| !path.contains('.')));
            }
            level = next;
        }
        false
    }

    fn paths_in(&self, folder: &str) -> Vec<String> {
        let spot = if folder.is_empty() {
            Spot::root()
        } else {
            let Ok(path) = RelPath::parse(folder) else { return Vec::new() };
            Spot::target(&path)
        };
        let names = self.list(&spot).unwrap_or_default();
        names
            .into_iter()
            .map(|name| if folder.is_empty() { name } else { format!("{folder}/{name}") })
            .collect()
    }
}
