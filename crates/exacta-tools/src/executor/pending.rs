//! What the next write to the record holds.

use exacta_engine::tools::{JournalFault, StepEntry};

use super::writer::Writer;

/// Entries that wait for the next write.
#[derive(Default)]
pub(super) struct Pending {
    entries: Vec<StepEntry>,
    lasts: bool,
}

impl Pending {
    /// An entry that what comes next rests on, also after a power loss.
    pub(super) fn lasting(&mut self, entry: StepEntry) {
        self.lasts = true;
        self.entries.push(entry);
    }

    /// An entry about something that may be done again.
    pub(super) fn repeatable(&mut self, entry: StepEntry) {
        self.entries.push(entry);
    }

    /// Puts them on the record together.
    pub(super) async fn write(&mut self, writer: &Writer) -> Result<(), JournalFault> {
        let Self { entries, lasts } = std::mem::take(self);
        if lasts { writer.append(entries).await } else { writer.write(entries).await }
    }
}
