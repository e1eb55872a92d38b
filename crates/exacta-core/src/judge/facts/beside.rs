//! Names in one folder that could be taken for one another, or are one on some file system.
//!
//! Every component of every path of a plan is compared with the names beside it, in the
//! tree and in the plan. Each folder is listed once, and each name in it is looked at once.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::{HashMap, HashSet};

use crate::model::change::Change;
use crate::model::path::{RelPath, fold_key, look_alike_key, look_alike_key_of_capitals};
use crate::model::tree::Tree;

/// What the names of a plan could be taken for.
pub(super) struct Beside<'a> {
    /// The path of a file or folder, and the name beside it.
    twins: HashMap<&'a str, String>,
}

impl<'a> Beside<'a> {
    /// Compares the names of all changes.
    pub(super) fn of(changes: &'a [Change], tree: &dyn Tree) -> Self {
        let mut twins = HashMap::new();
        let folders = folders(changes);
        let mut known = Known::default();
        // A folder comes before what is in it.
        for (folder, paths) in &folders {
            let mut names = Names::of(paths);
            for name in known.list(folder, &names, tree) {
                match names.paths.get(name.as_str()) {
                    Some(path) => drop(known.there.insert(*path)),
                    None => names.meet(&name),
                }
            }
            twins.extend(names.twins());
        }
        Self { twins }
    }

    /// What the component that ends this path could be taken for.
    pub(super) fn twin(&self, path: &str) -> Option<&str> {
        self.twins.get(path).map(String::as_str)
    }
}

/// Every folder that the plan has something in, with the paths of what it has there.
fn folders(changes: &[Change]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for change in changes {
        for path in core::iter::once(change.path.as_str()).chain(change.path.ancestors()) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            // What is around a known folder is known too.
            if !folders.entry(folder).or_default().insert(path) {
                break;
            }
        }
    }
    folders
}

/// What the tree told so far.
#[derive(Default)]
struct Known<'a> {
    /// Folders whose names are known,
    listed: HashSet<&'a str>,
    /// and what is in them that the plan names.
    there: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    /// The names in a folder; none where the folder around it lacks it.
    fn list(&mut self, folder: &'a str, names: &Names<'_>, tree: &dyn Tree) -> Vec<String> {
        let around = folder.rsplit_once('/').map_or("", |(around, _)| around);
        if !folder.is_empty() && self.listed.contains(around) && !self.there.contains(folder) {
            self.listed.insert(folder);
            return Vec::new();
        }
        let probe = names.unlike_all();
        let inside = if folder.is_empty() { probe } else { format!("{folder}/{probe}") };
        let found = RelPath::parse(&inside).map(|path| tree.siblings(&path)).unwrap_or_default();
        // An empty answer may mean that it cannot be told.
        if !found.is_empty() {
            self.listed.insert(folder);
        }
        found
    }
}

/// The names that a plan has in one folder.
struct Names<'a> {
    /// Each with its path.
    paths: BTreeMap<&'a str, &'a str>,
    alike: HashMap<Key, Alike<'a>>,
}

/// Names of one key.
#[derive(Default)]
struct Alike<'a> {
    /// The first two in the plan,
    here: [Option<&'a str>; 2],
    /// and one that only the tree has.
    there: Option<String>,
}

impl Alike<'_> {
    /// Who stands beside `name`; in the tree rather than in the plan.
    fn other(&self, name: &str) -> Option<(bool, &str)> {
        let here = self.here.iter().flatten().find(|other| **other != name);
        let there = self.there.as_deref().map(|other| (false, other));
        there.or_else(|| here.map(|other| (true, *other)))
    }
}

/// A name to a file system that folds, to the eye, and to an eye that knows no capitals.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Folded(String),
    Seen(String),
    Capitals(String),
}

fn keys(name: &str) -> [Key; 3] {
    let seen = look_alike_key(name);
    let plain = name.is_ascii() && !name.contains('I');
    let capitals = if plain { seen.clone() } else { look_alike_key_of_capitals(name) };
    [Key::Folded(fold_key(name).into_owned()), Key::Seen(seen), Key::Capitals(capitals)]
}

impl<'a> Names<'a> {
    fn of(paths: &BTreeSet<&'a str>) -> Self {
        let name = |path: &'a str| path.rsplit('/').next().unwrap_or(path);
        let paths: BTreeMap<_, _> = paths.iter().map(|path| (name(path), *path)).collect();
        let mut alike: HashMap<Key, Alike<'a>> = HashMap::new();
        for name in paths.keys() {
            for key in keys(name) {
                let here = &mut alike.entry(key).or_default().here;
                if let Some(free) = here.iter_mut().find(|place| place.is_none()) {
                    *free = Some(name);
                }
            }
        }
        Self { paths, alike }
    }

