//! Factor "Code complexity": functions that are hard to get right.

use alloc::vec::Vec;

use crate::facts::FactKind;
use crate::score::basis::Basis;
use crate::score::evidence::Evidence;
use crate::score::table::RiskRow;

/// One entry for each changed function that is complex or has grown, and each file that
/// could not be analysed.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let mut out = Vec::new();
    for fact in basis.facts() {
        let FactKind::Complexity { before, after, .. } = fact.kind else { continue };
        // A new function has not grown; it is as complex as it is.
        let growth = before.map_or(0, |before| after.saturating_sub(before));
        let level = RiskRow::highest(&RiskRow::COMPLEXITY, after);
        let grown = RiskRow::highest(&[RiskRow::ComplexityGrowth], growth);
        let points: u32 = level.into_iter().chain(grown).map(RiskRow::points).sum();
        if points > 0 {
            out.push(Evidence::of_fact(fact, points));
        }
    }
    let unknown = basis.first_per_file(|kind| matches!(kind, FactKind::NotAnalysed { .. }));
    let points = RiskRow::ComplexityUnknown.points();
    out.extend(unknown.into_iter().map(|fact| Evidence::of_fact(fact, points)));
    out
}

#[cfg(test)]
mod tests {
    use crate::score::sample::{Sample, kinds};

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
