//! Factor "Breaking changes": what others build on.

use alloc::vec::Vec;

use crate::judge::facts::FactKind;
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::RiskRow;

/// One entry for each public item that changed, each source that does not parse and each
/// file that could not be analysed.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let found = basis.facts().filter_map(|fact| {
        let row = match &fact.kind {
            FactKind::PublicRemoved { .. } => RiskRow::PublicRemoved,
            FactKind::PublicSignature { compatible: false, .. } => RiskRow::PublicSignature,
            FactKind::PublicSignature { compatible: true, .. } => {
                RiskRow::PublicSignatureCompatible
            }
            FactKind::SourceUnreadable { .. } => RiskRow::SourceUnreadable,
            _ => return None,
        };
        Some(Evidence::of_fact(fact, row.points()))
    });
    let unknown = basis.first_per_file(|kind| matches!(kind, FactKind::NotAnalysed { .. }));
    let points = RiskRow::BreakingUnknown.points();
    found.chain(unknown.into_iter().map(|fact| Evidence::of_fact(fact, points))).collect()
}

#[cfg(test)]
mod tests {
    use crate::judge::score::sample::{Sample, kinds};

    #[test]
    fn each_kind_has_its_points_and_the_factor_a_cap() {
        for (kind, one, two, three) in [
            (kinds::public_removed(), 8, 15, 15),
            (kinds::public_signature(false), 5, 10, 15),
            (kinds::public_signature(true), 2, 4, 6),
            (kinds::source_unreadable(), 5, 10, 15),
            (kinds::not_analysed(), 5, 10, 15),
        ] {
            let mut sample = Sample::new();
            for (i, points) in [one, two, three].into_iter().enumerate() {
                sample.modify(&format!("src/{i}.rs"));
                sample.fact(kind.clone());
                assert_eq!(sample.factor("Breaking changes"), points, "{kind:?}");
            }
        }
    }

    #[test]
    fn what_could_not_be_analysed_counts_once_for_a_file() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        sample.fact(kinds::not_analysed());
        sample.fact(kinds::not_analysed());
        assert_eq!(sample.factor("Breaking changes"), 5);
        assert_eq!(sample.factor("Code complexity"), 3);
    }
}
