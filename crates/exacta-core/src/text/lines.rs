//! Which lines of two texts differ: the one comparison that counts, facts and the review
//! rest on, so that no two places of the product call different lines new.
//!
//! [`changes`] compares any lines. [`Compared`] does so for two images, byte for byte and
//! with line ends, in bounded time: a comparison of hostile images takes time in proportion
//! to the number of pairs of an old and a new line, so these are counted and limited.

use alloc::vec::Vec;
use core::hash::Hash;
use core::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// The most pairs of an old and a new line that the comparisons of one plan look at, and so
/// the most that one comparison can.
pub const MAX_EFFORT: u64 = 2_000_000_000;

/// Lines that stand in each other's place; the numbers count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Lines that are gone.
    pub before: Range<usize>,
    /// Lines that are new.
    pub after: Range<usize>,
}

/// The parts that differ, in their order.
#[must_use]
pub fn changes<T: Copy + Default + Eq + Hash>(old: &[T], new: &[T]) -> Vec<Changed> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let lines = |part: Range<u32>| part.start as usize..part.end as usize;
    let diff = Diff::compute(Algorithm::Histogram, &input);
    diff.hunks()
        .map(|hunk| Changed { before: lines(hunk.before), after: lines(hunk.after) })
        .collect()
}

/// The lines of an image, each with its line feed.
#[must_use]
pub fn lines(image: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', image) {
        lines.extend(image.get(start..=end));
        start = end + 1;
    }
    lines.extend(image.get(start..).filter(|rest| !rest.is_empty()));
    lines
}

/// Two images, line by line.
#[derive(Clone, Debug)]
pub struct Compared<'a> {
    /// Lines before, each with its line feed.
    pub old: Vec<&'a [u8]>,
    /// Lines after.
    pub new: Vec<&'a [u8]>,
    /// The parts that differ.
    pub changes: Vec<Changed>,
    /// Whether the part that differs was too large to be compared line by line, so that
    /// all of it counts as changed.
    pub coarse: bool,
}

impl<'a> Compared<'a> {
    /// Compares two images as long as that takes at most `effort`, which is used up by it.
    #[must_use]
    pub fn of(old: &'a [u8], new: &'a [u8], effort: &mut u64) -> Self {
        let middle = Middle::of(old, new);
        let (cost, head) = (middle.cost(), middle.head);
        let (old, new) = (lines(old), lines(new));
        let (before, after) = (head..head + middle.removed, head..head + middle.added);
        let left = cost.map(|cost| effort.checked_sub(cost));
        let changes = if let Some(Some(left)) = left {
            *effort = left;
            let (removed, added) = (old.get(before), new.get(after));
            let found = changes(removed.unwrap_or_default(), added.unwrap_or_default());
            let moved = |part: Range<usize>| part.start + head..part.end + head;
            found
                .into_iter()
                .map(|one| Changed { before: moved(one.before), after: moved(one.after) })
                .collect()
        } else if before.is_empty() && after.is_empty() {
            Vec::new()
        } else {
            vec![Changed { before, after }]
        };
        Self { old, new, changes, coarse: left == Some(None) }
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
    /// Whether the part that differs was too large to be compared line by line. Then all of
    /// it counts: more than a comparison would find, never less.
    pub coarse: bool,
}

impl LineChange {
    /// Counts what differs, under the same bound and with the same result as [`Compared`].
    #[must_use]
    pub fn between(old: &[u8], new: &[u8], effort: &mut u64) -> Self {
        let middle = Middle::of(old, new);
        let left = middle.cost().map(|cost| effort.checked_sub(cost));
        let Some(Some(left)) = left else {
            return Self {
                added: middle.added as u64,
                removed: middle.removed as u64,
                bytes: (middle.old.len() + middle.new.len()) as u64,
                coarse: left.is_some(),
            };
        };
        *effort = left;
        let (old, new) = (lines(middle.old), lines(middle.new));
        let mut counted = Self::default();
        let bytes = |side: &[&[u8]], part: &Range<usize>| {
            side.get(part.clone())
                .unwrap_or_default()
                .iter()
                .map(|line| line.len() as u64)
                .sum::<u64>()
        };
        for part in changes(&old, &new) {
            counted.removed += part.before.len() as u64;
            counted.added += part.after.len() as u64;
            counted.bytes += bytes(&old, &part.before) + bytes(&new, &part.after);
        }
        counted
    }
}

/// Two images without the whole lines they share at the start and at the end, which is most
/// of them in an everyday change.
struct Middle<'a> {
    old: &'a [u8],
    new: &'a [u8],
    /// How many lines both begin with.
    head: usize,
    removed: usize,
    added: usize,
}

