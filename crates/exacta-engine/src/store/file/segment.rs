//! Reading the lines of a segment into a replica, link by link.

use exacta_core::model::digest::Digest;
use exacta_core::record::{self, Entry};

use crate::store::{LogError, Replica};
use crate::trust::{Checkpoint, verifies};

/// What was read of a segment.
pub(super) struct Read {
    /// How many bytes end with a signed entry.
    pub(super) good: usize,
    /// Whether something unfinished follows them.
    pub(super) torn: bool,
}

/// Reads whole appends from `bytes`; the last one must be signed by `public`. An entry that
/// was noted outside must be the noted one.
pub(super) fn read(
    replica: &mut Replica,
    bytes: &[u8],
    project: &str,
    public: &str,
    noted: Option<&Checkpoint>,
) -> Result<Read, LogError> {
    let mut good = 0;
    let mut at = 0;
    let mut waiting: Vec<(Entry, Digest)> = Vec::new();
    // So many of them are whole appends.
    let mut whole = 0;
    let (before, mut head) = (replica.ledger.entries(), replica.head().link);
    let mut last_signed: Option<(u64, &[u8])> = None;
    while let Some(length) = line_end(bytes.get(at..).unwrap_or_default()) {
        let line = bytes.get(at..at + length).unwrap_or_default();
        let number = before + waiting.len() as u64 + 1;
        let entry = match next(line, &head, number) {
            Ok(entry) => entry,
            // What was never acknowledged may be torn by a dying process.
            Err(_)
                if noted.is_none_or(|noted| noted.entries < number)
                    && is_rest(bytes.get(at..).unwrap_or_default(), &head) =>
            {
                break;
            }
            Err(error) => return Err(error),
        };
        at += length + 1;
        head = record::link(line);
        if let Some(noted) = noted
            && noted.entries == number
            && noted.head != head
        {
            return Err(LogError::Replaced { entry: number });
        }
        let signed = entry.sig.is_some();
        waiting.push((entry, head));
        if signed {
            whole = waiting.len();
            good = at;
            last_signed = Some((number, line));
        }
    }
    let rest = bytes.get(at..).unwrap_or_default();
    if !rest.is_empty() && !is_rest(rest, &head) {
        let entry = before + waiting.len() as u64 + 1;
        return Err(LogError::Broken { entry, why: NOT_WRITTEN_HERE.into() });
    }
    if let Some((number, line)) = last_signed {
        let genuine = record::signed_part(project, line)
            .is_some_and(|(message, signature)| verifies(public, &message, signature));
        if !genuine {
            return Err(LogError::Foreign { entry: number });
        }
        waiting.drain(..whole).for_each(|(entry, link)| replica.add(&entry, link));
    }
    Ok(Read { good, torn: good != bytes.len() })
}

/// What is said of bytes behind the last entry that no append begins with.
pub(super) const NOT_WRITTEN_HERE: &str = "what follows the last entry is not the gate's";

/// Whether what follows the last entry is the rest of an append that did not get further: it
/// begins as one does, and is a line without its end, or the last one and with bytes that
/// never reached the disk, which read as NUL. Anything else is somebody else's.
pub(super) fn is_rest(rest: &[u8], head: &Digest) -> bool {
    let lost = memchr::memchr(0, rest);
    let written = rest.get(..lost.unwrap_or(rest.len())).unwrap_or_default();
    let begins = format!("{{\"prev\":\"{head}\",");
    let ours = written.starts_with(begins.as_bytes()) || begins.as_bytes().starts_with(written);
    ours && line_end(rest).is_none_or(|length| length + 1 == rest.len() && lost.is_some())
}

/// Whether a line names `head` as what came before it.
pub(super) fn follows(line: &[u8], head: &Digest, number: u64) -> Result<(), LogError> {
    let previous = record::previous(line).map_err(|fault| LogError::line(number, &fault))?;
    if previous == head.to_string().as_bytes() {
        return Ok(());
    }
    let why = "it is not chained to the entry before it".into();
    Err(LogError::Broken { entry: number, why })
}

/// What a line says that follows `head`.
pub(super) fn next(line: &[u8], head: &Digest, number: u64) -> Result<Entry, LogError> {
    follows(line, head, number)?;
    // Nothing counts until the signature at the end of it was checked.
    let entry = record::read_vouched(line).map_err(|fault| LogError::line(number, &fault))?;
    if entry.seq != number {
        let why = format!("it says that it is entry {}", entry.seq);
        return Err(LogError::Broken { entry: number, why });
    }
    Ok(entry)
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr(b'\n', bytes)
}

/// The whole lines of a segment, without their ends.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = line_end(rest)?;
        let (line, after) = rest.split_at_checked(length)?;
        rest = after.get(1..).unwrap_or_default();
        Some(line)
    })
}
