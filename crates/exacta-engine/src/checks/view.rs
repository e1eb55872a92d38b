//! The folder a view is made in, on the engine's side.
//!
//! For an overlay it holds the layer that lies over the project: the staged images, and
//! marks for what is gone. Otherwise it holds a copy of the whole tree. Both are made
//! with the staged images themselves as the source, never with links to them.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use exacta_core::model::path::RelPath;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::checks::check::{Check, Why};
use crate::checks::child::room::is_free;
use crate::checks::line::NetworkReach;
use crate::checks::room::{Room, ViewKind};
use crate::checks::wire::{Request, View};
use crate::run::{Shown, Staged};
use crate::workspace::{Metadata, Options, Root, STATE_FOLDER, Spot, Workspace};

/// A private folder that is gone, with all that is in it, when this is dropped.
pub(crate) struct ViewFolder {
    at: PathBuf,
    kind: ViewKind,
    project: PathBuf,
    since: (i64, i64),
    /// Held while the folder is in use; a folder that nobody holds was left by a process
    /// that died.
    held: File,
}

/// What is to be run in a view.
pub(crate) struct Errand<'e> {
    /// Program and arguments.
    pub(crate) command: &'e [String],
    /// Where it starts, below the project; empty for the project itself.
    pub(crate) folder: &'e Path,
    /// What its standard input holds.
    pub(crate) input: Option<&'e [u8]>,
    /// What of the network it reaches.
    pub(crate) network: &'e NetworkReach,
    /// Where its home would be.
    pub(crate) home: Option<&'e Path>,
}

impl ViewFolder {
    /// Makes the folder and fills it from the staged run.
    pub(super) fn make(staged: &Staged<'_>, scratch: &Path, kind: ViewKind) -> Result<Self, Why> {
        let folder = Self::empty(staged.location()?, scratch, kind)?;
        match kind {
            ViewKind::Copy => drop(staged.view(&folder.tree())?),
            ViewKind::Overlay => folder.lay_over(staged)?,
        }
        Ok(folder)
    }

    /// Makes the folder for a view of the project as it is.
    pub(crate) fn plain(port: &dyn Workspace, scratch: &Path, kind: ViewKind) -> Result<Self, Why> {
        let folder = Self::empty(port.location()?, scratch, kind)?;
        match kind {
            ViewKind::Copy => drop(port.view(&folder.tree())?),
            ViewKind::Overlay => {
                folder
                    .mark_gone(STATE_FOLDER)
                    .and_then(|()| folder.copy_rights())
                    .map_err(no_view)?;
            }
        }
        Ok(folder)
    }

    /// Makes the folder for a command that sees nothing of the project, only the folder itself.
    pub(crate) fn bare(project: &Path, scratch: &Path) -> Result<Self, Why> {
        let mut folder = Self::empty(project.to_owned(), scratch, ViewKind::Copy)?;
        folder.project = folder.tree();
        Ok(folder)
    }

    fn empty(project: PathBuf, scratch: &Path, kind: ViewKind) -> Result<Self, Why> {
        DirBuilder::new().recursive(true).mode(0o700).create(scratch).map_err(no_view)?;
        let scratch = scratch.canonicalize().map_err(no_view)?;
        if scratch.starts_with(&project) {
            return Err(Why::NoView("the folder for views lies inside the project".into()));
        }
        // One at a time, so that nobody takes a folder that is just being made for one
        // that was left.
        let turn = File::open(&scratch).map_err(no_view)?;
        turn.lock().map_err(no_view)?;
        clear_abandoned(&scratch);
        let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(scratch).map_err(no_view)?;
        let held = File::open(made.path()).map_err(no_view)?;
        held.lock().map_err(no_view)?;
        // Before anything of the project is looked at.
        let since = from_now_on(&held).map_err(no_view)?;
        let folder = Self { at: made.keep(), kind, project, since, held };
        drop(turn);
        for name in ["root", "layer", "layer/tree", "layer/work"] {
            fs::create_dir(folder.at.join(name)).map_err(no_view)?;
        }
        Ok(folder)
    }

    /// The layer over the project, or the copy of it.
    pub(crate) fn tree(&self) -> PathBuf {
        self.at.join("layer/tree")
    }

    /// Where the project lies.
    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// When it was made, by the clock that stamps files.
    pub(crate) fn since(&self) -> (i64, i64) {
        self.since
    }

    /// A time from now on, by the same clock.
    pub(crate) fn stamp(&self) -> io::Result<(i64, i64)> {
        from_now_on(&self.held)
    }

