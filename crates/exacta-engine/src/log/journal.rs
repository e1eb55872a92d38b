//! The record as the journal of runs: where recovery looks whether a run started.

use std::cell::{Cell, RefCell};

use exacta_core::ledger::{RunStage, Stream};
use exacta_core::record::{Actor, CommandKey, Event as Entry, RunKind};
use rustix::io::Errno;

use super::append::{Durable, Wanted};
use super::error::{AppendError, LogError};
use super::open::Log;
use super::place;
use crate::run::{Event, Fate, Journal, RunId};
use crate::workspace::{PortError, Scope, Spot};

/// The journal of one run that is about to start, or of those that are to be recovered.
pub struct RunJournal<'a> {
    log: &'a Log<'a>,
    actor: Actor,
    /// What the run that is about to start does; recovery starts none.
    starting: Option<(String, RunKind)>,
    key: Option<CommandKey>,
    /// What must still hold when the run starts.
    expects: Vec<(Stream, u64)>,
    moved: Cell<bool>,
    /// What becomes durable together with the end of the run.
    closing: RefCell<Closing>,
}

#[derive(Default)]
struct Closing {
    events: Vec<Entry>,
    scope: Scope,
}

impl<'a> RunJournal<'a> {
    /// The journal of a run of `plan_id` that `actor` is about to start.
    #[must_use]
    pub fn starting(
        log: &'a Log<'a>,
        actor: Actor,
        plan_id: &str,
        kind: RunKind,
        key: Option<CommandKey>,
        expects: Vec<(Stream, u64)>,
    ) -> Self {
        let (starting, moved) = (Some((plan_id.into(), kind)), Cell::new(false));
        Self { log, actor, starting, key, expects, moved, closing: RefCell::default() }
    }

    /// Has the run's completion put `events` on the record too, and make `scope` durable
    /// with the same barrier.
    pub fn close_with(&self, events: Vec<Entry>, scope: Scope) {
        self.closing.replace(Closing { events, scope });
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
        let (expects, closing) = (Vec::new(), RefCell::default());
        Self { log, actor, starting: None, key: None, expects, moved, closing }
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
        let mut events = vec![self.event(run, fate)];
        if fate.event == Event::Completed {
            events.extend(self.closing.borrow().events.iter().cloned());
        }
        let wanted = Wanted {
            actor: self.actor.clone(),
            key: self.key.clone().filter(|_| starts),
            expects: if starts { self.expects.clone() } else { Vec::new() },
            events,
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
        // The record last: what an entry speaks of must last no later than the entry.
        let mut files = self.closing.borrow().scope.files.clone();
        files.push(self.log.segment_now());
        files
    }

    fn folders(&self) -> Vec<Spot> {
        let mut folders = self.closing.borrow().scope.folders.clone();
        folders.push(place::folder());
        folders
    }
}

fn port_error(error: AppendError) -> PortError {
    match error {
        AppendError::Log(LogError::Port(error)) => error,
        _ => PortError::System { act: "write", at: place::folder(), errno: Errno::IO },
    }
}
