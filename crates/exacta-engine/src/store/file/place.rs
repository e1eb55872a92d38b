//! Where the record lies in the state folder.

use crate::workspace::{Spot, UNFINISHED};

/// A segment is closed when it has grown beyond this. Every start reads the newest one, and
/// every new one costs a snapshot: where snapshots are large, segments are too.
pub(super) fn segment_bytes(snapshot: usize) -> usize {
    (snapshot / 8).clamp(64 << 10, 256 << 10)
}

const ENDING: &str = ".jsonl";
const SNAPSHOT_ENDING: &str = ".json";

pub(crate) fn folder() -> Spot {
    Spot::state().within("log")
}

pub(super) fn segment(number: u32) -> Spot {
    folder().within(&format!("{number:04}{ENDING}"))
}

pub(super) fn snapshots() -> Spot {
    Spot::index()
}

pub(super) fn snapshot(number: u32) -> Spot {
    snapshots().within(&format!("{number:04}{SNAPSHOT_ENDING}"))
}

/// Which closed segments were read, and how they looked then.
pub(super) fn closed() -> Spot {
    snapshots().within("closed")
}

/// The number of a segment, from its file name.
pub(super) fn number_of(name: &str) -> Option<u32> {
    number_before(name, ENDING)
}

/// Whether a file in the folder is neither a part of the record nor one on its way to be.
pub(super) fn is_stray(name: &str) -> bool {
    number_of(name).is_none() && !name.starts_with(UNFINISHED)
}

/// The number of the segment that a snapshot stands before, from its file name.
pub(super) fn snapshot_number_of(name: &str) -> Option<u32> {
    number_before(name, SNAPSHOT_ENDING)
}

fn number_before(name: &str, ending: &str) -> Option<u32> {
    let digits = name.strip_suffix(ending)?;
    let number = digits.parse().ok()?;
    (format!("{number:04}") == digits && number > 0).then_some(number)
}
