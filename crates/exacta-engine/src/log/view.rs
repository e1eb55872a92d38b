//! One caller's view of the record: what it has folded so far, and keeping up with others.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use exacta_core::life::ledger::Ledger;
use exacta_core::model::digest::Digest;
use exacta_core::record::Entry;

use super::Wanted;
use crate::store::{Added, AppendError, Depth, Durable, LogError, Replica, Report, Store, Terms};
use crate::trust::Checkpoint;
use crate::workspace::{PortError, Scope};

/// The furthest replica that any caller of this process has read; `None` while one of them is
/// at it.
type Furthest = Arc<Mutex<Option<Arc<Replica>>>>;

/// The record of one project, as one caller has seen it.
///
/// A decision is made on what was seen: it does not change under the one who decides, whatever
/// other threads add. What they decide rests on is compared again when something is added.
pub struct Log {
    store: Arc<dyn Store>,
    furthest: Furthest,
    seen: RefCell<Arc<Replica>>,
    /// What could not be brought up to date with the record.
    behind: RefCell<Vec<LogError>>,
}

/// The state of every plan, as it was at one moment.
pub struct LedgerView(Arc<Replica>);

impl Deref for LedgerView {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        self.0.ledger()
    }
}

impl Log {
    /// Reads what a store holds.
    ///
    /// # Errors
    /// When the record does not hang together or is not the one that was noted outside.
    pub fn open(store: Arc<dyn Store>) -> Result<Self, LogError> {
        let log = Self {
            store,
            furthest: Furthest::default(),
            seen: RefCell::default(),
            behind: RefCell::default(),
        };
        log.look_again()?;
        Ok(log)
    }

    /// What several callers share; nothing is read yet.
    #[must_use]
    pub(crate) fn shared(store: Arc<dyn Store>) -> Shared {
        Shared { store, furthest: Furthest::default() }
    }

    /// The state of every plan, as of the last look.
    pub fn ledger(&self) -> LedgerView {
        LedgerView(Arc::clone(&self.seen.borrow()))
    }

