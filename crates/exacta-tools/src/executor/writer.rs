//! One thread that writes the record; what waits while it writes goes in together.
//!
//! What may be done again is written at once, so that a dying process loses none of it, and
//! synced with the next entry that has to outlive a power loss, or when it has waited.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use exacta_engine::tools::{JournalFault, StepEntry, StepJournal};
use tokio::sync::oneshot;

/// No entry is only written for longer.
const LONGEST_UNSYNCED: Duration = Duration::from_millis(20);

struct Batch {
    entries: Vec<StepEntry>,
    lasts: bool,
    done: oneshot::Sender<Result<(), JournalFault>>,
}

/// The way to the record. Clones lead to the same one.
#[derive(Clone)]
pub(super) struct Writer {
    batches: Sender<Batch>,
    fault: Arc<OnceLock<JournalFault>>,
}

impl Writer {
    pub(super) fn start(journal: Arc<dyn StepJournal>) -> Result<Self, JournalFault> {
        let (batches, waiting) = channel();
        let fault: Arc<OnceLock<JournalFault>> = Arc::default();
        let own = Arc::clone(&fault);
        thread::Builder::new()
            .name("step journal".into())
            .spawn(move || {
                Journalist { journal: &*journal, fault: &own, since: None }.work(&waiting);
            })
            .map_err(|error| JournalFault(error.to_string()))?;
        Ok(Self { batches, fault })
    }

    /// Returns when the entries and all before them are durable. After one failure nothing
    /// is written any more.
    pub(super) async fn append(&self, entries: Vec<StepEntry>) -> Result<(), JournalFault> {
        self.hand_in(entries, true).await
    }

    /// Returns when the entries outlive this process.
    pub(super) async fn write(&self, entries: Vec<StepEntry>) -> Result<(), JournalFault> {
        if entries.is_empty() {
            return self.fault();
        }
        self.hand_in(entries, false).await
    }

    async fn hand_in(&self, entries: Vec<StepEntry>, lasts: bool) -> Result<(), JournalFault> {
        let (done, answer) = oneshot::channel();
        let gone = || JournalFault("the writer of the record has ended".into());
        self.batches.send(Batch { entries, lasts, done }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// The failure that ended writing, if there was one.
    pub(super) fn fault(&self) -> Result<(), JournalFault> {
        self.fault.get().map_or(Ok(()), |fault| Err(fault.clone()))
    }
}

/// What the thread works with.
struct Journalist<'w> {
    journal: &'w dyn StepJournal,
    fault: &'w OnceLock<JournalFault>,
    /// Since when something is written and not synced.
    since: Option<Instant>,
}

impl Journalist<'_> {
    fn work(mut self, waiting: &Receiver<Batch>) {
        loop {
            let first = match self.since {
                None => waiting.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => {
                    waiting.recv_timeout(LONGEST_UNSYNCED.saturating_sub(since.elapsed()))
                }
            };
            match first {
                Ok(first) => self.batch(first, waiting),
                // A failure is what the next who hands something in hears of.
                Err(RecvTimeoutError::Timeout) => drop(self.put(&[], true)),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn batch(&mut self, first: Batch, waiting: &Receiver<Batch>) {
        let Batch { mut entries, mut lasts, done } = first;
        let mut done = vec![done];
        while let Ok(batch) = waiting.try_recv() {
            entries.extend(batch.entries);
            lasts |= batch.lasts;
            done.push(batch.done);
        }
        let written = self.put(&entries, lasts);
        for done in done {
            // Whoever waited may have been stopped meanwhile.
            let _ = done.send(written.clone());
        }
    }

    fn put(&mut self, entries: &[StepEntry], lasts: bool) -> Result<(), JournalFault> {
        if let Some(fault) = self.fault.get() {
            self.since = None;
            return Err(fault.clone());
        }
        let waited = self.since.is_some_and(|since| since.elapsed() >= LONGEST_UNSYNCED);
        let written = if lasts || waited {
            let nothing = entries.is_empty() && self.since.is_none();
            self.since = None;
            if nothing { Ok(()) } else { self.journal.append(entries) }
        } else {
            self.since = self.since.or_else(|| Some(Instant::now()));
            self.journal.write(entries)
        };
        if let Err(broken) = &written {
            // The first failure stays the one that is reported.
            let _ = self.fault.set(broken.clone());
        }
        written
    }
}
