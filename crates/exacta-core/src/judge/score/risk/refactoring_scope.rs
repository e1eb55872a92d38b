//! Factor "Refactoring scope": how far the plan spreads.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::judge::score::basis::Basis;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::RiskRow;
use crate::model::path::RelPath;

/// How many files and top-level folders there are, where that is far. A count is about all
/// of them, so that no single file is cited.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let files = basis.files();
    // A file that moves is one, and yet both its folders are touched.
    let folders: BTreeSet<&str> =
        basis.subject.changes.iter().filter_map(|change| folder(&change.path)).collect();
    let (by_files, by_folders) = rows(files.len(), folders.len());
    let cite = |row: RiskRow, count: usize, what: &str| {
        Evidence::of_plan(format!("{count} {what}"), row.points())
    };
    let spread = by_files.map(|row| cite(row, files.len(), "files touched"));
    let apart = by_folders.map(|row| cite(row, folders.len(), "top-level folders touched"));
    spread.into_iter().chain(apart).collect()
}

/// The rows that numbers of files and of top-level folders reach.
fn rows(files: usize, folders: usize) -> (Option<RiskRow>, Option<RiskRow>) {
    let count = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
    (
        RiskRow::highest(&RiskRow::FILES, count(files)),
        RiskRow::highest(&[RiskRow::Folders], count(folders)),
    )
}

/// The top-level folder; files at the root have none.
fn folder(path: &RelPath) -> Option<&str> {
    path.as_str().split_once('/').map(|(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use crate::judge::score::sample::Sample;

    #[test]
    fn each_threshold_and_the_cap() {
        for (files, folders, points) in [
            (1, 0, 0),
            (2, 0, 5),
            (5, 0, 5),
            (6, 0, 10),
            (15, 0, 10),
            (16, 0, 15),
            (2, 2, 5),
            (3, 3, 10),
            (16, 3, 20),
            (40, 9, 20),
        ] {
            let mut sample = Sample::new();
            for i in 0..files {
                let path = if i < folders { format!("d{i}/f.txt") } else { format!("f{i}.txt") };
                sample.modify(&path);
            }
            assert_eq!(sample.factor("Refactoring scope"), points, "{files} {folders}");
        }
    }

    #[test]
    fn a_renamed_file_is_one_file_in_two_folders() {
        let mut sample = Sample::new();
        sample.delete("a/x.txt");
        sample.create("b/x.txt", "text\n");
        sample.renamed_from("a/x.txt");
        assert_eq!(sample.factor("Refactoring scope"), 5, "a deletion of another step is a file");
        let mut sample = Sample::new();
        sample.rename("a/x.txt", "b/x.txt");
        assert_eq!(sample.factor("Refactoring scope"), 0);
        assert_eq!(sample.factor("File operations"), 10);
        sample.rename("c/y.txt", "c/z.txt");
        assert_eq!(sample.factor("Refactoring scope"), 10);
        assert_eq!(sample.factor("File operations"), 20);
    }

    #[test]
    fn two_steps_on_one_file_are_one_file() {
        let mut sample = Sample::new();
        sample.rewrite("a.txt", "1\n", "2\n");
        sample.rewrite("a.txt", "2\n", "3\n");
        assert_eq!(sample.factor("Refactoring scope"), 0);
    }
}
