//! The owned handle of one project.

use std::sync::Arc;

use exacta_core::judge::facts::Inspector;
use exacta_core::judge::policy::Policy;
use exacta_core::model::tree::Tree;

use super::session::Session;
use crate::blobs::{Blobs, FileBlobs};
use crate::checks::Room;
use crate::gate::{Gate, GateError, Ports, Projections, Secrets};
use crate::log::{Log, Shared, Vouchers};
use crate::machine::Machine;
use crate::policy::PolicyError;
use crate::store::{FileStore, Store};
use crate::tools::{ToolRunFault, ToolRunner};
use crate::workspace::Workspace;

/// Loads the policy in force.
pub type LoadPolicy = dyn Fn() -> Result<Policy, PolicyError> + Send + Sync;
/// Gives what runs tool steps; asked only where a plan has some.
pub type StartTools = dyn Fn() -> Result<Arc<dyn ToolRunner>, ToolRunFault> + Send + Sync;
/// Finds where checks run; asked only where there are some, because it looks for every
/// interpreter on `PATH`.
pub type FindRoom = dyn Fn() -> Room + Send + Sync;
/// Masks what looks like a secret in a text that is stored.
pub type Mask = dyn Fn(&str) -> String + Send + Sync;

/// What a project is reached through.
#[derive(Clone)]
pub struct Parts {
    /// The project's files, to act on.
    pub workspace: Arc<dyn Workspace + Send + Sync>,
    /// The project's files, to read.
    pub tree: Arc<dyn Tree + Send + Sync>,
    /// Finds facts.
    pub inspector: Arc<dyn Inspector + Send + Sync>,
    /// Tells time and makes names.
    pub machine: Arc<dyn Machine>,
    /// Loads the policy in force.
    pub policy: Arc<LoadPolicy>,
    /// Finds where checks of the operator run; without it a policy with checks runs nothing.
    pub room: Option<Arc<FindRoom>>,
    /// Masks what looks like a secret in a text that is stored.
    pub mask: Arc<Mask>,
}

/// One project, usable by many threads at once beside other processes.
pub struct Project {
    parts: Parts,
    secrets: Secrets,
    record: Shared,
    blobs: Arc<dyn Blobs>,
    tools: Option<Arc<StartTools>>,
}

impl Project {
    /// The project whose record and blobs lie in its own folder; nothing is read yet.
    #[must_use]
    pub fn new(parts: Parts, secrets: Secrets) -> Self {
        let workspace = &parts.workspace;
        let blobs: Arc<dyn Blobs> = Arc::new(FileBlobs::new(Arc::clone(workspace)));
        let projections = Projections::new(Arc::clone(workspace), Arc::clone(&blobs));
        let vouchers = Vouchers {
            project: secrets.project.to_string(),
            signer: secrets.signer.clone(),
            key: secrets.key.clone(),
            checkpoints: Arc::clone(&secrets.checkpoints),
        };
        let machine = Arc::clone(&parts.machine);
        let store = FileStore::new(Arc::clone(workspace), vouchers, machine, Arc::new(projections));
        Self::on(parts, secrets, Arc::new(store), blobs)
    }

    /// A project whose record and blobs lie anywhere.
    #[must_use]
    pub fn on(
        parts: Parts,
        secrets: Secrets,
        store: Arc<dyn Store>,
        blobs: Arc<dyn Blobs>,
    ) -> Self {
        Self { parts, secrets, record: Log::shared(store), blobs, tools: None }
    }

    /// The same with something that runs tool steps. Without it a plan that calls tools is
    /// refused when it is run.
    #[must_use]
    pub fn with_tools(self, tools: Arc<StartTools>) -> Self {
        Self { tools: Some(tools), ..self }
    }

    /// A gate for one caller, on the record as it is now. Nothing is written.
    ///
    /// # Errors
    /// When the record does not hang together.
    pub fn gate(&self) -> Result<Gate<'_>, GateError> {
        let Parts { workspace, tree, inspector, machine, policy, room, mask } = &self.parts;
        let ports = Ports {
            port: workspace.as_ref(),
            tree: tree.as_ref(),
            inspector: inspector.as_ref(),
            machine: machine.as_ref(),
            policy: policy.as_ref(),
            room: room.as_deref(),
            mask: mask.as_ref(),
            tools: self.tools.as_deref(),
        };
        Ok(Gate::new(ports, &self.secrets, self.record.log()?, Arc::clone(&self.blobs)))
    }

    /// How many entries the record has, if this process has read them all; nothing is read.
    #[must_use]
    pub fn entries_if_read(&self) -> Option<u64> {
        self.record.entries_if_read()
    }

    /// Makes this process the owner of the project's session, as long as the value lives:
    /// plans that anybody makes from here on belong to it, and end with it.
    ///
    /// # Errors
    /// [`PortError::Locked`](crate::workspace::PortError::Locked) when another process owns
    /// one.
    pub fn own_session(&self) -> Result<Session, GateError> {
        let id = self.parts.machine.new_id()?;
        Ok(Session::own(Arc::clone(&self.parts.workspace), id)?)
    }
}
