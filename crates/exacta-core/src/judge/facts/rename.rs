//! What the inspector is asked about a file that goes on under another name.
//!
//! An imported rename is two changes: the old name goes, the new one comes. Read one by one
//! they would say that everything in the file was removed and written anew. So the old
//! name's image before is put beside the new name's image after, and the rest is as with
//! any modification. The names themselves stay two: a deletion is one, and what a name
//! alone gives away is asked of the new name as of any new file. What a file carries into
//! another folder, such as a danger or a secret, is new there ([`Inspected::moved`]).

use alloc::string::String;
use alloc::vec::Vec;

use hashbrown::{HashMap, HashSet};

use super::inspector::Inspected;
use super::of_path::of_path;
use super::runner::ending;
use super::{Fact, FactKind, Language, Runner, is_built_on, is_sample, is_test};
use crate::model::change::Change;
use crate::model::digest::{Blob, Digest};
use crate::model::path::RelPath;

/// What is asked about the changes of a plan. `nothing` is an empty image. Who stands beside
/// a file is compared in the core, once for a folder, so no names go along.
pub(crate) fn asked<'a>(
    changes: &'a [Change],
    images: &'a HashMap<Digest, Blob>,
    nothing: &'a Blob,
) -> Vec<Inspected<'a>> {
    let ends: HashMap<_, &Change> = changes
        .iter()
        .filter(|change| change.after.is_none())
        .map(|change| ((change.step.as_str(), &change.path), change))
        .collect();
    // What moves to where it means something else is read as gone there and new here.
    let old_name = |new: &'a Change| -> Option<&'a Change> {
        let from = new.renamed_from.as_ref()?;
        let alike = new.before.is_none() && alike(from, &new.path);
        alike.then(|| ends.get(&(new.step.as_str(), from)).copied()).flatten()
    };
    let go_on: HashSet<_> =
        changes.iter().filter_map(old_name).map(|old| (old.step.as_str(), &old.path)).collect();
    let mut asked = Vec::with_capacity(changes.len());
    for change in changes {
        if change.after.is_none() && go_on.contains(&(change.step.as_str(), &change.path)) {
            continue;
        }
        let here = Inspected::of(change, images);
        let Some(old) = old_name(change) else {
            asked.push(here);
            continue;
        };
        let before = old.before.and_then(|digest| images.get(&digest));
        asked.push(Inspected { after: Some(nothing), ..here.clone() });
        asked.push(Inspected { before, ..here });
    }
    asked
}

/// Whether a file means the same under both names, as far as names tell. Manifests, files
/// that run by themselves and code of others mean something by where they are.
fn alike(from: &RelPath, to: &RelPath) -> bool {
    let kinds = |path: &RelPath| -> Vec<FactKind> {
        of_path("", path, true, false).into_iter().map(|fact| fact.kind).collect()
    };
    let (old, new) = (kinds(from), kinds(to));
    old == new
        && old.iter().all(|kind| matches!(kind, FactKind::HasRole { .. }))
        && Runner::of(from).goes_on_as(&Runner::of(to))
        && (is_test(from), standing(from)) == (is_test(to), standing(to))
}

/// Whether others build on the file, and whether it is filled in.
fn standing(path: &RelPath) -> (bool, bool) {
    (is_built_on(path), is_sample(path))
}

/// Files that others name in their own code: who imports the old name finds nothing there.
pub(crate) fn moved_modules(changes: &[Change]) -> Vec<Fact> {
    let moved = changes.iter().filter_map(|change| {
        let from = change.renamed_from.as_ref().filter(|from| alike(from, &change.path))?;
        let language = named_by_path(from).filter(|_| is_built_on(from))?;
        Some(Fact {
            step: change.step.clone(),
            path: change.path.clone(),
            line: None,
            excerpt: String::new(),
            kind: FactKind::PublicRemoved {
                language,
                item: "module".into(),
                name: from.as_str().into(),
                renamed_to: Some(change.path.as_str().into()),
            },
        })
    });
    moved.collect()
}

