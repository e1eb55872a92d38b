//! Stores that break one promise each, so that the suite is known to notice.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use exacta_core::life::lifecycle::Moment;
use exacta_core::record::{self, Entry, Event, Head, Stamp};
use exacta_engine::store::{
    Added, AppendError, Depth, LogError, Replica, Report, Store, Terms, Wanted,
};
use exacta_engine::trust::Checkpoint;

use super::memory::MemoryStore;
use super::promises::Subject;

/// What a store does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An entry is acknowledged and gone.
    ForgetsAnEntry,
    /// Two entries change places.
    Reorders,
    /// Entries are read in another order than they were added in.
    ReadsBackwards,
    /// Entries are read that the reader has not come to.
    ReadsBeyond,
    /// A decision counts that rests on what is over.
    AcceptsStaleVersions,
    /// A command is carried out once more.
    ForgetsKeys,
    /// An entry names other bytes than those before it.
    BreaksALink,
    /// Of a refused append something stays.
    KeepsHalfAnAppend,
    /// An entry is acknowledged before it would outlive a power loss.
    AcknowledgesEarly,
    /// A record that has begun begins again.
    BeginsAgain,
    /// What must hold is not asked for.
    NeverAsks,
    /// Others get in between the comparison and the entry.
    ComparesTooEarly,
    /// Whoever is not the last to have looked is refused.
    RefusesWithoutNeed,
    /// Whoever waits is not told of an entry.
    SleepsThrough,
    /// Whoever waits is told of an entry that is none.
    WakesForNothing,
    /// Whatever the record is, it is said to be well.
    FindsNothing,
    /// An old entry says something else than it did.
    ChangesThePast,
    /// Everybody has a record of their own.
    SharesNothing,
    /// Somebody else is said to have done it.
    NamesAnotherActor,
}

impl Fault {
    /// Every one of them.
    pub const ALL: [Self; 19] = [
        Self::ForgetsAnEntry,
        Self::Reorders,
        Self::ReadsBackwards,
        Self::ReadsBeyond,
        Self::AcceptsStaleVersions,
        Self::ForgetsKeys,
        Self::BreaksALink,
        Self::KeepsHalfAnAppend,
        Self::AcknowledgesEarly,
        Self::BeginsAgain,
        Self::NeverAsks,
        Self::ComparesTooEarly,
        Self::RefusesWithoutNeed,
        Self::SleepsThrough,
        Self::WakesForNothing,
        Self::FindsNothing,
        Self::ChangesThePast,
        Self::SharesNothing,
        Self::NamesAnotherActor,
    ];
}

/// A record in memory with a fault.
#[derive(Clone, Debug)]
pub struct Faulty {
    store: MemoryStore,
    fault: Fault,
    /// What a power loss leaves.
    durable: Arc<Mutex<Vec<String>>>,
}

impl Faulty {
    /// A record without entries.
    #[must_use]
    pub fn new(fault: Fault) -> Self {
        Self { store: MemoryStore::new(), fault, durable: Arc::default() }
    }

    /// Adds events whatever anybody expects.
    fn force(&self, replica: &mut Replica, wanted: &Wanted) -> Result<Added, AppendError> {
        let mut lines = self.store.lines();
        let mut head = match lines.last() {
            None => Head::BEGINNING,
            Some(last) => Head { entries: lines.len() as u64, link: record::link(last.as_bytes()) },
        };
        let at = Moment { boot: "memory".into(), boottime_ms: 1, wall_ms: 1 };
        let (actor, key, time) = (wanted.actor.clone(), wanted.key.clone(), "1".into());
        let stamp = Stamp { actor, at, key, time };
        let mut entries = Vec::new();
        for event in &wanted.events {
            let sealed = record::seal(&head, event.clone(), &stamp, None);
            let sealed = sealed.map_err(LogError::from)?;
            head = sealed.head;
            lines.push(sealed.line);
            entries.push(sealed.entry);
        }
        drop(lines);
        self.store.catch_up(replica)?;
        Ok(Added { entries, behind: None })
    }

    /// Does to the lines what the fault is about.
    fn spoil(&self) {
        let mut lines = self.store.lines();
        let count = lines.len();
        match self.fault {
            Fault::ForgetsAnEntry if count.is_multiple_of(4) => {
                lines.pop();
            }
            Fault::Reorders if count > 3 => lines.swap(count - 2, count - 1),
            Fault::BreaksALink if count.is_multiple_of(5) => {
                if let Some(last) = lines.last_mut() {
                    let link = record::previous(last.as_bytes()).unwrap_or_default();
                    let link = String::from_utf8_lossy(link).into_owned();
                    *last = last.replace(&link, record::NOTHING_BEFORE);
                }
            }
            Fault::ChangesThePast if count == 10 => {
                let mut head = Head::BEGINNING;
                for (line, number) in lines.iter_mut().zip(1..) {
                    let mut entry = record::read(line.as_bytes()).expect("a line of ours");
                    entry.prev = head.link;
                    if number == 3 {
                        entry.actor.name = "somebody else".into();
                    }
                    *line = record::written(&entry).expect("an entry can be written");
                    head = Head { entries: number, link: record::link(line.as_bytes()) };
                }
            }
            _ => {}
        }
    }

