//! How far a record had come when the last command was acknowledged.
//!
//! Kept outside the project, so that a record whose tail was cut is noticed. Two slots
//! are written in turn: a torn one leaves the other.

use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use exacta_core::model::digest::Digest;

use super::disk;
use super::place::TrustError;
use crate::run::Key;

const FORMAT: &str = "exacta/checkpoint/v2";
/// A slot is larger than any line in it.
const SLOT: usize = 256;

/// The head of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// How many entries it has.
    pub entries: u64,
    /// The link of the newest one.
    pub head: Digest,
    /// How many of them the files that are derived from the record show.
    pub projected: u64,
}

impl Checkpoint {
    /// A head that everything has followed.
    #[must_use]
    pub const fn settled(entries: u64, head: Digest) -> Self {
        Self { entries, head, projected: entries }
    }

    /// Of two notes of one record, the greater is the newer.
    const fn age(&self) -> (u64, u64) {
        (self.entries, self.projected)
    }
}

/// Where heads are noted.
pub trait Checkpoints: Send + Sync {
    /// The newest head that was noted; `None` when none was.
    ///
    /// # Errors
    /// When it cannot be read.
    fn load(&self) -> Result<Option<Checkpoint>, TrustError>;

    /// Notes a head. Losing the note in a power loss is allowed; tearing it is not.
    ///
    /// # Errors
    /// When it cannot be written.
    fn note(&self, checkpoint: &Checkpoint) -> Result<(), TrustError>;
}

/// Heads in a private file.
#[derive(Debug)]
pub struct FileCheckpoints {
    path: PathBuf,
    key: Key,
    project: String,
}

impl FileCheckpoints {
    pub(super) fn new(path: PathBuf, key: Key, project: String) -> Self {
        Self { path, key, project }
    }

    fn line(&self, checkpoint: &Checkpoint) -> String {
        let Checkpoint { entries, head, projected } = checkpoint;
        let said = format!("{entries} {head} {projected}");
        let tag = self.key.sign(FORMAT, &[self.project.as_bytes(), said.as_bytes()]);
        format!("{FORMAT} {said} {tag}\n")
    }

    /// Whether the first slot holds the newest head, so that the second may be written.
    fn newest_is_first(&self, file: &std::fs::File) -> bool {
        let mut slots = [0; 2 * SLOT];
        // A file that is shorter has zeros for what it lacks.
        let (first, second) = slots.split_at_mut(SLOT);
        let age = |slot: &mut [u8], at: usize| {
            let read = file.read_at(slot, at as u64).ok()?;
            self.read_slot(slot.get(..read)?).map(|checkpoint| checkpoint.age())
        };
        let (first, second) = (age(first, 0), age(second, SLOT));
        first.is_some() && first >= second
    }

    fn read_slot(&self, slot: &[u8]) -> Option<Checkpoint> {
        let line = std::str::from_utf8(slot).ok()?.split('\n').next()?;
        let (line, tag) = line.rsplit_once(' ')?;
        let (format, said) = line.split_once(' ')?;
        let signed = [self.project.as_bytes(), said.as_bytes()];
        if format != FORMAT || !self.key.verifies(FORMAT, &signed, tag) {
            return None;
        }
        let mut parts = said.split(' ');
        let (entries, head, projected) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Checkpoint {
            entries: entries.parse().ok()?,
            head: Digest::parse(head).ok()?,
            projected: projected.parse().ok()?,
        })
    }
}

impl Checkpoints for FileCheckpoints {
    fn load(&self) -> Result<Option<Checkpoint>, TrustError> {
        let Some(bytes) = disk::read(&self.path)? else { return Ok(None) };
        let slots = bytes.chunks(SLOT).filter_map(|slot| self.read_slot(slot));
        let newest = slots.max_by_key(Checkpoint::age);
        // The first note may have been lost with the power, and left nothing but zeros.
        if newest.is_none() && bytes.iter().any(|byte| *byte != 0) {
            return Err(TrustError::Damaged { path: self.path.clone() });
        }
        Ok(newest)
    }

    fn note(&self, checkpoint: &Checkpoint) -> Result<(), TrustError> {
        let fault = disk::fault(&self.path);
        let mut slot = self.line(checkpoint).into_bytes();
        slot.resize(SLOT, b' ');
        if matches!(self.load(), Ok(None)) {
            // The first note must last: where there is none, the record is not trusted.
            slot.resize(2 * SLOT, b' ');
            return disk::write(&self.path, &slot);
        }
        let file = disk::open(&self.path, true).map_err(&fault)?;
        disk::check(&file, &self.path)?;
        let place = if self.newest_is_first(&file) { SLOT as u64 } else { 0 };
        file.write_all_at(&slot, place).map_err(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_whole_slot_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let file = FileCheckpoints::new(path.clone(), Key::new([3; 32]), "p".into());
        assert_eq!(file.load().unwrap(), None);
        // Commands may well add two entries each time.
        for entries in [1, 3, 5, 6, 8, 10] {
            let checkpoint = Checkpoint::settled(entries, Digest::of(&[1]));
            file.note(&checkpoint).unwrap();
            assert_eq!(file.load().unwrap(), Some(checkpoint));
        }
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[SLOT + 30] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(file.load().unwrap().unwrap().entries, 8);
        bytes[30] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(matches!(file.load(), Err(TrustError::Damaged { .. })));
        let other = FileCheckpoints::new(path, Key::new([3; 32]), "q".into());
        assert!(other.load().is_err());
    }

    #[test]
    fn what_is_derived_may_be_behind_the_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let file = FileCheckpoints::new(path.clone(), Key::new([3; 32]), "p".into());
        let head = Digest::of(&[1]);
        for (entries, projected) in [(1, 0), (1, 1), (3, 1), (3, 3), (4, 3), (5, 3), (5, 5)] {
            let checkpoint = Checkpoint { entries, head, projected };
            file.note(&checkpoint).unwrap();
            assert_eq!(file.load().unwrap(), Some(checkpoint));
        }
        // A note of another form is none.
        std::fs::write(&path, format!("exacta/checkpoint/v1 7 {head} tag\n")).unwrap();
        assert!(matches!(file.load(), Err(TrustError::Damaged { .. })));
    }
}