/// The language of a file, where others import a file by its path.
fn named_by_path(path: &RelPath) -> Option<Language> {
    match ending(path).as_str() {
        "py" | "pyi" => Some(Language::Python),
        "js" | "mjs" | "cjs" | "jsx" => Some(Language::JavaScript),
        "ts" | "mts" | "cts" | "tsx" => Some(Language::TypeScript),
        "h" => Some(Language::C),
        "hh" | "hpp" | "hxx" => Some(Language::Cpp),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::change::FileMode;
    use alloc::vec;

    fn rename(from: &str, to: &str, before: &Blob, after: &Blob) -> Vec<Change> {
        let one = |path: &str, before: Option<&Blob>, after: Option<&Blob>| Change {
            path: RelPath::parse(path).unwrap(),
            before: before.map(Blob::digest),
            after: after.map(Blob::digest),
            mode_before: before.map(|_| FileMode::REGULAR),
            mode_after: after.map(|_| FileMode::REGULAR),
            step: "step_1".into(),
            renamed_from: None,
        };
        let new = one(to, None, Some(after));
        let renamed_from = Some(RelPath::parse(from).unwrap());
        vec![one(from, Some(before), None), Change { renamed_from, ..new }]
    }

    /// Path, bytes before and bytes after.
    type Question = (String, Option<Vec<u8>>, Option<Vec<u8>>);

    fn questions(from: &str, to: &str) -> Vec<Question> {
        let (old, new) = (Blob::new(b"old\n".to_vec()), Blob::new(b"new\n".to_vec()));
        let nothing = Blob::new(Vec::new());
        let changes = rename(from, to, &old, &new);
        let images = [old, new].into_iter().map(|blob| (blob.digest(), blob)).collect();
        let bytes = |blob: Option<&Blob>| blob.map(|blob| blob.bytes().to_vec());
        asked(&changes, &images, &nothing)
            .iter()
            .map(|one| (one.change.path.as_str().into(), bytes(one.before), bytes(one.after)))
            .collect()
    }

    #[test]
    fn a_renamed_file_is_compared_with_what_it_was() {
        let (old, new) = (Some(b"old\n".to_vec()), Some(b"new\n".to_vec()));
        assert_eq!(
            questions("src/a.rs", "src/net/b.rs"),
            [
                // What the new name alone gives away.
                ("src/net/b.rs".into(), None, Some(Vec::new())),
                ("src/net/b.rs".into(), old, new),
            ]
        );
    }

    #[test]
    fn what_means_something_else_under_the_new_name_is_gone_there_and_new_here() {
        for (from, to) in [
            ("src/a.rs", "src/a.txt"),
            ("src/a.rs", "tests/a.rs"),
            ("tests/a.rs", "src/a.rs"),
            ("src/a.rs", "vendor/a.rs"),
            ("src/a.rs", "src/internal/a.rs"),
            ("src/a.py", "src/a.example.py"),
            ("tests/test_a.py", "tests/old_a.py"),
            ("a_test.go", "testdata/a_test.go"),
            ("a/Cargo.toml", "Cargo.toml"),
            ("ci.yml", ".github/workflows/ci.yml"),
            ("Cargo.lock", "old/Cargo.lock"),
        ] {
            assert_eq!(
                questions(from, to),
                [
                    (from.into(), Some(b"old\n".to_vec()), None),
                    (to.into(), None, Some(b"new\n".to_vec())),
                ],
                "{from} {to}"
            );
        }
    }

    #[test]
    fn a_module_that_others_import_by_its_path_is_gone_under_the_old_one() {
        let blob = Blob::new(b"x\n".to_vec());
        let told = |from: &str, to: &str| -> Vec<String> {
            let facts = moved_modules(&rename(from, to, &blob, &blob));
            facts.into_iter().map(|fact| alloc::format!("{}", fact.kind)).collect()
        };
        assert_eq!(told("lib/a.py", "lib/b.py"), ["public module `lib/a.py` is now `lib/b.py`"]);
        assert_eq!(told("include/a.h", "include/b.h").len(), 1);
        // Modules of these are named in their text, or belong to nobody else.
        for (from, to) in [
            ("src/a.rs", "src/b.rs"),
            ("a/a.go", "a/b.go"),
            ("tests/test_a.py", "tests/test_b.py"),
            ("scripts/a.py", "scripts/b.py"),
            ("a.txt", "b.txt"),
        ] {
            assert!(told(from, to).is_empty(), "{from}");
        }
    }
}
