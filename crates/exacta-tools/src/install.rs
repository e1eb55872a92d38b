//! What the program has: every primitive, and the world they work in.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use secrecy::SecretString;
use serde_json::Value;

use crate::context::{ToolContext, World};
use crate::error::ToolError;
use crate::executor::{Executor, ExecutorFault};
use crate::http::{HttpGate, HttpRequest, HttpResponse};
use crate::registry::{Registry, RegistryFault};
use crate::secrets::Secrets;

/// What tools are set up with, for one project.
#[derive(Clone, Debug)]
pub struct Installation {
    /// The folder below which tools keep drafts and what they remember.
    pub folder: PathBuf,
    /// Tool settings of the operator's policy.
    pub settings: Value,
}

/// Why tools cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum InstallFault {
    /// A primitive is not what plans are judged by.
    #[error(transparent)]
    Registry(#[from] RegistryFault),
    /// Their threads cannot be started.
    #[error(transparent)]
    Executor(#[from] ExecutorFault),
}

/// Sets every primitive up.
///
/// # Errors
/// When a primitive or the threads that run them cannot be had.
pub fn install(installation: &Installation) -> Result<Executor, InstallFault> {
    let registry = Registry::new();
    let world = World {
        secrets: Arc::new(Closed),
        http: Arc::new(Closed),
        outbox: installation.folder.join("outbox"),
        memory: installation.folder.join("memory"),
        vault: None,
        settings: Arc::new(installation.settings.clone()),
    };
    Ok(Executor::new(registry, world)?)
}

/// Gives nothing away and reaches nothing.
struct Closed;

#[async_trait]
impl Secrets for Closed {
    async fn get(&self, name: &str) -> Result<SecretString, ToolError> {
        Err(ToolError::new("NO_SECRET", format!("policy names no secret `{name}`")))
    }
}

#[async_trait]
impl HttpGate for Closed {
    async fn send(&self, _: &ToolContext, _: HttpRequest) -> Result<HttpResponse, ToolError> {
        Err(ToolError::new("NO_NETWORK", "no tool reaches the network here"))
    }
}
