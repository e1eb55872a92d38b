//! Opening the record and keeping up with what other processes add.

use std::cell::{Ref, RefCell};

use exacta_core::digest::Digest;
use exacta_core::ledger::Ledger;
use exacta_core::record::{self, Entry};

use super::error::LogError;
use super::place;
use super::segment::{Reader, next};
use super::snapshot;
use crate::machine::Machine;
use crate::outer::{Checkpoint, Checkpoints, Signer};
use crate::run::Key;
use crate::workspace::{PortError, Spot, Workspace};

/// Brings what is derived from the record up to date with new entries.
pub trait Projector {
    /// Projects `entries`, the newest of the record that `ledger` is folded from.
    ///
    /// # Errors
    /// When a projection cannot be written; it is written again later.
    fn project(&self, ledger: &Ledger, entries: &[Entry]) -> Result<(), PortError>;

    /// Writes again what a power loss may have taken: whatever entries of `boot` brought
    /// about, from all `entries` of the record.
    ///
    /// # Errors
    /// As [`Projector::project`].
    fn restore(&self, ledger: &Ledger, entries: &[Entry], boot: &str) -> Result<(), PortError>;
}

/// What vouches for the record from outside the project.
#[derive(Clone, Copy)]
pub struct Vouchers<'a> {
    /// The project's name.
    pub project: &'a str,
    /// Signs entries.
    pub signer: &'a Signer,
    /// Vouches for snapshots.
    pub key: &'a Key,
    /// Keeps heads.
    pub checkpoints: &'a dyn Checkpoints,
}

/// The record of one project.
pub struct Log<'a> {
    pub(super) port: &'a dyn Workspace,
    pub(super) vouchers: Vouchers<'a>,
    pub(super) machine: &'a dyn Machine,
    pub(super) projector: &'a dyn Projector,
    pub(super) view: RefCell<View>,
    /// The boot in which this process has brought back what the one before may have lost.
    pub(super) restored_in: RefCell<Option<String>>,
    /// What could not be brought up to date with the record.
    pub(super) behind: RefCell<Vec<LogError>>,
}

/// What this process has read so far.
pub(super) struct View {
    pub(super) reader: Reader,
    pub(super) public: String,
    /// The segment that was read first, and the link before it.
    pub(super) began: (u32, Digest),
    /// The newest segment; 0 before the first.
    pub(super) segment: u32,
    /// Bytes of it that were read.
    pub(super) good: usize,
    /// How large the snapshot before it is; 0 without one.
    pub(super) snapshot: usize,
    /// Whether an unfinished append follows them.
    pub(super) torn: bool,
    /// How many entries were noted outside.
    pub(super) noted: u64,
    /// How many entries the files that are derived from them show.
    pub(super) projected: u64,
}

/// Where reading begins.
struct Start {
    reader: Reader,
    /// The segment that follows.
    segment: u32,
    /// How large the snapshot of the state there is.
    snapshot: usize,
}

impl<'a> Log<'a> {
    /// Reads the newest segment, or everything when its snapshot is not ours.
    ///
    /// # Errors
    /// When the record does not hang together or is not the one that was noted outside.
    pub fn open(
        port: &'a dyn Workspace,
        vouchers: Vouchers<'a>,
        machine: &'a dyn Machine,
        projector: &'a dyn Projector,
    ) -> Result<Self, LogError> {
        let public = vouchers.signer.public();
        let reader = Reader::at_the_beginning()?;
        let view = View {
            began: (1, reader.head),
            reader,
            public,
            segment: 0,
            good: 0,
            snapshot: 0,
            torn: false,
            noted: 0,
            projected: 0,
        };
        let (view, restored_in) = (RefCell::new(view), RefCell::default());
        let behind = RefCell::default();
        let log = Self { port, vouchers, machine, projector, view, restored_in, behind };
        let mut noted = vouchers.checkpoints.load()?;
        log.read_all(noted.as_ref())?;
        if noted.is_none() && log.ledger().entries() > 1 {
            // Others may have begun the record since we looked for a note.
            noted = vouchers.checkpoints.load()?;
            log.read_all(noted.as_ref())?;
        }
        log.compare(noted.as_ref())?;
        if let Some(noted) = noted {
            let mut view = log.view.borrow_mut();
            (view.noted, view.projected) = (noted.entries, noted.projected);
        }
        Ok(log)
    }

