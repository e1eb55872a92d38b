//! What a run that goes back keeps, and what it says about why.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use exacta_core::model::digest::Digest;
use exacta_core::model::tree::TreeFault;
use exacta_engine::run::{
    Cause, CommitError, FileJournal, Found, Journal as _, Milestone, Phase, Progress, Quiet,
    StageError, UndoError, Watch,
};
use exacta_engine::workspace::{Image, PortError, Spot};
use exacta_testkit::Shared;

use crate::project::{KEY, assert_nothing_left_over, change, engine, images, laid_out, run_id};
use crate::shapes::file;
use crate::tap::{Op, Tap, Tapped};
use crate::tree::snapshot;

/// Everything below a shelf of the gate.
fn shelf(dir: &Path, name: &str) -> Vec<PathBuf> {
    let list = |at: &Path| -> Vec<PathBuf> {
        fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    list(&dir.join(".exacta").join(name)).iter().flat_map(|run| list(run)).collect()
}

/// A run of one file is rolled back after somebody made the target the original again;
/// `slot` is what lies in its slot by then.
fn rolled_back_beside(slot: &str) -> (tempfile::TempDir, usize) {
    let (dir, root) = laid_out(&[file("f", "old")]);
    let changes = [change("f", Some("old"), Some("new"))];
    let engine = engine(&root);
    let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
    let committed = staged.commit(&Quiet).unwrap();
    let held: Vec<_> =
        shelf(dir.path(), "runs").into_iter().filter(|path| !path.ends_with("manifest")).collect();
    assert_eq!(held.len(), 1);
    fs::write(&held[0], slot).unwrap();
    fs::write(dir.path().join("f"), "old").unwrap();
    let back = committed.roll_back().unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "old");
    (dir, back.conflicts.len())
}

#[test]
fn a_late_edit_of_the_original_is_kept_although_the_target_is_as_before() {
    let (dir, conflicts) = rolled_back_beside("a late edit");
    assert_eq!(conflicts, 0);
    let kept: Vec<_> =
        shelf(dir.path(), "kept").iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(kept.contains(&b"a late edit".to_vec()));
    let (dir, conflicts) = rolled_back_beside("old");
    assert_eq!(conflicts, 0);
    assert_eq!(shelf(dir.path(), "kept"), Vec::<PathBuf>::new());
    assert_nothing_left_over(dir.path(), "nothing to keep");
}

/// A barrier that finds something else in the place of one target.
struct Replaced(&'static str);

impl Tap for Replaced {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        if op.name != "barrier" {
            return Ok(());
        }
        let path = exacta_core::model::path::RelPath::parse(self.0).unwrap();
        let fault = TreeFault::Symlink(self.0.into());
        Err(PortError::Refused { at: Spot::target(&path), fault })
    }
}

#[test]
fn a_target_that_became_something_else_is_named_as_drift() {
    for target in ["a", "b", "c"] {
        let (dir, root) = laid_out(&[file("a", "1"), file("b", "1"), file("c", "1")]);
        let port = Tapped::new(&root, Replaced(target));
        let changes = ["a", "b", "c"].map(|path| change(path, Some("1"), Some("2")));
        let staged = engine(&port).stage(&run_id("r"), &changes, &images(&["2"]), &Quiet).unwrap();
        let Err(CommitError::Unsettled { cause: Cause::Drift(drifts), .. }) = staged.commit(&Quiet)
        else {
            panic!("no drift was named");
        };
        assert_eq!(drifts.len(), 1);
        assert_eq!(drifts[0].path.as_str(), target);
        assert_eq!(drifts[0].found, Found::Unfit(TreeFault::Symlink(target.into())));
        assert_eq!(fs::read_to_string(dir.path().join(target)).unwrap(), "1");
    }
}

