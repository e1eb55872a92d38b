//! Which lines are new and which are gone.

use exacta_core::text::lines::{Changed, changes};

/// Zero-based line numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LineDiff {
    /// Lines of the image after that were not there before.
    pub(crate) added: Vec<usize>,
    /// Lines of the image before that are not there any more.
    pub(crate) removed: Vec<usize>,
    /// Which lines of the image before and after stand in each other's place.
    pub(crate) hunks: Vec<Changed>,
}

impl LineDiff {
    /// Compares two images line by line. Line ends do not count.
    pub(crate) fn of(before: &[&str], after: &[&str]) -> Self {
        let mut found = Self { hunks: changes(before, after), ..Self::default() };
        for hunk in &found.hunks {
            found.removed.extend(hunk.before.clone());
            found.added.extend(hunk.after.clone());
        }
        found
    }

    /// Lines that stayed: where each was and where it is.
    pub(crate) fn stayed(
        &self,
        before: usize,
        after: usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        let others = |all: usize, changed: &[usize]| -> Vec<usize> {
            (0..all).filter(|line| changed.binary_search(line).is_err()).collect()
        };
        others(before, &self.removed).into_iter().zip(others(after, &self.added))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_and_removed_lines_are_told_apart() {
        let diff = LineDiff::of(&["a", "b", "c"], &["a", "x", "c", "d"]);
        let part = |before, after| Changed { before, after };
        let hunks = vec![part(1..2, 1..2), part(3..3, 3..4)];
        assert_eq!(diff, LineDiff { added: vec![1, 3], removed: vec![1], hunks });
        assert_eq!(diff.stayed(3, 4).collect::<Vec<_>>(), [(0, 0), (2, 2)]);
        assert_eq!(LineDiff::of(&[], &["a"]).added, [0]);
        assert_eq!(LineDiff::of(&["a"], &["a"]), LineDiff::default());
    }
}
