//! Dimension "safety": does the plan leave something dangerous behind?

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::judge::facts::{Fact, FactKind, TestLoss, is_test};
use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::QualityRow;

/// Dangerous patterns, lost tests, large removals.
pub(super) fn findings(basis: &Basis<'_>) -> Vec<Evidence> {
    let mut out = Vec::new();
    let (mut danger, mut tests, mut removals) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for fact in basis.facts() {
        let row = match &fact.kind {
            FactKind::DangerousPattern { .. } | FactKind::CertificateChecksOff { .. } => {
                if danger.insert(&fact.step) {
                    QualityRow::Danger
                } else {
                    QualityRow::DangerFurther
                }
            }
            FactKind::TestsLost { .. } if !renamed(basis, fact) && tests.insert(&fact.step) => {
                QualityRow::TestsLost
            }
            FactKind::LargeRemoval { .. } if removals.insert(&fact.step) => {
                QualityRow::LargeRemoval
            }
            _ => continue,
        };
        out.push(Evidence::of_fact(fact, row.points()));
    }
    out
}

/// A test file that is there under another test name is not lost.
fn renamed(basis: &Basis<'_>, fact: &Fact) -> bool {
    matches!(fact.kind, FactKind::TestsLost { loss: TestLoss::FileDeleted, .. })
        && basis.renamed_to(&fact.path).is_some_and(is_test)
}

#[cfg(test)]
mod tests {
    use crate::judge::facts::{FactKind, Proof};
    use crate::judge::score::sample::{Sample, kinds};

    fn safety(sample: &Sample) -> u32 {
        sample.assess().quality.dimensions.safety.score.get()
    }

    #[test]
    fn dangers_cost_by_step() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        for score in [450, 250, 50, 0] {
            sample.fact(kinds::danger());
            assert_eq!(safety(&sample), score);
        }
    }

    #[test]
    fn switching_certificate_checks_off_is_a_danger() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        sample.fact(kinds::certificate_checks_off());
        assert_eq!(safety(&sample), 450);
    }

    #[test]
    fn lost_tests_and_large_removals_cost_once_a_step() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        for (kind, score) in [
            (kinds::large_removal(), 800),
            (kinds::tests_lost(), 250),
            (kinds::tests_lost(), 250),
            (kinds::large_removal(), 250),
        ] {
            sample.fact(kind);
            assert_eq!(safety(&sample), score);
        }
    }

    #[test]
    fn a_deleted_test_file_is_lost_and_a_renamed_one_is_not() {
        for (to, score) in [(None, 450), (Some("tests/b.rs"), 1000), (Some("src/b.rs"), 450)] {
            let mut sample = Sample::new();
            sample.delete("tests/a.rs");
            if let Some(to) = to {
                sample.create(to, "text\n");
                sample.renamed_from("tests/a.rs");
            }
            assert_eq!(safety(&sample), score, "{to:?}");
        }
    }

    #[test]
    fn tests_that_the_inspector_found_elsewhere_are_not_lost() {
        let looked = |proof| FactKind::Proven { proof, lines: 1 };
        for (told, score) in [
            (vec![], 450),
            // A fact of another kind does not say that the file was read to its end.
            (vec![kinds::todo_note()], 450),
            (vec![looked(Proof::Unread)], 450),
            (vec![looked(Proof::Read)], 1000),
            (vec![looked(Proof::Read), kinds::todo_note()], 1000),
            (vec![looked(Proof::Read), kinds::not_analysed()], 450),
            (vec![looked(Proof::Read), kinds::tests_lost()], 450),
        ] {
            let mut sample = Sample::new();
            sample.delete("tests/a.rs");
            for kind in &told {
                sample.fact(kind.clone());
            }
            assert_eq!(safety(&sample), score, "{told:?}");
        }
    }
}
