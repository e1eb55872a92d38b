//! A private copy that outlives one command: an agent works on it turn after turn.
//!
//! The copy is a real one (or shares blocks with the project), never a layer over a tree that
//! moves. After a turn what it holds is compared with the project: what was approved meanwhile
//! is equal and no longer a change, what was not is one again.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use exacta_core::model::digest::Digest;

use super::before::Before;
use super::effect::{Captured, Effect};
use super::errand::{CaptureError, Errand, Follow};
use super::footing::Footing;
use super::judge::{self, Judge, Sorted};
use super::stamps::Stamps;
use crate::checks::conduct::{self, Output, Ways};
use crate::checks::view::{Errand as InView, ViewFolder};
use crate::checks::{Room, Verdict, ViewKind};
use crate::run::CheckProgress;
use crate::workspace::Workspace;

/// A terminal of the command's own: what it writes is read from one end, what it reads is
/// written to the same end.
pub struct Pty {
    /// Our end, to read from.
    pub ours: OwnedFd,
    /// The command's end.
    pub theirs: OwnedFd,
}

/// A copy, and how the project was when it was last equal to it as far as anybody decided.
pub struct Session {
    folder: ViewFolder,
    stamps: Stamps,
    ground: Mutex<((i64, i64), Before)>,
    /// What each file was to hold when it was last proposed.
    offered: Mutex<BTreeMap<PathBuf, Digest>>,
    builds: bool,
}

impl Session {
    /// Copies the project.
    ///
    /// # Errors
    /// When no copy can be made.
    pub fn begin(port: &dyn Workspace, room: &Room, builds: bool) -> Result<Self, CaptureError> {
        let folder = ViewFolder::plain(port, &room.scratch, ViewKind::Copy)?;
        let since = folder.since();
        let before = before(&folder, since, builds)?;
        let stamps = Stamps::of(&folder.tree())?;
        let (ground, offered) = (Mutex::new((since, before)), Mutex::default());
        Ok(Self { folder, stamps, ground, offered, builds })
    }

    /// Runs a command on the copy, at a terminal of its own if it is given one.
    ///
    /// # Errors
    /// When it is not run, or not to its end; what it wrote so far stays in the copy.
    pub fn run(
        &self,
        errand: &Errand,
        room: &Room,
        pty: Option<Pty>,
        follow: &dyn Follow,
    ) -> Result<Verdict, CaptureError> {
        let words = InView {
            command: &errand.command,
            folder: &errand.folder,
            input: errand.input.as_deref(),
            network: &errand.network,
            home: errand.home.as_deref(),
        };
        let mut request = self.folder.errand(room, &words)?;
        request.terminal = pty.is_some();
        let name = errand.command.first().map(String::as_str).unwrap_or_default();
        let progress = CheckProgress::new(name, 0, 1);
        let mut hand_on = |bytes: &[u8]| follow.output(bytes);
        let output = Output::Follow(&mut hand_on);
        let ways = Ways { output, pty, network: &errand.network };
        let ended = conduct::conduct_at(room, &request, None, follow, progress, ways)?;
        Ok(ended.verdict)
    }

    /// What the copy holds that the project does not.
    ///
    /// # Errors
    /// When a file cannot be read, or more was written than a plan can hold.
    pub fn changes(
        &self,
        verdict: Verdict,
        errand: &Errand,
        follow: &dyn Follow,
    ) -> Result<Captured, CaptureError> {
        let tree = self.folder.tree();
        let ground = self.ground.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        let judge = Judge::new(self.folder.project(), &tree, ground, errand, follow);
        let mut judge = judge.knowing(offered.clone());
        self.stamps.touched(&tree, &mut judge)?;
        let Sorted { made, seen, unfit, left_out, conflicts } = judge.end();
        for one in &made {
            let path = PathBuf::from(one.path.as_str());
            match &one.effect {
                Effect::Create { bytes, .. } | Effect::Modify { bytes, .. } => {
                    offered.insert(path, Digest::of(bytes));
                }
                Effect::Delete => drop(offered.remove(&path)),
            }
        }
        let (took, view) = (std::time::Duration::ZERO, ViewKind::Copy);
        Ok(Captured { verdict, took, view, made, seen, unfit, left_out, conflicts })
    }

    /// Goes on from the project as it is now. Files that somebody else changed there meanwhile
    /// are taken over into the copy, so that nobody's work is undone by the next plan.
    ///
    /// # Errors
    /// When the project cannot be read or the copy not be written.
    pub fn go_on(&self, conflicts: &[String]) -> Result<(), CaptureError> {
        let tree = self.folder.tree();
        // The command may still run, and the copy is its own.
        let footing = Footing::at(&tree).map_err(|source| judge::unreadable(&tree, source))?;
        for path in conflicts.iter().map(Path::new) {
            footing
                .take_over(path, &self.folder.project().join(path))
                .map_err(|source| judge::unreadable(path, source))?;
        }
        let since = self.folder.stamp().map_err(|source| judge::unreadable(&tree, source))?;
        let before = before(&self.folder, since, self.builds)?;
        *self.ground.lock().unwrap_or_else(PoisonError::into_inner) = (since, before);
        Ok(())
    }
}

fn before(folder: &ViewFolder, since: (i64, i64), builds: bool) -> Result<Before, CaptureError> {
    let left_out = |path: &Path| judge::left_out(path, builds);
    Before::of(folder.project(), since, &left_out)
        .map_err(|source| judge::unreadable(Path::new("."), source))
}