    fn sound(&self) -> &MemoryStore {
        &self.store
    }
}

impl Subject for Faulty {
    fn open(&self) -> Arc<dyn Store> {
        match self.fault {
            Fault::SharesNothing => Arc::new(Self::new(self.fault)),
            _ => Arc::new(self.clone()),
        }
    }

    fn after_power_loss(&self) -> Option<Arc<dyn Store>> {
        let lines = self.durable.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Some(Arc::new(MemoryStore::with_lines(lines)))
    }
}

impl Subject for MemoryStore {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.clone())
    }

    fn after_power_loss(&self) -> Option<Arc<dyn Store>> {
        Some(Arc::new(Self::with_lines(self.lines().clone())))
    }
}

impl Store for Faulty {
    fn project(&self) -> &str {
        self.store.project()
    }

    fn append(
        &self,
        replica: &mut Replica,
        wanted: &Wanted,
        terms: Terms<'_>,
    ) -> Result<Added, AppendError> {
        let mut wanted = wanted.clone();
        let before = self.sound().lines().clone();
        let begins = matches!(wanted.events.first(), Some(Event::RecordBegun { .. }));
        let added = match self.fault {
            Fault::AcceptsStaleVersions => {
                wanted.expects.clear();
                self.store.append(replica, &wanted, terms)
            }
            Fault::ForgetsKeys => {
                wanted.key = None;
                self.store.append(replica, &wanted, terms)
            }
            Fault::NamesAnotherActor => {
                wanted.actor.name = "somebody else".into();
                self.store.append(replica, &wanted, terms)
            }
            Fault::NeverAsks => self.store.append(replica, &wanted, Terms::plain()),
            Fault::BeginsAgain if begins => self.force(replica, &wanted),
            Fault::ComparesTooEarly => {
                self.store.catch_up(replica)?;
                replica.allows(&wanted)?;
                if !(terms.holds)()? {
                    return Err(AppendError::Moved);
                }
                thread::sleep(Duration::from_millis(3));
                self.force(replica, &wanted)
            }
            Fault::RefusesWithoutNeed => {
                let seen = replica.head();
                self.store.catch_up(replica)?;
                if seen != replica.head() {
                    return Err(AppendError::Moved);
                }
                self.store.append(replica, &wanted, terms)
            }
            Fault::KeepsHalfAnAppend => {
                let added = self.store.append(replica, &wanted, terms);
                if matches!(added, Err(AppendError::Moved)) && wanted.events.len() > 1 {
                    wanted.events.truncate(1);
                    self.force(replica, &wanted)?;
                }
                added
            }
            _ => self.store.append(replica, &wanted, terms),
        }?;
        self.spoil();
        let durable = match self.fault {
            Fault::AcknowledgesEarly => before,
            _ => self.store.lines().clone(),
        };
        *self.durable.lock().unwrap_or_else(PoisonError::into_inner) = durable;
        Ok(added)
    }

    fn catch_up(&self, replica: &mut Replica) -> Result<(), LogError> {
        self.store.catch_up(replica)
    }

    fn read(&self, replica: &Replica, from: u64) -> Result<Vec<Entry>, LogError> {
        let mut furthest = replica.clone();
        if self.fault == Fault::ReadsBeyond {
            self.store.catch_up(&mut furthest)?;
        }
        let mut entries = self.store.read(&furthest, from)?;
        if self.fault == Fault::ReadsBackwards {
            entries.reverse();
        }
        Ok(entries)
    }

    fn verify(&self, kept: &[Checkpoint], depth: Depth) -> Result<Report, LogError> {
        let kept = if self.fault == Fault::FindsNothing { &[] } else { kept };
        self.store.verify(kept, depth)
    }

    fn wait(&self, replica: &mut Replica, longest: Duration) -> Result<bool, LogError> {
        match self.fault {
            Fault::SleepsThrough => {
                thread::sleep(longest.min(Duration::from_millis(200)));
                Ok(false)
            }
            Fault::WakesForNothing => Ok(true),
            _ => self.store.wait(replica, longest),
        }
    }
}
