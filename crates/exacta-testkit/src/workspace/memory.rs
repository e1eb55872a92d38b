//! A project in memory, on a disk that forgets: what was not synced may be lost, torn, or kept
//! without what came before it.
//!
//! It knows three things about a disk. A rename is one step, in both folders at once.
//! Steps on the same name stay in order. Everything else is free until a barrier names
//! the file (its bytes) or the folder (its entries).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use exacta_core::model::change::FileMode;
use exacta_engine::workspace::{Metadata, STATE_FOLDER, Scope, Space, Spot};

use super::disk::{Disk, FileNode, FolderNode, Found, Node, ROOT, Step};
use super::locks::{Holds, Latch};
use crate::rng::Rng;

const ROOMY: Space = Space { bytes: 1 << 40, files: None, largest: None };
/// Who owns what was not given to anybody else.
pub(super) const OWNER: (u32, u32) = (1000, 1000);

/// A file to be written: path, bytes, mode, and the attribute `user.note` or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSpec {
    /// Where.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
    /// The value of its attribute.
    pub attribute: Option<&'static str>,
}

/// A project in memory. A copy has the same files, and locks that nobody holds.
#[derive(Debug)]
pub struct MemoryWorkspace {
    state: Mutex<State>,
    pub(super) lock: Latch,
    pub(super) turn: Latch,
    pub(super) holds: Holds,
}

impl Clone for MemoryWorkspace {
    fn clone(&self) -> Self {
        Self::of(self.state().clone())
    }
}

#[derive(Clone, Debug)]
pub(super) struct State {
    /// What every program sees.
    pub(super) now: Disk,
    /// What a power loss cannot take away.
    durable: Disk,
    /// Steps since, in order.
    pending: Vec<Step>,
    next_inode: u64,
    /// Counts the steps, so that each has a time of its own.
    clock: u64,
    pub(super) space: Space,
    /// Whether everything is durable at once, so that nothing has to be remembered.
    lasting: bool,
}

impl State {
    fn new(disk: Disk, next_inode: u64) -> Self {
        let (now, durable) = (disk.clone(), disk);
        let (pending, clock, space) = (Vec::new(), next_inode, ROOMY);
        Self { now, durable, pending, next_inode, clock, space, lasting: false }
    }

    /// The time of the next step.
    pub(super) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    pub(super) fn step(&mut self, step: Step) {
        if !self.lasting {
            self.pending.push(step.clone());
        }
        self.now.apply(step);
    }

    /// A node that no name leads to yet; a power loss may leave it so.
    pub(super) fn allocate(&mut self, node: Node) -> u64 {
        self.next_inode += 1;
        if !self.lasting {
            self.durable.insert(self.next_inode, node.clone());
        }
        self.now.insert(self.next_inode, node);
        self.next_inode
    }

    /// A step that is durable at once, as somebody else's who synced.
    fn last(&mut self, step: Step) {
        self.now.apply(step.clone());
        self.durable.apply(step);
    }

    /// Puts a node at a path, durably, with the folders above it.
    pub(super) fn plant(&mut self, path: &str, node: Node) {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut dir = ROOT;
        for part in above.split('/').filter(|part| !part.is_empty()) {
            dir = match self.now.entry(dir, part) {
                Some(inode) => inode,
                None => self.plant_in(dir, part, Node::Folder(FolderNode::default())),
            };
        }
        self.plant_in(dir, name, node);
    }

    fn plant_in(&mut self, dir: u64, name: &str, node: Node) -> u64 {
        self.next_inode += 1;
        let inode = self.next_inode;
        self.now.insert(inode, node.clone());
        self.durable.insert(inode, node);
        self.last(Step::Entries(vec![(dir, name.into(), Some(inode))]));
        inode
    }

    /// Gives a file a second name, durably.
    pub(super) fn link(&mut self, path: &str, to: &str) {
        let Found::Node(inode) = self.now.find_path(path) else { panic!("`{path}` is absent") };
        for disk in [&mut self.now, &mut self.durable] {
            disk.hard_linked.insert(inode);
        }
        self.last(Step::Entries(vec![(ROOT, to.into(), Some(inode))]));
    }
}

impl MemoryWorkspace {
    /// A disk with these files, all durable.
    #[must_use]
    pub fn new(files: &[FileSpec]) -> Self {
        let mut state = State::new(Disk::empty(), ROOT + 1);
        for file in files {
            let note = file.attribute.map(|value| (b"user.note".to_vec(), value.into()));
            let metadata = Metadata { owner: Some(OWNER), attributes: note.into_iter().collect() };
            let (bytes, mode) = (file.bytes.clone(), FileMode::from_raw(file.mode));
            let written = state.tick();
            state.plant(&file.path, Node::File(FileNode { bytes, mode, metadata, written }));
        }
        Self::of(state)
    }

