//! The port on a project in memory.

use std::path::Path;

use exacta_core::model::change::FileMode;
use exacta_core::model::digest::Digest;
use exacta_core::model::tree::TreeFault;
use exacta_engine::workspace::{
    FolderSeen, Image, Lock, Metadata, PortError, STATE_FOLDER, Scope, Seen, Sight, Space, Spot,
    Stamp, Workspace,
};
use rustix::io::Errno;

use super::disk::{Disk, FileNode, FolderNode, Found, Node, ROOT, Step};
use super::memory::{MemoryWorkspace, OWNER, State, owned};

/// The gate's own files are for their owner alone.
const PRIVATE: u32 = 0o600;

fn refused(at: &Spot, fault: TreeFault) -> PortError {
    PortError::Refused { at: at.clone(), fault }
}

fn system(act: &'static str, at: &Spot, errno: Errno) -> PortError {
    PortError::System { act, at: at.clone(), errno }
}

fn stamp(inode: u64, file: Option<&FileNode>) -> Stamp {
    let size = file.map_or(0, |file| file.bytes.len() as u64);
    let written = (0, file.map_or(0, |file| file.written));
    Stamp { inode, size, written, changed: written }
}

/// What a path leads to that is not a target, or the number of what may be one.
fn target(disk: &Disk, at: &Spot) -> Result<Option<u64>, TreeFault> {
    let inode = match disk.find(at) {
        Found::Absent => return Ok(None),
        Found::Below(above) => return Err(TreeFault::NotAFolder(above)),
        Found::Linked(above) => return Err(TreeFault::Symlink(above)),
        Found::Elsewhere => return Err(TreeFault::OtherDevice),
        Found::Node(inode) => inode,
    };
    match disk.get(inode) {
        Some(Node::File(_)) => match disk.links(inode) {
            1 => Ok(Some(inode)),
            more => Err(TreeFault::HardLinked(more)),
        },
        Some(Node::Folder(_)) => Err(TreeFault::Folder),
        Some(Node::Symlink(_)) => Err(TreeFault::Symlink(at.to_string())),
        Some(Node::Special(kind)) => Err(TreeFault::Special(kind)),
        Some(Node::Mount) => Err(TreeFault::OtherDevice),
        None => Ok(None),
    }
}

/// The open folder at a spot.
fn open_folder(disk: &Disk, at: &Spot) -> Result<u64, PortError> {
    match target(disk, at) {
        Err(TreeFault::Folder) => match disk.find(at) {
            Found::Node(inode) => Ok(inode),
            _ => Err(PortError::Gone(at.clone())),
        },
        Err(TreeFault::HardLinked(_) | TreeFault::Special(_)) | Ok(Some(_)) => {
            Err(refused(at, TreeFault::NotAFolder(at.to_string())))
        }
        Err(fault) => Err(refused(at, fault)),
        Ok(None) => Err(PortError::Gone(at.clone())),
    }
}

/// The open folder of a spot, and what lies there.
fn spot(disk: &Disk, at: &Spot) -> Result<(u64, Option<u64>), PortError> {
    let dir = open_folder(disk, &at.folder())?;
    Ok((dir, disk.entry(dir, at.name())))
}

fn new_entry(state: &mut State, at: &Spot, node: Node) -> Result<u64, PortError> {
    let (dir, known) = spot(&state.now, at)?;
    if known.is_some() {
        return Err(PortError::Taken(at.clone()));
    }
    let inode = state.allocate(node);
    state.step(Step::Entries(vec![(dir, at.name().into(), Some(inode))]));
    Ok(inode)
}

fn empty_file() -> Node {
    let (bytes, mode) = (Vec::new(), FileMode::from_raw(PRIVATE));
    Node::File(FileNode { bytes, mode, metadata: owned(), written: 0 })
}

/// What a file has that was made with `metadata`.
fn given(metadata: &Metadata) -> Metadata {
    Metadata { owner: metadata.owner.or(Some(OWNER)), ..metadata.clone() }
}

impl Workspace for MemoryWorkspace {
    fn lock(&self) -> Result<Lock, PortError> {
        self.make_private(&Spot::state())?;
        self.lock.take()
    }

    fn turn(&self) -> Result<Lock, PortError> {
        self.make_private(&Spot::state())?;
        Ok(self.turn.wait())
    }

    fn hold(&self, at: &Spot) -> Result<Lock, PortError> {
        self.holds.take(at.as_str())
    }

    fn is_held(&self, at: &Spot) -> Result<bool, PortError> {
        Ok(self.holds.has(at.as_str()))
    }

