//! Factor "Code complexity": functions that are hard to get right.

use alloc::string::String;
use alloc::vec::Vec;

use crate::judge::facts::FactKind;
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::RiskRow;

/// One entry for each changed function that is complex or has grown, and each file that
/// could not be analysed.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let mut out = Vec::new();
    for fact in basis.facts() {
        let FactKind::Complexity { ref function, before, after, .. } = fact.kind else { continue };
        // A new function has not grown; it is as complex as it is.
        let growth = before.map_or(0, |before| after.saturating_sub(before));
        let level = RiskRow::highest(&RiskRow::COMPLEXITY, after);
        let grown = RiskRow::highest(&[RiskRow::ComplexityGrowth], growth);
        let points: u32 = level.into_iter().chain(grown).map(RiskRow::points).sum();
        if points > 0 {
            let change = Measured { function, before, after };
            let finding = change.said(level, grown.is_some());
            out.push(Evidence { finding, ..Evidence::of_fact(fact, points) });
        }
    }
    let unknown = basis.first_per_file(|kind| matches!(kind, FactKind::NotAnalysed { .. }));
    let points = RiskRow::ComplexityUnknown.points();
    out.extend(unknown.into_iter().map(|fact| Evidence::of_fact(fact, points)));
    out
}

/// A changed function and its complexity.
struct Measured<'f> {
    function: &'f str,
    before: Option<u32>,
    after: u32,
}

impl Measured<'_> {
    /// What the points are for: what the complexity is now, how much it grew, or both.
    fn said(&self, level: Option<RiskRow>, grown: bool) -> String {
        let Self { function, before, after } = self;
        let word = if before.is_some() { "changed" } else { "new" };
        let is = level.map(|row| {
            let over = row.over();
            format!("{word} function `{function}` has a complexity of {after} (more than {over})")
        });
        match (is, before.filter(|_| grown)) {
            (Some(is), Some(before)) => format!("{is}; it grew from {before} to {after}"),
            (Some(is), None) => is,
            (None, before) => {
                let before = before.unwrap_or_default();
                format!("complexity of changed function `{function}` grew from {before} to {after}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::score::sample::{Sample, kinds};

    #[test]
    fn the_points_say_what_they_are_for() {
        for (before, after, said) in [
            (Some(12), 12, "changed function `run` has a complexity of 12 (more than 10)"),
            (Some(13), 12, "changed function `run` has a complexity of 12 (more than 10)"),
            (
                Some(5),
                12,
                "changed function `run` has a complexity of 12 (more than 10); it grew from 5 to 12",
            ),
            (Some(2), 8, "complexity of changed function `run` grew from 2 to 8"),
            (None, 41, "new function `run` has a complexity of 41 (more than 40)"),
        ] {
            let mut sample = Sample::new();
            sample.modify("src/a.rs");
            sample.fact(kinds::complexity(before, after));
            let subject = sample.subject();
            let found = evidence(&Basis::of(&subject));
            let findings: Vec<&str> = found.iter().map(|one| one.finding.as_str()).collect();
            assert_eq!(findings, [said]);
        }
    }

    #[test]
    fn each_threshold_and_the_cap() {
        for (before, after, points) in [
            (Some(10), 10, 0),
            (Some(11), 11, 3),
            (Some(20), 20, 3),
            (Some(21), 21, 6),
            (Some(40), 40, 6),
            (Some(41), 41, 10),
            (Some(1), 5, 0),
            (Some(1), 6, 3),
            (Some(6), 11, 6),
            (Some(16), 21, 9),
            (Some(30), 41, 10),
            (Some(9), 2, 0),
            (None, 10, 0),
            (None, 41, 10),
        ] {
            let mut sample = Sample::new();
            sample.modify("src/a.rs");
            sample.fact(kinds::complexity(before, after));
            assert_eq!(sample.factor("Code complexity"), points, "{before:?} {after}");
        }
    }

    #[test]
    fn functions_and_unknown_files_add_up_to_the_cap() {
        let mut sample = Sample::new();
        for (i, points) in [3, 6, 9, 10].into_iter().enumerate() {
            sample.modify(&format!("src/{i}.rs"));
            sample.fact(kinds::complexity(None, 11));
            assert_eq!(sample.factor("Code complexity"), points);
        }
        let mut sample = Sample::new();
        for (i, points) in [3, 6, 9, 10].into_iter().enumerate() {
            sample.modify(&format!("src/{i}.rs"));
            sample.fact(kinds::not_analysed());
            assert_eq!(sample.factor("Code complexity"), points);
        }
    }
}