    /// Notes that the tree has `other` in the folder, which the plan does not name.
    fn meet(&mut self, other: &str) {
        for key in keys(other) {
            if let Some(Alike { there, .. }) = self.alike.get_mut(&key)
                && there.as_deref().is_none_or(|first| other < first)
            {
                *there = Some(other.into());
            }
        }
    }

    /// The paths of the names that have another one beside them, with that name.
    fn twins(&self) -> impl Iterator<Item = (&'a str, String)> {
        self.paths.iter().filter_map(|(name, path)| {
            let others = keys(name).into_iter().filter_map(|key| self.alike.get(&key)?.other(name));
            others.min().map(|(_, other)| (*path, other.into()))
        })
    }

    /// A name that none of these could be taken for. Whoever asks for the names beside it
    /// does not learn whether it is there itself.
    fn unlike_all(&self) -> String {
        let mut probe = String::from("_");
        while keys(&probe).iter().any(|key| self.alike.contains_key(key)) {
            probe.push('_');
        }
        probe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tree::{TreeFault, TreeFile};
    use core::cell::RefCell;

    /// A tree by the paths of its files; notes which folders are listed.
    struct Files<'a>(&'a [&'a str], RefCell<Vec<String>>);

    impl Tree for Files<'_> {
        fn look(&self, _: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
            Ok(None)
        }

        fn siblings(&self, path: &RelPath) -> Vec<String> {
            let folder = path.ancestors().next().map_or(String::new(), |up| format!("{up}/"));
            self.1.borrow_mut().push(folder.clone());
            let inside = self.0.iter().filter_map(|file| file.strip_prefix(folder.as_str()));
            let names: BTreeSet<&str> =
                inside.map(|rest| rest.split('/').next().unwrap_or(rest)).collect();
            names.into_iter().filter(|name| *name != path.name()).map(String::from).collect()
        }
    }

    fn twins(tree: &[&str], paths: &[&str]) -> (Vec<(String, String)>, Vec<String>) {
        let changes: Vec<Change> = paths
            .iter()
            .map(|path| Change {
                path: RelPath::parse(path).unwrap(),
                before: None,
                after: None,
                mode_before: None,
                mode_after: None,
                step: "s".into(),
                renamed_from: None,
            })
            .collect();
        let files = Files(tree, RefCell::default());
        let beside = Beside::of(&changes, &files);
        let found: BTreeMap<&str, String> = beside.twins.into_iter().collect();
        let found = found.into_iter().map(|(path, twin)| (path.into(), twin)).collect();
        (found, files.1.into_inner())
    }

    #[test]
    fn every_component_is_compared_in_the_tree_and_in_the_plan() {
        let tree = ["sub/K.txt", "src/a.py", "lib/util/io.py", "stra\u{df}e", "_", "\u{ff4e}"];
        for (path, at, twin) in [
            ("sub/k.txt", "sub/k.txt", "K.txt"),
            ("SUB/K.txt", "SUB", "sub"),
            ("Sub/k.txt", "Sub", "sub"),
            ("SRC/auth.py", "SRC", "src"),
            ("lib/UTIL/io.py", "lib/UTIL", "util"),
            ("l\u{131}b/util/io.py", "l\u{131}b", "lib"),
            ("\u{217c}ib/x", "\u{217c}ib", "lib"),
            ("Iib/x", "Iib", "lib"),
            ("strasse", "strasse", "stra\u{df}e"),
            ("STRASSE/x", "STRASSE", "stra\u{df}e"),
            ("\u{ff3f}", "\u{ff3f}", "_"),
            ("n", "n", "\u{ff4e}"),
        ] {
            assert_eq!(twins(&tree, &[path]).0, [(at.into(), twin.into())], "{path}");
        }
        for path in ["sub/K.txt", "sub/L.txt", "src/auth.py", "lib/util/x", "other/K.txt"] {
            assert_eq!(twins(&tree, &[path]).0, [], "{path}");
        }
        for (one, other, at) in
            [("d/x", "D/y", "D d"), ("a/e\u{301}", "a/\u{e9}/x", "a/e\u{301} a/\u{e9}")]
        {
            let (found, _) = twins(&[], &[one, other]);
            let paths: Vec<String> = found.into_iter().map(|(path, _)| path).collect();
            assert_eq!(paths.join(" "), at);
        }
    }

    #[test]
    fn a_folder_is_listed_once_and_what_is_new_not_at_all() {
        let plan: Vec<String> =
            (0..100).flat_map(|n| [format!("src/f{n}"), format!("new/deep/er/f{n}")]).collect();
        let plan: Vec<&str> = plan.iter().map(String::as_str).collect();
        assert_eq!(twins(&["src/a", "x"], &plan).1, ["", "src/"]);
    }
}
