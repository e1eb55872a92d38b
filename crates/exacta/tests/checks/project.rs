//! A project with a staged run, and a room for its checks.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use exacta_core::model::change::Change;
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;
use exacta_engine::checks::{Check, Launcher, Outcome, Room, Unchecked, ViewKind};
use exacta_engine::run::{Engine, FileJournal, Key, Quiet, RunId, Watch};
use exacta_engine::workspace::Root;
use tempfile::TempDir;

pub(crate) const VIEWS: [ViewKind; 2] = [ViewKind::Overlay, ViewKind::Copy];
/// Set for the tests that run once more as an ordinary user.
pub(crate) const PROGRAM: &str = "EXACTA_TEST_PROGRAM";

/// The program whose `main` hands over to the child.
pub(crate) fn program() -> PathBuf {
    std::env::var_os(PROGRAM).map_or_else(|| env!("CARGO_BIN_EXE_exacta").into(), Into::into)
}

/// A project in which a run is staged: `src/a` changes, `src/b` goes, `src/deep/c` comes,
/// and the file `x` becomes a folder.
pub(crate) struct Project {
    pub(crate) folder: TempDir,
    pub(crate) outside: TempDir,
    scratch: TempDir,
    key: Key,
}

/// What the run makes of the tree.
pub(crate) const AFTER: [(&str, &str); 5] =
    [("keep", "mine"), ("src/a", "new"), ("src/deep/c", "made"), ("x/y", "inside"), ("run", "#!")];

impl Project {
    pub(crate) fn new() -> Self {
        let folder = TempDir::with_prefix("a project, with: odd\\name ").unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        write("src/a", "old");
        write("src/b", "bye");
        write("x", "file");
        write("keep", "mine");
        write("run", "#!");
        let outside = TempDir::new().unwrap();
        fs::create_dir(outside.path().join("state")).unwrap();
        fs::write(outside.path().join("state/key"), "secret").unwrap();
        fs::write(outside.path().join("readable"), "for all").unwrap();
        Self { folder, outside, scratch: TempDir::new().unwrap(), key: Key::new([9; 32]) }
    }

    pub(crate) fn room(&self, view: ViewKind) -> Room {
        let launcher = Launcher { program: program(), argument: "__check".into() };
        let mut room = Room::new(launcher, |name| std::env::var_os(name));
        room.scratch = self.scratch.path().into();
        room.views = vec![view];
        room
    }

    /// Stages the run, asks the checks, and commits when all passed. Whatever happened,
    /// nothing of the checks may be left.
    pub(crate) fn judge(
        &self,
        checks: &[Check],
        room: &Room,
        watch: &dyn Watch,
    ) -> Result<Vec<Outcome>, Unchecked> {
        let (changes, images) = plan();
        let opened = Root::open(self.folder.path()).unwrap();
        let journal = FileJournal::new(&opened, &self.key);
        let engine = Engine::new(&opened, &journal, &self.key);
        let before = self.tree();
        let number =
            fs::read_dir(self.folder.path().join(".exacta/kept")).map_or(0, Iterator::count);
        let run = RunId::parse(&format!("r{number}")).unwrap();
        let staged = engine.stage(&run, &changes, &images, &Quiet).unwrap();
        let judged = exacta_engine::checks::run(staged, checks, room, watch);
        assert_eq!(self.tree(), before, "a check reached the live tree");
        assert_eq!(fs::read_dir(self.scratch.path()).unwrap().count(), 0, "a view is left over");
        assert_eq!(fs::read_to_string(self.outside.path().join("state/key")).unwrap(), "secret");
        let ended = judged.map(|(staged, outcomes)| {
            let _ = staged.commit(&Quiet).unwrap().seal().unwrap();
            let after: BTreeMap<_, _> =
                AFTER.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
            assert_eq!(self.tree(), after);
            let staged =
                engine.stage_undo(&run, &RunId::parse(&format!("u{number}")).unwrap(), &Quiet);
            let _ = staged.unwrap().commit(&Quiet).unwrap().seal().unwrap();
            outcomes
        });
        assert_eq!(self.tree(), before);
        assert!(engine.unsettled().unwrap().is_empty());
        for shelf in ["runs", "trash"] {
            let left = fs::read_dir(self.folder.path().join(".exacta").join(shelf)).unwrap();
            assert_eq!(left.count(), 0, "left in {shelf}");
        }
        ended
    }

    /// One shell script as the only check.
    pub(crate) fn script(&self, script: &str, view: ViewKind) -> Result<Vec<Outcome>, Unchecked> {
        self.judge(&[shell(script)], &self.room(view), &Quiet)
    }

    pub(crate) fn tree(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        visit(self.folder.path(), self.folder.path(), &mut found);
        found
    }
}

fn visit(root: &Path, at: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if name == ".exacta" {
            continue;
        }
        if path.is_dir() {
            visit(root, &path, found);
        } else {
            found.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

pub(crate) fn shell(script: &str) -> Check {
    check(&["sh", "-c", script])
}

pub(crate) fn check(command: &[&str]) -> Check {
    Check {
        name: "judge".into(),
        command: command.iter().map(ToString::to_string).collect(),
        timeout: Duration::from_mins(1),
    }
}

/// What a check wrote, for messages.
pub(crate) fn words(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&outcome.output).into_owned()
}

fn plan() -> (Vec<Change>, HashMap<Digest, Blob>) {
    let steps = [
        ("src/a", Some("old"), Some("new")),
        ("src/b", Some("bye"), None),
        ("src/deep/c", None, Some("made")),
        ("x", Some("file"), None),
        ("x/y", None, Some("inside")),
    ];
    let mut images = HashMap::new();
    let mut digest = |text: &str| {
        let blob = Blob::new(text.as_bytes().to_vec());
        let digest = blob.digest();
        images.insert(digest, blob);
        digest
    };
    let changes = steps.map(|(path, before, after)| Change {
        path: RelPath::parse(path).unwrap(),
        before: before.map(&mut digest),
        after: after.map(&mut digest),
        mode_before: None,
        mode_after: None,
        step: "step_1".into(),
        renamed_from: None,
    });
    (changes.into(), images)
}
