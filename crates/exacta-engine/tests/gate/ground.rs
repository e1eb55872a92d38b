//! A project on a real file system, with the real key, clocks and checkpoints.

use std::path::Path;
use std::sync::Arc;

use exacta_core::judge::policy::{Decide, Policy, Profile};
use exacta_engine::gate::{Gate, GateError, ProjectIdentity, Secrets};
use exacta_engine::machine::ThisMachine;
use exacta_engine::project::{Parts, Project};
use exacta_engine::trust::TrustStore;
use exacta_engine::workspace::Root;
use exacta_testkit::Harmless;

use crate::any::{Command, Outcome, handle as any_handle};

/// How the folder at `project` stands to what is kept at `state`.
pub(crate) fn standpoint(project: &Path, state: &Path) -> (Root, ProjectIdentity) {
    let root = Root::open(project).unwrap();
    let outer = TrustStore::new(Some(state.as_os_str()), None).unwrap();
    let standpoint = ProjectIdentity::of(&root, outer).unwrap();
    (root, standpoint)
}

/// A policy under which the hash of a plan is enough to decide.
pub(crate) fn by_hash() -> Policy {
    Policy { decide: Decide::Hash, profile: Profile::Conservative, ..Policy::default() }
}

/// The project at `root`, as a process of its own holds it.
pub(crate) fn project_of(root: Root, secrets: Secrets) -> Project {
    let root = Arc::new(root);
    let parts = Parts {
        workspace: root.clone(),
        tree: root,
        inspector: Arc::new(Harmless),
        machine: Arc::new(ThisMachine),
        policy: Arc::new(|| Ok(by_hash())),
        room: None,
        mask: Arc::new(|text: &str| text.to_owned()),
    };
    Project::new(parts, secrets)
}

/// The project at a folder, begun if it is new.
pub(crate) fn started(project: &Path, state: &Path) -> Result<Project, GateError> {
    let (root, standpoint) = standpoint(project, state);
    let secrets = standpoint.start(&root, &ThisMachine)?;
    Ok(project_of(root, secrets))
}

/// One command from a folder to its outcome, as a process of its own would do it.
pub(crate) fn handle(project: &Path, state: &Path, command: Command) -> Result<Outcome, GateError> {
    started(project, state)?.gate().and_then(|gate| any_handle(&gate, command))
}

/// Several commands by one process.
pub(crate) fn within<R>(project: &Path, state: &Path, act: impl FnOnce(&Gate<'_>) -> R) -> R {
    act(&started(project, state).unwrap().gate().unwrap())
}

/// Looks at a project that has a record.
pub(crate) fn look<R>(project: &Path, state: &Path, act: impl FnOnce(&Gate<'_>) -> R) -> R {
    let (root, standpoint) = standpoint(project, state);
    let secrets = standpoint.secrets().unwrap();
    act(&project_of(root, secrets).gate().unwrap())
}
