//! Watching a project: what others add to its record, and what expires because files or
//! configuration changed or time is over. Hashes decide; the watch only says when to look.

use std::sync::Arc;
use std::time::{Duration, Instant};

use exacta_engine::gate::{Caller, Gate, GateError, Sweep};

use crate::state::{AppState, Served};

/// How often it is looked.
const EVERY: Duration = Duration::from_millis(500);
/// A look that takes long is not made so often that nothing else gets done.
const REST: u32 = 2;

/// Looks until the server stops.
pub(crate) async fn watch(state: AppState, served: Arc<Served>) {
    loop {
        let began = Instant::now();
        let looking = Arc::clone(&served);
        // What cannot be looked at now is looked at next time; whoever asks gets the error.
        let _ = tokio::task::spawn_blocking(move || looking.ask_here(look)).await;
        let rest = EVERY.max(began.elapsed() * REST);
        tokio::select! {
            () = tokio::time::sleep(rest) => {}
            () = state.stopping.cancelled() => return,
        }
    }
}

fn look(gate: &Gate<'_>) -> Result<(), GateError> {
    // Other processes write to the record, too.
    gate.refresh()?;
    let live = gate.plans().iter().any(|plan| plan.state().is_open() && plan.run_id().is_none());
    if live {
        gate.handle(&Caller::system(), Sweep::default())?;
    }
    Ok(())
}
