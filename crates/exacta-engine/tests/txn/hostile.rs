//! What is in the way of a plan, and what a clone may bring along.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use exacta_core::model::change::{Change, FileMode};
use exacta_engine::run::{Engine, FileJournal, Found, Key, Quiet, StageError, UndoError};
use exacta_engine::workspace::{Root, Spot, Workspace as _};
use exacta_testkit::Shared;
use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat};

use crate::project::{apply, change, engine, images, laid_out, run_id, shape, stage_error, undo};
use crate::shapes::shapes;
use crate::tree::{build, scratch, snapshot};

#[test]
fn nothing_but_a_plain_file_of_ones_own_is_ever_a_target() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("real"), "old").unwrap();
    fs::hard_link(at("real"), at("second")).unwrap();
    symlink("real", at("link")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    symlink("folder", at("linked")).unwrap();
    mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let before = snapshot_names(dir.path());
    let root = Root::open(dir.path()).unwrap();
    for path in ["real", "second", "link", "folder", "fifo", "linked/new", "real/x"] {
        for expected in [Some("old"), None] {
            match stage_error(&root, &[change(path, expected, Some("new"))]) {
                StageError::Drift(list) => assert!(
                    matches!(list[..], [exacta_engine::run::Drift { found: Found::Unfit(_), .. }]),
                    "{path}: {list:?}"
                ),
                other => panic!("{path}: {other}"),
            }
        }
    }
    assert_eq!(snapshot_names(dir.path()), before);
}

