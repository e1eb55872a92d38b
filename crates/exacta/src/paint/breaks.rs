//! Where a line of prose may break.
//!
//! Between words, but not inside of what stands between backticks, as long as a row has
//! room for it: commands are there to be copied. An id or a hash is never cut by us.

use super::look::colour_at;
use super::wrap::end_of_row;

/// How far a row reaches, in bytes of the text, and how many columns a row of its own has.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Where the row is full.
    pub(super) end: usize,
    /// Beyond it no word ends that begins on this row and has room on one of its own.
    pub(super) bound: usize,
    /// The columns of a row that a word could have for itself.
    pub(super) whole: usize,
}

/// Where a row ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Break {
    /// At this space, which the end of the row stands for.
    Space(usize),
    /// Where it is full: the word has no room on any row.
    Cut,
    /// Where it is full, in the middle of a name that has so many bytes left.
    Name(usize),
}

/// Where a row of this text ends; the text does not fit. `quoted` tells whether it begins
/// between two backticks.
pub(super) fn place(text: &str, reach: Reach, quoted: bool) -> Break {
    let seen = text.get(..reach.bound).unwrap_or(text);
    let (mut last, mut next) = (None, None);
    for at in spaces(seen, reach.whole, quoted) {
        if at > reach.end {
            next = Some(at);
            break;
        }
        last = Some(at);
    }
    // The text itself ends a word, if it was seen whole.
    let next = next.or_else(|| (seen.len() == text.len()).then_some(text.len()));
    let fits = |from: usize| {
        let word = next.and_then(|next| text.get(from..next));
        word.is_some_and(|word| end_of_row(word, reach.whole) == word.len())
    };
    match last {
        Some(at) if at == reach.end || fits(at + 1) => Break::Space(at),
        _ => name_at(text, reach.end).map_or(Break::Cut, Break::Name),
    }
}

/// A text parted before and after the end of a row; a space there is what the end stands
/// for.
pub(super) fn after(text: &str, end: usize) -> (&str, &str) {
    let (row, left) = text.split_at_checked(end).unwrap_or((text, ""));
    (row, left.strip_prefix(' ').unwrap_or(left))
}

/// The end of a name with the marks and colours that belong to it, as far as the row has
/// room.
pub(super) fn with_its_marks(text: &str, end: usize, most: usize) -> usize {
    let mut at = end;
    loop {
        let left = text.get(at..most).unwrap_or_default();
        match left.as_bytes().first() {
            Some(b'`' | b'.' | b',' | b';' | b':' | b')') => at += 1,
            _ => match colour_at(left) {
                Some(sequence) => at += sequence.len(),
                None => return at,
            },
        }
    }
}

/// The spaces at which a row may end, in their order.
fn spaces(text: &str, whole: usize, quoted: bool) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    // White space at the start is no place between words.
    let (mut at, mut quoted) = (text.len() - text.trim_start_matches(' ').len(), quoted);
    std::iter::from_fn(move || {
        loop {
            match bytes.get(at)? {
                b' ' => {
                    at += 1;
                    return Some(at - 1);
                }
                b'`' if quoted => quoted = false,
                b'`' => {
                    let rest = text.get(at..).unwrap_or_default();
                    let room = end_of_row(rest, whole);
                    match rest.get(1..room).and_then(|inside| inside.find('`')) {
                        Some(length) => at += length + 1,
                        None => quoted = true,
                    }
                }
                _ => {}
            }
            at += 1;
        }
    })
}

/// How many bytes of an id or a hash are left behind this place, if it is inside of one.
fn name_at(text: &str, at: usize) -> Option<usize> {
    let digit = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
    let (before, after) = text.as_bytes().split_at_checked(at)?;
    // One more than the longest name, so that a part of something longer is none.
    let before = before.iter().rev().take(HASH + 1).take_while(digit).count();
    let after = after.iter().take(HASH + 1).take_while(digit).count();
    let name = text.get(at - before..at + after)?;
    (before > 0 && after > 0 && is_name(name)).then_some(after)
}

/// How many digits a hash has.
const HASH: usize = 64;
/// How many digits the parts of an id have.
const ID: [usize; 5] = [8, 4, 4, 4, 12];

/// Whether hexadecimal digits and dashes are a hash or an id.
fn is_name(digits: &str) -> bool {
    digits.len() == HASH && !digits.contains('-') || digits.split('-').map(str::len).eq(ID)
}
