//! The hostile cases of the classes path (D) and execute (X), on the transaction.
//!
//! Each id of the corpus is here, or in [`ELSEWHERE`] with the place that shows it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use exacta_core::model::path::RelPath;
use exacta_engine::run::{
    CommitError, Committed, Found, Quiet, RecoverError, StageError, UndoError,
};
use exacta_engine::workspace::{PortError, Root, Spot};
use exacta_testkit::Shared;
use exacta_testkit::corpus::field;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::io::Errno;

use crate::project::{
    apply, assert_nothing_left_over, change, engine, expected, images, laid_out, run_id, shape,
    stage_error, undo,
};
use crate::tap::{Op, Tap, Tapped};
use crate::tree::{scratch, snapshot};

/// Cases that another place shows, and which.
const ELSEWHERE: &[(&str, &str)] = &[
    ("D19", "decision: a person is asked"),
    ("D26", "race.rs"),
    ("D29", "decision: a person is asked"),
    ("X01", "kill.rs"),
    ("X02", "kill.rs, both directions of recovery"),
    ("X04", "errno.rs"),
    ("X16", "the gate: order of a mixed plan"),
    ("X19", "the gate: tool steps"),
];

type Case = (&'static str, fn());

const CASES: &[Case] = &[
    ("D01", || unspeakable(&["../x", "..", "../../x"])),
    ("D02", || unspeakable(&["a/../../x", "a/../x"])),
    ("D04", || {
        unspeakable(&["/etc/passwd", "//etc/passwd", "~/x", "file:///etc/passwd"]);
        literal(&["$HOME/x", "${HOME}/x"]);
    }),
    ("D05", || unspeakable(&["./x", "a//b", "a/./b", "a/", "", "."])),
    ("D07", || literal(&["%2e%2e%2fx", "..%c0%af", "\u{2025}/x"])),
    ("D08", || unspeakable(&["..\\x", "a\\b", "C:\\x", "C:x", "\\\\srv\\share"])),
    ("D10", || unspeakable(&["x.", "x ", " x", "x\u{a0}"])),
    ("D11", || unspeakable(&["f.txt:ads", ".git::$INDEX_ALLOCATION/config"])),
    ("D13", || unspeakable(&[".git/hooks/pre-commit", "sub/.git/config", ".git"])),
    ("D14", || unspeakable(&[".GIT/config", ".giT/x", ".jJ/x"])),
    ("D16", || unspeakable(&[".g\u{200c}it/config", "\u{200d}.git", ".gi\u{200e}t"])),
    ("D17", || unspeakable(&[".exacta/policy.json", ".EXACTA/plans/x", ".exacta/audit-log/y"])),
    ("D20", link_to_the_outside),
    ("D22", hard_link_to_the_outside),
    ("D23", special_files),
    ("D25", root_pointed_elsewhere),
    ("D28", long_names_and_deep_folders),
    ("D31", names_that_are_not_text),
    ("D32", git_that_points_elsewhere),
    ("X05", sync_that_fails_once),
    ("X07", damaged_journal),
    ("X08", two_recoveries_at_once),
    ("X10", undo_twice_and_of_an_undo),
    ("X11", undo_where_a_target_became_a_link),
    ("X13", everything_is_restored),
    ("X14", planted_links_in_the_state_folder),
    ("X17", two_plans_on_one_file),
];

#[test]
fn every_case_has_its_outcome() {
    for (id, case) in CASES {
        println!("{id}");
        case();
    }
    println!("hostile cases on the transaction: {}", CASES.len());
}

#[test]
fn no_case_of_the_corpus_is_forgotten() {
    // An ordinary user may not be able to read the corpus and is handed it.
    let text = std::env::var("EXACTA_TEST_CORPUS")
        .unwrap_or_else(|_| exacta_testkit::corpus::text("hostile-cases.jsonl"));
    let listed: BTreeSet<String> = text
        .lines()
        .map(|line| field(&serde_json::from_str(line).unwrap(), "id").to_owned())
        .filter(|id| id.starts_with(['D', 'X']))
        .collect();
    let known: BTreeSet<String> = CASES
        .iter()
        .map(|(id, _)| *id)
        .chain(ELSEWHERE.iter().map(|(id, _)| *id))
        .map(String::from)
        .collect();
    assert_eq!(listed, known);
}

/// No change can name such a target, so no run can touch it.
fn unspeakable(targets: &[&str]) {
    for target in targets {
        assert!(RelPath::parse(target).is_err(), "{target}");
    }
}

/// Taken byte for byte, inside the project.
fn literal(targets: &[&str]) {
    let outside = scratch();
    let project = outside.path().join("project");
    fs::create_dir(&project).unwrap();
    let root = Root::open(&project).unwrap();
    for (number, target) in targets.iter().enumerate() {
        let (run, back) = (format!("r{number}"), format!("u{number}"));
        let _ = apply(&root, &run, &[change(target, None, Some("new"))], &images(&["new"]));
        assert_eq!(fs::read_to_string(project.join(target)).unwrap(), "new");
        let _ = undo(&root, &run, &back).unwrap();
        assert!(snapshot(&project).is_empty(), "{target}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

fn unfit(root: &Root, path: &str) {
    for expected in [Some("old"), None] {
        for after in [Some("new"), None] {
            if expected.or(after).is_none() {
                continue;
            }
            match stage_error(root, &[change(path, expected, after)]) {
                StageError::Drift(list) => {
                    assert!(matches!(list[0].found, Found::Unfit(_)), "{path}: {list:?}");
                }
                other => panic!("{path}: {other}"),
            }
        }
    }
}

fn link_to_the_outside() {
    let (dir, outside) = (scratch(), scratch());
    fs::write(outside.path().join("f"), "old").unwrap();
    symlink(outside.path().join("f"), dir.path().join("f")).unwrap();
    symlink(outside.path(), dir.path().join("d")).unwrap();
    let (before, there) = (snapshot(dir.path()), snapshot(outside.path()));
    let root = Root::open(dir.path()).unwrap();
    for path in ["f", "d/f", "d/new"] {
        unfit(&root, path);
    }
    assert_eq!((snapshot(dir.path()), snapshot(outside.path())), (before, there));
}

fn hard_link_to_the_outside() {
    let (dir, outside) = (scratch(), scratch());
    fs::write(outside.path().join("f"), "old").unwrap();
    fs::hard_link(outside.path().join("f"), dir.path().join("f")).unwrap();
    unfit(&Root::open(dir.path()).unwrap(), "f");
    let seen = fs::metadata(outside.path().join("f")).unwrap();
    assert_eq!((seen.nlink(), fs::read(outside.path().join("f")).unwrap()), (2, b"old".to_vec()));
}

fn special_files() {
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let mut names = vec!["fifo", "socket", "folder"];
    // Only root may make a device, and not everywhere.
    let null = rustix::fs::makedev(1, 3);
    if mknodat(CWD, at("device"), FileType::CharacterDevice, Mode::RUSR, null).is_ok() {
        names.push("device");
    }
    let root = Root::open(dir.path()).unwrap();
    for name in names {
        unfit(&root, name);
        assert!(at(name).exists());
    }
}

/// The root is a link that is pointed elsewhere at every moment of a run.
fn root_pointed_elsewhere() {
    for moment in 0..3 {
        let outer = scratch();
        let at = |name: &str| outer.path().join(name);
        for name in ["one", "two"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("f"), "old").unwrap();
        }
        symlink(at("one"), at("root")).unwrap();
        let point = |now: usize| {
            if now == moment {
                fs::remove_file(at("root")).unwrap();
                symlink(at("two"), at("root")).unwrap();
            }
        };
        let root = Root::open(at("root")).unwrap();
        point(0);
        let changes = [change("f", Some("old"), Some("new"))];
        let staged =
            engine(&root).stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
        point(1);
        let committed = staged.commit(&Quiet).unwrap();
        point(2);
        let _ = committed.seal().unwrap();
        assert_eq!(fs::read_to_string(at("one").join("f")).unwrap(), "new");
        assert_eq!(fs::read_dir(at("two")).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(at("two").join("f")).unwrap(), "old");
    }
}

fn long_names_and_deep_folders() {
    unspeakable(&[&"n".repeat(256), &format!("{}xyz", "d/".repeat(511))]);
    literal(&[&"n".repeat(255), &format!("{}x", "d/".repeat(200))]);
}

fn names_that_are_not_text() {
    let shape = &shape("mixed twenty");
    let (changes, blobs) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    for folder in ["", "src", "src/part0", "gone"] {
        let name = dir.path().join(folder).join(OsStr::from_bytes(b"\xff\xfe\x80"));
        fs::write(&name, "odd").unwrap();
        fs::create_dir(dir.path().join(folder).join(OsStr::from_bytes(b"\xc3("))).unwrap();
    }
    let before = snapshot(dir.path());
    let _ = apply(&root, "r1", &changes, &blobs);
    let _ = undo(&root, "r1", "r2").unwrap();
    assert_eq!(snapshot(dir.path()), before);
    let staged = engine(&root).stage(&run_id("r3"), &changes, &blobs, &Quiet).unwrap();
    let view = scratch();
    drop(staged.view(view.path()).unwrap());
    drop(staged.commit(&Quiet).unwrap());
    assert_eq!(engine(&root).recover().unwrap().aborted, [run_id("r3")]);
    assert_eq!(snapshot(dir.path()), before);
}

/// Where git's own data lie, or say they lie, decides nothing.
fn git_that_points_elsewhere() {
    let shape = &shape("mixed three");
    let (changes, blobs) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    let outside = scratch();
    fs::write(dir.path().join(".git"), format!("gitdir: {}\n", outside.path().display())).unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    fs::create_dir(dir.path().join("sub/.git")).unwrap();
    fs::write(dir.path().join("sub/.git/commondir"), outside.path().as_os_str().as_bytes())
        .unwrap();
    let before = snapshot(dir.path());
    let _ = apply(&root, "r1", &changes, &blobs);
    let _ = undo(&root, "r1", "r2").unwrap();
    assert_eq!(snapshot(dir.path()), before);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// Fails one barrier, once.
struct FailOnce {
    barrier: u32,
    count: Shared<u32>,
    names: Shared<Vec<&'static str>>,
}

impl Tap for FailOnce {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        self.names.borrow_mut().push(op.name);
        if op.name == "barrier" && self.count.replace(self.count.get() + 1) == self.barrier {
            return Err(PortError::System { act: "sync", at: Spot::root(), errno: Errno::IO });
        }
        Ok(())
    }
}

/// What a failed sync was to keep may be gone although the next one succeeds.
fn sync_that_fails_once() {
    let shape = &shape("mixed twenty");
    let (changes, blobs) = shape.changes();
    for barrier in [0, 1] {
        let (dir, root) = laid_out(&shape.before);
        let before = snapshot(dir.path());
        let tap = FailOnce { barrier, count: Shared::new(0), names: Shared::default() };
        let port = Tapped::new(&root, tap);
        let staged = engine(&port).stage(&run_id("r"), &changes, &blobs, &Quiet).unwrap();
        let ended = staged.commit(&Quiet).and_then(Committed::seal);
        assert!(matches!(ended, Err(CommitError::RolledBack { .. })), "{ended:?}");
        assert_eq!(snapshot(dir.path()), before);
        let swapped = port.tap.names.borrow().contains(&"swap");
        assert_eq!(swapped, barrier == 1, "nothing moves after the first barrier failed");
        assert_nothing_left_over(dir.path(), "sync");
    }
}

/// One damaged bit anywhere in the journal of a run that was left in the middle or at
/// its very end: one side or the other, never between, and nothing forged is believed.
fn damaged_journal() {
    let shape = &shape("mixed three");
    let (changes, blobs) = shape.changes();
    let (before, after) = expected(shape);
    for sealed in [false, true] {
        let mut length = usize::MAX;
        let mut at = 0;
        while at <= length {
            let (dir, root) = laid_out(&shape.before);
            // The last movement of a sealed run, onto its shelf, is lost.
            let lost = |op: Op<'_>| sealed && op.name == "place" && op.at.contains("/kept/");
            let port = Tapped::new(&root, Refusing(lost));
            let staged = engine(&port).stage(&run_id("r1"), &changes, &blobs, &Quiet).unwrap();
            let committed = staged.commit(&Quiet).unwrap();
            if sealed {
                let _ = committed.seal().unwrap();
            } else {
                drop(committed);
            }
            let journal = dir.path().join(".exacta/journal");
            let mut bytes = fs::read(&journal).unwrap();
            length = bytes.len();
            let second = bytes.windows(2).skip(1).position(|two| two == b"\n\n").map(|at| at + 2);
            match bytes.get_mut(at) {
                Some(byte) => *byte ^= 1,
                // The tail is torn off instead.
                None => bytes.truncate(length - 20),
            }
            fs::write(&journal, bytes).unwrap();
            fs::write(dir.path().join(".exacta/runs/stray"), "x").unwrap();
            let report = engine(&root).recover().unwrap();
            assert_eq!(report.foreign, ["stray"], "bit {at}");
            assert!(report.conflicts.is_empty(), "bit {at}: {report:?}");
            // Only a whole line that says so, newlines included, makes a run complete.
            let whole = second.is_some_and(|second| at < second);
            let expected = if sealed && whole { &after } else { &before };
            assert_eq!(&snapshot(dir.path()), expected, "bit {at}");
            at += 1;
        }
    }
}

/// Refuses what the closure picks.
struct Refusing<F: Fn(Op<'_>) -> bool>(F);

impl<F: Fn(Op<'_>) -> bool + Send + Sync> Tap for Refusing<F> {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        let refused = PortError::System { act: "do", at: Spot::root(), errno: Errno::IO };
        if (self.0)(op) { Err(refused) } else { Ok(()) }
    }
}

fn two_recoveries_at_once() {
    let shape = &shape("fifty files");
    let (changes, blobs) = shape.changes();
    let (before, _) = expected(shape);
    for round in 0..10 {
        let (dir, root) = laid_out(&shape.before);
        let staged = engine(&root).stage(&run_id("r"), &changes, &blobs, &Quiet).unwrap();
        drop(staged.commit(&Quiet).unwrap());
        // A number in the file is nobody's lock.
        fs::write(dir.path().join(".exacta/lock"), std::process::id().to_string()).unwrap();
        let recover = || {
            let root = Root::open(dir.path()).unwrap();
            engine(&root).recover()
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(recover);
            (recover(), one.join().unwrap())
        });
        let aborted = [&one, &other].into_iter().flatten().filter(|r| !r.is_clean()).count();
        assert_eq!(aborted, 1, "round {round}: {one:?} {other:?}");
        for outcome in [one, other] {
            let locked = RecoverError::Port(PortError::Locked);
            assert!(outcome.is_ok() || outcome == Err(locked));
        }
        assert_eq!(snapshot(dir.path()), before);
        assert_nothing_left_over(dir.path(), "two recoveries");
    }
}

fn undo_twice_and_of_an_undo() {
    let shape = &shape("mixed three");
    let (changes, blobs) = shape.changes();
    let (before, after) = expected(shape);
    let (dir, root) = laid_out(&shape.before);
    let _ = apply(&root, "r1", &changes, &blobs);
    let _ = undo(&root, "r1", "u1").unwrap();
    let twice = undo(&root, "r1", "u2").unwrap_err();
    assert!(matches!(twice, UndoError::Conflicts(list) if list.len() == 3));
    assert_eq!(snapshot(dir.path()), before);
    let _ = undo(&root, "u1", "redo").unwrap();
    assert_eq!(snapshot(dir.path()), after);
    let unknown = undo(&root, "never", "u3").unwrap_err();
    assert_eq!(unknown, UndoError::NotUndoable(run_id("never")));
}

fn undo_where_a_target_became_a_link() {
    let shape = &shape("nested new folders");
    let (changes, blobs) = shape.changes();
    let deeds: [fn(&Path, &Path); 3] = [
        |dir, outside| {
            fs::remove_file(dir.join("n/e/other")).unwrap();
            symlink(outside.join("f"), dir.join("n/e/other")).unwrap();
        },
        |dir, outside| {
            fs::rename(dir.join("n/e"), dir.join("n/moved")).unwrap();
            symlink(outside, dir.join("n/e")).unwrap();
        },
        |dir, _| {
            fs::create_dir(dir.join(".git")).unwrap();
            fs::rename(dir.join("n/e"), dir.join(".git/e")).unwrap();
            symlink("../.git/e", dir.join("n/e")).unwrap();
        },
    ];
    for deed in deeds {
        let (dir, root) = laid_out(&shape.before);
        let outside = scratch();
        fs::write(outside.path().join("f"), "deep").unwrap();
        fs::write(outside.path().join("other"), "less deep").unwrap();
        let _ = apply(&root, "r1", &changes, &blobs);
        deed(dir.path(), outside.path());
        let (now, there) = (snapshot(dir.path()), snapshot(outside.path()));
        match undo(&root, "r1", "u1") {
            Err(UndoError::Conflicts(list)) => {
                assert!(
                    list.iter().all(|drift| matches!(drift.found, Found::Unfit(_))),
                    "{list:?}"
                );
            }
            other => panic!("{other:?}"),
        }
        assert_eq!((snapshot(dir.path()), snapshot(outside.path())), (now, there));
    }
}

fn everything_is_restored() {
    let shape = &shape("attributes and odd modes");
    let (mut changes, blobs) = shape.changes();
    let (dir, root) = laid_out(&shape.before);
    fs::write(dir.path().join("empty"), "").unwrap();
    fs::write(dir.path().join("deleted"), "old").unwrap();
    for (name, mode) in [("empty", 0o400), ("deleted", 0o604)] {
        let path = dir.path().join(name);
        let flags = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(&path, "user.note", name.as_bytes(), flags).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    changes.push(change("empty", Some(""), None));
    changes.push(change("deleted", Some("old"), None));
    let before = snapshot(dir.path());
    let _ = apply(&root, "r1", &changes, &blobs);
    assert_ne!(snapshot(dir.path()), before);
    let _ = undo(&root, "r1", "u1").unwrap();
    assert_eq!(snapshot(dir.path()), before);
}

fn planted_links_in_the_state_folder() {
    for name in ["", "runs", "kept", "trash", "journal", "lock", "objects"] {
        let (dir, outside) = (scratch(), scratch());
        fs::write(dir.path().join("f"), "old").unwrap();
        let state = dir.path().join(".exacta");
        if name.is_empty() {
            symlink(outside.path(), &state).unwrap();
        } else {
            fs::create_dir(&state).unwrap();
            let aim = match name {
                "journal" | "lock" => outside.path().join("file"),
                _ => outside.path().into(),
            };
            symlink(aim, state.join(name)).unwrap();
        }
        let root = Root::open(dir.path()).unwrap();
        let changes = [change("f", Some("old"), Some("new"))];
        let staged = engine(&root).stage(&run_id("r"), &changes, &images(&["new"]), &Quiet);
        let ended = staged.ok().map(|staged| staged.commit(&Quiet).and_then(Committed::seal));
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{name}: led outside");
        // Objects are not part of this run; every other link stops it.
        let through = matches!(ended, Some(Ok(_)));
        assert_eq!(through, name == "objects", "{name}");
        let text = if through { "new" } else { "old" };
        assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), text, "{name}");
    }
    // What a run stages is nobody else's to see, whatever the mode of the target.
    let dir = scratch();
    fs::write(dir.path().join("f"), "old").unwrap();
    let root = Root::open(dir.path()).unwrap();
    let changes = [change("f", Some("old"), Some("new"))];
    let staged = engine(&root).stage(&run_id("r"), &changes, &images(&["new"]), &Quiet).unwrap();
    let runs = dir.path().join(".exacta/runs");
    for folder in [dir.path().join(".exacta"), runs.clone()] {
        assert_eq!(fs::metadata(folder).unwrap().mode() & 0o7777, 0o700);
    }
    for run in fs::read_dir(runs).unwrap() {
        assert_eq!(run.unwrap().metadata().unwrap().mode() & 0o7777, 0o700);
    }
    staged.discard();
}

/// The second plan was made for a file that the first one changed.
fn two_plans_on_one_file() {
    let dir = scratch();
    fs::write(dir.path().join("f"), "old").unwrap();
    let root = Root::open(dir.path()).unwrap();
    let _ = apply(&root, "r1", &[change("f", Some("old"), Some("one"))], &images(&["one"]));
    match stage_error(&root, &[change("f", Some("old"), Some("new"))]) {
        StageError::Drift(list) => assert!(matches!(list[0].found, Found::Changed(_))),
        other => panic!("{other}"),
    }
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), "one");
}
