//! The plain ways: apply, take back, undo, redo, for every shape.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use exacta_core::change::Change;
use exacta_core::digest::{Blob, Digest};
use exacta_engine::run::{
    Cause, CommitError, Engine, FileJournal, Found, Key, Quiet, Receipt, RunId, StageError,
    UndoError, Watch,
};
use exacta_engine::workspace::{PortError, Root, Workspace};

use crate::shapes::{Shape, shapes};
use crate::tap::{Op, Tap, Tapped};
use crate::tree::{Snapshot, build, scratch, snapshot};

pub(crate) fn key() -> Key {
    Key::new([42; 32])
}

pub(crate) fn run_id(name: &str) -> RunId {
    RunId::parse(name).unwrap()
}

/// Everything of a run that went well.
pub(crate) fn apply(
    port: &dyn Workspace,
    run: &str,
    changes: &[Change],
    images: &HashMap<Digest, Blob>,
) -> Receipt {
    let key = key();
    let journal = FileJournal::new(port, &key);
    let engine = Engine::new(port, &journal, &key);
    let staged = engine.stage(&run_id(run), changes, images, &Quiet).unwrap();
    staged.commit(&Quiet).unwrap().seal().unwrap()
}

pub(crate) fn undo(port: &dyn Workspace, run: &str, inverse: &str) -> Result<Receipt, UndoError> {
    let key = key();
    let journal = FileJournal::new(port, &key);
    let engine = Engine::new(port, &journal, &key);
    let staged = engine.stage_undo(&run_id(run), &run_id(inverse), &Quiet)?;
    Ok(staged.commit(&Quiet).unwrap().seal().unwrap())
}

/// What a tree of this shape looks like, before or after.
pub(crate) fn expected(shape: &Shape) -> (Snapshot, Snapshot) {
    let (before, after) = (scratch(), scratch());
    build(before.path(), &shape.before);
    build(after.path(), &shape.after);
    // Folders of deleted files stay: a plan is about files.
    let (before, mut after) = (snapshot(before.path()), snapshot(after.path()));
    for (path, entry) in &before {
        if entry.bytes.is_none() {
            after.entry(path.clone()).or_insert_with(|| entry.clone());
        }
    }
    (before, after)
}

/// Nothing but kept runs may be left in the gate's folder.
pub(crate) fn assert_nothing_left_over(dir: &Path, what: &str) {
    for shelf in ["runs", "trash"] {
        let left: Vec<_> = fs::read_dir(dir.join(".exacta").join(shelf))
            .map(|entries| entries.map(|e| e.unwrap().file_name()).collect())
            .unwrap_or_default();
        assert!(left.is_empty(), "{what}: left in {shelf}: {left:?}");
    }
}

#[test]
fn every_shape_goes_there_and_back_and_there_again() {
    for shape in shapes() {
        let dir = tempfile::tempdir().unwrap();
        build(dir.path(), &shape.before);
        let (before, after) = expected(&shape);
        let (changes, images) = shape.changes();
        let root = Root::open(dir.path()).unwrap();
        assert_eq!(snapshot(dir.path()), before, "{}", shape.name);
        let receipt = apply(&root, "r1", &changes, &images);
        assert_eq!(receipt.files.len(), changes.len(), "{}", shape.name);
        assert_eq!(snapshot(dir.path()), after, "{}", shape.name);
        let _ = undo(&root, "r1", "r2").unwrap();
        assert_eq!(snapshot(dir.path()), before, "undo of {}", shape.name);
        let _ = undo(&root, "r2", "r3").unwrap();
        assert_eq!(snapshot(dir.path()), after, "redo of {}", shape.name);
        let _ = undo(&root, "r3", "r4").unwrap();
        assert_eq!(snapshot(dir.path()), before, "undo of the redo of {}", shape.name);
        assert_nothing_left_over(dir.path(), shape.name);
    }
}

#[test]
fn a_committed_run_can_be_taken_back_and_a_staged_one_discarded() {
    for shape in shapes() {
        let dir = scratch();
        build(dir.path(), &shape.before);
        let (before, after) = expected(&shape);
        let (changes, images) = shape.changes();
        let root = Root::open(dir.path()).unwrap();
        let key = key();
        let journal = FileJournal::new(&root, &key);
        let engine = Engine::new(&root, &journal, &key);
        engine.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap().discard();
        assert_eq!(snapshot(dir.path()), before, "{}", shape.name);
        let staged = engine.stage(&run_id("r2"), &changes, &images, &Quiet).unwrap();
        let committed = staged.commit(&Quiet).unwrap();
        assert_eq!(snapshot(dir.path()), after, "{}", shape.name);
        assert_eq!(committed.roll_back().unwrap().conflicts, []);
        assert_eq!(snapshot(dir.path()), before, "{}", shape.name);
        assert_nothing_left_over(dir.path(), shape.name);
        assert!(engine.recover().unwrap().is_clean());
    }
}

