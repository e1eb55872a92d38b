//! Factor "Refactoring scope": how far the plan spreads.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::change::Change;
use crate::path::RelPath;
use crate::score::basis::Basis;
use crate::score::evidence::Evidence;
use crate::score::table::RiskRow;

/// Cites the file and the folder with which the plan spreads too far.
pub(super) fn evidence(basis: &Basis<'_>) -> Vec<Evidence> {
    let files = basis.files();
    let mut seen = BTreeSet::new();
    let mut folders: Vec<&Change> = Vec::new();
    for change in &files {
        if folder(&change.path).is_some_and(|folder| seen.insert(folder)) {
            folders.push(change);
        }
    }
    let cite = |row: RiskRow, changes: &[&Change], what: &str| {
        let at = changes.get(row.over() as usize)?;
        Some(Evidence::of_change(at, format!("{} {what}", changes.len()), row.points()))
    };
    let (by_files, by_folders) = rows(files.len(), folders.len());
    let files = by_files.and_then(|row| cite(row, &files, "files touched"));
    let folders = by_folders.and_then(|row| cite(row, &folders, "top-level folders touched"));
    files.into_iter().chain(folders).collect()
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
    use crate::score::sample::Sample;

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
    fn two_steps_on_one_file_are_one_file() {
        let mut sample = Sample::new();
        sample.rewrite("a.txt", "1\n", "2\n");
        sample.rewrite("a.txt", "2\n", "3\n");
        assert_eq!(sample.factor("Refactoring scope"), 0);
    }
}
