//! Running the command, on the first kind of view that can be had.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::before::Before;
use super::effect::Captured;
use super::judge::{self, Judge, Sorted};
use super::layer;
use super::stamps::Stamps;
use crate::checks::conduct::{self, Output, Ways};
use crate::checks::view::{Errand as InView, ViewFolder};
use crate::checks::{NetworkReach, NotRun, Room, ViewKind, Why};
use crate::run::{CheckProgress, Quiet, Watch};
use crate::workspace::{PortError, Workspace};

/// A command to run on a private copy.
#[derive(Clone, Debug, Default)]
pub struct Errand {
    /// Program and arguments; no shell reads them.
    pub command: Vec<String>,
    /// Where it starts, below the project; empty for the project itself.
    pub folder: PathBuf,
    /// What its standard input holds; nothing when absent.
    pub input: Option<Vec<u8>>,
    /// What of the network it reaches.
    pub network: NetworkReach,
    /// The user's home; the command finds an empty one at the same place.
    pub home: Option<PathBuf>,
    /// Whether what builds and caches write and what `.gitignore` names is wanted too.
    pub builds: bool,
    /// The most bytes of new content that are read.
    pub byte_limit: usize,
}

/// Whoever follows a command.
pub trait Follow: Watch {
    /// What it wrote to standard output and standard error. Breaking off ends the command.
    fn output(&self, bytes: &[u8]) -> ControlFlow<()> {
        let _ = bytes;
        ControlFlow::Continue(())
    }

    /// How many changed files were looked at.
    fn compared(&self, count: usize) {
        let _ = count;
    }
}

impl Follow for Quiet {}

/// Nothing came of it; the project is as it was and no copy is left.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// No private copy can be made.
    #[error("no private copy of the project can be made: {0}")]
    NoView(String),
    /// The command was not run, or not to its end.
    #[error(transparent)]
    NotRun(#[from] NotRun),
    /// Whoever watched asked to stop.
    #[error("stopped on request")]
    Cancelled,
    /// More was written than a plan can hold.
    #[error("the command wrote more than {0} bytes of new content")]
    TooMuch(usize),
    /// A file of the copy or of the project cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// An operation failed.
    #[error(transparent)]
    Port(#[from] PortError),
}

impl From<Why> for CaptureError {
    fn from(why: Why) -> Self {
        match why {
            Why::NoView(reason) => Self::NoView(reason),
            Why::Cancelled => Self::Cancelled,
            Why::NotRun(why) => Self::NotRun(why),
            Why::Port(error) => Self::Port(error),
            other => Self::NotRun(NotRun::NoConfinement(other.to_string())),
        }
    }
}

/// Runs a command on a private copy and says what it changed there.
///
/// # Errors
/// [`CaptureError`]: nothing is known of what the command did, and nothing of it is left.
pub fn capture(
    port: &dyn Workspace,
    errand: &Errand,
    room: &Room,
    follow: &dyn Follow,
) -> Result<Captured, CaptureError> {
    let mut refusals = Vec::new();
    for kind in &room.views {
        match on_view(port, errand, room, follow, *kind) {
            Err(CaptureError::NoView(refusal)) => refusals.push(refusal),
            other => return other,
        }
    }
    Err(CaptureError::NoView(refusals.join("; ")))
}

fn on_view(
    port: &dyn Workspace,
    errand: &Errand,
    room: &Room,
    follow: &dyn Follow,
    kind: ViewKind,
) -> Result<Captured, CaptureError> {
    let folder = ViewFolder::plain(port, &room.scratch, kind)?;
    let since = folder.since();
    let left_out = |path: &Path| judge::left_out(path, errand.builds);
    let before = Before::of(folder.project(), since, &left_out)
        .map_err(|source| judge::unreadable(Path::new("."), source))?;
    // A copy is compared with itself, so that what the user does meanwhile does not count.
    let stamps = match kind {
        ViewKind::Copy => Some(Stamps::of(&folder.tree())?),
        ViewKind::Overlay => None,
    };
    let request = folder.errand(
        room,
        &InView {
            command: &errand.command,
            folder: &errand.folder,
            input: errand.input.as_deref(),
            network: &errand.network,
            home: errand.home.as_deref(),
        },
    )?;
    let name = errand.command.first().map(String::as_str).unwrap_or_default();
    let progress = CheckProgress::new(name, 0, 1);
    let mut hand_on = |bytes: &[u8]| follow.output(bytes);
    let ended = conduct::conduct_at(
        room,
        &request,
        None,
        follow,
        progress,
        Ways { output: Output::Follow(&mut hand_on), pty: None, network: &errand.network },
    );
    // Ctrl-C at a terminal reaches the command as well as us, and may be faster there.
    if follow.cancelled() {
        return Err(CaptureError::Cancelled);
    }
    let ended = ended?;
    let tree = folder.tree();
    let judge = Judge::new(folder.project(), &tree, (since, before), errand, follow);
    let Sorted { made, seen, unfit, left_out, conflicts } = sorted(&tree, stamps.as_ref(), judge)?;
    let (verdict, took): (_, Duration) = (ended.verdict, ended.took);
    Ok(Captured { verdict, took, view: kind, made, seen, unfit, left_out, conflicts })
}

fn sorted(
    tree: &Path,
    stamps: Option<&Stamps>,
    mut judge: Judge<'_>,
) -> Result<Sorted, CaptureError> {
    match stamps {
        None => layer::touched(tree, &mut judge)?,
        Some(stamps) => stamps.touched(tree, &mut judge)?,
    }
    Ok(judge.end())
}
