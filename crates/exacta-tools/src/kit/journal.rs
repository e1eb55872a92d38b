//! A record in memory that can break off at any entry.

use std::sync::{Mutex, PoisonError};

use exacta_engine::tools::{JournalFault, Known, StepEntry, StepJournal, StepOutcome};

#[derive(Default)]
struct State {
    entries: Vec<StepEntry>,
    /// How many of them a power loss cannot take away.
    durable: usize,
    writes: usize,
    syncs: usize,
}

/// A record in memory. It breaks off after a number of entries, also inside an append, as
/// a machine that is switched off may.
pub struct Tape {
    state: Mutex<State>,
    room: usize,
}

impl Tape {
    /// A record without an end.
    pub fn endless() -> Self {
        Self::of(usize::MAX)
    }

    /// A record that takes this many entries and then breaks off.
    pub fn of(room: usize) -> Self {
        Self { state: Mutex::default(), room }
    }

    /// What is on it.
    pub fn entries(&self) -> Vec<StepEntry> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).entries.clone()
    }

    /// How many entries a power loss leaves for sure.
    pub fn durable(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).durable
    }

    /// How often something was written.
    pub fn writes(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).writes
    }

    /// How often everything was made durable.
    pub fn syncs(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).syncs
    }
}

impl StepJournal for Tape {
    fn append(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        self.write(entries)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.durable = state.entries.len();
        state.syncs = state.syncs.saturating_add(1);
        Ok(())
    }

    fn write(&self, entries: &[StepEntry]) -> Result<(), JournalFault> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.writes = state.writes.saturating_add(1);
        let room = self.room.saturating_sub(state.entries.len());
        state.entries.extend(entries.iter().take(room).cloned());
        if entries.len() > room {
            return Err(JournalFault("the tape has ended".into()));
        }
        Ok(())
    }
}

/// What a record says of a step.
pub fn known(entries: &[StepEntry], step_id: &str) -> Known {
    let mut known = Known::default();
    for entry in entries.iter().filter(|entry| entry.step_id() == step_id) {
        match entry {
            StepEntry::Started { idempotency_key, .. } => {
                known.started = Some(idempotency_key.clone());
            }
            StepEntry::Finished { outcome, .. } => known.ended = Some(outcome.clone()),
            StepEntry::Decided { decision, args_hash, .. } => {
                known.decided = Some((decision.clone(), args_hash.clone()));
            }
            StepEntry::Unknown { message, .. } => {
                known.ended = Some(StepOutcome::OutcomeUnknown { message: message.clone() });
            }
            StepEntry::RolledBack { .. } => known.rolled_back = true,
        }
    }
    known
}
