//! A file system in memory that forgets: what was not synced may be lost, torn, or kept
//! without what came before it.
//!
//! It knows three things about a disk. A rename is one step, in both folders at once.
//! Steps on the same name stay in order. Everything else is free until a barrier names
//! the file (its bytes) or the folder (its entries).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use exacta_core::change::FileMode;
use exacta_core::digest::Digest;
use exacta_core::tree::TreeFault;
use exacta_engine::workspace::{
    Dress, FolderSeen, Image, Lock, PortError, Scope, Seen, Sight, Space, Spot, Stamp, Workspace,
};
use rustix::io::Errno;

use crate::tree::Spec;

const ROOT: u64 = 1;
const ROOMY: Space = Space { bytes: 1 << 40, files: None, largest: None };

#[derive(Clone, Debug)]
enum Node {
    File { bytes: Vec<u8>, mode: FileMode },
    Folder(BTreeMap<String, u64>),
}

/// One step that a power loss keeps or loses as a whole (bytes may also tear).
#[derive(Clone, Debug)]
enum Step {
    Entries(Vec<(u64, String, Option<u64>)>),
    Fill { inode: u64, bytes: Vec<u8>, mode: FileMode },
    Append { inode: u64, bytes: Vec<u8> },
}

impl Step {
    /// What the step must stay in order with.
    fn keys(&self) -> Vec<(u64, &str)> {
        match self {
            Self::Entries(sets) => {
                sets.iter().map(|(dir, name, _)| (*dir, name.as_str())).collect()
            }
            Self::Fill { inode, .. } | Self::Append { inode, .. } => vec![(*inode, "/bytes")],
        }
    }
}

/// Files and folders by their numbers, which are given out in order.
#[derive(Clone, Debug, Default)]
struct Nodes(Vec<Option<Node>>);

impl Nodes {
    fn at(inode: u64) -> usize {
        usize::try_from(inode).unwrap()
    }

    fn get(&self, inode: u64) -> Option<&Node> {
        self.0.get(Self::at(inode))?.as_ref()
    }

    fn get_mut(&mut self, inode: u64) -> Option<&mut Node> {
        self.0.get_mut(Self::at(inode))?.as_mut()
    }

    fn insert(&mut self, inode: u64, node: Node) {
        let at = Self::at(inode);
        self.0.resize_with(self.0.len().max(at + 1), || None);
        self.0[at] = Some(node);
    }
}

#[derive(Clone, Debug, Default)]
struct Disk {
    nodes: Nodes,
}