/// Names and inode numbers, for trees that hold what cannot be read.
fn snapshot_names(dir: &Path) -> Vec<(String, u64, u64)> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name() != ".exacta")
        .map(|entry| {
            let data = fs::symlink_metadata(entry.path()).unwrap();
            (entry.file_name().to_string_lossy().into_owned(), data.ino(), data.nlink())
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_folder_appearing_or_a_file_vanishing_mid_run_turns_the_run_back() {
    use crate::tap::{Op, Tap, Tapped};
    use exacta_engine::run::{Cause, CommitError};
    use exacta_engine::workspace::PortError;

    /// Does something to the tree when the first barrier is asked for.
    struct Meddle<F: Fn()>(F, Shared<bool>);
    impl<F: Fn() + Send + Sync> Tap for Meddle<F> {
        fn before(&self, op: Op<'_>) -> Result<(), PortError> {
            if op.name == "barrier" && !self.1.replace(true) {
                (self.0)();
            }
            Ok(())
        }
    }

    type Meddling = (&'static str, fn(&Path));
    let meddlings: [Meddling; 6] = [
        ("edit", |dir| fs::write(dir.join("m"), "mine").unwrap()),
        ("delete", |dir| fs::remove_file(dir.join("m")).unwrap()),
        ("mode", |dir| fs::set_permissions(dir.join("m"), Permissions::from_mode(0o600)).unwrap()),
        ("appear", |dir| fs::write(dir.join("c"), "mine").unwrap()),
        ("folder", |dir| fs::create_dir(dir.join("c")).unwrap()),
        ("link", |dir| {
            fs::remove_file(dir.join("d")).unwrap();
            symlink("m", dir.join("d")).unwrap();
        }),
    ];
    for (name, meddle) in meddlings {
        let dir = scratch();
        fs::write(dir.path().join("m"), "old").unwrap();
        fs::write(dir.path().join("d"), "old").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let seen = Shared::new(None);
        let act = || {
            meddle(dir.path());
            seen.replace(Some(snapshot(dir.path())));
        };
        let port = Tapped::new(&root, Meddle(act, Shared::new(false)));
        let engine = engine(&port);
        let changes = [
            change("c", None, Some("new")),
            change("d", Some("old"), None),
            change("m", Some("old"), Some("new")),
        ];
        let staged = engine.stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
        match staged.commit(&Quiet).err().unwrap() {
            CommitError::RolledBack { cause: Cause::Drift(drifts), .. } => {
                assert_eq!(drifts.len(), 1, "{name}: {drifts:?}");
            }
            other => panic!("{name}: {other}"),
        }
        // What the user did is there, and nothing else has changed.
        assert_eq!(Some(snapshot(dir.path())), seen.take(), "{name}");
        assert!(engine.recover().unwrap().is_clean(), "{name}");
    }
}

#[test]
fn a_clone_that_brings_its_own_state_is_never_acted_on() {
    let shape = &shape("mixed twenty");
    let (changes, blobs) = shape.changes();
    // Someone else's project, stopped in the middle of a run and with a kept one.
    let theirs = scratch();
    build(theirs.path(), &shape.before);
    let their_root = Root::open(theirs.path()).unwrap();
    let their_key = Key::new([66; 32]);
    let their_journal = FileJournal::new(&their_root, &their_key);
    let their_engine = Engine::new(&their_root, &their_journal, &their_key);
    let staged = their_engine.stage(&run_id("kept"), &changes, &blobs, &Quiet).unwrap();
    let _ = staged.commit(&Quiet).unwrap().seal().unwrap();
    let staged = their_engine.stage_undo(&run_id("kept"), &run_id("open"), &Quiet).unwrap();
    drop(staged.commit(&Quiet).unwrap());
    assert_eq!(their_engine.unsettled().unwrap(), [run_id("open")]);

    let clone = scratch();
    let copied =
        Command::new("cp").arg("-a").arg(theirs.path()).arg(clone.path().join("p")).status();
    assert!(copied.unwrap().success());
    let dir = clone.path().join("p");
    let before = snapshot(&dir);
    let state = find_all(&dir.join(".exacta/runs"));
    let root = Root::open(&dir).unwrap();
    let engine = engine(&root);
    assert!(engine.unsettled().unwrap().is_empty());
    let report = engine.recover().unwrap();
    assert_eq!(report.foreign.len(), 1, "{report:?}");
    assert!(report.aborted.is_empty() && report.finished.is_empty() && report.torn.is_empty());
    assert_eq!(snapshot(&dir), before);
    assert_eq!(find_all(&dir.join(".exacta/runs")), state);
    let refused = engine.stage_undo(&run_id("kept"), &run_id("u"), &Quiet).err().unwrap();
    assert_eq!(refused, UndoError::NotUndoable(run_id("kept")));
    assert_eq!(snapshot(&dir), before);
}

fn find_all(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(find_all(&path));
        } else {
            found.push((path.to_string_lossy().into_owned(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

type Forgery = (&'static str, fn(&Path, &Path));

/// A run of ours whose records were tampered with is not acted on either.
#[test]
fn a_forged_or_torn_record_is_never_acted_on() {
    let shape = &shape("ten files");
    let (changes, blobs) = shape.changes();
    let forgeries: [Forgery; 5] = [
        ("manifest byte", |run, _| flip(&run.join("manifest"), 100)),
        ("manifest cut", |run, _| cut(&run.join("manifest"))),
        ("manifest gone", |run, _| fs::remove_file(run.join("manifest")).unwrap()),
        ("manifest is a link", |run, _| {
            fs::rename(run.join("manifest"), run.join("elsewhere")).unwrap();
            symlink("elsewhere", run.join("manifest")).unwrap();
        }),
        ("journal claims completion", |_, journal| {
            let text = fs::read_to_string(journal).unwrap();
            fs::write(journal, format!("{text}\n{}", text.replace("started", "completed")))
                .unwrap();
        }),
    ];
    for (name, forge) in forgeries {
        let dir = scratch();
        build(dir.path(), &shape.before);
        let original = snapshot(dir.path());
        let root = Root::open(dir.path()).unwrap();
        let engine = engine(&root);
        let staged = engine.stage(&run_id("r1"), &changes, &blobs, &Quiet).unwrap();
        drop(staged.commit(&Quiet).unwrap());
        let swapped = snapshot(dir.path());
        let runs = dir.path().join(".exacta/runs");
        let run = fs::read_dir(runs).unwrap().next().unwrap().unwrap().path();
        forge(&run, &dir.path().join(".exacta/journal"));
        let report = engine.recover().unwrap();
        if name == "journal claims completion" {
            assert_eq!(report.aborted, [run_id("r1")], "{name}");
            assert_eq!(snapshot(dir.path()), original, "{name}");
        } else {
            assert_eq!(report.torn, [run_id("r1")], "{name}");
            assert_eq!(snapshot(dir.path()), swapped, "{name}: it was acted on");
            // The originals are still there for a person to find.
            let kept = find_all(&dir.path().join(".exacta/kept"));
            let old = original.values().filter_map(|entry| entry.bytes.clone());
            for bytes in old.filter(|bytes| bytes.starts_with(b"old")) {
                assert!(kept.iter().any(|(_, kept)| *kept == bytes), "{name}");
            }
        }
        assert!(engine.recover().unwrap().is_clean(), "{name}");
    }
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn cut(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
}

#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    let dir = scratch();
    let elsewhere = scratch();
    fs::write(dir.path().join("f"), "old").unwrap();
    symlink(elsewhere.path(), dir.path().join(".exacta")).unwrap();
    let root = Root::open(dir.path()).unwrap();
    let error = stage_error(&root, &[change("f", Some("old"), Some("new"))]);
    assert!(matches!(error, StageError::Port(_)), "{error}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "old");
}

/// The access list `u::rw-,u:12345:rw-,g::r--,m::rw-,o::r--` as Linux stores it.
const ACCESS_LIST: [u8; 44] = [
    2, 0, 0, 0, // version
    1, 0, 6, 0, 255, 255, 255, 255, // owner
    2, 0, 6, 0, 57, 48, 0, 0, // user 12345
    4, 0, 4, 0, 255, 255, 255, 255, // group
    16, 0, 6, 0, 255, 255, 255, 255, // mask
    32, 0, 4, 0, 255, 255, 255, 255, // other
];

/// The same with the right to enter, as a folder hands it down.
fn handed_down() -> [u8; 44] {
    let mut list = ACCESS_LIST;
    for entry in list[4..].chunks_exact_mut(8) {
        entry[2] |= 1;
    }
    list
}

#[test]
fn the_gates_own_folder_inherits_no_access_list() {
    let dir = tempfile::tempdir().unwrap();
    let flags = XattrFlags::empty();
    let name = "system.posix_acl_default";
    if rustix::fs::setxattr(dir.path(), name, &handed_down(), flags).is_err() {
        println!("this file system has no access lists");
        return;
    }
    let root = Root::open(dir.path()).unwrap();
    root.make_private(&Spot::state()).unwrap();
    let own = dir.path().join(".exacta");
    assert_eq!(rustix::fs::listxattr(&own, &mut [0_u8; 1024]), Ok(0));
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o7777, 0o700);
}

#[test]
fn owner_access_list_and_attributes_are_carried_over_and_inherited() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("shared")).unwrap();
    fs::write(at("listed"), "old").unwrap();
    let flags = XattrFlags::empty();
    let listed = rustix::fs::setxattr(at("listed"), "system.posix_acl_access", &ACCESS_LIST, flags);
    let shared =
        rustix::fs::setxattr(at("shared"), "system.posix_acl_default", &handed_down(), flags);
    if listed.is_err() || shared.is_err() {
        println!("this file system has no access lists");
        return;
    }
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        std::os::unix::fs::chown(at("listed"), Some(1234), Some(4321)).unwrap();
        std::os::unix::fs::chown(at("shared"), None, Some(77)).unwrap();
    }
    fs::set_permissions(at("shared"), Permissions::from_mode(0o2775)).unwrap();
    let before = snapshot(dir.path());
    let root = Root::open(dir.path()).unwrap();
    let changes = [
        change("listed", Some("old"), Some("new")),
        change("shared/made", None, Some("new")),
        change("shared/deep/made", None, Some("new")),
    ];
    let _ = apply(&root, "r1", &changes, &images(&["new"]));
    let after = snapshot(dir.path());
    let same = |a: &str, b: &str| {
        let (a, b) = (&before[a], &after[b]);
        assert_eq!((a.mode, a.owner, &a.attributes), (b.mode, b.owner, &b.attributes));
    };
    same("listed", "listed");
    // Where the plan says another mode, the list does not bring the old one back.
    let private = FileMode::from_raw(0o600);
    let stricter =
        Change { mode_after: Some(private), ..change("listed", Some("new"), Some("old")) };
    let _ = apply(&root, "m1", &[stricter], &images(&["old"]));
    let now = snapshot(dir.path());
    assert_eq!(now["listed"].mode & 0o7777, 0o600);
    assert_eq!(now["listed"].attributes.len(), before["listed"].attributes.len());
    let _ = undo(&root, "m1", "m2").unwrap();
    assert_eq!(snapshot(dir.path())["listed"], after["listed"]);
    // What is made there has what the folder hands down, as if a person had made it.
    fs::create_dir(at("shared/by-hand")).unwrap();
    fs::write(at("shared/by-hand.txt"), "").unwrap();
    let now = snapshot(dir.path());
    assert_eq!(now["shared/made"].owner, now["shared/by-hand.txt"].owner);
    assert_eq!(now["shared/deep"].owner, now["shared/by-hand"].owner);
    assert_eq!(now["shared/deep"].attributes, now["shared/by-hand"].attributes);
    assert_eq!(now["shared/deep"].mode & 0o2000, 0o2000);
    assert_eq!(
        now["shared/made"].attributes.keys().collect::<Vec<_>>(),
        now["shared/by-hand.txt"].attributes.keys().collect::<Vec<_>>()
    );
    fs::remove_dir(at("shared/by-hand")).unwrap();
    fs::remove_file(at("shared/by-hand.txt")).unwrap();
    let _ = undo(&root, "r1", "r2").unwrap();
    assert_eq!(snapshot(dir.path()), before);
}

#[test]
fn a_deleted_file_comes_back_with_its_owner_and_attributes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "old").unwrap();
    rustix::fs::setxattr(&path, "user.note", b"mine", XattrFlags::empty()).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o604)).unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&path, Some(1234), Some(4321)).unwrap();
    }
    let before = snapshot(dir.path());
    let root = Root::open(dir.path()).unwrap();
    let _ = apply(&root, "r1", &[change("f", Some("old"), None)], &images(&[]));
    assert!(!path.exists());
    let _ = undo(&root, "r1", "r2").unwrap();
    assert_eq!(snapshot(dir.path()), before);
}