    /// Gives the layer the rights of the project's own folder.
    fn copy_rights(&self) -> io::Result<()> {
        fs::set_permissions(self.tree(), fs::metadata(&self.project)?.permissions())
    }

    /// Writes the layer that will lie over the project.
    fn lay_over(&self, staged: &Staged<'_>) -> Result<(), Why> {
        let failed = |error: io::Error| Why::NoView(error.to_string());
        let options = Options { size_limit: u64::MAX, ..Options::default() };
        let layer =
            Root::open_with(self.tree(), options).map_err(|e| Why::NoView(e.to_string()))?;
        let mut gone = vec![STATE_FOLDER.to_owned()];
        let mut emptied = Vec::new();
        for shown in staged.shown() {
            match shown {
                Shown::Gone(path) => gone.push(path.as_str().into()),
                Shown::EmptyFolder(path) => emptied.push(path.as_str()),
                Shown::Folder(path) => {
                    self.folders_above(path)?;
                    layer.stage_folder(&Spot::target(path), &Metadata::default())?;
                }
                Shown::File { path, image, slot } => {
                    self.folders_above(path)?;
                    let bytes = staged.staged_bytes(&slot)?;
                    layer.stage(&Spot::target(path), &bytes, image.mode, &Metadata::default())?;
                }
            }
        }
        for path in gone {
            self.mark_gone(&path).map_err(failed)?;
        }
        for path in emptied {
            self.take_if_empty(path).map_err(failed)?;
        }
        self.copy_rights().map_err(failed)
    }

    /// Folders of the project that the layer has to repeat, with their mode.
    fn folders_above(&self, path: &RelPath) -> Result<(), Why> {
        let above: Vec<_> = path.ancestors().collect();
        for folder in above.into_iter().rev() {
            let at = self.tree().join(folder);
            if at.is_dir() {
                continue;
            }
            let failed = |error: io::Error| Why::NoView(error.to_string());
            fs::create_dir(&at).map_err(failed)?;
            let mode = fs::symlink_metadata(self.project.join(folder)).map_or(0o755, |m| m.mode());
            // Search and write are ours in any case: it is our layer.
            fs::set_permissions(&at, Permissions::from_mode(mode & 0o7777 | 0o700))
                .map_err(failed)?;
        }
        Ok(())
    }

    /// A device with the number 0 says that nothing is there, whatever lies below.
    fn mark_gone(&self, path: &str) -> io::Result<()> {
        let at = self.tree().join(path);
        if fs::symlink_metadata(&at).is_ok() || !self.project.join(path).exists() {
            return Ok(());
        }
        if let Some((above, _)) = path.rsplit_once('/') {
            fs::create_dir_all(self.tree().join(above))?;
        }
        Ok(mknodat(CWD, &at, FileType::CharacterDevice, Mode::empty(), 0)?)
    }

    /// Takes a folder away whose every entry has gone.
    fn take_if_empty(&self, path: &str) -> io::Result<()> {
        let layer = self.tree().join(path);
        let Ok(entries) = fs::read_dir(self.project.join(path)) else { return Ok(()) };
        for entry in entries {
            let mark = fs::symlink_metadata(layer.join(entry?.file_name()));
            if !mark.is_ok_and(|mark| mark.file_type().is_char_device()) {
                return Ok(());
            }
        }
        // Something new may lie there already.
        let only_marks = |entry: io::Result<fs::DirEntry>| {
            entry.and_then(|e| e.file_type()).is_ok_and(|kind| kind.is_char_device())
        };
        if fs::read_dir(&layer).is_ok_and(|mut entries| !entries.all(only_marks)) {
            return Ok(());
        }
        // Nothing but marks of ours is in it, and it may not be there at all.
        let _ = fs::remove_dir_all(&layer);
        self.mark_gone(path)
    }

