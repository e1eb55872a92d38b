//! How a project folder stands to what is known outside, and what vouches for it.

use std::sync::Arc;

use exacta_core::model::id::ProjectId;
use exacta_core::model::tree::TreeFault;

use super::error::GateError;
use crate::log::LogError;
use crate::machine::Machine;
use crate::run::Key;
use crate::trust::{Checkpoints, FolderTrust, Identity, Signer, TrustError, TrustStore};
use crate::workspace::{PortError, Root, Scope, Spot, Workspace as _, replace};

/// What vouches for the project from outside.
#[derive(Clone)]
pub struct Secrets {
    /// The project.
    pub project: ProjectId,
    /// Signs.
    pub signer: Signer,
    /// Vouches for runs.
    pub key: Key,
    /// Keeps heads.
    pub checkpoints: Arc<dyn Checkpoints>,
}

/// A project that was moved, held by whoever takes it over.
pub struct Held {
    identity: Identity,
    /// Let go when it is dropped.
    _hold: std::fs::File,
}

impl Held {
    /// Where it lay.
    #[must_use]
    pub fn from(&self) -> &str {
        &self.identity.root.path
    }
}

/// How a folder stands, and what vouches for it.
pub struct ProjectIdentity {
    /// How it stands.
    pub standing: FolderTrust,
    outer: TrustStore,
}

impl ProjectIdentity {
    /// Looks at a project folder; nothing is made.
    ///
    /// # Errors
    /// When what is known outside cannot be read.
    pub fn of(root: &Root, outer: TrustStore) -> Result<Self, GateError> {
        let look = || -> Result<FolderTrust, GateError> {
            Ok(outer.standing(carried(root)?.as_deref(), &root.id())?)
        };
        let mut standing = look()?;
        if matches!(standing, FolderTrust::Removed(_)) {
            // The record may have been begun between the look here and the one outside.
            standing = look()?;
        }
        Ok(Self { standing, outer })
    }

    /// What vouches for a known project.
    ///
    /// # Errors
    /// [`GateError::Untrusted`] when it is not known.
    pub fn secrets(&self) -> Result<Secrets, GateError> {
        match &self.standing {
            FolderTrust::Known(identity) => secrets(&self.outer, identity),
            other => Err(GateError::Untrusted(Box::new(other.clone()))),
        }
    }