#[test]
fn whatever_changes_after_staging_is_drift_of_its_own_kind() {
    type Meddle = fn(&Path);
    let cases: [(Meddle, &str); 4] = [
        (|path| fs::write(path, "mine").unwrap(), "`f` has changed"),
        (
            |path| fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap(),
            "`f` now has mode 0600",
        ),
        (
            |path| {
                rustix::fs::setxattr(path, "user.tag", b"x", rustix::fs::XattrFlags::empty())
                    .unwrap();
            },
            "the owner, access list or attributes of `f` have changed",
        ),
        (|path| fs::remove_file(path).unwrap(), "`f` has vanished"),
    ];
    for (meddle, expected) in cases {
        let (dir, root) = laid_out(&[file("f", "old"), file("g", "old")]);
        let changes = ["f", "g"].map(|path| change(path, Some("old"), Some("new")));
        let engine = engine(&root);
        let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
        meddle(&dir.path().join("f"));
        let meddled = snapshot(dir.path());
        let Err(CommitError::RolledBack { cause, conflicts }) = staged.commit(&Quiet) else {
            panic!("{expected}: it was not taken back");
        };
        let Cause::Drift(drifts) = cause else { panic!("{expected}: {cause}") };
        let said = StageError::Drift(drifts).to_string();
        assert_eq!(said, format!("the project has changed: {expected}"));
        assert_eq!(conflicts, []);
        assert_eq!(snapshot(dir.path()), meddled);
    }
}

#[test]
fn a_conflict_says_which_file_keeps_what_was_made_of_it() {
    let (dir, root) = laid_out(&[file("f", "old")]);
    let changes = [change("f", Some("old"), Some("new"))];
    let staged = engine(&root).stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
    let committed = staged.commit(&Quiet).unwrap();
    fs::write(dir.path().join("f"), "mine").unwrap();
    let back = committed.roll_back().unwrap();
    let said: Vec<String> = back.conflicts.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["`f` was changed meanwhile and keeps that change"]);
    let image = |text: &str| Some(Digest::of(text.as_bytes()));
    let digest = |image: &Option<Image>| image.map(|image| image.digest);
    let (now, wanted) = (digest(&back.conflicts[0].now), digest(&back.conflicts[0].wanted));
    assert_eq!((now, wanted), (image("mine"), image("old")));
    // What it put aside is kept, but there is nothing that could be undone.
    assert!(!shelf(dir.path(), "kept").is_empty());
    let undo = engine(&root).stage_undo(&run_id("r"), &run_id("u"), &Quiet);
    assert!(matches!(undo.err(), Some(UndoError::NotUndoable(_))));
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "mine");
}

#[test]
fn a_file_of_the_users_in_the_place_of_a_created_one_stays() {
    // Another file with the same bytes, and our file with other bytes.
    for replaced in [true, false] {
        let (dir, root) = laid_out(&[]);
        let changes = [change("f", None, Some("new"))];
        let engine = engine(&root);
        let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
        let committed = staged.commit(&Quiet).unwrap();
        let path = dir.path().join("f");
        let text = if replaced {
            fs::write(dir.path().join("other"), "new").unwrap();
            fs::rename(dir.path().join("other"), &path).unwrap();
            "new"
        } else {
            fs::write(&path, "mine").unwrap();
            "mine"
        };
        let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
        let theirs = inode(&path);
        let back = committed.roll_back().unwrap();
        assert_eq!(back.conflicts.len(), 1, "replaced: {replaced}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(inode(&path), theirs);
    }
}

/// Somebody saves a file right before the engine moves what lies at `moved`.
struct SavedBefore {
    armed: Shared<bool>,
    operation: &'static str,
    moved: &'static str,
    saved: PathBuf,
}

impl Tap for SavedBefore {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        let moved = op.at == self.moved || op.from.is_some_and(|from| from.as_str() == self.moved);
        if op.name == self.operation && moved && self.armed.take() {
            fs::write(&self.saved, "mine").unwrap();
        }
        Ok(())
    }
}

#[test]
fn a_save_in_the_moment_of_going_back_stays_in_its_place() {
    // A written file is exchanged, a created one taken away, and so is its folder.
    for (before, changed, operation, moved, saved, conflicts) in [
        (Some("old"), "f", "swap", "f", "f", 1),
        (None, "f", "place", "f", "f", 1),
        (None, "d/f", "place", "d", "d/mine", 0),
    ] {
        let files: Vec<_> = before.iter().map(|text| file("f", text)).collect();
        let (dir, root) = laid_out(&files);
        let saved = dir.path().join(saved);
        let tap = SavedBefore { armed: Shared::new(false), operation, moved, saved: saved.clone() };
        let port = Tapped::new(&root, tap);
        let changes = [change(changed, before, Some("new"))];
        let engine = engine(&port);
        let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
        let committed = staged.commit(&Quiet).unwrap();
        port.tap.armed.set(true);
        let back = committed.roll_back().unwrap();
        assert!(!port.tap.armed.get(), "it was saved: {moved}");
        assert_eq!(back.conflicts.len(), conflicts, "{moved}");
        assert_eq!(fs::read_to_string(&saved).unwrap(), "mine");
        assert!(saved.ends_with(changed) || !dir.path().join(changed).exists());
    }
}

