//! The sides that are ours: apply, undo, and the bare protocol without any care.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use exacta_core::model::change::{Change, FileMode};
use exacta_core::model::digest::Digest;
use exacta_core::model::path::RelPath;
use exacta_engine::blobs::FileBlobs;
use exacta_engine::run::{Engine, FileJournal, Key, Quiet, RunId};
use exacta_engine::workspace::{Root, Scope, Spot, Workspace};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::trees::{LIST, STAGED, file_name};
use crate::transaction::memory;

/// The act of a process that only starts.
pub(super) const NOTHING: &str = "nothing";

/// Plays `act` on the tree that comes first.
pub(super) fn play(act: &OsStr, arguments: &[OsString]) -> Result<(), String> {
    let [tree, word] = arguments else { return Err("a tree and a word are needed".into()) };
    let (act, word) = (act.to_string_lossy(), word.to_string_lossy());
    let tree = Path::new(tree);
    match act.as_ref() {
        NOTHING => Ok(()),
        "raw" => raw(tree, &word),
        "memory" => memory::measured(tree, &word),
        _ => ours(tree, &act, &word),
    }
}

pub(super) fn ours(tree: &Path, act: &str, run: &str) -> Result<(), String> {
    let say = |error: &dyn std::fmt::Display| error.to_string();
    let root = Root::open(tree).map_err(|error| say(&error))?;
    let lazy = super::trees::Unsynced(&root);
    let port: &dyn Workspace = if act == "unsynced" { &lazy } else { &root };
    let key = Key::new([1; 32]);
    let journal = FileJournal::new(port, &key);
    let engine = Engine::new(port, &journal, &key);
    let id = |name: &str| RunId::parse(name).map_err(|error| say(&error));
    let staged = if act == "undo" {
        engine
            .stage_undo(&id(run)?, &id(&format!("{run}-back"))?, &Quiet)
            .map_err(|error| say(&error))?
    } else {
        let objects = FileBlobs::new(port);
        engine.stage(&id(run)?, &changes(tree)?, &objects, &Quiet).map_err(|error| say(&error))?
    };
    let committed = staged.commit(&Quiet).map_err(|error| say(&error))?;
    committed.seal().map(drop).map_err(|error| say(&error))
}

/// The changes, as they were noted when the trees were made.
fn changes(tree: &Path) -> Result<Vec<Change>, String> {
    let say = |error: std::io::Error| error.to_string();
    let list = fs::read_to_string(tree.with_file_name(LIST)).map_err(say)?;
    let mut changes = Vec::new();
    for line in list.lines() {
        let mut words = line.split(' ');
        let mut word = || words.next().ok_or("a short line in the list");
        let path = RelPath::parse(word()?).map_err(|_| "a bad path in the list")?;
        let digest = |text: &str| Digest::parse(text).map_err(|error| error.to_string());
        let (before, after) = (digest(word()?)?, digest(word()?)?);
        changes.push(Change {
            path,
            before: Some(before),
            after: Some(after),
            mode_before: Some(FileMode::REGULAR),
            mode_after: Some(FileMode::REGULAR),
            step: "step_1".into(),
            renamed_from: None,
        });
    }
    Ok(changes)
}

/// Write, barrier, exchange, barrier: no check, no journal, no way back. The first barrier
/// covers what it must cover: the images and the originals, which become the backup.
fn raw(tree: &Path, side: &str) -> Result<(), String> {
    let say = |error: std::io::Error| error.to_string();
    let images = tree.with_file_name(side);
    let aside = tree.join(STAGED);
    fs::create_dir(&aside).map_err(say)?;
    let root = Root::open(tree).map_err(|error| error.to_string())?;
    let count = fs::read_to_string(tree.with_file_name(LIST)).map_err(say)?.lines().count();
    let spot = |path: &str| RelPath::parse(path).map(|path| Spot::target(&path));
    let spot = |path: &str| spot(path).map_err(|_| format!("a bad path: {path}"));
    let mut scope = Scope { files: Vec::new(), folders: vec![Spot::root(), spot(STAGED)?] };
    let mut names = Vec::new();
    for number in 0..count {
        let name = file_name(number);
        let bytes = fs::read(images.join(&name)).map_err(say)?;
        fs::write(aside.join(number.to_string()), bytes).map_err(say)?;
        scope.files.extend([spot(&format!("{STAGED}/{number}"))?, spot(&name)?]);
        names.push(name);
    }
    root.barrier(&scope).map_err(|error| error.to_string())?;
    for (number, name) in names.iter().enumerate() {
        let staged = aside.join(number.to_string());
        renameat_with(CWD, &staged, CWD, tree.join(name), RenameFlags::EXCHANGE)
            .map_err(|error| error.to_string())?;
    }
    scope.files.clear();
    for name in &names {
        scope.folders.push(spot(name)?.folder());
    }
    scope.folders.sort_unstable();
    scope.folders.dedup();
    root.barrier(&scope).map_err(|error| error.to_string())
}
