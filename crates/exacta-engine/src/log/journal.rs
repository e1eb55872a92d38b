//! The record as the journal of runs: where recovery looks whether a run started.

use std::cell::Cell;

use exacta_core::ledger::{RunStage, Stream};
use exacta_core::record::{Actor, Event as Entry, RunKind};
use rustix::io::Errno;

use super::append::{Durable, Wanted};
use super::error::{AppendError, LogError};
use super::open::Log;
use super::place;
use crate::run::{Event, Fate, Journal, RunId};
use crate::workspace::{PortError, Spot};

/// The journal of one run that is about to start, or of those that are to be recovered.
pub struct RunJournal<'a> {
    log: &'a Log<'a>,
    actor: Actor,
    /// What the run that is about to start does; recovery starts none.
    starting: Option<(String, RunKind)>,
    key: Option<String>,
    /// What must still hold when the run starts.
    expects: Vec<(Stream, u64)>,
    moved: Cell<bool>,
}

impl<'a> RunJournal<'a> {
    /// The journal of a run of `plan_id` that `actor` is about to start.
    #[must_use]
    pub fn starting(
        log: &'a Log<'a>,
        actor: Actor,
        plan_id: &str,
        kind: RunKind,
        key: Option<String>,
        expects: Vec<(Stream, u64)>,
    ) -> Self {
        let (starting, moved) = (Some((plan_id.into(), kind)), Cell::new(false));
        Self { log, actor, starting, key, expects, moved }
    }

    /// Whether the start was refused because the record had moved on.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        self.moved.get()
    }

    /// The journal of runs that a dead process left.
    #[must_use]
    pub fn recovering(log: &'a Log<'a>) -> Self {
        let (actor, moved) = (Actor::system(), Cell::new(false));
        Self { log, actor, starting: None, key: None, expects: Vec::new(), moved }
    }

    fn event(&self, run: &RunId, fate: Fate) -> Entry {
        let (manifest, run_id) = (fate.manifest, run.as_str().to_owned());
        match (fate.event, &self.starting) {
            (Event::Started, Some((plan_id, kind))) => {
                Entry::RunStarted { kind: kind.clone(), manifest, plan_id: plan_id.clone(), run_id }
            }
            // Recovery records no start; if it ever did, the entry would say so.
            (Event::Started | Event::Aborted, _) => Entry::RunAborted { manifest, run_id },
            (Event::Completed, _) => Entry::RunCompleted { manifest, run_id },
        }
    }
}

impl Journal for RunJournal<'_> {
    fn record(&self, run: &RunId, fate: Fate) -> Result<(), PortError> {
        let starts = fate.event == Event::Started;
        let wanted = Wanted {
            actor: self.actor.clone(),
            key: self.key.clone().filter(|_| starts),
            expects: if starts { self.expects.clone() } else { Vec::new() },
            events: vec![self.event(run, fate)],
        };
        self.log.add(&wanted, Durable::WithTheRun).map(drop).map_err(|error| {
            self.moved.set(matches!(error, AppendError::Moved | AppendError::Done { .. }));
            port_error(error)
        })
    }

    fn fate(&self, run: &RunId) -> Result<Option<Fate>, PortError> {
        self.log.look_again().map_err(|error| port_error(error.into()))?;
        let ledger = self.log.ledger();
        let Some(entry) = ledger.run(run.as_str()) else { return Ok(None) };
        let event = match entry.stage {
            RunStage::Decided => return Ok(None),
            RunStage::Started => Event::Started,
            RunStage::Completed => Event::Completed,
            RunStage::Aborted => Event::Aborted,
        };
        Ok(entry.manifest.map(|manifest| Fate { event, manifest }))
    }

    fn files(&self) -> Vec<Spot> {
        vec![self.log.segment_now()]
    }

    fn folders(&self) -> Vec<Spot> {
        vec![place::folder()]
    }
}

fn port_error(error: AppendError) -> PortError {
    match error {
        AppendError::Log(LogError::Port(error)) => error,
        _ => PortError::System { act: "write", at: place::folder(), errno: Errno::IO },
    }
}