#[test]
fn a_file_made_in_the_place_of_a_deleted_one_stays() {
    for (made, conflicts) in [("old", 0), ("mine", 1)] {
        let (dir, root) = laid_out(&[file("f", "old")]);
        let engine = engine(&root);
        let changes = [change("f", Some("old"), None)];
        let staged = engine.stage(&run_id("r"), &changes, &images(&[]), &Quiet).unwrap();
        let committed = staged.commit(&Quiet).unwrap();
        let path = dir.path().join("f");
        assert!(!path.exists());
        fs::write(&path, made).unwrap();
        let back = committed.roll_back().unwrap();
        assert_eq!(back.conflicts.len(), conflicts, "{made}");
        assert_eq!(fs::read_to_string(&path).unwrap(), made);
    }
}

/// An exchange that fails, at what is moved or elsewhere.
struct NoExchange {
    at_the_slot: bool,
}

impl Tap for NoExchange {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        let Some(slot) = op.from.filter(|_| op.name == "swap") else { return Ok(()) };
        let at = if self.at_the_slot { slot.clone() } else { Spot::root() };
        Err(PortError::System { act: "exchange", at, errno: rustix::io::Errno::PERM })
    }
}

#[test]
fn people_are_told_of_the_target_and_not_of_its_slot() {
    for (at_the_slot, named) in [(true, "f"), (false, ".")] {
        let (dir, root) = laid_out(&[file("f", "old")]);
        let port = Tapped::new(&root, NoExchange { at_the_slot });
        let changes = [change("f", Some("old"), Some("new"))];
        let engine = engine(&port);
        let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
        let Err(CommitError::RolledBack { cause: Cause::Port(error), .. }) = staged.commit(&Quiet)
        else {
            panic!("it was not taken back");
        };
        let PortError::System { at, .. } = error else { panic!("{error}") };
        assert_eq!(at.as_str(), named);
        assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "old");
    }
}

/// Nothing moves any more once the run is on the record.
struct NoMoves(Shared<bool>);

impl Tap for NoMoves {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        let at = Spot::root();
        let refused = PortError::System { act: "move", at, errno: rustix::io::Errno::IO };
        if op.name == "place" && self.0.get() { Err(refused) } else { Ok(()) }
    }
}

#[test]
fn a_completed_run_that_was_not_put_away_is_found_finished() {
    let (dir, root) = laid_out(&[file("f", "old")]);
    let port = Tapped::new(&root, NoMoves(Shared::new(true)));
    let changes = [change("f", Some("old"), Some("new"))];
    let engine = engine(&port);
    let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
    let _ = staged.commit(&Quiet).unwrap().seal().unwrap();
    assert!(!shelf(dir.path(), "runs").is_empty(), "it is still where it was staged");
    port.tap.0.set(false);
    let recovered = engine.recover().unwrap();
    assert_eq!(recovered.finished, [run_id("r")]);
    assert_eq!(shelf(dir.path(), "runs"), Vec::<PathBuf>::new());
    assert!(!shelf(dir.path(), "kept").is_empty());
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "new");
    assert!(engine.recover().unwrap().is_clean());
}

/// Somebody saves a file further on while earlier ones are put in place.
struct SavesAhead<'a> {
    dir: &'a Path,
    saved: Cell<Option<usize>>,
}

impl Watch for SavesAhead<'_> {
    fn progress(&self, progress: Progress) {
        if progress.phase == Phase::Swapping && self.saved.get().is_none() {
            let ahead = progress.done + 60;
            fs::write(self.dir.join(format!("f{ahead:03}")), "mine").unwrap();
            self.saved.set(Some(ahead));
        }
    }
}