    fn see(&self, at: &Spot) -> Result<Sight, PortError> {
        let state = self.state();
        let inode = match target(&state.now, at) {
            Ok(Some(inode)) => inode,
            Ok(None) => return Ok(Sight::Absent),
            Err(fault) => return Ok(Sight::Unfit(fault)),
        };
        let Some(file) = state.now.file(inode) else { return Ok(Sight::Absent) };
        let stamp = stamp(inode, Some(file));
        let image = Image { digest: Digest::of(&file.bytes), mode: file.mode };
        let metadata = file.metadata.clone();
        Ok(Sight::File(Seen { image, size: stamp.size, inode, stamp, metadata }))
    }

    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        let state = self.state();
        match spot(&state.now, at) {
            Ok((_, found)) => Ok(found.map(|inode| stamp(inode, state.now.file(inode)))),
            Err(PortError::Gone(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        let state = self.state();
        let inode = target(&state.now, at).map_err(|fault| refused(at, fault))?;
        let file = inode.and_then(|inode| state.now.file(inode));
        file.map(|file| file.bytes.clone()).ok_or_else(|| PortError::Gone(at.clone()))
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        let state = self.state();
        let Ok(inode) = open_folder(&state.now, at) else { return Ok(None) };
        let folder = state.now.folder(inode);
        Ok(folder.map(|folder| FolderSeen { inode, empty: folder.entries.is_empty() }))
    }

    fn inherited_from(&self, folder: &Spot) -> Result<Metadata, PortError> {
        let state = self.state();
        let inode = open_folder(&state.now, folder)?;
        Ok(state.now.folder(inode).map(|folder| folder.inherited.clone()).unwrap_or_default())
    }

    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError> {
        let state = self.state();
        match open_folder(&state.now, folder) {
            Ok(inode) => {
                let folder = state.now.folder(inode);
                Ok(folder.into_iter().flat_map(|folder| folder.entries.keys().cloned()).collect())
            }
            Err(PortError::Gone(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn stage(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        metadata: &Metadata,
    ) -> Result<u64, PortError> {
        let mut state = self.state();
        let size = bytes.len() as u64;
        if let Some(limit) = state.space.largest.filter(|limit| size > *limit) {
            return Err(refused(at, TreeFault::TooLarge { size, limit }));
        }
        let inode = new_entry(&mut state, at, empty_file())?;
        let (bytes, metadata, written) = (bytes.to_vec(), given(metadata), state.tick());
        state.step(Step::Fill { inode, file: FileNode { bytes, mode, metadata, written } });
        Ok(inode)
    }

    fn stage_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError> {
        let folder = FolderNode { inherited: metadata.clone(), ..FolderNode::default() };
        new_entry(&mut self.state(), at, Node::Folder(folder))
    }

    fn make_private(&self, at: &Spot) -> Result<(), PortError> {
        let mut state = self.state();
        match open_folder(&state.now, at) {
            Ok(_) => Ok(()),
            Err(PortError::Gone(_)) => {
                new_entry(&mut state, at, Node::Folder(FolderNode::default())).map(|_| ())
            }
            Err(error) => Err(error),
        }
    }

    fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
        let mut state = self.state();
        let ((here, first), (there, second)) = (spot(&state.now, one)?, spot(&state.now, other)?);
        let (Some(first), Some(second)) = (first, second) else {
            return Err(PortError::Gone(one.clone()));
        };
        state.step(Step::Entries(vec![
            (here, one.name().into(), Some(second)),
            (there, other.name().into(), Some(first)),
        ]));
        Ok(())
    }

    fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
        let mut state = self.state();
        let ((here, moved), (there, taken)) = (spot(&state.now, from)?, spot(&state.now, to)?);
        let Some(inode) = moved else { return Err(PortError::Gone(from.clone())) };
        if taken.is_some() {
            return Err(PortError::Taken(to.clone()));
        }
        state.step(Step::Entries(vec![
            (here, from.name().into(), None),
            (there, to.name().into(), Some(inode)),
        ]));
        Ok(())
    }

    fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        let mut state = self.state();
        let inode = match spot(&state.now, at)? {
            (_, None) => new_entry(&mut state, at, empty_file())?,
            (_, Some(_)) => match target(&state.now, at) {
                Ok(Some(inode)) => inode,
                Ok(None) => return Err(PortError::Gone(at.clone())),
                Err(fault) => return Err(refused(at, fault)),
            },
        };
        let written = state.tick();
        state.step(Step::Append { inode, bytes: bytes.to_vec(), written });
        Ok(())
    }

    fn remove(&self, at: &Spot) -> Result<(), PortError> {
        let mut state = self.state();
        match spot(&state.now, at) {
            Ok((dir, Some(inode))) if state.now.folder(inode).is_none() => {
                state.step(Step::Entries(vec![(dir, at.name().into(), None)]));
                Ok(())
            }
            Ok((_, Some(_))) => Err(system("remove", at, Errno::ISDIR)),
            Ok((_, None)) | Err(PortError::Gone(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn remove_folder(&self, at: &Spot) -> Result<(), PortError> {
        let mut state = self.state();
        let (dir, inode) = match spot(&state.now, at) {
            Ok((dir, Some(inode))) => (dir, inode),
            Ok((_, None)) | Err(PortError::Gone(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        match state.now.folder(inode) {
            None => Err(system("remove", at, Errno::NOTDIR)),
            Some(folder) if !folder.entries.is_empty() => {
                Err(system("remove", at, Errno::NOTEMPTY))
            }
            Some(_) => {
                state.step(Step::Entries(vec![(dir, at.name().into(), None)]));
                Ok(())
            }
        }
    }

    fn barrier(&self, scope: &Scope) -> Result<(), PortError> {
        self.sync(scope);
        Ok(())
    }

    fn view(&self, _: &Path) -> Result<Box<dyn Workspace>, PortError> {
        let view = self.clone();
        view.state().step(Step::Entries(vec![(ROOT, STATE_FOLDER.into(), None)]));
        Ok(Box::new(view))
    }

    fn space(&self) -> Result<Space, PortError> {
        Ok(self.state().space)
    }
}