#[test]
fn a_read_only_file_is_changed_and_keeps_its_mode() {
    let dir = scratch();
    fs::write(dir.path().join("f"), "old").unwrap();
    fs::set_permissions(dir.path().join("f"), Permissions::from_mode(0o400)).unwrap();
    let root = Root::open(dir.path()).unwrap();
    let _ = apply(&root, "r1", &[change("f", Some("old"), Some("new"))], &images(&["new"]));
    let now = &snapshot(dir.path())["f"];
    assert_eq!((now.bytes.as_deref(), now.mode & 0o7777), (Some(&b"new"[..]), 0o400));
}

#[test]
fn metadata_that_vouches_for_old_bytes_refuses_the_plan() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "old").unwrap();
    // cap_net_raw+ep, version 2.
    let capability = [1, 0, 0, 2, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let flags = XattrFlags::empty();
    if rustix::fs::setxattr(&path, "security.capability", &capability, flags).is_err() {
        println!("no right to give capabilities to a file");
        return;
    }
    let before = snapshot(dir.path());
    let root = Root::open(dir.path()).unwrap();
    match stage_error(&root, &[change("f", Some("old"), Some("new"))]) {
        StageError::Metadata(list) => {
            assert_eq!(list.len(), 1);
            assert!(list[0].to_string().contains("security.capability"), "{}", list[0]);
        }
        other => panic!("{other}"),
    }
    assert_eq!(snapshot(dir.path()), before);
}

