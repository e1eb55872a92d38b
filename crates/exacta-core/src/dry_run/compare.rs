//! Lines that differ between two images, found in bounded time.
//!
//! A line comparison of hostile images takes time in proportion to the number of pairs of
//! an old and a new line, so these are counted and limited, for all files of a plan together.

use hashbrown::HashMap;
use imara_diff::{Algorithm, Diff, InternedInput};

use crate::digest::{Blob, Digest};

/// The most pairs of an old and a new line that the comparisons of one plan look at.
const MAX_EFFORT: u64 = 2_000_000_000;

/// An image before and one after; `None` where there is no file.
type Images = (Option<Digest>, Option<Digest>);

/// The comparisons of one plan, each made once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparisons {
    made: HashMap<Images, LineChange>,
    effort: u64,
}

impl Default for Comparisons {
    fn default() -> Self {
        Self { made: HashMap::new(), effort: MAX_EFFORT }
    }
}

impl Comparisons {
    /// What differs between two images.
    pub fn compare(&mut self, before: Option<&Blob>, after: Option<&Blob>) -> LineChange {
        let images = (before.map(Blob::digest), after.map(Blob::digest));
        let effort = &mut self.effort;
        *self.made.entry(images).or_insert_with(|| {
            let old = before.map_or(&[][..], Blob::bytes);
            let new = after.map_or(&[][..], Blob::bytes);
            LineChange::between(old, new, effort)
        })
    }
}

/// Lines added and removed between two images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineChange {
    /// Lines only the new image has.
    pub added: u64,
    /// Lines only the old image has.
    pub removed: u64,
    /// Bytes of both.
    pub bytes: u64,
}

impl LineChange {
    /// Compares two images line by line, as long as that takes at most `effort`, which is
    /// used up by it. Beyond, every line of the region that differs counts as changed:
    /// more than a comparison would find, never less.
    fn between(old: &[u8], new: &[u8], effort: &mut u64) -> Self {
        let (old, new) = without_common_ends(old, new);
        if old.is_empty() || new.is_empty() {
            let bytes = (old.len() + new.len()) as u64;
            return Self { added: line_count(new), removed: line_count(old), bytes };
        }
        let (added, removed) = (line_count(new), line_count(old));
        let Some(left) = effort.checked_sub(added.saturating_mul(removed)) else {
            return Self { added, removed, bytes: (old.len() + new.len()) as u64 };
        };
        *effort = left;
        let input = InternedInput::new(old, new);
        let diff = Diff::compute(Algorithm::Histogram, &input);
        let size = |token: &imara_diff::Token| input.interner[*token].len() as u64;
        let sum = |side: &[imara_diff::Token], lines: &core::ops::Range<u32>| {
            let lines = lines.start as usize..lines.end as usize;
            side.get(lines).unwrap_or_default().iter().map(size).sum::<u64>()
        };
        let bytes = diff
            .hunks()
            .map(|hunk| sum(&input.before, &hunk.before) + sum(&input.after, &hunk.after))
            .sum();
        Self {
            added: u64::from(diff.count_additions()),
            removed: u64::from(diff.count_removals()),
            bytes,
        }
    }
}

/// Both images without the whole lines they share at the start and at the end, which is
/// most of them in an everyday change.
fn without_common_ends<'a>(old: &'a [u8], new: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let start =
        old.get(..same).and_then(|head| memchr::memrchr(b'\n', head)).map_or(0, |at| at + 1);
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    // The shared tail begins after its first line break; that line itself may differ.
    let tail = old.get(old.len() - same..).unwrap_or_default();
    let kept = memchr::memchr(b'\n', tail).map_or(0, |at| tail.len() - at - 1);
    let cut = |image: &'a [u8]| image.get(..image.len() - kept).unwrap_or_default();
    (cut(old), cut(new))
}

fn line_count(bytes: &[u8]) -> u64 {
    let complete = memchr::memchr_iter(b'\n', bytes).count() as u64;
    complete + u64::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(old: &str, new: &str) -> LineChange {
        LineChange::between(old.as_bytes(), new.as_bytes(), &mut MAX_EFFORT.clone())
    }

    #[test]
    fn large_regions_count_as_changed_whole() {
        let lines = |a: &str, b: &str, count: usize| [a, b].concat().repeat(count);
        let (old, new) = (lines("a\n", "b\n", 25_000), lines("b\n", "a\n", 25_000));
        let change = between(&old, &new);
        assert_eq!((change.added, change.removed), (50_000, 50_000));
    }

    #[test]
    fn counts_added_and_removed_lines() {
        for (old, new, added, removed, bytes) in [
            ("", "", 0, 0, 0),
            ("", "a\nb", 2, 0, 3),
            ("a\nb\n", "", 0, 2, 4),
            ("a\nb\nc\n", "a\nX\nc\n", 1, 1, 4),
            ("a\nb\nc\n", "a\nb\nc\nd\n", 1, 0, 2),
            ("a\n", "a", 1, 1, 3),
        ] {
            let expected = LineChange { added, removed, bytes };
            assert_eq!(between(old, new), expected, "{old:?} {new:?}");
        }
    }
}
