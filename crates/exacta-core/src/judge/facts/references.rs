//! References to files that neither exist nor are made.
//!
//! The inspector reads no folder: it tells where an added line's reference would have to
//! lead. Whether something is there is asked here, of the same tree that everything else
//! was asked of, so that a stored plan answers the same later. What cannot be told for
//! sure is not reported.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::answers::Answers;
use super::fact::Fact;
use super::kind::FactKind;
use crate::model::change::Change;
use crate::model::path::RelPath;
use crate::model::tree::Tree;

/// The most folders that are listed for one plan.
const MOST_FOLDERS: usize = 64;

/// Keeps a missing reference only where nothing is at any of the places it may mean, and a
/// new name only where the project does not have it; what the project answers is noted.
#[must_use]
pub fn settle(
    facts: Vec<Fact>,
    changes: &[Change],
    tree: &dyn Tree,
    answers: &mut Answers,
) -> Vec<Fact> {
    let mut places = Places { tree, changes, folders: BTreeMap::new() };
    let known = known_names(&facts, tree, answers);
    let mut lacks = |place: &String| {
        let lacks = places.lacks(place);
        answers.present.insert(place.clone(), !lacks);
        lacks
    };
    facts
        .into_iter()
        .filter(|fact| match &fact.kind {
            FactKind::NewReach { name } => !known.contains(name),
            FactKind::MissingReference { at, .. } => !at.is_empty() && at.iter().all(&mut lacks),
            _ => true,
        })
        .collect()
}

/// Of the names that code newly uses, those that the project defines.
fn known_names(facts: &[Fact], tree: &dyn Tree, answers: &mut Answers) -> BTreeSet<String> {
    let asked: BTreeSet<String> = facts
        .iter()
        .filter_map(|fact| match &fact.kind {
            FactKind::NewReach { name } => Some(name.clone()),
            _ => None,
        })
        .collect();
    if asked.is_empty() {
        return asked;
    }
    let asked: Vec<String> = asked.into_iter().collect();
    let mut known: BTreeSet<String> = tree.defined(&asked).into_iter().collect();
    // Packages that the project's manifests name, and folders and modules at its root.
    let root: Vec<String> =
        RelPath::parse("_").map(|path| tree.siblings(&path)).unwrap_or_default();
    let manifests: Vec<String> = MANIFESTS
        .iter()
        .filter(|name| root.is_empty() || root.iter().any(|other| other == *name))
        .filter_map(|name| tree.look(&RelPath::parse(name).ok()?).ok()?)
        .filter_map(|file| String::from_utf8(file.blob.bytes().to_vec()).ok())
        .collect();
    let named = asked.iter().filter(|name| {
        root.iter().any(|entry| entry.split('.').next() == Some(name.as_str()))
            || manifests.iter().any(|text| names_word(text, name))
    });
    known.extend(named.cloned());
    answers.defines.extend(asked.into_iter().map(|name| {
        let is_known = known.contains(&name);
        (name, is_known)
    }));
    known
}

/// Manifests that name packages.
const MANIFESTS: &[&str] = &[
    "package.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
];

/// Whether a text holds a name as a whole word; `-` and `_` are one sign there.
fn names_word(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let holds = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            !text.get(..at).unwrap_or_default().ends_with(part)
                && !text.get(at + name.len()..).unwrap_or_default().starts_with(part)
        })
    };
    holds(name) || name.contains('_') && holds(&name.replace('_', "-"))
}