    /// How many runs a dead process left in the middle, whoever began them.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn left_in_the_middle(&self, root: &Root) -> Result<usize, GateError> {
        Ok(root.list(&Spot::state().within("runs"))?.len())
    }

    /// What vouched for a project that was moved here, to settle what a dead process left in
    /// it. Its old place is gone, so nobody else relies on its record.
    ///
    /// # Errors
    /// When what is known outside cannot be read.
    pub fn secrets_before_the_move(&self) -> Result<Option<Secrets>, GateError> {
        match &self.standing {
            FolderTrust::Moved(identity) => match secrets(&self.outer, identity) {
                Err(GateError::TrustStore(TrustError::NoKey { .. })) => Ok(None),
                secrets => secrets.map(Some),
            },
            _ => Ok(None),
        }
    }

    /// The project that was moved here, held so that no other folder can take it over, if it
    /// is gone from its old place; `None` for anything else.
    ///
    /// # Errors
    /// When what is known outside cannot be read.
    pub fn held_if_moved(&self, root: &Root) -> Result<Option<Held>, GateError> {
        let FolderTrust::Moved(before) = &self.standing else { return Ok(None) };
        let hold = self.outer.hold(before)?;
        // Another folder may have taken it over while this one waited.
        let FolderTrust::Moved(now) = self.outer.standing(carried(root)?.as_deref(), &root.id())?
        else {
            return Ok(None);
        };
        // A folder that is seen at two places has not left the old one.
        let old = std::path::Path::new(&now.root.path).join(".exacta/project");
        let still_there = std::fs::read(old)
            .is_ok_and(|name| String::from_utf8_lossy(&name).trim() == now.project.as_str());
        Ok((now == *before && !still_there).then_some(Held { identity: now, _hold: hold }))
    }

    /// Binds a project to the place where it lies now.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn rebind(&self, held: &Held, root: &Root) -> Result<(), GateError> {
        let id = root.id();
        self.outer.prepare(std::path::Path::new(&id.path))?;
        self.outer.rebind(&held.identity, id)?;
        Ok(())
    }

    /// Makes a project of a folder that has no record yet.
    ///
    /// # Errors
    /// When the folder is something else, or something cannot be written.
    pub fn start(&self, root: &Root, machine: &dyn Machine) -> Result<Secrets, GateError> {
        let id = root.id();
        // Before anything is made in the folder: a refusal leaves nothing there.
        self.outer.prepare(std::path::Path::new(&id.path))?;
        let turn = root.turn()?;
        let identity = match self.outer.standing(carried(root)?.as_deref(), &id)? {
            FolderTrust::Known(identity) => identity,
            FolderTrust::New => {
                self.outer.make_first_key()?;
                let identity = self.outer.enrol(&new_project(machine)?, id)?;
                write_state(root, "project", identity.project.as_bytes())?;
                write_state(root, ".gitignore", b"*\n")?;
                identity
            }
            other => return Err(GateError::Untrusted(Box::new(other))),
        };
        self.outer.link(&identity)?;
        drop(turn);
        secrets(&self.outer, &identity)
    }

    /// Takes over a folder whose record is not ours to trust: the record is set aside and
    /// a new one begins.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn adopt(&self, root: &Root, machine: &dyn Machine) -> Result<Secrets, GateError> {
        let id = root.id();
        // Before anything is made in the folder: a refusal leaves nothing there.
        self.outer.prepare(std::path::Path::new(&id.path))?;
        self.outer.make_key()?;
        let turn = root.turn()?;
        let project = new_project(machine)?;
        let aside = Spot::state().within(&format!("before-{project}"));
        root.make_private(&Spot::state())?;
        root.make_private(&aside)?;
        for name in [
            "log",
            "index",
            "plans",
            "audit-log",
            "runs",
            "kept",
            super::start::FOLDER,
            super::start::CHECKING,
        ] {
            match root.place(&Spot::state().within(name), &aside.within(name)) {
                Ok(()) | Err(PortError::Gone(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let identity = self.outer.enrol(&project, id)?;
        write_state(root, "project", identity.project.as_bytes())?;
        write_state(root, ".gitignore", b"*\n")?;
        self.outer.link(&identity)?;
        if let FolderTrust::Moved(before) = &self.standing {
            self.outer.unlink(before)?;
        }
        drop(turn);
        secrets(&self.outer, &identity)
    }
}

fn new_project(machine: &dyn Machine) -> Result<ProjectId, GateError> {
    let text = machine.new_id()?;
    ProjectId::parse(&text).map_err(|error| GateError::Json(serde::de::Error::custom(error)))
}

fn write_state(root: &Root, name: &str, bytes: &[u8]) -> Result<(), GateError> {
    let at = Spot::state().within(name);
    replace(root, &at, bytes)?;
    let folders = vec![Spot::state(), Spot::root()];
    Ok(root.barrier(&Scope { files: vec![at], folders })?)
}

/// The name that the folder carries, if it carries one; to the letter, as it was written.
fn carried(root: &Root) -> Result<Option<String>, GateError> {
    match root.read(&Spot::state().within("project")) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into())),
        Err(PortError::Gone(_)) => Ok(None),
        // A second name of it, or a mount, is no tampering by itself; it must be gone first.
        Err(
            error @ PortError::Refused {
                fault: TreeFault::HardLinked(_) | TreeFault::OtherDevice,
                ..
            },
        ) => Err(LogError::Port(error).into()),
        // Something else in its place is no name that anybody knows.
        Err(PortError::Refused { .. }) => Ok(Some("?".into())),
        Err(error) => Err(error.into()),
    }
}

fn secrets(outer: &TrustStore, identity: &Identity) -> Result<Secrets, GateError> {
    let (checkpoints, key) = outer.witness(identity)?;
    let (project, signer) = (identity.project.clone(), outer.signer()?);
    Ok(Secrets { project, signer, key, checkpoints: Arc::new(checkpoints) })
}
