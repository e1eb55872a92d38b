//! The state at the beginning of a segment, so that starting up reads one segment alone.
//!
//! Our own key vouches for it; one that does not verify is as good as none, and the
//! record is read from its beginning instead.

use exacta_core::digest::Digest;
use exacta_core::ledger::Ledger;
use serde::{Deserialize, Serialize};

use super::segment::Reader;
use crate::run::Key;

const FORMAT: &str = "exacta/snapshot/v1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    format: String,
    project: String,
    segment: u32,
    head: Digest,
    ledger: Ledger,
}

/// The bytes of a snapshot: one line of JSON, one line that vouches for it.
pub(super) fn write(
    reader: &Reader,
    project: &str,
    segment: u32,
    key: &Key,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(&Wire {
        format: FORMAT.into(),
        project: project.into(),
        segment,
        head: reader.head,
        ledger: reader.ledger.clone(),
    })?;
    let tag = key.sign(FORMAT, &[&bytes]);
    bytes.push(b'\n');
    bytes.extend_from_slice(tag.as_bytes());
    Ok(bytes)
}

/// The state that a snapshot holds; `None` when it is not ours or of another place.
pub(super) fn read(bytes: &[u8], project: &str, segment: u32, key: &Key) -> Option<Reader> {
    let end = bytes.iter().rposition(|b| *b == b'\n')?;
    let (json, tag) = (bytes.get(..end)?, std::str::from_utf8(bytes.get(end + 1..)?).ok()?);
    if !key.verifies(FORMAT, &[json], tag) {
        return None;
    }
    let wire: Wire = serde_json::from_slice(json).ok()?;
    let ours = wire.format == FORMAT && wire.project == project && wire.segment == segment;
    ours.then_some(Reader { ledger: wire.ledger, head: wire.head })
}
