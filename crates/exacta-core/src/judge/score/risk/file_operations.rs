//! Factor "File operations": deletes, and many modifications.

use alloc::vec::Vec;

use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::RiskRow;
use crate::model::change::Change;

/// One entry for each delete, and one where there are many modifications.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let deleted = basis.subject.changes.iter().filter(|change| basis.subject.deletes(change));
    deleted.map(|change| delete(basis, change)).chain(bulk(basis)).collect()
}

fn delete(basis: &Basis<'_>, change: &Change) -> Evidence {
    let finding = match (change.after, basis.renamed_to(&change.path)) {
        (Some(_), _) => "file left without content".into(),
        (None, Some(to)) => format!("file deleted (now `{to}`)"),
        (None, None) => "file deleted".into(),
    };
    Evidence::of_change(change, finding, RiskRow::Deleted.points())
}

/// A count is about all of them, so that no single file is cited.
fn bulk(basis: &Basis<'_>) -> Option<Evidence> {
    let modified = basis.subject.changes.iter().filter(|change| basis.subject.modifies(change));
    let count = u32::try_from(modified.count()).unwrap_or(u32::MAX);
    let row = RiskRow::highest(&RiskRow::MODIFICATIONS, count)?;
    Some(Evidence::of_plan(format!("{count} modifications"), row.points()))
}

#[cfg(test)]
mod tests {
    use crate::judge::score::sample::Sample;

    fn score(deletes: usize, modifies: usize) -> u32 {
        let mut sample = Sample::new();
        (0..deletes).for_each(|i| sample.delete(&format!("d{i}.txt")));
        (0..modifies).for_each(|i| sample.modify(&format!("m{i}.txt")));
        sample.factor("File operations")
    }

    #[test]
    fn each_threshold_and_the_cap() {
        for (deletes, modifies, points) in [
            (0, 0, 0),
            (1, 0, 10),
            (3, 0, 30),
            (4, 0, 35),
            (500, 0, 35),
            (0, 2, 0),
            (0, 3, 5),
            (0, 5, 5),
            (0, 6, 10),
            (0, 10, 10),
            (0, 11, 15),
            (2, 11, 35),
            (1, 3, 15),
        ] {
            assert_eq!(score(deletes, modifies), points, "{deletes} {modifies}");
        }
    }

    #[test]
    fn a_modification_that_leaves_nothing_is_a_delete() {
        for content in ["", "\n", " \t\r\n\n"] {
            let mut sample = Sample::new();
            sample.rewrite("a.txt", "text\n", content);
            assert_eq!(sample.factor("File operations"), 10, "{content:?}");
        }
        let mut sample = Sample::new();
        sample.rewrite("a.txt", "\n", "");
        assert_eq!(sample.factor("File operations"), 0);
    }

    #[test]
    fn many_modifications_are_one_finding_about_the_plan() {
        let mut sample = Sample::new();
        (0..7).for_each(|i| sample.modify(&format!("m{i}.txt")));
        let risk = sample.assess().risk;
        let cited: Vec<_> = risk.factors[0].evidence.iter().collect();
        assert_eq!(cited.len(), 1);
        assert_eq!((&cited[0].step_id, &cited[0].path), (&None, &None));
        assert_eq!(cited[0].finding, "7 modifications");
    }

    use alloc::vec::Vec;
}