    /// The words for the child about a check.
    pub(super) fn request(
        &self,
        staged: &Staged<'_>,
        room: &Room,
        check: &Check,
    ) -> Result<Request, Why> {
        let target = |shown: Shown<'_>| match shown {
            Shown::File { path, image, .. } => {
                Some((path.as_str().into(), Some((image.digest, image.mode.bits()))))
            }
            Shown::Gone(path) => Some((path.as_str().into(), None)),
            Shown::Folder(_) | Shown::EmptyFolder(_) => None,
        };
        let errand = Errand {
            command: &check.command,
            folder: Path::new(""),
            input: None,
            network: &NetworkReach::Nothing,
            home: None,
        };
        let targets = staged.shown().filter_map(target).collect();
        Ok(Request { targets, ..self.errand(room, &errand)? })
    }

    /// The words for the child about a command that judges nothing.
    pub(crate) fn errand(&self, room: &Room, errand: &Errand<'_>) -> Result<Request, Why> {
        let view = match self.kind {
            ViewKind::Overlay => View::Overlay { layer: self.at.join("layer") },
            ViewKind::Copy => View::Folder(self.tree()),
        };
        let seen = fs::metadata(&self.project).map_err(|error| Why::NoView(error.to_string()))?;
        let input = match errand.input {
            None => None,
            Some(bytes) => {
                let at = self.at.join("input");
                fs::write(&at, bytes).map_err(no_view)?;
                Some(at)
            }
        };
        let home = errand.home.filter(|home| is_free(home, &self.project));
        Ok(Request {
            project: self.project.clone(),
            identity: (seen.dev(), seen.ino()),
            view,
            root: self.at.join("root"),
            reads: room.reads.clone(),
            hidden: room.hidden.clone(),
            command: errand.command.to_vec(),
            environment: environment(room, home),
            folder: self.project.join(errand.folder),
            kept: if home.is_some() { room.kept.clone() } else { Vec::new() },
            home: home.map(Into::into),
            over: Vec::new(),
            input,
            network: matches!(errand.network, NetworkReach::Everything),
            proxied: matches!(errand.network, NetworkReach::Through(_)),
            terminal: false,
            targets: Vec::new(),
        })
    }
}

impl Drop for ViewFolder {
    fn drop(&mut self) {
        clear(&self.at);
    }
}

/// A time that no change bears which was made before, and that every later one reaches:
/// the clock that stamps files stands still for moments.
fn from_now_on(folder: &File) -> io::Result<(i64, i64)> {
    let stamp = || -> io::Result<(i64, i64)> {
        let seen = folder.metadata()?;
        // Nothing changes but the stamp.
        folder.set_permissions(seen.permissions())?;
        let seen = folder.metadata()?;
        Ok((seen.ctime(), seen.ctime_nsec()))
    };
    let first = stamp()?;
    let start = Instant::now();
    while start.elapsed() < COARSEST {
        std::thread::sleep(Duration::from_millis(1));
        let next = stamp()?;
        if next != first {
            return Ok(next);
        }
    }
    // A file system that keeps no such time; then what was just changed counts as late.
    Ok(first)
}

/// Longer than any file system's clock stands still.
const COARSEST: Duration = Duration::from_secs(3);

/// How the names of our folders begin.
const PREFIX: &str = "view-";

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` hands over")]
fn no_view(error: io::Error) -> Why {
    Why::NoView(error.to_string())
}

/// The room's, with the home that the command has.
fn environment(room: &Room, home: Option<&Path>) -> Vec<(String, String)> {
    let mut environment = room.environment.clone();
    let own = home.and_then(Path::to_str).map(|home| ("HOME".to_owned(), home.to_owned()));
    for (name, value) in &mut environment {
        if let Some((_, home)) = own.as_ref().filter(|(home, _)| home == name) {
            value.clone_from(home);
        }
    }
    environment
}

/// Deletes what processes left that died before they could.
fn clear_abandoned(scratch: &Path) {
    let Ok(entries) = fs::read_dir(scratch) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX))
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Some(held) = ours.then(|| File::open(entry.path()).ok()).flatten() else { continue };
        if held.try_lock().is_ok() {
            clear(&entry.path());
        }
    }
}

/// Deletes a folder of ours, also where a command took rights away from itself. Folders
/// inside are moved up before they are emptied, so that no nesting is too deep.
fn clear(folder: &Path) {
    let mut waiting = vec![folder.to_owned()];
    let mut moved = 0_u64;
    while let Some(at) = waiting.pop() {
        let _ = fs::set_permissions(&at, Permissions::from_mode(0o700));
        for entry in fs::read_dir(&at).into_iter().flatten().flatten() {
            // The type of the entry itself: a link is deleted, never followed.
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_file(entry.path());
                continue;
            }
            let _ = fs::set_permissions(entry.path(), Permissions::from_mode(0o700));
            let up = folder.with_file_name(format!(
                "{}.{moved}",
                folder.file_name().unwrap_or_default().to_string_lossy()
            ));
            moved += 1;
            match fs::rename(entry.path(), &up) {
                Ok(()) => waiting.push(up),
                Err(_) => drop(fs::remove_dir_all(entry.path())),
            }
        }
        let _ = fs::remove_dir(&at);
    }
}