    /// The newest link.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.seen.borrow().head().link
    }

    /// The project's name.
    #[must_use]
    pub fn project(&self) -> &str {
        self.store.project()
    }

    /// What this caller could not bring up to date with the record, and has not reported yet.
    pub fn take_behind(&self) -> Vec<LogError> {
        self.behind.take()
    }

    /// Reads what others added.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn look_again(&self) -> Result<(), LogError> {
        let furthest = locked(&self.furthest).clone();
        if let Some(replica) = furthest.filter(|replica| !is_ahead(&self.seen.borrow(), replica)) {
            self.seen.replace(replica);
        }
        if !self.store.has_more(&self.seen.borrow())? {
            return Ok(());
        }
        self.with(|replica| self.store.catch_up(replica))
    }

    /// Every entry, oldest first, as far as it was read.
    ///
    /// # Errors
    /// When they cannot be read, or are not those that were written.
    pub fn entries(&self) -> Result<Vec<Entry>, LogError> {
        self.entries_from(1)
    }

    /// The entries from this number on, oldest first.
    ///
    /// # Errors
    /// When they cannot be read, or are not those that were written.
    pub fn entries_from(&self, from: u64) -> Result<Vec<Entry>, LogError> {
        self.store.read(&self.seen.borrow(), from)
    }

    /// Adds events, all of them or none.
    ///
    /// # Errors
    /// [`AppendError::Moved`] when the record is not what was believed.
    pub fn append(&self, wanted: &Wanted) -> Result<Vec<Entry>, AppendError> {
        self.add(wanted, Terms::plain())
    }

    /// The same, if `holds` says so when it is our turn: for what others may change only
    /// in a turn of their own.
    ///
    /// # Errors
    /// [`AppendError::Moved`] also when it does not hold.
    pub(crate) fn append_if(
        &self,
        wanted: &Wanted,
        holds: &dyn Fn() -> Result<bool, PortError>,
    ) -> Result<Vec<Entry>, AppendError> {
        self.add(wanted, Terms { durable: Durable::Now, holds })
    }

    /// The same, durable with the next append that is: for what may be done again.
    pub(crate) fn write_if(
        &self,
        wanted: &Wanted,
        holds: &dyn Fn() -> Result<bool, PortError>,
    ) -> Result<Vec<Entry>, AppendError> {
        self.add(wanted, Terms { durable: Durable::WithTheRun, holds })
    }

    /// Adds the first entries, unless another process was faster.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn begin(&self, wanted: &Wanted) -> Result<(), LogError> {
        match self.add(wanted, Terms::plain()) {
            Ok(_) | Err(AppendError::Moved | AppendError::Done { .. }) => Ok(()),
            Err(AppendError::Log(error)) => Err(error),
        }
    }

    /// Does what a dead process left undone.
    ///
    /// # Errors
    /// When nothing may be added before that is done.
    pub fn settle(&self) -> Result<(), LogError> {
        let behind = self.with(|replica| self.store.settle(replica))?;
        self.behind.borrow_mut().extend(behind);
        Ok(())
    }

    /// The same after something has happened. It is on the record; what cannot be derived
    /// from it now is reported, and the next command that writes does it.
    pub(crate) fn settle_after(&self) {
        self.reported(self.settle());
    }

    /// Has what is derived follow what a run's own barrier has made durable.
    pub(crate) fn note_synced(&self) {
        let synced = self.seen.borrow().head().entries;
        self.reported(self.with(|replica| self.store.note_synced(replica, synced)));
    }

    fn reported(&self, done: Result<(), LogError>) {
        self.behind.borrow_mut().extend(done.err());
    }

    /// Whether what was not read of the record is still there.
    ///
    /// # Errors
    /// When it is not, or cannot be read.
    pub(crate) fn check_closed(&self) -> Result<(), LogError> {
        self.store.check_past(&self.seen.borrow())
    }

    /// What was added since everything derived had followed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn unprojected(&self) -> Result<Vec<Entry>, LogError> {
        self.store.unprojected(&self.seen.borrow())
    }

    /// Checks the record against itself, its signatures, the head that was noted outside
    /// and any further head that somebody kept.
    ///
    /// # Errors
    /// When it cannot be read at all.
    pub fn check(&self, kept: &[Checkpoint], depth: Depth) -> Result<Report, LogError> {
        self.store.verify(kept, depth)
    }

    /// What a run's barrier must cover so that what was added with it lasts.
    pub(super) fn unsynced(&self) -> Scope {
        self.store.unsynced(&self.seen.borrow())
    }

    pub(super) fn add(&self, wanted: &Wanted, terms: Terms<'_>) -> Result<Vec<Entry>, AppendError> {
        let Added { entries, behind } =
            self.with(|replica| self.store.append(replica, wanted, terms))?;
        self.behind.borrow_mut().extend(behind);
        Ok(entries)
    }

    /// Works on the furthest replica there is, and has seen it then. Nobody waits for it: no
    /// lock of this process is held while the store waits for its turn.
    fn with<R, E: SaysWhetherRead>(
        &self,
        act: impl FnOnce(&mut Replica) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut replica = self.seen.take();
        {
            let mut furthest = locked(&self.furthest);
            // One that nobody else holds is changed in place, without a copy.
            if let Some(other) = furthest.take_if(|other| !is_ahead(&replica, other)) {
                replica = other;
            }
        }
        let done = act(Arc::make_mut(&mut replica));
        if done.as_ref().map_or_else(E::was_read, |_| true) {
            let mut furthest = locked(&self.furthest);
            if furthest.as_ref().is_none_or(|other| !is_ahead(other, &replica)) {
                *furthest = Some(Arc::clone(&replica));
            }
        }
        self.seen.replace(replica);
        done
    }
}

fn is_ahead(one: &Replica, other: &Replica) -> bool {
    one.head().entries > other.head().entries
}

fn locked(furthest: &Furthest) -> MutexGuard<'_, Option<Arc<Replica>>> {
    furthest.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error after which it is known whether the record was read to its end.
trait SaysWhetherRead {
    fn was_read(&self) -> bool;
}

impl SaysWhetherRead for LogError {
    fn was_read(&self) -> bool {
        false
    }
}

impl SaysWhetherRead for AppendError {
    fn was_read(&self) -> bool {
        !matches!(self, Self::Log(_))
    }
}

/// A store that several callers of one process look at.
pub(crate) struct Shared {
    store: Arc<dyn Store>,
    furthest: Furthest,
}

impl Shared {
    /// How many entries the record has, if this process has read them all; nothing is read.
    pub(crate) fn entries_if_read(&self) -> Option<u64> {
        let replica = locked(&self.furthest).clone()?;
        let more = self.store.has_more(&replica).ok()?;
        (!more).then(|| replica.ledger().entries())
    }

    /// A view of one more caller, from where the others have come.
    pub(crate) fn log(&self) -> Result<Log, LogError> {
        let log = Log {
            store: Arc::clone(&self.store),
            furthest: Arc::clone(&self.furthest),
            seen: RefCell::default(),
            behind: RefCell::default(),
        };
        log.look_again()?;
        Ok(log)
    }
}
