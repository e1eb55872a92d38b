//! What a parse takes, counted so that every machine counts the same.
//!
//! The parser reports its steps, but not the work of repairing broken text: one repair
//! may undo and redo everything since the last sound place, and the lexer may read to the
//! end of the text again for every word. The first shows in the memory that it asks for,
//! the second in the bytes that it fetches. Both are counted here, together with the
//! steps. Ordinary sources ask for memory less than once a byte; text that has to be
//! repaired all along asks five to several hundred times.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::requests::{self, Taken};

/// The parser asks after every hundred of its steps whether to go on. An ordinary
/// source needs about one such round for 130 bytes; this many are granted at once,
const ROUNDS: u64 = 2_000;
/// and one more for so many bytes.
const BYTES_A_ROUND: u64 = 16;

/// Requests for memory that are granted at once,
const REQUESTS: u64 = 250_000;
/// and so many more a byte. Headers full of macros need up to six.
const REQUESTS_A_BYTE: u64 = 8;
/// Up to so many a byte are ordinary; what goes beyond is taken from the plan's allowance.
const ORDINARY_REQUESTS: u64 = 2;
/// Memory that a parse may ask for in all. Less than the child may have, so that it is
/// never the machine that says no.
const MEMORY: u64 = 1 << 30;

/// The text is handed out in pieces of so many bytes, which are counted.
const PIECE: usize = 64;
/// Bytes that are handed out at once,
const FETCHED: u64 = 1 << 20;
/// and how often each may be handed out again. Twice is usual.
const FETCHES: u64 = 16;

/// A single repair cannot be interrupted. One that asks so often beyond what was granted
/// ends the process, where [`requests::may_end_the_process`] was called.
const BEYOND: u64 = 8_000_000;

/// What the repair of broken texts may take in a whole plan, so that many broken files
/// take no longer than a few.
#[derive(Debug)]
pub(crate) struct Allowance(Cell<u64>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Cell::new(6_000_000))
    }
}

impl Allowance {
    /// Requests for memory granted to a text of so many bytes.
    fn granted(&self, bytes: u64) -> u64 {
        let own = REQUESTS + bytes * REQUESTS_A_BYTE;
        own.min(self.0.get() + bytes * ORDINARY_REQUESTS)
    }

    fn charge(&self, bytes: u64, taken: Taken) {
        let extraordinary = taken.requests.saturating_sub(bytes * ORDINARY_REQUESTS);
        self.0.set(self.0.get().saturating_sub(extraordinary));
    }
}

/// The tree of `text`, or nothing when it takes more than it may. What a known tree, edited
/// to fit, shares with it is not parsed again.
pub(super) fn metered(
    language: &tree_sitter::Language,
    text: &str,
    known: Option<&Tree>,
    allowance: &Allowance,
) -> Option<Tree> {
    requests::count();
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let bytes = text.as_bytes();
    let length = bytes.len() as u64;
    let granted = allowance.granted(length);
    let rounds = Cell::new(ROUNDS + length / BYTES_A_ROUND);
    let fetches = Cell::new(FETCHED + length * FETCHES);
    requests::start(granted + BEYOND);
    let mut progress = |_: &_| {
        let taken = requests::taken();
        let over = taken.requests > granted || taken.bytes > MEMORY || fetches.get() == 0;
        rounds.set(rounds.get().saturating_sub(1));
        if over || rounds.get() == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut source = |at: usize, _| {
        // A text that seems to end is soon done with.
        if fetches.get() == 0 {
            return [].as_slice();
        }
        let piece = bytes.get(at..bytes.len().min(at + PIECE)).unwrap_or_default();
        fetches.set(fetches.get().saturating_sub(piece.len() as u64));
        piece
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut source, known, Some(options));
    allowance.charge(length, requests::taken());
    tree.filter(|_| fetches.get() > 0)
}
