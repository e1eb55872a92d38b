//! Where the promises of the port are tested: a project with two handles on it, and hands
//! that reach the files past the port.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use exacta_core::model::change::FileMode;
use exacta_core::model::path::RelPath;
use exacta_engine::workspace::{Root, Spot, Workspace};
use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat};
use tempfile::TempDir;

use super::disk::{FileNode, FolderNode, Found, Node};
use super::memory::{MemoryWorkspace, owned};

/// Something that somebody else puts into the project.
#[derive(Clone, Copy, Debug)]
pub enum Planted<'a> {
    /// A file with these bytes, this mode and this attribute `user.note`.
    File(&'a str, u32, Option<&'a str>),
    /// A folder.
    Folder,
    /// A symbolic link to a path below the root.
    Link(&'a str),
    /// A second name of the file at a path.
    HardLink(&'a str),
    /// A FIFO.
    Fifo,
    /// A place where another file system is mounted.
    Mount,
}

/// A project on which an implementation shows that it keeps its promises.
pub trait Ground {
    /// One handle on the project.
    fn port(&self) -> &dyn Workspace;

    /// Another one, as another process has it.
    fn other(&self) -> &dyn Workspace;

    /// Puts something into the project; false where this ground cannot.
    fn plant(&self, path: &str, what: Planted<'_>) -> bool;

    /// The bytes of a file as others see it; `None` when it is not a regular file.
    fn bytes(&self, path: &str) -> Option<Vec<u8>>;
}

/// A target.
#[must_use]
pub fn spot(path: &str) -> Spot {
    Spot::target(&RelPath::parse(path).expect("the path of a target"))
}

/// Real files in a scratch folder.
pub struct RealGround {
    folder: TempDir,
    handles: [Root; 2],
}

impl RealGround {
    /// An empty project.
    #[must_use]
    pub fn new() -> Self {
        let folder = scratch();
        let open = || Root::open(folder.path()).expect("a project");
        let handles = [open(), open()];
        Self { folder, handles }
    }
}

/// A scratch folder whose files can have attributes: older kernels keep none in memory.
fn scratch() -> TempDir {
    let keeps = |folder: &TempDir| {
        let probe = folder.path().join("probe");
        let kept = fs::write(&probe, "").is_ok()
            && rustix::fs::setxattr(&probe, "user.note", b"x", XattrFlags::empty()).is_ok();
        fs::remove_file(probe).is_ok() && kept
    };
    let memory = tempfile::tempdir_in("/dev/shm").ok().filter(keeps);
    memory.unwrap_or_else(|| tempfile::tempdir().expect("a scratch folder"))
}

impl Default for RealGround {
    fn default() -> Self {
        Self::new()
    }
}

impl Ground for RealGround {
    fn port(&self) -> &dyn Workspace {
        &self.handles[0]
    }

    fn other(&self) -> &dyn Workspace {
        &self.handles[1]
    }

    fn plant(&self, path: &str, what: Planted<'_>) -> bool {
        let at = self.folder.path().join(path);
        fs::create_dir_all(at.parent().expect("a folder")).expect("folders");
        match what {
            Planted::File(text, mode, note) => {
                fs::write(&at, text).expect("a file");
                if let Some(note) = note {
                    let flags = XattrFlags::empty();
                    rustix::fs::setxattr(&at, "user.note", note.as_bytes(), flags)
                        .expect("an attribute");
                }
                fs::set_permissions(&at, fs::Permissions::from_mode(mode)).expect("a mode");
            }
            Planted::Folder => fs::create_dir_all(&at).expect("a folder"),
            Planted::Link(to) => symlink(self.folder.path().join(to), &at).expect("a link"),
            Planted::HardLink(to) => {
                fs::hard_link(self.folder.path().join(to), &at).expect("a second name");
            }
            Planted::Fifo => {
                let mode = Mode::RUSR | Mode::WUSR;
                mknodat(CWD, &at, FileType::Fifo, mode, 0).expect("a FIFO");
            }
            // Nobody may mount here; the tests of the transaction do where they can.
            Planted::Mount => return false,
        }
        true
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let at = self.folder.path().join(path);
        fs::symlink_metadata(&at).ok()?.is_file().then(|| fs::read(at).expect("its bytes"))
    }
}

/// A project in memory.
pub struct MemoryGround(MemoryWorkspace);

impl MemoryGround {
    /// An empty project.
    #[must_use]
    pub fn new() -> Self {
        Self(MemoryWorkspace::new(&[]))
    }

    /// Where a symbolic link leads.
    pub(super) fn link_target(&self, at: &Spot) -> Option<Spot> {
        let state = self.0.state();
        let Found::Node(inode) = state.now.find(at) else { return None };
        match state.now.get(inode) {
            Some(Node::Symlink(to)) => Some(spot(to)),
            _ => None,
        }
    }
}

impl Default for MemoryGround {
    fn default() -> Self {
        Self::new()
    }
}

impl Ground for MemoryGround {
    fn port(&self) -> &dyn Workspace {
        &self.0
    }

    fn other(&self) -> &dyn Workspace {
        &self.0
    }

    fn plant(&self, path: &str, what: Planted<'_>) -> bool {
        let mut state = self.0.state();
        let node = match what {
            Planted::File(text, mode, note) => {
                let (bytes, mode) = (text.as_bytes().to_vec(), FileMode::from_raw(mode));
                let mut metadata = owned();
                let note = note.map(|note| (b"user.note".to_vec(), note.into()));
                metadata.attributes.extend(note);
                let written = state.tick();
                Node::File(FileNode { bytes, mode, metadata, written })
            }
            Planted::Folder => Node::Folder(FolderNode::default()),
            Planted::Link(to) => Node::Symlink(to.into()),
            Planted::HardLink(to) => {
                state.link(to, path);
                return true;
            }
            Planted::Fifo => Node::Special("FIFO"),
            Planted::Mount => Node::Mount,
        };
        state.plant(path, node);
        true
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.0.bytes(path)
    }
}
