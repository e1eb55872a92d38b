//! What runs the tool steps of plans: set up when a plan first needs it, kept while the policy
//! stays the same.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use exacta_core::judge::examine::Examined;
use exacta_core::judge::policy::Policy;
use exacta_core::model::digest::Digest;
use exacta_engine::gate::{GateError, guard_arguments};
use exacta_engine::policy::PolicyError;
use exacta_engine::project::StartTools;
use exacta_engine::tools::{ToolRunFault, ToolRunner};
use exacta_engine::workspace::Root;
use exacta_tools::primitives::{Folders, executor};

/// The folder of the project that drafts are left in.
const OUTBOX: &str = ".exacta/outbox";
/// The folder of the project that tools remember things in.
const MEMORY: &str = ".exacta/tools";

/// Where the tools of the project in this folder remember things.
pub(crate) fn memory(root: &std::path::Path) -> PathBuf {
    root.join(MEMORY)
}

/// The tools of the project at `root`, set up as its policy says.
pub(crate) fn of(
    root: PathBuf,
    policy: impl Fn() -> Result<Policy, PolicyError> + Send + Sync + 'static,
) -> Arc<StartTools> {
    let started: Mutex<Option<(Digest, Arc<dyn ToolRunner>)>> = Mutex::default();
    Arc::new(move || {
        let unavailable = |error: String| ToolRunFault::Unavailable(error);
        let policy = policy().map_err(|error| unavailable(error.to_string()))?;
        let hash = policy.hash().map_err(|error| unavailable(error.to_string()))?;
        let mut started = started.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, runner)) = started.as_ref().filter(|(known, _)| *known == hash) {
            return Ok(Arc::clone(runner));
        }
        let folders = Folders { outbox: root.join(OUTBOX), memory: root.join(MEMORY) };
        let executor =
            executor(&policy, folders).map_err(|error| unavailable(error.to_string()))?;
        let runner: Arc<dyn ToolRunner> = Arc::new(executor);
        *started = Some((hash, Arc::clone(&runner)));
        Ok(runner)
    })
}

/// Adds what the tools of the project at `root` say about the arguments that a plan has for them.
pub(crate) fn guard(
    examined: &mut Examined,
    root: &Root,
    policy: &Policy,
) -> Result<(), GateError> {
    let own = policy.clone();
    let start = of(PathBuf::from(&root.id().path), move || Ok(own.clone()));
    guard_arguments(examined, policy, start.as_ref())
}
