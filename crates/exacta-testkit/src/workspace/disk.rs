//! What a disk holds, and the steps that change it.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::model::change::FileMode;
use exacta_engine::workspace::{Metadata, Spot};

pub(super) const ROOT: u64 = 1;

/// A regular file.
#[derive(Clone, Debug)]
pub(super) struct FileNode {
    pub(super) bytes: Vec<u8>,
    pub(super) mode: FileMode,
    pub(super) metadata: Metadata,
    /// When the bytes were last written, by the disk's own clock.
    pub(super) written: u64,
}

/// A folder.
#[derive(Clone, Debug, Default)]
pub(super) struct FolderNode {
    pub(super) entries: BTreeMap<String, u64>,
    /// What is handed down to files made in it.
    pub(super) inherited: Metadata,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    File(FileNode),
    Folder(FolderNode),
    /// A symbolic link to a path below the root.
    Symlink(String),
    /// A FIFO, socket or device, by its name.
    Special(&'static str),
    /// Where another file system is mounted.
    Mount,
}

/// One step that a power loss keeps or loses as a whole (bytes may also tear).
#[derive(Clone, Debug)]
pub(super) enum Step {
    Entries(Vec<(u64, String, Option<u64>)>),
    Fill { inode: u64, file: FileNode },
    Append { inode: u64, bytes: Vec<u8>, written: u64 },
}

impl Step {
    /// What the step must stay in order with.
    pub(super) fn keys(&self) -> Vec<(u64, &str)> {
        match self {
            Self::Entries(sets) => {
                sets.iter().map(|(dir, name, _)| (*dir, name.as_str())).collect()
            }
            Self::Fill { inode, .. } | Self::Append { inode, .. } => vec![(*inode, "/bytes")],
        }
    }
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Absent,
    /// Something of this number.
    Node(u64),
    /// Nowhere: this component above it is not a folder.
    Below(String),
    /// Nowhere: this component above it is a symbolic link.
    Linked(String),
    /// Nowhere: another file system is mounted above it.
    Elsewhere,
}

/// Files and folders by their numbers, which are given out in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    nodes: Vec<Option<Node>>,
    /// Files that have a second name.
    pub(super) hard_linked: BTreeSet<u64>,
}

fn index(inode: u64) -> usize {
    usize::try_from(inode).unwrap()
}

impl Disk {
    /// An empty project.
    pub(super) fn empty() -> Self {
        let mut disk = Self::default();
        disk.insert(ROOT, Node::Folder(FolderNode::default()));
        disk
    }

    pub(super) fn get(&self, inode: u64) -> Option<&Node> {
        self.nodes.get(index(inode))?.as_ref()
    }

    pub(super) fn get_mut(&mut self, inode: u64) -> Option<&mut Node> {
        self.nodes.get_mut(index(inode))?.as_mut()
    }

    pub(super) fn insert(&mut self, inode: u64, node: Node) {
        let at = index(inode);
        self.nodes.resize_with(self.nodes.len().max(at + 1), || None);
        self.nodes[at] = Some(node);
    }

    pub(super) fn file(&self, inode: u64) -> Option<&FileNode> {
        match self.get(inode) {
            Some(Node::File(file)) => Some(file),
            _ => None,
        }
    }

    pub(super) fn folder(&self, inode: u64) -> Option<&FolderNode> {
        match self.get(inode) {
            Some(Node::Folder(folder)) => Some(folder),
            _ => None,
        }
    }

    pub(super) fn entry(&self, dir: u64, name: &str) -> Option<u64> {
        self.folder(dir)?.entries.get(name).copied()
    }

    pub(super) fn apply(&mut self, step: Step) {
        match step {
            Step::Entries(sets) => {
                for (dir, name, to) in sets {
                    let Some(Node::Folder(folder)) = self.get_mut(dir) else { continue };
                    match to {
                        Some(inode) => drop(folder.entries.insert(name, inode)),
                        None => drop(folder.entries.remove(&name)),
                    }
                }
            }
            Step::Fill { inode, file } => self.insert(inode, Node::File(file)),
            Step::Append { inode, bytes, written } => {
                if let Some(Node::File(file)) = self.get_mut(inode) {
                    file.bytes.extend_from_slice(&bytes);
                    file.written = written;
                }
            }
        }
    }

    /// What lies at a spot; no link is followed.
    pub(super) fn find(&self, at: &Spot) -> Found {
        if *at == Spot::root() { Found::Node(ROOT) } else { self.find_path(at.as_str()) }
    }

    pub(super) fn find_path(&self, path: &str) -> Found {
        let mut here = ROOT;
        let mut length = 0;
        for part in path.split('/') {
            let above = || path.get(..length - 1).unwrap().to_owned();
            match self.get(here) {
                Some(Node::Folder(folder)) => match folder.entries.get(part) {
                    Some(inode) => here = *inode,
                    None => return Found::Absent,
                },
                Some(Node::Symlink(_)) => return Found::Linked(above()),
                Some(Node::Mount) => return Found::Elsewhere,
                Some(Node::File(_) | Node::Special(_)) => return Found::Below(above()),
                None => return Found::Absent,
            }
            length += part.len() + 1;
        }
        if self.get(here).is_some() { Found::Node(here) } else { Found::Absent }
    }

    /// How many names a file has.
    pub(super) fn links(&self, inode: u64) -> u64 {
        if !self.hard_linked.contains(&inode) {
            return 1;
        }
        let folders = self.nodes.iter().flatten().filter_map(|node| match node {
            Node::Folder(folder) => Some(folder),
            _ => None,
        });
        folders.flat_map(|folder| folder.entries.values()).filter(|to| **to == inode).count() as u64
    }

    /// Files with bytes and mode, and folders, below a folder; those that `enters` refuses
    /// are left out.
    pub(super) fn visit(
        &self,
        dir: u64,
        above: &str,
        enters: &dyn Fn(&str) -> bool,
        found: &mut BTreeMap<String, Option<(Vec<u8>, u32)>>,
    ) {
        let Some(folder) = self.folder(dir) else { return };
        for (name, inode) in &folder.entries {
            let path = if above.is_empty() { name.clone() } else { format!("{above}/{name}") };
            match self.get(*inode) {
                Some(Node::File(file)) => {
                    found.insert(path, Some((file.bytes.clone(), file.mode.bits())));
                }
                Some(Node::Folder(_)) if enters(&path) => {
                    self.visit(*inode, &path, enters, found);
                    found.insert(path, None);
                }
                _ => {}
            }
        }
    }
}