    /// The state of every plan, as of the last look.
    pub fn ledger(&self) -> Ref<'_, Ledger> {
        Ref::map(self.view.borrow(), |view| &view.reader.ledger)
    }

    /// The newest link.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.view.borrow().reader.head
    }

    /// The project's name.
    #[must_use]
    pub fn project(&self) -> &str {
        self.vouchers.project
    }

    /// What this process could not bring up to date with the record, and has not told yet.
    pub fn take_behind(&self) -> Vec<LogError> {
        self.behind.take()
    }

    /// Reads what other processes added.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn look_again(&self) -> Result<(), LogError> {
        let (segment, good, torn) = {
            let view = self.view.borrow();
            (view.segment, view.good, view.torn)
        };
        let size = match self.port.stamp(&place::segment(segment.max(1)))? {
            Some(stamp) => stamp.size,
            None => 0,
        };
        let next_exists = self.port.stamp(&place::segment(segment + 1))?.is_some();
        if next_exists || size != good as u64 || torn {
            // The head noted by whoever added them may be newer than ours.
            let noted = self.vouchers.checkpoints.load()?;
            self.read_all(noted.as_ref())?;
        }
        Ok(())
    }

    /// Every entry, oldest first, as far as it was read.
    ///
    /// # Errors
    /// When a segment cannot be read, or its lines are not those that were written.
    pub fn entries(&self) -> Result<Vec<Entry>, LogError> {
        let mut entries = Vec::new();
        let (last, head) = {
            let view = self.view.borrow();
            (view.segment, view.reader.head)
        };
        let count = self.ledger().entries();
        // The newest link was vouched for when the record was opened; through the chain it
        // vouches for every line before it.
        let mut link = Reader::at_the_beginning()?.head;
        let broken = |entry: u64, why: String| LogError::Broken { entry, why };
        for number in 1..=last {
            let at = place::segment(number);
            let bytes = match self.port.read(&at) {
                Ok(bytes) => bytes,
                Err(PortError::Gone(_)) => {
                    return Err(broken(entries.len() as u64 + 1, format!("`{at}` is missing")));
                }
                Err(error) => return Err(error.into()),
            };
            for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
                if entries.len() as u64 == count {
                    break;
                }
                let seq = entries.len() as u64 + 1;
                entries.push(next(line, &link, seq)?);
                link = record::link(line);
            }
        }
        if link != head || entries.len() as u64 != count {
            let why = "the entries do not lead to the newest one".to_owned();
            return Err(broken(entries.len() as u64, why));
        }
        Ok(entries)
    }

    /// Reads from the newest place that can be trusted to the end.
    pub(super) fn read_all(&self, noted: Option<&Checkpoint>) -> Result<(), LogError> {
        let newest = self.newest_segment()?;
        let mut view = self.view.borrow_mut();
        let view = &mut *view;
        let stays = newest == view.segment && newest > 0;
        let (from, skip) = if stays {
            (newest, view.good)
        } else {
            let Start { reader, segment, snapshot } = self.starting_point(newest)?;
            view.began = (segment, reader.head);
            (view.reader, view.snapshot) = (reader, snapshot);
            (segment, 0)
        };
        for number in from..=newest {
            let at = place::segment(number);
            let bytes = match self.port.read(&at) {
                Ok(bytes) => bytes,
                Err(PortError::Gone(_)) => {
                    let entry = view.reader.ledger.entries() + 1;
                    let why = format!("`{at}` is missing");
                    return Err(LogError::Broken { entry, why });
                }
                Err(error) => return Err(error.into()),
            };
            let start = if stays { skip } else { 0 };
            let Some(rest) = bytes.get(start..) else {
                let entry = view.reader.ledger.entries();
                return Err(LogError::Broken { entry, why: format!("`{at}` was cut") });
            };
            let project = self.vouchers.project;
            let read = view.reader.read(rest, project, &view.public, noted)?;
            if read.torn && number < newest {
                let entry = view.reader.ledger.entries() + 1;
                return Err(LogError::Broken { entry, why: "the line is not whole".into() });
            }
            (view.segment, view.good, view.torn) = (number, start + read.good, read.torn);
        }
        Ok(())
    }

    /// The record must reach the head that was noted outside, and go through it.
    fn compare(&self, noted: Option<&Checkpoint>) -> Result<(), LogError> {
        let view = self.view.borrow();
        let entries = view.reader.ledger.entries();
        let Some(noted) = noted else {
            // Whoever wrote the first entry may have died before the first note.
            return if entries <= 1 { Ok(()) } else { Err(LogError::Unnoted { entries }) };
        };
        if entries < noted.entries {
            return Err(LogError::Cut { entries, noted: noted.entries });
        }
        if entries == noted.entries && view.reader.head != noted.head {
            return Err(LogError::Replaced { entry: entries });
        }
        Ok(())
    }

    fn newest_segment(&self) -> Result<u32, LogError> {
        let names = self.port.list(&place::folder())?;
        Ok(names.iter().filter_map(|name| place::number_of(name)).max().unwrap_or(0))
    }

    /// The newest place whose state is known.
    fn starting_point(&self, newest: u32) -> Result<Start, LogError> {
        // The newest snapshot may be lost with the power; the one before it is kept.
        for segment in [newest, newest.saturating_sub(1)] {
            if let Some(start) = self.snapshot(segment)? {
                return Ok(start);
            }
        }
        Ok(Start { reader: Reader::at_the_beginning()?, segment: 1, snapshot: 0 })
    }

    fn snapshot(&self, segment: u32) -> Result<Option<Start>, LogError> {
        if segment <= 1 {
            return Ok(None);
        }
        match self.port.read(&place::snapshot(segment)) {
            Ok(bytes) => {
                let Vouchers { project, key, .. } = self.vouchers;
                let snapshot = bytes.len();
                let reader = snapshot::read(bytes, project, segment, key);
                Ok(reader.map(|reader| Start { reader, segment, snapshot }))
            }
            Err(PortError::Gone(_) | PortError::Refused { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn segment_now(&self) -> Spot {
        place::segment(self.view.borrow().segment.max(1))
    }
}
