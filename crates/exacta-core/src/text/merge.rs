//! Two changes of one text, put together where they do not meet.
//!
//! Never conflict markers: where both changed the same lines, there is no merged text.

use alloc::vec::Vec;
use core::ops::Range;

use super::lines::{Changed, changes, lines};

/// The text with both changes; nothing where they touch the same or neighbouring lines.
#[must_use]
pub fn merged(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let [base, ours, theirs] = [base, ours, theirs].map(lines);
    let mut all: Vec<(Changed, &[&[u8]])> = Vec::new();
    for side in [&ours, &theirs] {
        for change in changes(&base, side) {
            let new = side.get(change.after.clone())?;
            all.push((change, new));
        }
    }
    all.sort_by_key(|(change, _)| (change.before.start, change.before.end));
    all.dedup_by(|(one, text), (other, other_text)| {
        one.before == other.before && text == other_text
    });
    let mut out = Vec::new();
    let mut from = 0;
    for (index, (change, new)) in all.iter().enumerate() {
        let Range { start, end } = change.before.clone();
        // Neighbours could mean the same place, so they count as meeting.
        if index > 0 && start <= from {
            return None;
        }
        out.extend(base.get(from..start)?.iter().copied());
        out.extend(new.iter().copied());
        from = end;
    }
    out.extend(base.get(from..)?.iter().copied());
    Some(out.concat())
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn what_does_not_meet_is_merged_and_what_meets_is_not() {
        let base = b"1\n2\n3\n4\n5\n6\n";
        for (ours, theirs, both) in [
            ("1\nx\n3\n4\n5\n6\n", "1\n2\n3\n4\ny\n6\n", Some("1\nx\n3\n4\ny\n6\n")),
            ("0\n1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n", Some("0\n1\n2\n3\n4\n5\n6\n7\n")),
            ("1\nx\n3\n4\n5\n6\n", "1\nx\n3\n4\n5\n6\n", Some("1\nx\n3\n4\n5\n6\n")),
            ("1\nx\n3\n4\n5\n6\n", "1\ny\n3\n4\n5\n6\n", None),
            ("1\nx\n3\n4\n5\n6\n", "1\n2\ny\n4\n5\n6\n", None),
            ("1\n3\n4\n5\n6\n", "1\ny\n3\n4\n5\n6\n", None),
            ("x\n2\n3\n4\n5\n6\n", "y\n2\n3\n4\n5\n6\n", None),
        ] {
            let got = merged(base, ours.as_bytes(), theirs.as_bytes());
            assert_eq!(got.as_deref(), both.map(str::as_bytes), "{ours:?} {theirs:?}");
            let turned = merged(base, theirs.as_bytes(), ours.as_bytes());
            assert_eq!(turned, got, "{ours:?} {theirs:?}");
        }
    }
}
