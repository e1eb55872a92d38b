//! What every suite starts from: a project on disk, an engine on it, and the plain ways.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::{Blob, Digest};
use exacta_core::model::path::RelPath;
use exacta_engine::run::{Engine, FileJournal, Key, Quiet, Receipt, RunId, StageError, UndoError};
use exacta_engine::workspace::{Root, Workspace};
use tempfile::TempDir;

use crate::shapes::{Shape, shapes};
use crate::tree::{Snapshot, Spec, build, scratch, snapshot};

pub(crate) static KEY: LazyLock<Key> = LazyLock::new(|| Key::new([42; 32]));

pub(crate) fn run_id(name: &str) -> RunId {
    RunId::parse(name).unwrap()
}

/// An engine with the project's own key and journal.
pub(crate) fn engine(port: &dyn Workspace) -> Engine<'_> {
    // The engine borrows its journal; a test may hold on to one for good.
    let journal = Box::leak(Box::new(FileJournal::new(port, &KEY)));
    Engine::new(port, journal, &KEY)
}

/// A project with these files.
pub(crate) fn laid_out(files: &[Spec]) -> (TempDir, Root) {
    let dir = scratch();
    build(dir.path(), files);
    let root = Root::open(dir.path()).unwrap();
    (dir, root)
}

/// The shape of this name.
pub(crate) fn shape(name: &str) -> Shape {
    shapes().into_iter().find(|shape| shape.name == name).unwrap()
}

/// A change of one file between two texts, of any mode; `None` is no file.
pub(crate) fn change(path: &str, before: Option<&str>, after: Option<&str>) -> Change {
    let digest = |text: &str| Digest::of(text.as_bytes());
    Change {
        path: RelPath::parse(path).unwrap(),
        before: before.map(digest),
        after: after.map(digest),
        mode_before: None,
        mode_after: None,
        step: "step_1".into(),
        renamed_from: None,
    }
}

/// The same where both files have the usual mode.
pub(crate) fn regular(path: &str, before: Option<&str>, after: Option<&str>) -> Change {
    let mode = |text: Option<&str>| text.map(|_| FileMode::REGULAR);
    Change { mode_before: mode(before), mode_after: mode(after), ..change(path, before, after) }
}

pub(crate) fn images(texts: &[&str]) -> HashMap<Digest, Blob> {
    let blobs = texts.iter().map(|text| Blob::new(text.as_bytes().to_vec()));
    blobs.map(|blob| (blob.digest(), blob)).collect()
}

/// Everything of a run that went well.
pub(crate) fn apply(
    port: &dyn Workspace,
    run: &str,
    changes: &[Change],
    images: &HashMap<Digest, Blob>,
) -> Receipt {
    let staged = engine(port).stage(&run_id(run), changes, images, &Quiet).unwrap();
    staged.commit(&Quiet).unwrap().seal().unwrap()
}

pub(crate) fn undo(port: &dyn Workspace, run: &str, inverse: &str) -> Result<Receipt, UndoError> {
    let staged = engine(port).stage_undo(&run_id(run), &run_id(inverse), &Quiet)?;
    Ok(staged.commit(&Quiet).unwrap().seal().unwrap())
}

/// What is done while something goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Apply,
    RollBack,
    Undo,
    Recover,
}

pub(crate) fn perform(port: &dyn Workspace, act: Act, shape: &Shape) {
    let (changes, images) = shape.changes();
    let engine = engine(port);
    match act {
        Act::Apply => drop(apply(port, "r1", &changes, &images)),
        Act::RollBack => {
            let staged = engine.stage(&run_id("r1"), &changes, &images, &Quiet).unwrap();
            let _ = staged.commit(&Quiet).unwrap().roll_back().unwrap();
        }
        Act::Undo => drop(undo(port, "r1", "r2").unwrap()),
        Act::Recover => drop(engine.recover().unwrap()),
    }
}

/// Why a run that makes `new` of files is refused.
pub(crate) fn stage_error(port: &dyn Workspace, changes: &[Change]) -> StageError {
    engine(port).stage(&run_id("r"), changes, &images(&["new"]), &Quiet).err().unwrap()
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