impl<'a> Middle<'a> {
    fn of(old: &'a [u8], new: &'a [u8]) -> Self {
        let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let same = old.get(..same).unwrap_or_default();
        let start = memchr::memrchr(b'\n', same).map_or(0, |at| at + 1);
        let head = line_count(old.get(..start).unwrap_or_default());
        let rest = |image: &'a [u8]| image.get(start..).unwrap_or_default();
        let (old, new) = (rest(old), rest(new));
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        // The shared tail begins after its first line break; that line itself may differ.
        let tail = old.get(old.len() - same..).unwrap_or_default();
        let kept = memchr::memchr(b'\n', tail).map_or(0, |at| tail.len() - at - 1);
        let cut = |image: &'a [u8]| image.get(..image.len() - kept).unwrap_or_default();
        let (old, new) = (cut(old), cut(new));
        Self { old, new, head, removed: line_count(old), added: line_count(new) }
    }

    /// What a comparison may have to look at; `None` where there is nothing to compare.
    fn cost(&self) -> Option<u64> {
        let compared = !self.old.is_empty() && !self.new.is_empty();
        compared.then(|| (self.added as u64).saturating_mul(self.removed as u64))
    }
}

fn line_count(bytes: &[u8]) -> usize {
    let complete = memchr::memchr_iter(b'\n', bytes).count();
    complete + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn between(old: &[u8], new: &[u8]) -> LineChange {
        LineChange::between(old, new, &mut MAX_EFFORT.clone())
    }

    #[test]
    fn large_regions_count_as_changed_whole() {
        let lines = |a: &str, b: &str, count: usize| [a, b].concat().repeat(count);
        let (old, new) = (lines("a\n", "b\n", 25_000), lines("b\n", "a\n", 25_000));
        let change = between(old.as_bytes(), new.as_bytes());
        assert_eq!((change.added, change.removed, change.coarse), (50_000, 50_000, true));
        let compared = Compared::of(old.as_bytes(), new.as_bytes(), &mut MAX_EFFORT.clone());
        assert!(compared.coarse);
        assert_eq!(compared.changes, [Changed { before: 0..50_000, after: 0..50_000 }]);
    }

    #[test]
    fn counts_added_and_removed_lines() {
        for (old, new, added, removed, bytes) in [
            ("", "", 0, 0, 0),
            ("a", "a", 0, 0, 0),
            ("", "a\nb", 2, 0, 3),
            ("a\nb\n", "", 0, 2, 4),
            ("a\nb\nc\n", "a\nX\nc\n", 1, 1, 4),
            ("a\nb\nc\n", "a\nb\nc\nd\n", 1, 0, 2),
            ("a\n", "a", 1, 1, 3),
        ] {
            let expected = LineChange { added, removed, bytes, coarse: false };
            assert_eq!(between(old.as_bytes(), new.as_bytes()), expected, "{old:?} {new:?}");
        }
    }

    fn image() -> impl Strategy<Value = Vec<u8>> {
        let line = prop_oneof!["[ab]{0,2}\n", "[ab]{0,1}\r\n", "  x\n", "\r", "a", "\u{fffd}\n"];
        prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat().into_bytes())
    }

    proptest! {
        /// What is counted, what facts see and what a review shows are the same lines.
        #[test]
        fn plus_and_minus_are_the_same_everywhere(old in image(), new in image()) {
            let counted = between(&old, &new);
            let compared = Compared::of(&old, &new, &mut MAX_EFFORT.clone());
            let (old_lines, new_lines) = (lines(&old), lines(&new));
            let found = changes(&old_lines, &new_lines);
            prop_assert_eq!(&compared.changes, &found);
            let (mut gone, mut come, mut bytes) = (0, 0, 0);
            for Changed { before, after } in found {
                (gone, come) = (gone + before.len(), come + after.len());
                bytes += old_lines[before].concat().len() + new_lines[after].concat().len();
            }
            prop_assert_eq!((counted.removed, counted.added), (gone as u64, come as u64));
            prop_assert_eq!(counted.bytes, bytes as u64);
        }
    }
}
