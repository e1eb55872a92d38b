//! What runs the tool steps of plans: set up when the first plan needs it, and kept.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use exacta_engine::project::StartTools;
use exacta_engine::tools::{ToolRunFault, ToolRunner};
use exacta_tools::{Installation, install};

/// The folder of the project that tools keep things in.
const FOLDER: &str = ".exacta/tools";

/// The tools of the project at `root`.
pub(crate) fn of(root: PathBuf) -> Arc<StartTools> {
    let started: Mutex<Option<Arc<dyn ToolRunner>>> = Mutex::default();
    Arc::new(move || {
        let mut started = started.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runner) = started.as_ref() {
            return Ok(Arc::clone(runner));
        }
        let installation =
            Installation { folder: root.join(FOLDER), settings: serde_json::Value::Null };
        let executor =
            install(&installation).map_err(|error| ToolRunFault::Unavailable(error.to_string()))?;
        let runner: Arc<dyn ToolRunner> = Arc::new(executor);
        *started = Some(Arc::clone(&runner));
        Ok(runner)
    })
}