#[test]
fn a_full_disk_is_noticed_before_the_first_change() {
    use exacta_engine::workspace::Space;
    use exacta_testkit::MemoryWorkspace;
    let model = MemoryWorkspace::new(&[]);
    model.set_space(Space { bytes: 1 << 20, files: None, largest: None });
    let told = |error: &StageError| error.to_string();
    let error = stage_error(&model, &[change("f", None, Some("new"))]);
    assert!(matches!(error, StageError::NoSpace { .. }), "{error}");
    assert!(told(&error).ends_with(": 1052672 bytes are needed and 1048576 are free"), "{error}");
    model.set_space(Space { bytes: 1 << 40, files: Some(3), largest: None });
    let error = stage_error(&model, &[change("f", None, Some("new"))]);
    assert!(matches!(error, StageError::NoSpace { .. }), "{error}");
    assert!(told(&error).ends_with(" new files are needed and 3 are free"), "{error}");
    model.set_space(Space { bytes: 7, files: Some(3), largest: None });
    let error = stage_error(&model, &[change("f", None, Some("new"))]);
    assert!(told(&error).contains("7 are free; "), "{error}");
    assert!(model.tree().is_empty());
    // One block for the one image and a spare mebibyte, however large an image might be.
    let tight = |bytes, largest| Space { bytes, files: None, largest: Some(largest) };
    for largest in [3, 1 << 30] {
        model.set_space(tight((1 << 20) + 4095, largest));
        let error = stage_error(&model, &[change("f", None, Some("new"))]);
        assert!(matches!(error, StageError::NoSpace { needed, .. } if needed == (1 << 20) + 4096));
    }
    model.set_space(tight((1 << 20) + 4096, 1 << 30));
    let changes = [change("f", None, Some("new"))];
    engine(&model).stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap().discard();
    // Larger images need more blocks.
    let long = "x".repeat(5000);
    let changes = [change("g", None, Some(&long))];
    model.set_space(tight((1 << 20) + 8191, 1 << 30));
    let error = engine(&model).stage(&run_id("s"), &changes, &images(&[&long]), &Quiet).err();
    let needed = (1 << 20) + 8192;
    assert!(matches!(error, Some(StageError::NoSpace { needed: told, .. }) if told == needed));
}

