//! What every store of a record does, whatever it keeps it in.

use std::thread;
use std::time::{Duration, Instant};

use exacta_core::life::ledger::Stream;
use exacta_core::record::{Actor, CommandKey, Entry, Event, Head};

use super::error::{AppendError, LogError};
use super::replica::Replica;
use super::report::{Depth, Report};
use crate::trust::Checkpoint;
use crate::workspace::{PortError, Scope};

/// How long [`Store::wait`] sleeps between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// What somebody wants to add, and what they believe about the record.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Who.
    pub actor: Actor,
    /// The idempotency key of the command.
    pub key: Option<CommandKey>,
    /// The versions that the decision rests on.
    pub expects: Vec<(Stream, u64)>,
    /// What happened.
    pub events: Vec<Event>,
}

/// When an append becomes durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// Before it is acknowledged.
    Now,
    /// With the next barrier of the run that it belongs to, which covers
    /// [`Store::unsynced`], or with the next entry that is durable at once. A store that shares no barrier with the project's files makes it
    /// durable at once.
    WithTheRun,
}

/// On which terms events are added.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// When they become durable.
    pub durable: Durable,
    /// Asked when nobody else can add: for what others change only in a turn of their own.
    pub holds: &'a dyn Fn() -> Result<bool, PortError>,
}

impl Terms<'_> {
    /// Durable at once, whatever else is the case.
    #[must_use]
    pub fn plain() -> Self {
        Self { durable: Durable::Now, holds: &|| Ok(true) }
    }
}

/// What was added.
#[derive(Debug)]
pub struct Added {
    /// The entries.
    pub entries: Vec<Entry>,
    /// What is derived from the record and could not follow. The entries count all the same.
    pub behind: Option<LogError>,
}

/// The record of one project.
///
/// Many threads and processes may use one record at once. Whoever reads keeps a [`Replica`],
/// which is as far as they have read; the store brings it up to date and keeps none itself.
/// A record only grows: what was acknowledged is there, in its place, for everybody, and
/// after a power loss too.
pub trait Store: Send + Sync {
    /// The project's name.
    fn project(&self) -> &str;

    /// Adds events, all of them or none, one append at a time. `replica` is brought up to date
    /// first; what `wanted` expects must hold there ([`Replica::allows`]). The store gives each
    /// event number, time and link ([`exacta_core::record::seal`]) and adds them to `replica`.
    ///
    /// # Errors
    /// [`AppendError::Moved`] when what is expected does not hold, [`AppendError::Done`] when
    /// the command was carried out before; nothing was added then.
    fn append(
        &self,
        replica: &mut Replica,
        wanted: &Wanted,
        terms: Terms<'_>,
    ) -> Result<Added, AppendError>;

    /// Adds to `replica` what is on the record and not yet in it.
    ///
    /// # Errors
    /// When the record cannot be read or does not hang together.
    fn catch_up(&self, replica: &mut Replica) -> Result<(), LogError>;

    /// Whether there may be more than `replica` has; a look that costs next to nothing.
    ///
    /// # Errors
    /// When that cannot be told.
    fn has_more(&self, replica: &Replica) -> Result<bool, LogError> {
        let _ = replica;
        Ok(true)
    }

    /// The entries from number `from` on, oldest first, up to where `replica` stands: its head
    /// vouches for every one of them.
    ///
    /// # Errors
    /// When they cannot be read, or do not lead to that head.
    fn read(&self, replica: &Replica, from: u64) -> Result<Vec<Entry>, LogError>;

    /// Checks the whole record, and that it goes through every head that somebody kept.
    ///
    /// # Errors
    /// When it cannot be read at all; what is wrong with it is the report.
    fn verify(&self, kept: &[Checkpoint], depth: Depth) -> Result<Report, LogError>;

    /// The end of the record.
    ///
    /// # Errors
    /// As [`Store::catch_up`].
    fn head(&self) -> Result<Head, LogError> {
        let mut replica = Replica::default();
        self.catch_up(&mut replica)?;
        Ok(replica.head())
    }

    /// Waits until there is more than `replica` has, and adds it. `false` when the time is up
    /// first.
    ///
    /// # Errors
    /// As [`Store::catch_up`].
    fn wait(&self, replica: &mut Replica, longest: Duration) -> Result<bool, LogError> {
        let (start, before) = (Instant::now(), replica.head());
        loop {
            self.catch_up(replica)?;
            if replica.head() != before {
                return Ok(true);
            }
            let Some(left) = longest.checked_sub(start.elapsed()) else { return Ok(false) };
            thread::sleep(left.min(BETWEEN_LOOKS));
        }
    }

    /// Does what a dead process left undone: what is on the record becomes durable, and what
    /// is derived from it follows. Says what could not follow.
    ///
    /// # Errors
    /// When nothing may be added before that is done.
    fn settle(&self, replica: &mut Replica) -> Result<Option<LogError>, LogError> {
        self.catch_up(replica).map(|()| None)
    }

    /// Has what is derived follow the record up to entry number `synced`, which the barrier
    /// of a run has made durable.
    ///
    /// # Errors
    /// When it could not follow.
    fn note_synced(&self, replica: &mut Replica, synced: u64) -> Result<(), LogError> {
        let _ = (replica, synced);
        Ok(())
    }

    /// Whether the past that `replica` did not read is still there and leads to what it read.
    ///
    /// # Errors
    /// When it does not, or cannot be read.
    fn check_past(&self, replica: &Replica) -> Result<(), LogError> {
        let _ = replica;
        Ok(())
    }

    /// The entries that what is derived from the record has not followed yet.
    ///
    /// # Errors
    /// As [`Store::read`].
    fn unprojected(&self, replica: &Replica) -> Result<Vec<Entry>, LogError> {
        let _ = replica;
        Ok(Vec::new())
    }

    /// What the barrier of a run must cover, so that entries added
    /// [with it](Durable::WithTheRun) last.
    fn unsynced(&self, replica: &Replica) -> Scope {
        let _ = replica;
        Scope::default()
    }
}