/// Counts barriers and journal appends.
#[derive(Default)]
struct Count {
    barriers: std::cell::Cell<u32>,
    appends: std::cell::Cell<u32>,
}

impl Tap for Count {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        match op.name {
            "barrier" => self.barriers.set(self.barriers.get() + 1),
            "append" => self.appends.set(self.appends.get() + 1),
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn two_barriers_whatever_the_number_of_files() {
    for shape in shapes() {
        let dir = scratch();
        build(dir.path(), &shape.before);
        let (changes, images) = shape.changes();
        let root = Root::open(dir.path()).unwrap();
        for (run, what) in [("r1", "apply"), ("r2", "undo")] {
            let port = Tapped::new(&root, Count::default());
            match what {
                "apply" => drop(apply(&port, run, &changes, &images)),
                _ => drop(undo(&port, "r1", run).unwrap()),
            }
            assert_eq!(port.tap.barriers.get(), 2, "{what} of {}", shape.name);
            assert_eq!(port.tap.appends.get(), 2, "{what} of {}", shape.name);
        }
    }
}

#[test]
fn drift_refuses_with_the_whole_list_and_touches_nothing() {
    let all = shapes();
    let shape = all.iter().find(|s| s.name == "mixed three").unwrap();
    let (changes, images) = shape.changes();
    let dir = scratch();
    build(dir.path(), &shape.before);
    fs::write(dir.path().join("m"), "edited").unwrap();
    fs::remove_file(dir.path().join("d")).unwrap();
    fs::write(dir.path().join("c"), "in the way").unwrap();
    let edited = snapshot(dir.path());
    let root = Root::open(dir.path()).unwrap();
    let key = key();
    let journal = FileJournal::new(&root, &key);
    let engine = Engine::new(&root, &journal, &key);
    let asked = engine.drift(&changes).unwrap();
    match engine.stage(&run_id("r"), &changes, &images, &Quiet).err().unwrap() {
        StageError::Drift(drifts) => {
            assert_eq!(drifts, asked);
            let found: Vec<_> = drifts.iter().map(|d| (d.path.as_str(), &d.found)).collect();
            assert!(
                matches!(
                    found[..],
                    [("c", Found::Appeared(_)), ("d", Found::Vanished), ("m", Found::Changed(_))]
                ),
                "{found:?}"
            );
        }
        other => panic!("{other}"),
    }
    assert_eq!(snapshot(dir.path()), edited);
    assert_nothing_left_over(dir.path(), "drift");
}

#[test]
fn undo_after_a_users_edit_refuses_and_keeps_it() {
    let all = shapes();
    let shape = all.iter().find(|s| s.name == "mixed twenty").unwrap();
    let (changes, images) = shape.changes();
    let dir = scratch();
    build(dir.path(), &shape.before);
    let root = Root::open(dir.path()).unwrap();
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

/// Stops after a number of questions.
struct StopAfter(std::cell::Cell<u32>);

impl Watch for StopAfter {
    fn cancelled(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
}

#[test]
fn a_request_to_stop_leaves_the_tree_as_it_was_wherever_it_comes() {
    let all = shapes();
    let shape = all.iter().find(|s| s.name == "mixed twenty").unwrap();
    let (changes, images) = shape.changes();
    let (before, after) = expected(shape);
    let dir = scratch();
    build(dir.path(), &shape.before);
    let root = Root::open(dir.path()).unwrap();
    let key = key();
    let journal = FileJournal::new(&root, &key);
    let engine = Engine::new(&root, &journal, &key);
    let (mut while_staging, mut while_swapping) = (0, 0);
    for stop in 0.. {
        let watch = StopAfter(stop.into());
        let staged = match engine.stage(&run_id(&format!("r{stop}")), &changes, &images, &watch) {
            Ok(staged) => staged,
            Err(StageError::Cancelled) => {
                while_staging += 1;
                assert_eq!(snapshot(dir.path()), before);
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        match staged.commit(&watch) {
            Err(CommitError::RolledBack { cause: Cause::Cancelled, conflicts }) => {
                while_swapping += 1;
                assert_eq!(conflicts, []);
                assert_eq!(snapshot(dir.path()), before);
            }
            Err(other) => panic!("{other}"),
            Ok(committed) => {
                let _ = committed.seal().unwrap();
                break;
            }
        }
    }
    assert_eq!(snapshot(dir.path()), after);
    assert!(while_staging > 20 && while_swapping > 20, "{while_staging} {while_swapping}");
    assert_nothing_left_over(dir.path(), "stop");
}

#[test]
fn one_process_at_a_time_and_a_dead_one_frees_the_project() {
    let all = shapes();
    let shape = &all[2];
    let (changes, images) = shape.changes();
    let dir = scratch();
    build(dir.path(), &shape.before);
    let root = Root::open(dir.path()).unwrap();
    let key = key();
    let journal = FileJournal::new(&root, &key);
    let engine = Engine::new(&root, &journal, &key);
    let staged = engine.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap();
    let second = Root::open(dir.path()).unwrap();
    let other = FileJournal::new(&second, &key);
    let rival = Engine::new(&second, &other, &key);
    let refused = rival.stage(&run_id("r2"), &changes, &images, &Quiet).err().unwrap();
    assert_eq!(refused, StageError::Port(PortError::Locked));
    drop(staged);
    // What the first left behind must be recovered before anyone goes on.
    let refused = rival.stage(&run_id("r2"), &changes, &images, &Quiet).err().unwrap();
    assert_eq!(refused, StageError::RecoveryNeeded(vec![run_id("r1")]));
    assert_eq!(rival.recover().unwrap().aborted, [run_id("r1")]);
    assert!(rival.recover().unwrap().is_clean());
    rival.stage(&run_id("r2"), &changes, &images, &Quiet).unwrap().discard();
}

#[test]
fn a_run_has_one_name_and_one_story() {
    let all = shapes();
    let shape = &all[2];
    let (changes, images) = shape.changes();
    let dir = scratch();
    build(dir.path(), &shape.before);
    let root = Root::open(dir.path()).unwrap();
    let _ = apply(&root, "r1", &changes, &images);
    let _ = undo(&root, "r1", "r2").unwrap();
    let key = key();
    let journal = FileJournal::new(&root, &key);
    let engine = Engine::new(&root, &journal, &key);
    for used in ["r1", "r2"] {
        let refused = engine.stage(&run_id(used), &changes, &images, &Quiet).err().unwrap();
        assert_eq!(refused, StageError::RunExists(run_id(used)));
    }
    // Forgotten means: cannot be undone, and still cannot be used again.
    engine.forget(&run_id("r2")).unwrap();
    assert_eq!(undo(&root, "r2", "r3").unwrap_err(), UndoError::NotUndoable(run_id("r2")));
    let refused = engine.stage(&run_id("r2"), &changes, &images, &Quiet).err().unwrap();
    assert_eq!(refused, StageError::RunExists(run_id("r2")));
}

#[test]
fn an_edit_in_the_kept_original_is_not_taken_for_the_original() {
    let all = shapes();
    let shape = all.iter().find(|s| s.name == "ten files").unwrap();
    let (changes, images) = shape.changes();
    let dir = scratch();
    build(dir.path(), &shape.before);
    let root = Root::open(dir.path()).unwrap();
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

/// Commits, untracked and ignored files of the user survive an undo; git is never run.
#[test]
fn undo_beside_git_keeps_everything_of_the_users() {
    let all = shapes();
    let shape = all.iter().find(|s| s.name == "mixed twenty").unwrap();
    let (changes, images) = shape.changes();
    for with_git in [false, true] {
        let dir = scratch();
        build(dir.path(), &shape.before);
        let git = |words: &[&str]| {
            let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
            let mut command = std::process::Command::new("git");
            let done = command.args(identity).args(words).current_dir(dir.path()).output().unwrap();
            assert!(done.status.success(), "{words:?}");
        };
        if with_git {
            fs::write(dir.path().join(".gitignore"), "ignored\n.exacta\n").unwrap();
            git(&["init", "-q"]);
            git(&["add", "-A"]);
            git(&["commit", "-qm", "before"]);
        }
        let root = Root::open(dir.path()).unwrap();
        let before = snapshot(dir.path());
        let _ = apply(&root, "r1", &changes, &images);
        fs::write(dir.path().join("untracked"), "mine").unwrap();
        fs::write(dir.path().join("src/ignored"), "mine").unwrap();
        fs::write(dir.path().join("fresh/2/notes"), "mine").unwrap();
        if with_git {
            git(&["add", "-A"]);
            git(&["commit", "-qm", "the users own commit"]);
        }
        let middle = snapshot(dir.path());
        let _ = undo(&root, "r1", "r2").unwrap();
        let after = snapshot(dir.path());
        for (path, entry) in &after {
            let own = ["untracked", "src/ignored", "fresh/2/notes", "fresh", "fresh/2"];
            if own.contains(&path.as_str()) || path.starts_with(".git/") {
                assert_eq!(entry, &middle[path], "{path}");
            } else {
                assert_eq!(entry, &before[path], "{path}");
            }
        }
        assert_eq!(after.keys().filter(|p| p.starts_with("gone/")).count(), 4);
    }
}
