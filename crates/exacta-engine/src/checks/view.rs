//! The folder a view is made in, on the engine's side.
//!
//! For an overlay it holds the layer that lies over the project: the staged images, and
//! marks for what is gone. Otherwise it holds a copy of the whole tree. Both are made
//! with the staged images themselves as the source, never with links to them.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use exacta_core::path::RelPath;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::checks::check::{Check, Why};
use crate::checks::room::{Room, ViewKind};
use crate::checks::wire::{Request, View};
use crate::run::{Shown, Staged};
use crate::workspace::{Dress, Options, Root, STATE_FOLDER, Spot, Workspace as _};

/// A private folder that is gone, with all that is in it, when this is dropped.
pub(super) struct ViewFolder {
    at: PathBuf,
    kind: ViewKind,
    project: PathBuf,
}

impl ViewFolder {
    /// Makes the folder and fills it from the staged run.
    pub(super) fn make(staged: &Staged<'_>, scratch: &Path, kind: ViewKind) -> Result<Self, Why> {
        let failed = |error: io::Error| Why::NoView(error.to_string());
        let project = staged.location()?;
        DirBuilder::new().recursive(true).mode(0o700).create(scratch).map_err(failed)?;
        let scratch = scratch.canonicalize().map_err(failed)?;
        if scratch.starts_with(&project) {
            return Err(Why::NoView("the folder for views lies inside the project".into()));
        }
        let made = tempfile::Builder::new().prefix("view-").tempdir_in(scratch).map_err(failed)?;
        let folder = Self { at: made.keep(), kind, project };
        for name in ["root", "layer", "layer/tree", "layer/work"] {
            fs::create_dir(folder.at.join(name)).map_err(failed)?;
        }
        match kind {
            ViewKind::Copy => drop(staged.view(&folder.tree())?),
            ViewKind::Overlay => folder.lay_over(staged)?,
        }
        Ok(folder)
    }

    fn tree(&self) -> PathBuf {
        self.at.join("layer/tree")
    }

    /// Writes the layer that will lie over the project.
    fn lay_over(&self, staged: &Staged<'_>) -> Result<(), Why> {
        let failed = |error: io::Error| Why::NoView(error.to_string());
        let options = Options { size_limit: u64::MAX, ..Options::default() };
        let tree = self.tree();
        let mode = fs::metadata(&self.project).map_err(failed)?.permissions();
        let layer = Root::open_with(&tree, options).map_err(|e| Why::NoView(e.to_string()))?;
        let mut gone = vec![STATE_FOLDER.to_owned()];
        let mut emptied = Vec::new();
        for shown in staged.shown() {
            match shown {
                Shown::Gone(path) => gone.push(path.as_str().into()),
                Shown::EmptyFolder(path) => emptied.push(path.as_str()),
                Shown::Folder(path) => {
                    self.folders_above(path)?;
                    layer.stage_folder(&Spot::target(path), &Dress::default())?;
                }
                Shown::File { path, image, slot } => {
                    self.folders_above(path)?;
                    let bytes = staged.staged_bytes(&slot)?;
                    layer.stage(&Spot::target(path), &bytes, image.mode, &Dress::default())?;
                }
            }
        }
        for path in gone {
            self.mark_gone(&path).map_err(failed)?;
        }
        for path in emptied {
            self.take_if_empty(path).map_err(failed)?;
        }
        fs::set_permissions(tree, mode).map_err(failed)
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
        clear(&layer);
        self.mark_gone(path)
    }

    /// The words for the child.
    pub(super) fn request(
        &self,
        staged: &Staged<'_>,
        room: &Room,
        check: &Check,
    ) -> Result<Request, Why> {
        let view = match self.kind {
            ViewKind::Overlay => View::Overlay { layer: self.at.join("layer") },
            ViewKind::Copy => View::Folder(self.tree()),
        };
        let seen = fs::metadata(&self.project).map_err(|error| Why::NoView(error.to_string()))?;
        let target = |shown: Shown<'_>| match shown {
            Shown::File { path, image, .. } => Some((path.as_str().into(), Some(image.digest))),
            Shown::Gone(path) => Some((path.as_str().into(), None)),
            Shown::Folder(_) | Shown::EmptyFolder(_) => None,
        };
        Ok(Request {
            project: self.project.clone(),
            identity: (seen.dev(), seen.ino()),
            view,
            root: self.at.join("root"),
            reads: room.reads.clone(),
            hidden: room.hidden.clone(),
            command: check.command.clone(),
            environment: room.environment.clone(),
            targets: staged.shown().filter_map(target).collect(),
        })
    }
}

impl Drop for ViewFolder {
    fn drop(&mut self) {
        clear(&self.at);
    }
}

/// Deletes a folder of ours, also where a check took rights away from itself.
fn clear(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // The type of the entry itself: a link is deleted, never followed.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            clear(&entry.path());
        } else {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}