/// The folders that were asked for.
struct Places<'a> {
    tree: &'a dyn Tree,
    changes: &'a [Change],
    folders: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl Places<'_> {
    /// Whether surely nothing is at `place`, whatever its ending.
    fn lacks(&mut self, place: &str) -> bool {
        let (folder, stem) = place.rsplit_once('/').unwrap_or(("", place));
        let Some(names) = self.names(folder) else { return false };
        let begins = |name: &String| {
            name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        !names.iter().any(begins)
    }

    /// What a folder holds once the plan has run; `None` where it cannot be told.
    fn names(&mut self, folder: &str) -> Option<&BTreeSet<String>> {
        if !self.folders.contains_key(folder) {
            if self.folders.len() >= MOST_FOLDERS {
                return None;
            }
            let names = self.list(folder);
            self.folders.insert(folder.to_string(), names);
        }
        self.folders.get(folder)?.as_ref()
    }

    fn list(&self, folder: &str) -> Option<BTreeSet<String>> {
        let mut names = self.before(folder)?;
        if names.is_empty() && !self.surely_new(folder) {
            return None;
        }
        let beneath = |path: &RelPath| {
            let rest = if folder.is_empty() {
                Some(path.as_str())
            } else {
                path.as_str().strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'))
            };
            rest.map(|rest| rest.split('/').next().unwrap_or(rest).to_string())
        };
        for change in self.changes {
            let Some(name) = beneath(&change.path) else { continue };
            if change.after.is_some() {
                names.insert(name);
            } else if beneath(&change.path).as_deref() == Some(change.path.name()) {
                names.remove(&name);
            }
        }
        Some(names)
    }

    /// What the tree tells of a folder before the plan: nothing also where it is not there
    /// or cannot be listed.
    fn before(&self, folder: &str) -> Option<BTreeSet<String>> {
        // The name of what is asked about is not among the answers; nothing is called so.
        let inside = if folder.is_empty() { "_".to_string() } else { format!("{folder}/_") };
        let inside = RelPath::parse(&inside).ok()?;
        Some(self.tree.siblings(&inside).into_iter().collect())
    }

    /// Whether a folder was not there before the plan, because the one that it would be in
    /// tells others.
    fn surely_new(&self, folder: &str) -> bool {
        let (mut up, mut name) = folder.rsplit_once('/').unwrap_or(("", folder));
        loop {
            match self.before(up) {
                Some(names) if !names.is_empty() => {
                    return !name.is_empty() && !names.contains(name);
                }
                _ if up.is_empty() => return false,
                _ => (up, name) = up.rsplit_once('/').unwrap_or(("", up)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::change::FileMode;
    use crate::model::digest::Blob;
    use crate::model::tree::{TreeFault, TreeFile};
    use alloc::vec;

    struct Folder;

    impl Tree for Folder {
        fn look(&self, _: &RelPath) -> Result<Option<TreeFile>, TreeFault> {
            Ok(None)
        }

        fn siblings(&self, path: &RelPath) -> Vec<String> {
            match path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder) {
                "" => ["src", "locked"].map(String::from).to_vec(),
                "src" => ["a.ts", "util", "gone.ts"].map(String::from).to_vec(),
                _ => Vec::new(),
            }
        }
    }

    fn change(path: &str, made: bool) -> Change {
        let image = Some(Blob::new(b"x".to_vec()).digest());
        Change {
            path: RelPath::parse(path).unwrap(),
            before: if made { None } else { image },
            after: if made { image } else { None },
            mode_before: None,
            mode_after: Some(FileMode::REGULAR),
            step: "s".into(),
            renamed_from: None,
        }
    }

    fn kept(at: &[&str]) -> bool {
        let fact = Fact {
            step: "s".into(),
            path: RelPath::parse("src/x.ts").unwrap(),
            line: Some(1),
            excerpt: String::new(),
            kind: FactKind::MissingReference {
                reference: "./it".into(),
                at: at.iter().map(|place| String::from(*place)).collect(),
            },
        };
        let changes = [
            change("src/x.ts", true),
            change("src/gone.ts", false),
            change("src/new/deep.ts", true),
            change("made/here.py", true),
            change("locked/x.py", true),
        ];
        !settle(vec![fact], &changes, &Folder, &mut Answers::default()).is_empty()
    }

    #[test]
    fn only_what_is_surely_missing_is_kept() {
        for present in ["src/a", "src/util", "src/x", "src/new", "src/new/deep", "made/here"] {
            assert!(!kept(&[present]), "{present}");
        }
        assert!(kept(&["src/nowhere"]));
        assert!(kept(&["src/gone"]), "the plan deletes it");
        assert!(kept(&["src/ut"]), "a beginning of a name is not the name");
        assert!(kept(&["made/other"]), "the folder is made by the plan");
        assert!(!kept(&["src/nowhere", "src/a"]), "one of two places is enough");
        assert!(kept(&["src/none/b"]), "not even its folder is there");
        assert!(!kept(&["src/util/b"]), "a folder that tells nothing");
        assert!(kept(&["elsewhere/deep/b"]), "nor the one around it");
        assert!(!kept(&["locked/b"]), "a folder that cannot be listed");
        assert!(!kept(&["locked/in/b"]), "nor what is in it");
        assert!(!kept(&[]));
    }
}
