//! The dimensions, weighed and capped.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::model::{Dimensions, Quality, Scored};
use super::{clarity, completeness, feasibility, safety, specificity};
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::{Dimension, QUALITY_CAPS, START};
use crate::judge::score::thousandths::Thousandths;

/// The quality of a subject.
pub(in crate::judge::score) fn of(basis: &Basis<'_>) -> Quality {
    let (judged, complete) = completeness::findings(basis);
    let mut dimensions = Dimensions {
        completeness: scored(Dimension::Completeness, complete),
        specificity: scored(Dimension::Specificity, specificity::findings(basis)),
        feasibility: scored(Dimension::Feasibility, feasibility::findings(basis)),
        safety: scored(Dimension::Safety, safety::findings(basis)),
        clarity: scored(Dimension::Clarity, clarity::findings(basis)),
    };
    if !judged {
        // Nothing asked can be compared, so a good mark would be a gift: completeness
        // then counts only where it lowers the overall.
        let with = mean(&dimensions);
        dimensions.completeness.applicable = false;
        dimensions.completeness.applicable = with < mean(&dimensions);
    }
    Quality { overall: Thousandths::new(mean(&dimensions).min(cap(&dimensions))), dimensions }
}

/// The worst step's losses and those of the plan, taken from the start.
fn scored(dimension: Dimension, findings: Vec<Evidence>) -> Scored {
    let mut steps: BTreeMap<&str, u32> = BTreeMap::new();
    let mut plan = 0u32;
    for finding in &findings {
        let loss = match &finding.step_id {
            Some(step) => steps.entry(step).or_default(),
            None => &mut plan,
        };
        *loss = loss.saturating_add(finding.points);
    }
    let lost = plan.saturating_add(steps.values().copied().max().unwrap_or(0));
    Scored {
        score: Thousandths::new(START.saturating_sub(lost)),
        weight: dimension.weight(),
        applicable: true,
        findings,
    }
}

/// The weighted mean of the dimensions that count, rounded down.
fn mean(dimensions: &Dimensions) -> u32 {
    let counted = || dimensions.each().into_iter().filter(|(_, scored)| scored.applicable);
    let sum: u32 = counted().map(|(_, scored)| scored.weight * scored.score.get()).sum();
    let weight: u32 = counted().map(|(_, scored)| scored.weight).sum();
    sum.checked_div(weight).unwrap_or(0)
}

/// The most that the overall can be. What is dangerous asks a person and does not reject: a
/// migration that drops a table may be what was wanted.
fn cap(dimensions: &Dimensions) -> u32 {
    let worst = |left_out: &[Dimension]| {
        let judged = dimensions.each().into_iter().filter(|(one, _)| !left_out.contains(one));
        judged.map(|(_, scored)| scored.score.get()).min().unwrap_or(0)
    };
    let [rejects, asks] = QUALITY_CAPS;
    if worst(&[Dimension::Safety, Dimension::Clarity]) < rejects.0 {
        return rejects.1;
    }
    if worst(&[Dimension::Clarity]) < asks.0 { asks.1 } else { START }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(dimension: Dimension, score: u32) -> Scored {
        let lost = vec![Evidence::of_plan("lost", 1000 - score)];
        scored(dimension, lost)
    }

    fn overall(scores: [u32; 5]) -> u32 {
        let [completeness, specificity, feasibility, safety, clarity] = scores;
        let dimensions = Dimensions {
            completeness: dimension(Dimension::Completeness, completeness),
            specificity: dimension(Dimension::Specificity, specificity),
            feasibility: dimension(Dimension::Feasibility, feasibility),
            safety: dimension(Dimension::Safety, safety),
            clarity: dimension(Dimension::Clarity, clarity),
        };
        mean(&dimensions).min(cap(&dimensions))
    }

    #[test]
    fn the_overall_is_the_floor_of_the_weighted_mean() {
        for (scores, expected) in [
            ([1000; 5], 1000),
            ([0; 5], 0),
            ([850, 1000, 1000, 1000, 1000], 955),
            ([1000, 900, 1000, 1000, 1000], 975),
            ([1000, 1000, 700, 1000, 1000], 940),
            ([1000, 1000, 1000, 800, 1000], 970),
            ([1000, 1000, 1000, 1000, 600], 960),
            ([999, 999, 999, 999, 998], 998),
        ] {
            assert_eq!(overall(scores), expected, "{scores:?}");
        }
    }

    #[test]
    fn a_bad_dimension_caps_the_overall_and_clarity_does_not() {
        for position in 0..5 {
            for (score, cap) in [(500, 1000), (499, 749), (250, 749), (249, 599), (0, 599)] {
                let mut scores = [1000; 5];
                scores[position] = score;
                let weight = Dimension::ALL[position].weight();
                let mean = (1000 * (100 - weight) + weight * score) / 100;
                // Danger asks; it does not reject.
                let cap = if position == 3 { cap.max(749) } else { cap };
                let expected = if position == 4 { mean } else { mean.min(cap) };
                assert_eq!(overall(scores), expected, "{position} {score}");
            }
        }
    }

    #[test]
    fn the_worst_step_counts_and_the_plan_on_top() {
        let at = |step: Option<&str>, points| match step {
            Some(step) => Evidence::of_step(step, "lost", points),
            None => Evidence::of_plan("lost", points),
        };
        let findings = vec![
            at(Some("a"), 100),
            at(Some("b"), 150),
            at(Some("a"), 100),
            at(None, 50),
            at(Some("c"), 10),
        ];
        assert_eq!(scored(Dimension::Safety, findings).score.get(), 750);
        let findings = vec![at(Some("a"), 900), at(Some("a"), 900)];
        assert_eq!(scored(Dimension::Safety, findings).score.get(), 0);
    }
}
