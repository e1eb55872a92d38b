//! The state at the beginning of a segment, so that starting up reads one segment alone.
//!
//! Our own key vouches for it; one that does not verify is as good as none, and the
//! record is read from its beginning instead.

use exacta_core::life::ledger::Ledger;
use exacta_core::model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::run::Key;
use crate::store::Replica;

const FORMAT: &str = "exacta/snapshot/v4";

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    format: String,
    project: String,
    segment: u32,
    head: Digest,
}

/// The bytes of a snapshot: where it stands, the ledger there, one line that vouches for
/// both.
pub(super) fn write(
    replica: &Replica,
    project: &str,
    segment: u32,
    key: &Key,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(&Wire {
        format: FORMAT.into(),
        project: project.into(),
        segment,
        head: replica.head().link,
    })?;
    bytes.push(b'\n');
    bytes.extend_from_slice(&replica.ledger.to_lines()?);
    let tag = key.sign(FORMAT, &[&bytes]);
    bytes.extend_from_slice(tag.as_bytes());
    Ok(bytes)
}

/// The state that a snapshot holds; `None` when it is not ours or of another place.
pub(super) fn read(bytes: Vec<u8>, project: &str, segment: u32, key: &Key) -> Option<Replica> {
    let end = memchr::memrchr(b'\n', &bytes)? + 1;
    let (lines, tag) = bytes.split_at_checked(end)?;
    if !key.verifies(FORMAT, &[lines], std::str::from_utf8(tag).ok()?) {
        return None;
    }
    let first = memchr::memchr(b'\n', lines)?;
    let wire: Wire = serde_json::from_slice(lines.get(..first)?).ok()?;
    let ours = wire.format == FORMAT && wire.project == project && wire.segment == segment;
    let ledger = ours.then(|| Ledger::from_lines(bytes, first + 1..end))??;
    Some(Replica::at(ledger, wire.head))
}
