//! Reading back from a head: it vouches for the newest line, and through the chain for every
//! line before it, so that nothing older has to be read.

use exacta_core::model::digest::Digest;
use exacta_core::record::{self, Entry};

use super::open::FileStore;
use super::segment::{lines, next};
use crate::store::{LogError, Replica};

impl FileStore {
    /// The entries from number `from` on, up to where `replica` stands.
    pub(super) fn tail(&self, replica: &Replica, from: u64) -> Result<Vec<Entry>, LogError> {
        let head = replica.head();
        let from = from.max(1);
        let Some(count) = (head.entries + 1).checked_sub(from).filter(|count| *count > 0) else {
            return Ok(Vec::new());
        };
        let broken = |why: &str| LogError::Broken { entry: from, why: why.into() };
        // The newest segment first; behind what was read of it there may be half an append,
        // and one that nothing was written to yet may not be there at all.
        let (mut segments, mut found) = (Vec::new(), 0);
        let (mut number, mut whole) = (replica.mark.segment, Some(replica.mark.good));
        if whole == Some(0) {
            (number, whole) = (number.saturating_sub(1), None);
        }
        while found < count {
            if number == 0 {
                return Err(broken("entries before it are missing"));
            }
            let mut bytes = self.segment_bytes(number, from)?;
            if let Some(good) = whole.take() {
                bytes.truncate(good);
            }
            found += lines(&bytes).count() as u64;
            segments.push(bytes);
            number -= 1;
        }
        let wanted = segments.iter().rev().flat_map(|bytes| lines(bytes));
        let skipped = usize::try_from(found - count).unwrap_or(usize::MAX);
        let mut entries = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
        let mut link: Option<Digest> = None;
        for (line, number) in wanted.skip(skipped).zip(from..) {
            let before = match link {
                Some(link) => link,
                // What the first one names is vouched for with it.
                None if number == 1 => Digest::NOTHING,
                None => named(line, number)?,
            };
            entries.push(next(line, &before, number)?);
            link = Some(record::link(line));
        }
        if link == Some(head.link) {
            return Ok(entries);
        }
        Err(broken("the entries do not lead to the newest one"))
    }
}

/// The link that a line names.
fn named(line: &[u8], number: u64) -> Result<Digest, LogError> {
    let previous = record::previous(line).map_err(|fault| LogError::line(number, &fault))?;
    let broken = |why: String| LogError::Broken { entry: number, why };
    let text = std::str::from_utf8(previous).map_err(|error| broken(error.to_string()))?;
    Digest::parse(text).map_err(|error| broken(error.to_string()))
}
