//! Undo beside a user at work: what they made is never lost, with git and without.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use exacta_engine::run::{Found, UndoError};

use crate::project::{apply, assert_nothing_left_over, expected, laid_out, shape, undo};
use crate::tree::snapshot;

#[test]
fn undo_after_a_users_edit_refuses_and_keeps_it() {
    let shape = &shape("mixed twenty");
    let (changes, images) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    let _ = apply(&root, "r1", &changes, &images);
    fs::write(dir.path().join("fresh/0/x"), "my own words").unwrap();
    fs::write(dir.path().join("fresh/1/untracked"), "mine too").unwrap();
    let edited = snapshot(dir.path());
    match undo(&root, "r1", "r2") {
        Err(UndoError::Conflicts(list)) => {
            assert_eq!(list.len(), 1);
            assert_eq!(list[0].path.as_str(), "fresh/0/x");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(snapshot(dir.path()), edited);
    // Without the conflict the undo goes through, and the folder with a file of the
    // user's stays.
    fs::write(dir.path().join("fresh/0/x"), "hi").unwrap();
    let _ = undo(&root, "r1", "r3").unwrap();
    let now = snapshot(dir.path());
    let (mut before, _) = expected(shape);
    for path in ["fresh", "fresh/1", "fresh/1/untracked"] {
        before.insert(path.into(), now[path].clone());
    }
    assert_eq!(now, before);
}

#[test]
fn an_edit_in_the_kept_original_is_not_taken_for_the_original() {
    let shape = &shape("ten files");
    let (changes, images) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    // An editor that holds two files open across the run and saves at the end.
    let open =
        |name: &str| fs::OpenOptions::new().append(true).open(dir.path().join(name)).unwrap();
    let mut held = [open("src/part0/f0.rs"), open("src/part1/f5.rs")];
    let _ = apply(&root, "r1", &changes, &images);
    for file in &mut held {
        std::io::Write::write_all(file, b"and more").unwrap();
    }
    let now = snapshot(dir.path());
    match undo(&root, "r1", "r2") {
        Err(UndoError::Conflicts(list)) => {
            let names: Vec<_> = list.iter().map(|d| (d.path.as_str(), &d.found)).collect();
            let edited = &Found::BackupChanged;
            assert_eq!(names, [("src/part0/f0.rs", edited), ("src/part1/f5.rs", edited)]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(snapshot(dir.path()), now);
    assert_nothing_left_over(dir.path(), "undo");
}

/// A git repository in a folder, under nobody's settings.
fn git(dir: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
    let mut command = Command::new("git");
    let done = command.args(identity).args(words).current_dir(dir).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// What a user did after the run, and the targets that undo must leave to them.
type Deed = (&'static str, &'static [&'static str], fn(&Path));

const DEEDS: [Deed; 12] = [
    ("nothing", &[], |_| {}),
    ("edits a changed file", &["src/part0/f0.rs"], |dir| write(dir, "src/part0/f0.rs")),
    ("edits a created file", &["fresh/0/x"], |dir| write(dir, "fresh/0/x")),
    ("makes a deleted file again", &["gone/1"], |dir| write(dir, "gone/1")),
    ("deletes a changed file", &["src/part1/f1.rs"], |dir| {
        fs::remove_file(dir.join("src/part1/f1.rs")).unwrap();
    }),
    ("deletes a created file", &["fresh/3/x"], |dir| {
        fs::remove_file(dir.join("fresh/3/x")).unwrap();
    }),
    ("changes a mode", &["src/part2/f2.rs"], |dir| {
        let mode = Permissions::from_mode(0o600);
        fs::set_permissions(dir.join("src/part2/f2.rs"), mode).unwrap();
    }),
    ("puts a link in its place", &["src/part3/f3.rs"], |dir| {
        fs::remove_file(dir.join("src/part3/f3.rs")).unwrap();
        symlink("../../keep/bystander", dir.join("src/part3/f3.rs")).unwrap();
    }),
    ("puts a folder in its place", &["fresh/2/x"], |dir| {
        fs::remove_file(dir.join("fresh/2/x")).unwrap();
        fs::create_dir(dir.join("fresh/2/x")).unwrap();
        write(dir, "fresh/2/x/mine");
    }),
    ("edits two files", &["fresh/0/x", "src/part0/f4.rs"], |dir| {
        write(dir, "fresh/0/x");
        write(dir, "src/part0/f4.rs");
    }),
    ("edits another file", &[], |dir| write(dir, "keep/other")),
    ("makes files beside the new ones", &[], |dir| {
        write(dir, "fresh/1/untracked");
        write(dir, "fresh/1/ignored");
        write(dir, "gone/untracked");
    }),
];

fn write(dir: &Path, path: &str) {
    fs::write(dir.join(path), "my own words").unwrap();
}

/// Every deed, without git, in a repository, and committed to it.
#[test]
fn whatever_a_user_did_since_is_kept() {
    let shape = &shape("mixed twenty");
    let (changes, images) = shape.changes();
    let mut tried = 0;
    for (name, conflicts, deed) in DEEDS {
        for commits in [None, Some(false), Some(true)] {
            let (dir, root) = laid_out(&shape.before);
            if commits.is_some() {
                fs::write(dir.path().join(".gitignore"), "ignored\n.exacta\n").unwrap();
                git(dir.path(), &["init", "-q"]);
                git(dir.path(), &["add", "-A"]);
                git(dir.path(), &["commit", "-qm", "before"]);
            }
            let before = snapshot(dir.path());
            let _ = apply(&root, "r1", &changes, &images);
            let after = snapshot(dir.path());
            deed(dir.path());
            if commits == Some(true) {
                git(dir.path(), &["add", "-A"]);
                git(dir.path(), &["commit", "-qm", "theirs"]);
            }
            let theirs = snapshot(dir.path());
            let outcome = undo(&root, "r1", "r2");
            let now = snapshot(dir.path());
            let what = format!("a user who {name}, commits: {commits:?}");
            if conflicts.is_empty() {
                let _ = outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
                for (path, entry) in &theirs {
                    // Theirs is whatever the run had not left so.
                    if after.get(path) != Some(entry) {
                        assert_eq!(now.get(path), Some(entry), "{what}: {path}");
                    }
                }
                for (path, entry) in before.iter().filter(|(path, _)| !path.starts_with(".git/")) {
                    if after.get(path) == theirs.get(path) {
                        assert_eq!(now.get(path), Some(entry), "{what}: {path}");
                    }
                }
            } else {
                match outcome {
                    Err(UndoError::Conflicts(list)) => {
                        let paths: Vec<_> = list.iter().map(|drift| drift.path.as_str()).collect();
                        assert_eq!(paths, conflicts, "{what}");
                    }
                    other => panic!("{what}: {other:?}"),
                }
                assert_eq!(now, theirs, "{what}: something was touched");
            }
            assert_nothing_left_over(dir.path(), &what);
            tried += 1;
        }
    }
    println!("undo beside a user: {tried} situations, nothing of theirs was lost");
}
