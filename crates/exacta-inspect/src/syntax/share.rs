//! What two trees of one file share is read once.
//!
//! A parse that starts from a known tree keeps the parts that did not change: the same
//! nodes, by their identity. What was read of such a part before holds again, moved to
//! where the part is now. Identity means something only while both trees are there.

use std::ops::Range;
use std::rc::Rc;

use hashbrown::HashMap;
use tree_sitter::Node;

use super::read::{Reading, Word};
use super::walk::Function;

/// Smaller parts are read again.
const PART: usize = 8;

/// What becomes of parts during a pass.
pub(super) enum Share<'s> {
    /// Nothing.
    No,
    /// They are noted for the pass over the next tree.
    Note(Pieces),
    /// They are taken from the pass over the tree before.
    Take(&'s Pieces, &'s Reading),
}

/// The parts of a tree.
#[derive(Default)]
pub(super) struct Pieces {
    parts: Vec<Piece>,
    /// Where each node's piece is.
    known: HashMap<usize, usize>,
    /// Those that the pass is inside of, with their depth.
    open: Vec<(usize, usize)>,
}

struct Piece {
    place: Surroundings,
    byte: usize,
    row: usize,
    functions: Range<usize>,
    words: Range<usize>,
}

/// What is read of a part depends on nothing else around it.
#[derive(PartialEq, Eq)]
pub(super) struct Surroundings {
    pub(super) kind: u16,
    /// Its own name, which may stand beside it: `name = () => {}`.
    pub(super) name: Option<String>,
    /// The names of what it is in.
    pub(super) scope: Rc<str>,
    pub(super) column: usize,
    /// Whether no word stands before it on its row.
    pub(super) begins: bool,
}

/// Whether a part is worth the trouble.
pub(super) fn is_part(node: Node<'_>) -> bool {
    node.descendant_count() >= PART
}

impl Pieces {
    /// Notes that a part begins.
    pub(super) fn begin(
        &mut self,
        node: Node<'_>,
        depth: usize,
        place: Surroundings,
        reading: &Reading,
    ) {
        let (functions, words) = (reading.functions.len(), reading.lines.words.len());
        self.open.push((depth, self.parts.len()));
        self.known.insert(node.id(), self.parts.len());
        self.parts.push(Piece {
            place,
            byte: node.start_byte(),
            row: node.start_position().row,
            functions: functions..functions,
            words: words..words,
        });
    }

    /// Everything that began at this depth or below has ended.
    pub(super) fn leave(&mut self, depth: usize, reading: &Reading) {
        while let Some((_, index)) = self.open.pop_if(|(at, _)| *at >= depth) {
            if let Some(piece) = self.parts.get_mut(index) {
                piece.functions.end = reading.functions.len();
                piece.words.end = reading.lines.words.len();
            }
        }
    }

    /// What is known of a part, as it would be read where it is now.
    pub(super) fn of(
        &self,
        node: Node<'_>,
        place: &Surroundings,
        reading: &Reading,
    ) -> Option<(Vec<Function>, Vec<Word>)> {
        let piece = self.parts.get(*self.known.get(&node.id())?)?;
        if piece.place != *place {
            return None;
        }
        let byte = |at: usize| at - piece.byte + node.start_byte();
        let row = |at: usize| at - piece.row + node.start_position().row;
        let (small_byte, small_row) = (
            |at: u32| u32::try_from(byte(at as usize)).unwrap_or(u32::MAX),
            |at: u32| u32::try_from(row(at as usize)).unwrap_or(u32::MAX),
        );
        let functions = reading.functions.get(piece.functions.clone())?.iter();
        let words = reading.lines.words.get(piece.words.clone())?.iter();
        Some((
            functions
                .map(|function| Function {
                    line: row(function.line),
                    bytes: (byte(function.bytes.0), byte(function.bytes.1)),
                    ..function.clone()
                })
                .collect(),
            words
                .map(|word| Word {
                    start: small_byte(word.start),
                    end: small_byte(word.end),
                    column: word.column,
                    first_row: small_row(word.first_row),
                    last_row: small_row(word.last_row),
                })
                .collect(),
        ))
    }
}