impl Disk {
    fn apply(&mut self, step: Step) {
        match step {
            Step::Entries(sets) => {
                for (dir, name, to) in sets {
                    let Some(Node::Folder(entries)) = self.nodes.get_mut(dir) else { continue };
                    match to {
                        Some(inode) => drop(entries.insert(name, inode)),
                        None => drop(entries.remove(&name)),
                    }
                }
            }
            Step::Fill { inode, bytes, mode } => {
                self.nodes.insert(inode, Node::File { bytes, mode });
            }
            Step::Append { inode, bytes: more } => {
                if let Some(Node::File { bytes, .. }) = self.nodes.get_mut(inode) {
                    bytes.extend_from_slice(&more);
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
struct State {
    /// What every program sees.
    now: Disk,
    /// What a power loss cannot take away.
    durable: Disk,
    /// Steps since, in order.
    pending: Vec<Step>,
    next_inode: u64,
    space: Space,
    /// Whether everything is durable at once, so that nothing has to be remembered.
    safe: bool,
}

/// The model.
#[derive(Clone, Debug)]
pub(crate) struct Model(RefCell<State>);

/// A small generator, so that every state can be made again from its seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % limit.max(1)
    }
}

impl Model {
    /// A disk with these files, all durable.
    pub(crate) fn new(files: &[Spec]) -> Self {
        let mut disk = Disk::default();
        disk.nodes.insert(ROOT, Node::Folder(BTreeMap::new()));
        let mut next_inode = ROOT + 1;
        let mut fresh = || {
            next_inode += 1;
            next_inode
        };
        for file in files {
            let mut dir = ROOT;
            let mut parts: Vec<&str> = file.path.split('/').collect();
            let name = parts.pop().unwrap();
            for part in parts {
                let known = disk.entry(dir, part);
                let inode = known.unwrap_or_else(&mut fresh);
                if known.is_none() {
                    disk.nodes.insert(inode, Node::Folder(BTreeMap::new()));
                    disk.apply(Step::Entries(vec![(dir, part.into(), Some(inode))]));
                }
                dir = inode;
            }
            let inode = fresh();
            let (bytes, mode) = (file.bytes.clone(), FileMode::from_raw(file.mode));
            disk.apply(Step::Fill { inode, bytes, mode });
            disk.apply(Step::Entries(vec![(dir, name.into(), Some(inode))]));
        }
        let now = disk.clone();
        Self(RefCell::new(State {
            now,
            durable: disk,
            pending: Vec::new(),
            next_inode,
            space: ROOMY,
            safe: false,
        }))
    }

    /// The same disk, on which everything lasts at once; for tests of anything else.
    pub(crate) fn lasting(self) -> Self {
        self.0.borrow_mut().safe = true;
        self
    }

    /// The bytes of a file by its path, whatever the port may name.
    pub(crate) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let state = self.0.borrow();
        let mut here = ROOT;
        for part in path.split('/') {
            here = state.now.entry(here, part)?;
        }
        match state.now.nodes.get(here) {
            Some(Node::File { bytes, .. }) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// Gives a file other bytes or takes it away, as somebody else would; durably.
    pub(crate) fn tamper(&self, path: &str, bytes: Option<&[u8]>) {
        let mut state = self.0.borrow_mut();
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut dir = ROOT;
        for part in above.split('/').filter(|part| !part.is_empty()) {
            dir = state.now.entry(dir, part).unwrap();
        }
        let known = state.now.entry(dir, name);
        let inode = known.unwrap_or(state.next_inode + 1);
        state.next_inode = state.next_inode.max(inode);
        let entry = Step::Entries(vec![(dir, name.into(), bytes.map(|_| inode))]);
        let mut steps = vec![entry];
        if let Some(bytes) = bytes {
            let mode = match state.now.nodes.get(inode) {
                Some(Node::File { mode, .. }) => *mode,
                _ => FileMode::REGULAR,
            };
            steps.insert(0, Step::Fill { inode, bytes: bytes.to_vec(), mode });
        }
        for step in steps {
            state.now.apply(step.clone());
            state.durable.apply(step);
        }
    }

    /// Every file of the gate's own below `folder`, by path.
    pub(crate) fn gate_files(&self, folder: &str) -> Vec<String> {
        let state = self.0.borrow();
        let mut found = BTreeMap::new();
        state.now.visit(ROOT, "", &|_| true, &mut found);
        let below = format!("{folder}/");
        found
            .into_iter()
            .filter(|(path, file)| file.is_some() && path.starts_with(&below))
            .map(|(path, _)| path)
            .collect()
    }

    /// Makes the disk full, or roomy.
    pub(crate) fn set_space(&self, space: Space) {
        self.0.borrow_mut().space = space;
    }

    /// How many steps a power loss could take away.
    pub(crate) fn pending(&self) -> usize {
        self.0.borrow().pending.len()
    }

    /// The disk as it might be found after a power loss now.
    pub(crate) fn power_loss(&self, random: &mut Random) -> Self {
        let state = self.0.borrow();
        let mut disk = state.durable.clone();
        let mut lost: BTreeSet<(u64, &str)> = BTreeSet::new();
        let keep_chance = [0, 20, 50, 80, 95, 100][usize::try_from(random.below(6)).unwrap()];
        for step in &state.pending {
            let keys = step.keys();
            let kept =
                random.below(100) < keep_chance && !keys.iter().any(|key| lost.contains(key));
            if kept {
                disk.apply(step.clone());
                continue;
            }
            // Bytes may also arrive in part, or as zeros.
            match step {
                Step::Fill { inode, bytes, mode } if random.below(3) > 0 => {
                    let mut torn = bytes.clone();
                    if random.below(2) == 0 {
                        torn.truncate(
                            usize::try_from(random.below(bytes.len() as u64 + 1)).unwrap(),
                        );
                    } else {
                        torn.fill(0);
                    }
                    disk.apply(Step::Fill { inode: *inode, bytes: torn, mode: *mode });
                }
                Step::Append { inode, bytes } if !lost.contains(&(*inode, "/bytes")) => {
                    let part = usize::try_from(random.below(bytes.len() as u64)).unwrap();
                    disk.apply(Step::Append { inode: *inode, bytes: bytes[..part].to_vec() });
                }
                _ => {}
            }
            lost.extend(keys);
        }
        let next_inode = state.next_inode;
        let now = disk.clone();
        Self(RefCell::new(State {
            now,
            durable: disk,
            pending: Vec::new(),
            next_inode,
            space: ROOMY,
            safe: false,
        }))
    }

    /// Files with bytes and mode, and folders, without the gate's own.
    pub(crate) fn tree(&self) -> BTreeMap<String, Option<(Vec<u8>, u32)>> {
        let state = self.0.borrow();
        let mut found = BTreeMap::new();
        state.now.visit(ROOT, "", &|path| path != ".exacta", &mut found);
        found
    }

    fn step(&self, step: Step) {
        let mut state = self.0.borrow_mut();
        if state.safe {
            state.now.apply(step);
        } else {
            state.now.apply(step.clone());
            state.pending.push(step);
        }
    }

    /// A node that no name leads to yet; a power loss may leave it so.
    fn allocate(&self, node: &Node) -> u64 {
        let mut state = self.0.borrow_mut();
        state.next_inode += 1;
        let inode = state.next_inode;
        state.now.nodes.insert(inode, node.clone());
        if !state.safe {
            state.durable.nodes.insert(inode, node.clone());
        }
        inode
    }

    fn found(&self, at: &Spot) -> Place {
        self.0.borrow().now.found(at)
    }

    /// Folder and name of a spot whose folder exists.
    fn parent(&self, at: &Spot) -> Result<u64, PortError> {
        match self.found(&at.folder()) {
            Place::Folder(inode) => Ok(inode),
            Place::Absent => Err(PortError::Gone(at.folder())),
            Place::File(_) => Err(PortError::Refused {
                at: at.folder(),
                fault: TreeFault::NotAFolder(at.folder().to_string()),
            }),
            Place::Below(above) => {
                Err(PortError::Refused { at: at.folder(), fault: TreeFault::NotAFolder(above) })
            }
        }
    }

    fn inode(&self, at: &Spot) -> Option<u64> {
        match self.found(at) {
            Place::File(inode) | Place::Folder(inode) => Some(inode),
            Place::Absent | Place::Below(_) => None,
        }
    }

    fn new_entry(&self, at: &Spot, node: &Node) -> Result<u64, PortError> {
        let dir = self.parent(at)?;
        if self.inode(at).is_some() {
            return Err(PortError::Taken(at.clone()));
        }
        let inode = self.allocate(node);
        self.step(Step::Entries(vec![(dir, at.name().into(), Some(inode))]));
        Ok(inode)
    }
}

/// Where a path leads.
enum Place {
    Absent,
    File(u64),
    Folder(u64),
    /// Through something that is no folder.
    Below(String),
}

impl Disk {
    fn entry(&self, dir: u64, name: &str) -> Option<u64> {
        match self.nodes.get(dir) {
            Some(Node::Folder(entries)) => entries.get(name).copied(),
            _ => None,
        }
    }

    fn found(&self, at: &Spot) -> Place {
        if *at == Spot::root() {
            return Place::Folder(ROOT);
        }
        let path = at.as_str();
        let mut here = ROOT;
        let mut length = 0;
        for part in path.split('/') {
            match self.nodes.get(here) {
                Some(Node::Folder(entries)) => match entries.get(part) {
                    Some(inode) => here = *inode,
                    None => return Place::Absent,
                },
                Some(Node::File { .. }) => {
                    return Place::Below(path.get(..length - 1).unwrap().into());
                }
                None => return Place::Absent,
            }
            length += part.len() + 1;
        }
        match self.nodes.get(here) {
            Some(Node::File { .. }) => Place::File(here),
            Some(Node::Folder(_)) => Place::Folder(here),
            None => Place::Absent,
        }
    }

    fn visit(
        &self,
        dir: u64,
        above: &str,
        enters: &dyn Fn(&str) -> bool,
        found: &mut BTreeMap<String, Option<(Vec<u8>, u32)>>,
    ) {
        let Some(Node::Folder(entries)) = self.nodes.get(dir) else { return };
        for (name, inode) in entries {
            let path = if above.is_empty() { name.clone() } else { format!("{above}/{name}") };
            match self.nodes.get(*inode) {
                Some(Node::File { bytes, mode }) => {
                    found.insert(path, Some((bytes.clone(), mode.bits())));
                }
                Some(Node::Folder(_)) if enters(&path) => {
                    self.visit(*inode, &path, enters, found);
                    found.insert(path, None);
                }
                Some(Node::Folder(_)) | None => {}
            }
        }
    }
}

impl Workspace for Model {
    fn lock(&self) -> Result<Lock, PortError> {
        self.make_private(&Spot::state())?;
        Ok(Lock::unshared())
    }

    fn turn(&self) -> Result<Lock, PortError> {
        self.lock()
    }

    fn see(&self, at: &Spot) -> Result<Sight, PortError> {
        Ok(match self.found(at) {
            Place::Absent => Sight::Absent,
            Place::Folder(_) => Sight::Unfit(TreeFault::Folder),
            Place::Below(above) => Sight::Unfit(TreeFault::NotAFolder(above)),
            Place::File(inode) => match self.0.borrow().now.nodes.get(inode) {
                Some(Node::File { bytes, mode }) => Sight::File(Seen {
                    image: Image { digest: Digest::of(bytes), mode: *mode },
                    size: bytes.len() as u64,
                    inode,
                    stamp: Stamp { inode, size: bytes.len() as u64, ..Stamp::default() },
                    dress: Dress::default(),
                }),
                _ => Sight::Absent,
            },
        })
    }

    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        let state = self.0.borrow();
        let size = |inode| match state.now.nodes.get(inode) {
            Some(Node::File { bytes, .. }) => bytes.len() as u64,
            _ => 0,
        };
        Ok(match state.now.found(at) {
            Place::File(inode) | Place::Folder(inode) => {
                Some(Stamp { inode, size: size(inode), ..Stamp::default() })
            }
            Place::Absent | Place::Below(_) => None,
        })
    }

    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        match self.found(at) {
            Place::File(inode) => match self.0.borrow().now.nodes.get(inode) {
                Some(Node::File { bytes, .. }) => Ok(bytes.clone()),
                _ => Err(PortError::Gone(at.clone())),
            },
            _ => Err(PortError::Gone(at.clone())),
        }
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        let Place::Folder(inode) = self.found(at) else { return Ok(None) };
        let state = self.0.borrow();
        let Some(Node::Folder(entries)) = state.now.nodes.get(inode) else { return Ok(None) };
        Ok(Some(FolderSeen { inode, empty: entries.is_empty() }))
    }

    fn heritage(&self, _: &Spot) -> Result<Dress, PortError> {
        Ok(Dress::default())
    }

    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError> {
        let Place::Folder(inode) = self.found(folder) else { return Ok(Vec::new()) };
        match self.0.borrow().now.nodes.get(inode) {
            Some(Node::Folder(entries)) => Ok(entries.keys().cloned().collect()),
            _ => Ok(Vec::new()),
        }
    }

    fn stage(&self, at: &Spot, bytes: &[u8], mode: FileMode, _: &Dress) -> Result<u64, PortError> {
        let empty = Node::File { bytes: Vec::new(), mode: FileMode::from_raw(0o600) };
        let inode = self.new_entry(at, &empty)?;
        self.step(Step::Fill { inode, bytes: bytes.to_vec(), mode });
        Ok(inode)
    }

    fn stage_folder(&self, at: &Spot, _: &Dress) -> Result<u64, PortError> {
        self.new_entry(at, &Node::Folder(BTreeMap::new()))
    }

    fn make_private(&self, at: &Spot) -> Result<(), PortError> {
        match self.new_entry(at, &Node::Folder(BTreeMap::new())) {
            Ok(_) | Err(PortError::Taken(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
        let (here, there) = (self.parent(one)?, self.parent(other)?);
        let (Some(first), Some(second)) = (self.inode(one), self.inode(other)) else {
            return Err(PortError::Gone(one.clone()));
        };
        self.step(Step::Entries(vec![
            (here, one.name().into(), Some(second)),
            (there, other.name().into(), Some(first)),
        ]));
        Ok(())
    }

    fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
        let (here, there) = (self.parent(from)?, self.parent(to)?);
        let Some(inode) = self.inode(from) else { return Err(PortError::Gone(from.clone())) };
        if self.inode(to).is_some() {
            return Err(PortError::Taken(to.clone()));
        }
        self.step(Step::Entries(vec![
            (here, from.name().into(), None),
            (there, to.name().into(), Some(inode)),
        ]));
        Ok(())
    }

    fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        let inode = if let Some(inode) = self.inode(at) {
            inode
        } else {
            let mode = FileMode::from_raw(0o600);
            self.new_entry(at, &Node::File { bytes: Vec::new(), mode })?
        };
        self.step(Step::Append { inode, bytes: bytes.to_vec() });
        Ok(())
    }

    fn remove(&self, at: &Spot) -> Result<(), PortError> {
        let Ok(dir) = self.parent(at) else { return Ok(()) };
        if self.inode(at).is_some() {
            self.step(Step::Entries(vec![(dir, at.name().into(), None)]));
        }
        Ok(())
    }

    fn remove_folder(&self, at: &Spot) -> Result<(), PortError> {
        match self.look_folder(at)? {
            Some(seen) if !seen.empty => {
                Err(PortError::System { act: "remove", at: at.clone(), errno: Errno::NOTEMPTY })
            }
            _ => self.remove(at),
        }
    }

    fn barrier(&self, scope: &Scope) -> Result<(), PortError> {
        let wanted: BTreeSet<u64> =
            scope.files.iter().chain(&scope.folders).filter_map(|at| self.inode(at)).collect();
        let files: BTreeSet<u64> = scope.files.iter().filter_map(|at| self.inode(at)).collect();
        let mut state = self.0.borrow_mut();
        let pending = std::mem::take(&mut state.pending);
        // Backwards, so that what a durable step builds on becomes durable too.
        let mut needed: BTreeSet<(u64, String)> = BTreeSet::new();
        let mut kept = vec![false; pending.len()];
        for (step, kept) in pending.iter().zip(&mut kept).rev() {
            let named = match step {
                Step::Entries(sets) => sets.iter().any(|(dir, _, _)| wanted.contains(dir)),
                Step::Fill { inode, .. } | Step::Append { inode, .. } => files.contains(inode),
            };
            let keys: Vec<_> = step.keys().into_iter().map(|(n, k)| (n, k.to_string())).collect();
            if named || keys.iter().any(|key| needed.contains(key)) {
                needed.extend(keys);
                *kept = true;
            }
        }
        for (step, kept) in pending.into_iter().zip(kept) {
            if kept {
                state.durable.apply(step);
            } else {
                state.pending.push(step);
            }
        }
        Ok(())
    }

    fn view(&self, into: &Path) -> Result<Box<dyn Workspace>, PortError> {
        let _ = into;
        Ok(Box::new(self.clone()))
    }

    fn space(&self) -> Result<Space, PortError> {
        Ok(self.0.borrow().space)
    }
}
