//! A project on a real file system, with the real key, clocks and checkpoints.

use std::path::Path;

use exacta_core::policy::{Decide, Policy};
use exacta_engine::gate::{
    Command, Gate, GateError, Outcome, Ports, Projections, Secrets, Standpoint,
};
use exacta_engine::machine::ThisMachine;
use exacta_engine::outer::Outer;
use exacta_engine::workspace::{Root, Workspace};

use crate::world::NoFacts;

/// How the folder at `project` stands to what is kept at `state`.
pub(crate) fn standpoint(project: &Path, state: &Path) -> (Root, Standpoint) {
    let root = Root::open(project).unwrap();
    let outer = Outer::new(Some(state.as_os_str()), None).unwrap();
    let standpoint = Standpoint::of(&root, outer).unwrap();
    (root, standpoint)
}

/// A policy under which the hash of a plan is enough to decide.
pub(crate) fn by_hash() -> Policy {
    Policy { decide: Decide::Hash, ..Policy::default() }
}

/// Opens the gate of a project and acts on it.
pub(crate) fn gate_of<R>(
    root: &Root,
    port: &dyn Workspace,
    secrets: &Secrets,
    act: impl FnOnce(&Gate<'_>) -> R,
) -> Result<R, GateError> {
    let policy = || Ok(by_hash());
    let mask = |text: &str| text.to_owned();
    let ports = Ports {
        port,
        tree: root,
        inspector: &NoFacts,
        machine: &ThisMachine,
        policy: &policy,
        room: None,
        mask: &mask,
    };
    let projections = Projections::new(port);
    let gate = Gate::open(ports, secrets, &projections)?;
    Ok(act(&gate))
}

/// One command from a folder to its outcome, as a process of its own would do it.
pub(crate) fn handle(project: &Path, state: &Path, command: Command) -> Result<Outcome, GateError> {
    let (root, standpoint) = standpoint(project, state);
    let secrets = standpoint.start(&root, &ThisMachine)?;
    gate_of(&root, &root, &secrets, |gate| gate.handle(command))?
}

/// Several commands by one process.
pub(crate) fn within<R>(project: &Path, state: &Path, act: impl FnOnce(&Gate<'_>) -> R) -> R {
    let (root, standpoint) = standpoint(project, state);
    let secrets = standpoint.start(&root, &ThisMachine).unwrap();
    gate_of(&root, &root, &secrets, act).unwrap()
}

/// Looks at a project that has a record.
pub(crate) fn look<R>(project: &Path, state: &Path, act: impl FnOnce(&Gate<'_>) -> R) -> R {
    let (root, standpoint) = standpoint(project, state);
    let secrets = standpoint.secrets().unwrap();
    gate_of(&root, &root, &secrets, act).unwrap()
}
