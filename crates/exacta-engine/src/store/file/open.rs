//! The store itself: what it reaches the world through, and reading what is new.

use std::sync::{Arc, Mutex};

use exacta_core::life::ledger::Ledger;
use exacta_core::model::digest::Digest;
use exacta_core::record::Entry;

use super::{place, segment, snapshot};
use crate::machine::Machine;
use crate::run::Key;
use crate::store::{Added, AppendError, Depth, LogError, Replica, Report, Store, Terms, Wanted};
use crate::trust::{Checkpoint, Checkpoints, Signer};
use crate::workspace::{PortError, Scope, Spot, Workspace};

/// Brings what is derived from the record up to date with new entries.
pub trait Projector: Send + Sync {
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
#[derive(Clone)]
pub struct Vouchers {
    /// The project's name.
    pub project: String,
    /// Signs entries.
    pub signer: Signer,
    /// Vouches for snapshots.
    pub key: Key,
    /// Keeps heads.
    pub checkpoints: Arc<dyn Checkpoints>,
}

/// The record of one project, in its own folder.
pub struct FileStore {
    pub(super) port: Arc<dyn Workspace + Send + Sync>,
    pub(super) vouchers: Vouchers,
    /// The public half of the key that signs.
    public: String,
    pub(super) machine: Arc<dyn Machine>,
    pub(super) projector: Arc<dyn Projector>,
    /// The boot in which this process has brought back what the one before may have lost.
    pub(super) restored_in: Mutex<Option<String>>,
}

/// Where reading stands in the files.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Mark {
    /// Whether anything was read yet; until then nothing was compared with the head outside.
    opened: bool,
    /// The segment that was read first, and the link before it.
    pub(super) began: Option<(u32, Digest)>,
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

impl FileStore {
    /// The record of the project behind `port`; nothing is read yet.
    #[must_use]
    pub fn new(
        port: Arc<dyn Workspace + Send + Sync>,
        vouchers: Vouchers,
        machine: Arc<dyn Machine>,
        projector: Arc<dyn Projector>,
    ) -> Self {
        let public = vouchers.signer.public();
        Self { port, vouchers, public, machine, projector, restored_in: Mutex::default() }
    }

    /// Reads the newest segment, or everything when its snapshot is not ours.
    fn open(&self, replica: &mut Replica) -> Result<(), LogError> {
        let mut noted = self.vouchers.checkpoints.load()?;
        self.read_on(replica, noted.as_ref())?;
        if noted.is_none() && replica.ledger.entries() > 1 {
            // Others may have begun the record since we looked for a note.
            noted = self.vouchers.checkpoints.load()?;
            self.read_on(replica, noted.as_ref())?;
        }
        compare(replica, noted.as_ref())?;
        if let Some(noted) = noted {
            (replica.mark.noted, replica.mark.projected) = (noted.entries, noted.projected);
        }
        replica.mark.opened = true;
        Ok(())
    }

    /// Reads what is new, if anything is.
    pub(super) fn look(&self, replica: &mut Replica) -> Result<(), LogError> {
        if !replica.mark.opened {
            return self.open(replica);
        }
        if self.has_moved(replica)? {
            // The head noted by whoever added them may be newer than ours.
            let noted = self.vouchers.checkpoints.load()?;
            self.read_on(replica, noted.as_ref())?;
        }
        Ok(())
    }

    /// Whether the files are not those that were read.
    fn has_moved(&self, replica: &Replica) -> Result<bool, LogError> {
        let Mark { opened, segment, good, torn, .. } = replica.mark;
        if !opened || torn {
            return Ok(true);
        }
        let size = match self.port.stamp(&place::segment(segment.max(1)))? {
            Some(stamp) => stamp.size,
            None => 0,
        };
        Ok(size != good as u64 || self.port.stamp(&place::segment(segment + 1))?.is_some())
    }

    /// Reads from the newest place that can be trusted to the end.
    fn read_on(&self, replica: &mut Replica, noted: Option<&Checkpoint>) -> Result<(), LogError> {
        let newest = self.newest_segment()?;
        let stays = newest == replica.mark.segment && newest > 0;
        let (from, skip) = if stays {
            (newest, replica.mark.good)
        } else {
            (self.start_over(replica, newest)?, 0)
        };
        for number in from..=newest {
            let at = place::segment(number);
            let bytes = self.segment_bytes(number, replica.ledger.entries() + 1)?;
            let Some(rest) = bytes.get(skip..) else {
                let entry = replica.ledger.entries();
                return Err(LogError::Broken { entry, why: format!("`{at}` was cut") });
            };
            let project = &self.vouchers.project;
            let read = segment::read(replica, rest, project, &self.public, noted)?;
            if read.torn && number < newest {
                let entry = replica.ledger.entries() + 1;
                return Err(LogError::Broken { entry, why: "the line is not whole".into() });
            }
            let mark = &mut replica.mark;
            (mark.segment, mark.good, mark.torn) = (number, skip + read.good, read.torn);
        }
        Ok(())
    }

