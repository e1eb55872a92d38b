//! What differs inside two lines that stand for each other.

use alloc::vec::Vec;
use core::ops::Range;

use crate::text::lines::{Changed, changes};

/// The longest line whose words are compared; of longer ones the common ends are found.
const MAX_LINE: usize = 1_000;
/// The least share of both lines, in hundredths, that has to be the same; below it the
/// marks would only confuse.
const MIN_SAME: usize = 30;

/// The parts of each line that the other does not have.
pub(super) type Parts = (Vec<Range<usize>>, Vec<Range<usize>>);

/// Compares two lines; `left` is how many comparisons of words are still granted, so that
/// a plan of many lines takes no longer than its size tells.
pub(super) fn parts(old: &[u8], new: &[u8], left: &mut usize) -> Parts {
    let parts = if old.len() <= MAX_LINE && new.len() <= MAX_LINE && *left > 0 {
        *left -= 1;
        by_words(old, new)
    } else {
        by_ends(old, new)
    };
    let length = |ranges: &[Range<usize>]| ranges.iter().map(Range::len).sum::<usize>();
    let changed = length(&parts.0) + length(&parts.1);
    let total = old.len() + new.len();
    if (total - changed) * 100 < total * MIN_SAME { Parts::default() } else { parts }
}

fn by_words(old: &[u8], new: &[u8]) -> Parts {
    let (old_words, new_words) = (words(old), words(new));
    let (old_ends, new_ends) = (ends(&old_words), ends(&new_words));
    let bytes = |ends: &[usize], words: Range<usize>| {
        let at = |word: usize| ends.get(word).copied().unwrap_or_default();
        at(words.start)..at(words.end)
    };
    let mut parts = Parts::default();
    for Changed { before, after } in changes(&old_words, &new_words) {
        parts.0.push(bytes(&old_ends, before));
        parts.1.push(bytes(&new_ends, after));
    }
    parts
}

/// Runs of letters and digits, runs of white space, and every other byte by itself.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let kind = |byte: &u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => 1,
        b' ' | b'\t' => 2,
        _ => 0,
    };
    line.chunk_by(|one, next| kind(one) != 0 && kind(one) == kind(next)).collect()
}

/// Where each word begins, and where the last ends.
fn ends(words: &[&[u8]]) -> Vec<usize> {
    let mut at = 0;
    let mut ends = vec![0];
    ends.extend(words.iter().map(|word| {
        at += word.len();
        at
    }));
    ends
}

/// Everything between the common start and the common end, whole characters only.
fn by_ends(old: &[u8], new: &[u8]) -> Parts {
    let inside = |byte: Option<&u8>| byte.is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    while head > 0 && (inside(old.get(head)) || inside(new.get(head))) {
        head -= 1;
    }
    let (old_rest, new_rest) = (old.get(head..), new.get(head..));
    let (old_rest, new_rest) = (old_rest.unwrap_or_default(), new_rest.unwrap_or_default());
    let pairs = old_rest.iter().rev().zip(new_rest.iter().rev());
    let mut tail = pairs.take_while(|(old, new)| old == new).count();
    while tail > 0 && inside(old.get(old.len() - tail)) {
        tail -= 1;
    }
    let part = |line: &[u8]| core::iter::once(head..line.len() - tail).collect();
    (part(old), part(new))
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned as _;
    use alloc::string::String;

    use super::*;

    fn marked(old: &str, new: &str, mut left: usize) -> (String, String) {
        let (removed, added) = parts(old.as_bytes(), new.as_bytes(), &mut left);
        let show = |text: &str, ranges: &[Range<usize>]| {
            let mut out = text.to_owned();
            for range in ranges.iter().rev().filter(|range| !range.is_empty()) {
                out.insert(range.end, ']');
                out.insert(range.start, '[');
            }
            out
        };
        (show(old, &removed), show(new, &added))
    }

    #[test]
    fn only_what_differs_is_marked() {
        let pair = |old: &str, new: &str| (old.to_owned(), new.to_owned());
        assert_eq!(
            marked("let count = 1;", "let total = 1;", 9),
            pair("let [count] = 1;", "let [total] = 1;")
        );
        assert_eq!(marked("f(a)", "f(a, b)", 9), pair("f(a)", "f(a[, b])"));
        // Without comparisons left, the common ends are still found.
        assert_eq!(marked("x é y", "x è y", 0), pair("x [é] y", "x [è] y"));
        // Lines that have hardly anything in common are not marked at all.
        assert_eq!(marked("abc def", "something else!", 9), pair("abc def", "something else!"));
    }
}