    fn of(state: State) -> Self {
        let (lock, turn, holds) = (Latch::default(), Latch::default(), Holds::default());
        Self { state: Mutex::new(state), lock, turn, holds }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same disk, on which everything lasts at once; for tests of anything else.
    #[must_use]
    pub fn lasting(self) -> Self {
        self.state().lasting = true;
        self
    }

    /// The bytes of a file by its path, whatever the port may name.
    #[must_use]
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let state = self.state();
        let Found::Node(inode) = state.now.find_path(path) else { return None };
        state.now.file(inode).map(|file| file.bytes.clone())
    }

    /// Gives a file other bytes or takes it away, as somebody else would; durably.
    pub fn tamper(&self, path: &str, bytes: Option<&[u8]>) {
        let mut state = self.state();
        let (above, name) = path.rsplit_once('/').unwrap_or((".", path));
        let dir = match above {
            "." => ROOT,
            above => match state.now.find_path(above) {
                Found::Node(inode) => inode,
                other => panic!("`{above}`: {other:?}"),
            },
        };
        let Some(bytes) = bytes else {
            return state.last(Step::Entries(vec![(dir, name.into(), None)]));
        };
        let (bytes, written) = (bytes.to_vec(), state.tick());
        let known = state.now.entry(dir, name);
        if let Some((inode, file)) =
            known.and_then(|inode| Some((inode, state.now.file(inode)?.clone())))
        {
            state.last(Step::Fill { inode, file: FileNode { bytes, written, ..file } });
        } else {
            let (mode, metadata) = (FileMode::REGULAR, owned());
            state.plant_in(dir, name, Node::File(FileNode { bytes, mode, metadata, written }));
        }
    }

    /// Every file of the gate's own below `folder`, by path.
    #[must_use]
    pub fn gate_files(&self, folder: &str) -> Vec<String> {
        let mut found = BTreeMap::new();
        self.state().now.visit(ROOT, "", &|_| true, &mut found);
        let below = format!("{folder}/");
        found
            .into_iter()
            .filter(|(path, file)| file.is_some() && path.starts_with(&below))
            .map(|(path, _)| path)
            .collect()
    }

    /// Files with bytes and mode, and folders, without the gate's own.
    #[must_use]
    pub fn tree(&self) -> BTreeMap<String, Option<(Vec<u8>, u32)>> {
        let mut found = BTreeMap::new();
        self.state().now.visit(ROOT, "", &|path| path != STATE_FOLDER, &mut found);
        found
    }

    /// Makes the disk full, or roomy.
    pub fn set_space(&self, space: Space) {
        self.state().space = space;
    }

    /// How many steps a power loss could take away.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.state().pending.len()
    }

    /// The disk as it might be found after a power loss now.
    #[must_use]
    pub fn power_loss(&self, random: &mut Rng) -> Self {
        let state = self.state();
        let mut disk = state.durable.clone();
        let mut lost: BTreeSet<(u64, &str)> = BTreeSet::new();
        let keep_chance = *random.pick(&[0, 20, 50, 80, 95, 100]);
        for step in &state.pending {
            let keys = step.keys();
            if random.percent(keep_chance) && !keys.iter().any(|key| lost.contains(key)) {
                disk.apply(step.clone());
                continue;
            }
            // Bytes may also arrive in part, or as zeros.
            match step {
                Step::Fill { inode, file } if random.below(3) > 0 => {
                    let mut torn = file.clone();
                    if random.percent(50) {
                        torn.bytes.truncate(random.below(file.bytes.len() + 1));
                    } else {
                        torn.bytes.fill(0);
                    }
                    disk.apply(Step::Fill { inode: *inode, file: torn });
                }
                Step::Append { inode, bytes, written } if !lost.contains(&(*inode, "/bytes")) => {
                    let bytes = bytes[..random.below(bytes.len())].to_vec();
                    disk.apply(Step::Append { inode: *inode, bytes, written: *written });
                }
                _ => {}
            }
            lost.extend(keys);
        }
        Self::of(State { clock: state.clock, ..State::new(disk, state.next_inode) })
    }

    /// Makes durable what a barrier over `scope` names.
    pub(super) fn sync(&self, scope: &Scope) {
        let mut state = self.state();
        let number = |at: &Spot| match state.now.find(at) {
            Found::Node(inode) => Some(inode),
            _ => None,
        };
        let files: BTreeSet<u64> = scope.files.iter().filter_map(number).collect();
        let wanted: BTreeSet<u64> =
            scope.folders.iter().filter_map(number).chain(files.iter().copied()).collect();
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
    }
}

/// Metadata of a file that was not given any.
pub(super) fn owned() -> Metadata {
    Metadata { owner: Some(OWNER), attributes: Vec::new() }
}
