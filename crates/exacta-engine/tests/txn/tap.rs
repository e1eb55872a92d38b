//! A tap between the engine and a port: it sees every operation and may interfere.

use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use exacta_core::model::change::FileMode;
use exacta_engine::workspace::{
    FolderSeen, Lock, Metadata, PortError, Scope, Sight, Space, Spot, Stamp, Workspace,
};

/// What a tap sees of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op<'a> {
    /// 0 for the first operation of the process.
    pub(crate) number: u64,
    pub(crate) name: &'static str,
    pub(crate) at: &'a str,
    /// What is moved there, of a movement.
    pub(crate) from: Option<&'a Spot>,
}

/// Decides what happens at an operation.
pub(crate) trait Tap: Send + Sync {
    /// How many of these bytes get written; fewer than all makes a torn file.
    fn cut(&self, op: Op<'_>, bytes: usize) -> usize {
        let _ = op;
        bytes
    }

    /// Before it: an error is returned to the engine instead of doing it.
    fn before(&self, op: Op<'_>) -> Result<(), PortError>;

    /// After it was done: an error is returned although it was done.
    fn after(&self, op: Op<'_>) -> Result<(), PortError> {
        let _ = op;
        Ok(())
    }
}

/// A port with a tap in front.
pub(crate) struct Tapped<P, T> {
    pub(crate) port: P,
    pub(crate) tap: T,
    count: AtomicU64,
}

impl<P: Deref<Target: Workspace>, T: Tap> Tapped<P, T> {
    pub(crate) fn new(port: P, tap: T) -> Self {
        Self { port, tap, count: AtomicU64::new(0) }
    }

    /// How many operations were asked for.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn next<'s>(&self, name: &'static str, at: &'s Spot) -> Op<'s> {
        Op { number: self.count(), name, at: at.as_str(), from: None }
    }

    fn run<R>(
        &self,
        name: &'static str,
        at: &Spot,
        act: impl FnOnce(&P::Target) -> Result<R, PortError>,
    ) -> Result<R, PortError> {
        self.run_op(self.next(name, at), act)
    }

    fn run_op<R>(
        &self,
        op: Op<'_>,
        act: impl FnOnce(&P::Target) -> Result<R, PortError>,
    ) -> Result<R, PortError> {
        self.count.store(op.number + 1, Ordering::Relaxed);
        self.tap.before(op)?;
        let done = act(&self.port)?;
        self.tap.after(op)?;
        Ok(done)
    }
}

impl<P: Deref<Target: Workspace> + Send + Sync, T: Tap> Workspace for Tapped<P, T> {
    fn lock(&self) -> Result<Lock, PortError> {
        self.run("lock", &Spot::state(), Workspace::lock)
    }

    fn turn(&self) -> Result<Lock, PortError> {
        self.run("turn", &Spot::state(), Workspace::turn)
    }

    fn hold(&self, at: &Spot) -> Result<Lock, PortError> {
        self.run("hold", at, |port| port.hold(at))
    }

    fn is_held(&self, at: &Spot) -> Result<bool, PortError> {
        self.run("is_held", at, |port| port.is_held(at))
    }

    fn see(&self, at: &Spot) -> Result<Sight, PortError> {
        self.run("see", at, |port| port.see(at))
    }

    fn stamp(&self, at: &Spot) -> Result<Option<Stamp>, PortError> {
        self.run("stamp", at, |port| port.stamp(at))
    }

    fn read(&self, at: &Spot) -> Result<Vec<u8>, PortError> {
        self.run("read", at, |port| port.read(at))
    }

    fn look_folder(&self, at: &Spot) -> Result<Option<FolderSeen>, PortError> {
        self.run("look_folder", at, |port| port.look_folder(at))
    }

    fn inherited_from(&self, folder: &Spot) -> Result<Metadata, PortError> {
        self.run("inherited_from", folder, |port| port.inherited_from(folder))
    }

    fn list(&self, folder: &Spot) -> Result<Vec<String>, PortError> {
        self.run("list", folder, |port| port.list(folder))
    }

    fn stage(
        &self,
        at: &Spot,
        bytes: &[u8],
        mode: FileMode,
        metadata: &Metadata,
    ) -> Result<u64, PortError> {
        let op = self.next("stage", at);
        let bytes = &bytes[..self.tap.cut(op, bytes.len())];
        self.run("stage", at, |port| port.stage(at, bytes, mode, metadata))
    }

    fn stage_folder(&self, at: &Spot, metadata: &Metadata) -> Result<u64, PortError> {
        self.run("stage_folder", at, |port| port.stage_folder(at, metadata))
    }

    fn make_private(&self, at: &Spot) -> Result<(), PortError> {
        self.run("make_private", at, |port| port.make_private(at))
    }

    fn swap(&self, one: &Spot, other: &Spot) -> Result<(), PortError> {
        let op = Op { from: Some(one), ..self.next("swap", other) };
        self.run_op(op, |port| port.swap(one, other))
    }

    fn place(&self, from: &Spot, to: &Spot) -> Result<(), PortError> {
        let op = Op { from: Some(from), ..self.next("place", to) };
        self.run_op(op, |port| port.place(from, to))
    }

    fn append(&self, at: &Spot, bytes: &[u8]) -> Result<(), PortError> {
        let op = self.next("append", at);
        let bytes = &bytes[..self.tap.cut(op, bytes.len())];
        self.run("append", at, |port| port.append(at, bytes))
    }

    fn remove(&self, at: &Spot) -> Result<(), PortError> {
        self.run("remove", at, |port| port.remove(at))
    }

    fn remove_folder(&self, at: &Spot) -> Result<(), PortError> {
        self.run("remove_folder", at, |port| port.remove_folder(at))
    }

    fn barrier(&self, scope: &Scope) -> Result<(), PortError> {
        self.run("barrier", &Spot::root(), |port| port.barrier(scope))
    }

    fn view(&self, into: &Path) -> Result<Box<dyn Workspace>, PortError> {
        self.run("view", &Spot::root(), |port| port.view(into))
    }

    fn space(&self) -> Result<Space, PortError> {
        self.run("space", &Spot::root(), Workspace::space)
    }
}