    /// The bytes of a segment, whose first entry is number `entry` at the earliest.
    pub(super) fn segment_bytes(&self, number: u32, entry: u64) -> Result<Vec<u8>, LogError> {
        let at = place::segment(number);
        match self.port.read(&at) {
            Ok(bytes) => Ok(bytes),
            Err(PortError::Gone(_)) => {
                Err(LogError::Broken { entry, why: format!("`{at}` is missing") })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn newest_segment(&self) -> Result<u32, LogError> {
        let names = self.port.list(&place::folder())?;
        // Nothing is decided on a record that does not verify, and this one does not.
        if let Some(stray) = names.iter().find(|name| place::is_stray(name)) {
            return Err(LogError::Stray { file: place::folder().within(stray).to_string() });
        }
        Ok(names.iter().filter_map(|name| place::number_of(name)).max().unwrap_or(0))
    }

    /// Goes to the newest place whose state is known; returns the segment that follows it.
    fn start_over(&self, replica: &mut Replica, newest: u32) -> Result<u32, LogError> {
        let mut start = (Replica::default(), 1, 0);
        // The newest snapshot may be lost with the power; the one before it is kept.
        for segment in [newest, newest.saturating_sub(1)] {
            if let Some((known, size)) = self.snapshot(segment)? {
                start = (known, segment, size);
                break;
            }
        }
        let (known, segment, snapshot) = start;
        let Mark { opened, noted, projected, .. } = replica.mark;
        let began = Some((segment, known.head().link));
        *replica = known;
        // Until the first segment was read there is none.
        replica.mark = Mark { opened, began, snapshot, noted, projected, ..Mark::default() };
        Ok(segment)
    }

    fn snapshot(&self, segment: u32) -> Result<Option<(Replica, usize)>, LogError> {
        if segment <= 1 {
            return Ok(None);
        }
        match self.port.read(&place::snapshot(segment)) {
            Ok(bytes) => {
                let (Vouchers { project, key, .. }, size) = (&self.vouchers, bytes.len());
                Ok(snapshot::read(bytes, project, segment, key).map(|replica| (replica, size)))
            }
            Err(PortError::Gone(_) | PortError::Refused { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The record must reach the head that was noted outside, and go through it.
fn compare(replica: &Replica, noted: Option<&Checkpoint>) -> Result<(), LogError> {
    let head = replica.head();
    let entries = head.entries;
    let Some(noted) = noted else {
        // Whoever wrote the first entry may have died before the first note.
        return if entries <= 1 { Ok(()) } else { Err(LogError::Unnoted { entries }) };
    };
    if entries < noted.entries {
        return Err(LogError::Cut { entries, noted: noted.entries });
    }
    if entries == noted.entries && head.link != noted.head {
        return Err(LogError::Replaced { entry: entries });
    }
    Ok(())
}

/// The segment that is written to next.
pub(super) fn segment_now(replica: &Replica) -> Spot {
    place::segment(replica.mark.segment.max(1))
}

impl Store for FileStore {
    fn project(&self) -> &str {
        &self.vouchers.project
    }

    fn append(
        &self,
        replica: &mut Replica,
        wanted: &Wanted,
        terms: Terms<'_>,
    ) -> Result<Added, AppendError> {
        self.add(replica, wanted, terms)
    }

    fn catch_up(&self, replica: &mut Replica) -> Result<(), LogError> {
        self.look(replica)
    }

    fn has_more(&self, replica: &Replica) -> Result<bool, LogError> {
        self.has_moved(replica)
    }

    fn read(&self, replica: &Replica, from: u64) -> Result<Vec<Entry>, LogError> {
        self.tail(replica, from)
    }

    fn verify(&self, kept: &[Checkpoint], depth: Depth) -> Result<Report, LogError> {
        let noted = self.vouchers.checkpoints.load()?;
        let (port, project) = (self.port.as_ref(), &self.vouchers.project);
        super::check(port, project, &self.public, noted, kept, depth)
    }

    fn settle(&self, replica: &mut Replica) -> Result<Option<LogError>, LogError> {
        self.settle_all(replica)
    }

    fn note_synced(&self, replica: &mut Replica, synced: u64) -> Result<(), LogError> {
        self.note_what_is_synced(replica, synced)
    }

    fn check_past(&self, replica: &Replica) -> Result<(), LogError> {
        self.check_closed(replica)
    }

    fn unprojected(&self, replica: &Replica) -> Result<Vec<Entry>, LogError> {
        self.tail(replica, replica.mark.projected + 1)
    }

    fn unsynced(&self, replica: &Replica) -> Scope {
        Scope { files: vec![segment_now(replica)], folders: vec![place::folder()] }
    }
}
