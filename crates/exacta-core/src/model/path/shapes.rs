//! Which words can be in a table at all, told by one byte and their length.
//!
//! Hundreds of names are compared with every part of every path; nearly all of them are none
//! of these, and one look here tells.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "what is indexed and counted here is known, and counted, when this is compiled"
)]

use super::autorun::AutoRun;
use super::autorun_names::{FOLDERS, NAMES, PAIRS, PREFIXES, SUFFIXES};

/// For each byte that words begin with, or end with, the lengths of these words.
pub(super) type Shapes = [u64; 256];

pub(super) static NAME_SHAPES: Shapes = shapes(NAMES, true);
pub(super) static FOLDER_SHAPES: Shapes = shapes(FOLDERS, true);
pub(super) static PREFIX_SHAPES: Shapes = shapes(PREFIXES, true);
/// By the last byte.
pub(super) static SUFFIX_ENDS: Shapes = shapes(SUFFIXES, false);
/// Of the outer folders.
pub(super) static PAIR_SHAPES: Shapes = {
    let mut shapes = [0; 256];
    let mut index = 0;
    while index < PAIRS.len() {
        note(&mut shapes, PAIRS[index].1.as_bytes(), true);
        index += 1;
    }
    shapes
};

const fn shapes(table: &[(AutoRun, &[&str])], by_first: bool) -> Shapes {
    let mut shapes = [0; 256];
    let mut row = 0;
    while row < table.len() {
        let mut entry = 0;
        while entry < table[row].1.len() {
            note(&mut shapes, table[row].1[entry].as_bytes(), by_first);
            entry += 1;
        }
        row += 1;
    }
    shapes
}

const fn note(shapes: &mut Shapes, word: &[u8], by_first: bool) {
    let byte = if by_first { word[0] } else { word[word.len() - 1] };
    shapes[byte as usize] |= 1 << bit(word.len());
}

/// All long words share the last bit.
const fn bit(length: usize) -> u32 {
    if length < 63 { length as u32 } else { 63 }
}

/// The lengths of the words with this byte.
pub(super) fn at(shapes: &Shapes, byte: u8) -> u64 {
    shapes[usize::from(byte)]
}

/// Whether a word could be one of the table, by its first byte.
pub(super) fn fits(shapes: &Shapes, word: &str) -> bool {
    word.bytes().next().is_some_and(|first| at(shapes, first) >> bit(word.len()) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_table_fits_and_others_do_not() {
        let words = |table: &'static [(AutoRun, &'static [&'static str])]| {
            table.iter().flat_map(|(_, words)| words.iter().copied())
        };
        assert!(words(NAMES).all(|word| fits(&NAME_SHAPES, word)));
        assert!(words(FOLDERS).all(|word| fits(&FOLDER_SHAPES, word)));
        assert!(words(PREFIXES).all(|word| at(&PREFIX_SHAPES, word.as_bytes()[0]) != 0));
        assert!(words(SUFFIXES).all(|word| at(&SUFFIX_ENDS, word.as_bytes()[word.len() - 1]) != 0));
        assert!(PAIRS.iter().all(|(_, outer, _)| fits(&PAIR_SHAPES, outer)));
        assert!(!fits(&NAME_SHAPES, "") && !fits(&NAME_SHAPES, "q"));
    }
}
