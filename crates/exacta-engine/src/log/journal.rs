//! The record as the journal of runs: where recovery looks whether a run started.

use std::cell::{Cell, RefCell};

use exacta_core::life::ledger::{RunStage, Stream};
use exacta_core::model::id::PlanId;
use exacta_core::record::{Actor, CommandKey, Event as Entry, Provider, RunKind};
use rustix::io::Errno;

use super::view::Log;
use super::{AppendError, LogError, Wanted};
use crate::run::{Fate, Journal, Milestone, RunId};
use crate::store::{Durable, Terms, log_folder};
use crate::workspace::{PortError, Scope, Spot};

/// The journal of one run that is about to start, or of those that are to be recovered.
pub struct RunJournal<'a> {
    log: &'a Log,
    actor: Actor,
    /// What the run that is about to start does; recovery starts none.
    starting: Option<(PlanId, RunKind, Option<Provider>)>,
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
        log: &'a Log,
        actor: Actor,
        plan_id: &PlanId,
        kind: RunKind,
        provider: Option<Provider>,
        key: Option<CommandKey>,
        expects: Vec<(Stream, u64)>,
    ) -> Self {
        let (starting, moved) = (Some((plan_id.clone(), kind, provider)), Cell::new(false));
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
    pub fn recovering(log: &'a Log) -> Self {
        let (actor, moved) = (Actor::system(), Cell::new(false));
        let (expects, closing) = (Vec::new(), RefCell::default());
        Self { log, actor, starting: None, key: None, expects, moved, closing }
    }

    /// Whether this is a run of tools that died with its files merely staged: it is not over,
    /// and stages them again when it goes on.
    fn files_never_moved(&self, run: &RunId) -> bool {
        let ledger = self.log.ledger();
        ledger.run(run.as_str()).is_some_and(|run| run.begun && run.stage == RunStage::Decided)
    }

    fn event(&self, run: &RunId, fate: Fate) -> Entry {
        let (manifest, run_id) = (fate.manifest, run.clone());
        match (fate.event, &self.starting) {
            (Milestone::Started, Some((plan_id, kind, provider))) => Entry::RunStarted {
                kind: kind.clone(),
                manifest,
                plan_id: plan_id.clone(),
                provider: provider.clone(),
                run_id,
            },
            // Recovery records no start; if it ever did, the entry would say so.
            (Milestone::Started | Milestone::Aborted, _) => Entry::RunAborted { manifest, run_id },
            (Milestone::Completed, _) => Entry::RunCompleted { manifest, run_id },
        }
    }
}

impl Journal for RunJournal<'_> {
    fn record(&self, run: &RunId, fate: Fate) -> Result<(), PortError> {
        let starts = fate.event == Milestone::Started;
        if fate.event == Milestone::Aborted && self.files_never_moved(run) {
            return Ok(());
        }
        let mut events = vec![self.event(run, fate)];
        if fate.event == Milestone::Completed {
            events.extend(self.closing.borrow().events.iter().cloned());
        }
        let wanted = Wanted {
            actor: self.actor.clone(),
            key: self.key.clone().filter(|_| starts),
            expects: if starts { self.expects.clone() } else { Vec::new() },
            events,
        };
        let terms = Terms { durable: Durable::WithTheRun, ..Terms::plain() };
        self.log.add(&wanted, terms).map(drop).map_err(|error| {
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
            // What cannot be taken back has begun: the files stay.
            RunStage::Started if entry.past_return => Milestone::Completed,
            RunStage::Started => Milestone::Started,
            RunStage::Completed => Milestone::Completed,
            RunStage::Aborted => Milestone::Aborted,
        };
        Ok(entry.manifest.map(|manifest| Fate { event, manifest }))
    }

    fn files(&self) -> Vec<Spot> {
        // The record last: what an entry speaks of must last no later than the entry.
        let mut files = self.closing.borrow().scope.files.clone();
        files.extend(self.log.unsynced().files);
        files
    }

    fn folders(&self) -> Vec<Spot> {
        let mut folders = self.closing.borrow().scope.folders.clone();
        folders.extend(self.log.unsynced().folders);
        folders
    }
}

fn port_error(error: AppendError) -> PortError {
    match error {
        AppendError::Log(LogError::Port(error)) => error,
        _ => PortError::System { act: "write", at: log_folder(), errno: Errno::IO },
    }
}