#[test]
fn a_view_shows_the_tree_after_the_run_and_touches_nothing() {
    for shape in shapes() {
        let (dir, into) = (scratch(), scratch());
        build(dir.path(), &shape.before);
        symlink("keep/bystander", dir.path().join("link")).unwrap();
        mknodat(CWD, dir.path().join("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
        fs::create_dir(dir.path().join("empty")).unwrap();
        let (changes, blobs) = shape.changes();
        let root = Root::open(dir.path()).unwrap();
        let engine = engine(&root);
        let staged = engine.stage(&run_id("r1"), &changes, &blobs, &Quiet).unwrap();
        drop(staged.view(into.path()).unwrap());
        assert!(staged.view(into.path()).is_err(), "a folder with something in it is refused");
        assert!(!into.path().join(".exacta").exists());
        // A check that writes into its view changes nothing of ours.
        fs::write(into.path().join("keep/bystander"), "trampled").unwrap();
        fs::write(into.path().join("keep/bystander"), "mine").unwrap();
        assert_eq!(staged.verify().unwrap(), []);
        let _ = staged.commit(&Quiet).unwrap().seal().unwrap();
        fs::remove_file(dir.path().join("fifo")).unwrap();
        let plain = |dir: &Path| -> Vec<_> {
            let entries = snapshot(dir).into_iter();
            entries.map(|(path, entry)| (path, entry.bytes, entry.mode)).collect()
        };
        assert_eq!(plain(into.path()), plain(dir.path()), "{}", shape.name);
    }
}

#[test]
fn a_staged_image_that_was_tampered_with_is_noticed() {
    let shape = &shape("ten files");
    let (changes, blobs) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    let engine = engine(&root);
    let staged = engine.stage(&run_id("r1"), &changes, &blobs, &Quiet).unwrap();
    let runs = dir.path().join(".exacta/runs");
    let run = fs::read_dir(runs).unwrap().next().unwrap().unwrap().path();
    fs::write(run.join("3"), "something else").unwrap();
    assert_eq!(staged.verify().unwrap().len(), 1);
    staged.discard();
}

#[test]
fn an_image_beyond_the_limit_is_refused_before_anything_changes() {
    use exacta_engine::workspace::Options;
    let dir = scratch();
    fs::write(dir.path().join("f"), "old").unwrap();
    let options = Options { size_limit: 4096, ..Options::default() };
    let root = Root::open_with(dir.path(), options).unwrap();
    let large = "x".repeat(5000);
    let engine = engine(&root);
    let changes = [change("f", Some("old"), Some(&large))];
    let refused = engine.stage(&run_id("r"), &changes, &images(&[&large]), &Quiet).err().unwrap();
    assert_eq!(refused.to_string(), "`f`: it has 5000 bytes; the limit is 4096");
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "old");
    crate::project::assert_nothing_left_over(dir.path(), "too large");
}
