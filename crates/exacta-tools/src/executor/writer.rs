//! One thread that writes the record; what waits while it writes goes in together.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use exacta_engine::tools::{JournalFault, StepEntry, StepJournal};
use tokio::sync::oneshot;

struct Batch {
    entries: Vec<StepEntry>,
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
            .spawn(move || write(&*journal, &waiting, &own))
            .map_err(|error| JournalFault(error.to_string()))?;
        Ok(Self { batches, fault })
    }

    /// Returns when the entries are durable. After one failure nothing is written any more.
    pub(super) async fn append(&self, entries: Vec<StepEntry>) -> Result<(), JournalFault> {
        if entries.is_empty() {
            return self.fault();
        }
        let (done, answer) = oneshot::channel();
        let gone = || JournalFault("the writer of the record has ended".into());
        self.batches.send(Batch { entries, done }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// The failure that ended writing, if there was one.
    pub(super) fn fault(&self) -> Result<(), JournalFault> {
        self.fault.get().map_or(Ok(()), |fault| Err(fault.clone()))
    }
}

fn write(journal: &dyn StepJournal, waiting: &Receiver<Batch>, fault: &OnceLock<JournalFault>) {
    while let Ok(first) = waiting.recv() {
        let mut entries = first.entries;
        let mut done = vec![first.done];
        while let Ok(batch) = waiting.try_recv() {
            entries.extend(batch.entries);
            done.push(batch.done);
        }
        let written = match fault.get() {
            Some(fault) => Err(fault.clone()),
            None => journal.append(&entries),
        };
        if let Err(broken) = &written {
            // The first failure stays the one that is reported.
            let _ = fault.set(broken.clone());
        }
        for done in done {
            // Whoever waited may have been stopped meanwhile.
            let _ = done.send(written.clone());
        }
    }
}
