//! A copy of what a record says, as far as somebody has read it.

use exacta_core::life::ledger::{Ledger, Stream};
use exacta_core::model::digest::Digest;
use exacta_core::record::{Entry, Event, Head};

use super::error::AppendError;
use super::file::Mark;
use super::port::Wanted;

/// A position in a record and the state of every plan there.
#[derive(Clone, Debug)]
pub struct Replica {
    pub(super) ledger: Ledger,
    link: Digest,
    /// Where the file store's reading stands; other stores leave it alone.
    pub(super) mark: Mark,
}

impl Default for Replica {
    /// Before the first entry.
    fn default() -> Self {
        Self::at(Ledger::default(), Head::BEGINNING.link)
    }
}

impl Replica {
    /// What was written down elsewhere.
    pub(super) fn at(ledger: Ledger, link: Digest) -> Self {
        Self { ledger, link, mark: Mark::default() }
    }

    /// What the record says up to here.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The end of what was read.
    #[must_use]
    pub fn head(&self) -> Head {
        Head { entries: self.ledger.entries(), link: self.link }
    }

    /// Adds an entry; `link` is what the next one has before it.
    pub fn add(&mut self, entry: &Entry, link: Digest) {
        self.ledger.add(entry);
        self.link = link;
    }

    /// Whether what somebody wants to add rests on what the record says here.
    ///
    /// # Errors
    /// [`AppendError::Done`] for a command that was carried out before, and
    /// [`AppendError::Moved`] when a version is another one, or a record is to begin that
    /// has begun.
    pub fn allows(&self, wanted: &Wanted) -> Result<(), AppendError> {
        let done = wanted.key.as_ref().and_then(|key| self.ledger.done_under(&key.key));
        if let Some(done) = done {
            return Err(AppendError::Done { made: done.made.clone() });
        }
        let begins = matches!(wanted.events.first(), Some(Event::RecordBegun { .. }));
        let holds = |(stream, version): &(Stream, u64)| self.ledger.version(stream) == *version;
        let fresh = !begins || self.ledger.entries() == 0;
        if fresh && wanted.expects.iter().all(holds) { Ok(()) } else { Err(AppendError::Moved) }
    }
}
