//! Closed segments: whether they still hold the lines that led to where reading begins.
//!
//! Starting up reads the newest segment alone, from a snapshot that our key vouches for. What
//! lies before it is not needed to decide, but on a record that lost part of its past nothing
//! may be added and nothing may run. Reading everything for every command would take longer
//! with each entry, so what was read is noted with the marks of its files, and our key
//! vouches for the note. A file with another mark is read again, and all that follow it.

use exacta_core::model::digest::Digest;
use exacta_core::record;
use serde::{Deserialize, Serialize};

use super::open::FileStore;
use super::place;
use super::segment::{follows, lines};
use crate::store::{LogError, Replica};
use crate::workspace::{PortError, Stamp, replace};

const FORMAT: &str = "exacta/closed/v1";
/// A file that changed so recently might change once more without another mark: clocks of
/// file systems are coarse.
const RECENT_MS: u64 = 2_000;

/// How far closed segments were read.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    format: String,
    project: String,
    entries: u64,
    head: Digest,
    files: Vec<Mark>,
}

/// What tells whether a file was touched. Its time of change cannot be set by hand.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mark {
    inode: u64,
    size: u64,
    changed: (i64, u64),
}

impl From<Stamp> for Mark {
    fn from(stamp: Stamp) -> Self {
        Self { inode: stamp.inode, size: stamp.size, changed: stamp.changed }
    }
}

impl Mark {
    fn is_recent(&self, now_ms: u64) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let ms = u64::try_from(seconds).unwrap_or(0).saturating_mul(1000);
        ms.saturating_add(nanoseconds / 1_000_000).saturating_add(RECENT_MS) > now_ms
    }
}

impl FileStore {
    /// Whether the segments before the one that was read first lead to it.
    ///
    /// # Errors
    /// When they do not, or cannot be read.
    pub(super) fn check_closed(&self, replica: &Replica) -> Result<(), LogError> {
        let Some((first, head)) = replica.mark.began.filter(|(first, _)| *first > 1) else {
            return Ok(());
        };
        let mut files: Vec<Mark> = Vec::new();
        for number in 1..first {
            // What is missing is met by whoever reads on.
            let Some(stamp) = self.port.stamp(&place::segment(number))? else { break };
            files.push(stamp.into());
        }
        let mut note = self.note_of_closed().filter(|note| files.starts_with(&note.files));
        if note.as_ref().is_some_and(|note| note.files.len() == files.len() && note.head == head) {
            return Ok(());
        }
        if note.as_ref().is_some_and(|note| note.files.len() == files.len()) {
            note = None;
        }
        let (mut link, mut entries, read) = note
            .map_or((Digest::NOTHING, 0, 0), |note| (note.head, note.entries, note.files.len()));
        let unread = u32::try_from(read).unwrap_or(u32::MAX).saturating_add(1);
        for number in unread..first {
            (link, entries) = self.follow(number, link, entries)?;
        }
        if link != head {
            let why = format!("the entries before `{}` do not lead to it", place::segment(first));
            return Err(LogError::Broken { entry: entries, why });
        }
        self.keep_note(files, entries, head);
        Ok(())
    }

    /// Follows the chain through one segment.
    fn follow(
        &self,
        number: u32,
        mut head: Digest,
        mut entries: u64,
    ) -> Result<(Digest, u64), LogError> {
        let at = place::segment(number);
        let broken = |entry, why: &str| LogError::Broken { entry, why: format!("`{at}` {why}") };
        let bytes = match self.port.read(&at) {
            Ok(bytes) => bytes,
            Err(PortError::Gone(_)) => return Err(broken(entries + 1, "is missing")),
            Err(PortError::Refused { .. }) => {
                return Err(broken(entries + 1, "cannot be part of a record"));
            }
            Err(error) => return Err(error.into()),
        };
        let mut whole = 0;
        for line in lines(&bytes) {
            entries += 1;
            follows(line, &head, entries)?;
            head = record::link(line);
            whole += line.len() + 1;
        }
        if whole == bytes.len() { Ok((head, entries)) } else { Err(broken(entries, "was cut")) }
    }

    /// What was noted, if our key vouches for it.
    fn note_of_closed(&self) -> Option<Note> {
        let bytes = self.port.read(&place::closed()).ok()?;
        let end = memchr::memrchr(b'\n', &bytes)?;
        let (line, tag) = (bytes.get(..end)?, bytes.get(end + 1..)?);
        if !self.vouchers.key.verifies(FORMAT, &[line], std::str::from_utf8(tag).ok()?) {
            return None;
        }
        let note: Note = serde_json::from_slice(line).ok()?;
        (note.format == FORMAT && note.project == self.vouchers.project).then_some(note)
    }

    /// Notes what was read. Where that fails, it is read once more the next time.
    fn keep_note(&self, files: Vec<Mark>, entries: u64, head: Digest) {
        let Ok(now) = self.machine.now() else { return };
        if files.iter().any(|file| file.is_recent(now.wall_ms)) {
            return;
        }
        let project = self.vouchers.project.clone();
        let note = Note { format: FORMAT.into(), project, entries, head, files };
        let Ok(mut bytes) = serde_json::to_vec(&note) else { return };
        let tag = self.vouchers.key.sign(FORMAT, &[&bytes]);
        bytes.push(b'\n');
        bytes.extend_from_slice(tag.as_bytes());
        if let Ok(turn) = self.port.turn() {
            let _ = replace(self.port.as_ref(), &place::closed(), &bytes);
            drop(turn);
        }
    }
}