#[test]
fn of_many_files_one_saved_meanwhile_takes_all_of_them_back() {
    let files: Vec<String> = (0..200).map(|number| format!("f{number:03}")).collect();
    let (dir, root) = laid_out(&files.iter().map(|name| file(name, "old")).collect::<Vec<_>>());
    let changes: Vec<_> = files.iter().map(|name| change(name, Some("old"), Some("new"))).collect();
    let engine = engine(&root);
    let watch = SavesAhead { dir: dir.path(), saved: Cell::new(None) };
    let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
    let Err(CommitError::RolledBack { cause: Cause::Drift(drifts), conflicts }) =
        staged.commit(&watch)
    else {
        panic!("it was not taken back");
    };
    let saved = files[watch.saved.get().unwrap()].clone();
    assert_eq!(drifts.iter().map(|drift| drift.path.as_str()).collect::<Vec<_>>(), [&saved]);
    assert!(conflicts.is_empty(), "{conflicts:?}");
    for name in &files {
        let expected = if *name == saved { "mine" } else { "old" };
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), expected, "{name}");
    }
    assert_nothing_left_over(dir.path(), "all of them are back");
    // Without an edit they all change.
    fs::write(dir.path().join(&saved), "old").unwrap();
    let staged = engine.stage(&run_id("s"), &changes, &images(&["new"]), &Quiet).unwrap();
    assert_eq!(staged.commit(&Quiet).unwrap().seal().unwrap().late_edits, []);
    for name in &files {
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), "new", "{name}");
    }
}

/// The manifest of an unsettled run.
fn manifest_of(dir: &Path) -> PathBuf {
    shelf(dir, "runs").into_iter().find(|path| path.ends_with("manifest")).unwrap()
}

#[test]
fn a_manifest_that_the_journal_does_not_name_is_not_acted_on() {
    // The same key and the same name of a run, so that every seal on it is genuine.
    let interrupted = |path: &str| {
        let (dir, root) = laid_out(&[file(path, "old")]);
        let changes = [change(path, Some("old"), Some("new"))];
        let staged = engine(&root).stage(&run_id("r"), &changes, &images(&["new"]), &Quiet);
        // Nobody seals it, as if the power went.
        drop(staged.unwrap().commit(&Quiet).unwrap());
        (dir, root)
    };
    let ((dir, root), (other, _)) = (interrupted("f"), interrupted("g"));
    fs::copy(manifest_of(other.path()), manifest_of(dir.path())).unwrap();
    let moved = snapshot(dir.path());
    let recovered = engine(&root).recover().unwrap();
    assert_eq!((recovered.torn, recovered.aborted), (vec![run_id("r")], vec![]));
    assert_eq!(snapshot(dir.path()), moved);
    assert!(!shelf(dir.path(), "kept").is_empty(), "what it left is kept");
    // It is over, and nothing is left to recover.
    let fate = FileJournal::new(&root, &KEY).fate(&run_id("r")).unwrap().unwrap();
    assert_eq!(fate.event, Milestone::Aborted);
    assert!(engine(&root).recover().unwrap().is_clean());
}

/// Somebody edits two files and deletes a third one when the first few are in place.
struct Meddles<'a> {
    dir: &'a Path,
    done: Cell<bool>,
}

impl Watch for Meddles<'_> {
    fn progress(&self, progress: Progress) {
        if progress.phase == Phase::Swapping && progress.done == 5 && !self.done.replace(true) {
            fs::write(self.dir.join("f007"), "mine").unwrap();
            fs::write(self.dir.join("f015"), "mine").unwrap();
            fs::remove_file(self.dir.join("f010")).unwrap();
        }
    }
}

#[test]
fn every_target_that_changed_meanwhile_is_named() {
    for count in [20, 100] {
        let files: Vec<String> = (0..count).map(|number| format!("f{number:03}")).collect();
        let (dir, root) = laid_out(&files.iter().map(|name| file(name, "old")).collect::<Vec<_>>());
        let changes: Vec<_> =
            files.iter().map(|name| change(name, Some("old"), Some("new"))).collect();
        let engine = engine(&root);
        let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
        let watch = Meddles { dir: dir.path(), done: Cell::new(false) };
        let Err(CommitError::RolledBack { cause: Cause::Drift(drifts), conflicts }) =
            staged.commit(&watch)
        else {
            panic!("it was not taken back");
        };
        let said: Vec<_> = drifts.iter().map(ToString::to_string).collect();
        let expected = ["`f007` has changed", "`f010` has vanished", "`f015` has changed"];
        assert_eq!((said, conflicts), (expected.map(str::to_owned).to_vec(), vec![]));
        let text = |name: &str| fs::read_to_string(dir.path().join(name)).ok();
        for name in &files {
            let expected = match name.as_str() {
                "f007" | "f015" => Some("mine"),
                "f010" => None,
                _ => Some("old"),
            };
            assert_eq!(text(name).as_deref(), expected, "{name}");
        }
    }
}
