//! What a detector finds on one line, for the tests of detectors.

use exacta_core::judge::facts::FactKind;
use exacta_core::model::path::RelPath;

use super::line::Line;
use super::scan::Found;
use super::side::Side;
use super::subject::Subject;

/// Runs a detector over one line of code in the file at `path`.
pub(super) fn found(
    detect: fn(&Subject<'_>, &Line<'_>, &mut Vec<Found>),
    path: &str,
    raw: &str,
) -> Vec<FactKind> {
    let path = RelPath::parse(path).unwrap();
    let image = [raw];
    let mut found = Vec::new();
    detect(&Subject::new(&path), &Line::new(&image, 0, false).unwrap(), &mut found);
    found.into_iter().map(|found| found.kind).collect()
}

/// The same for a detector that asks about the image.
pub(super) fn found_beside(
    detect: fn(&Subject<'_>, &Side<'_>, &Line<'_>, &mut Vec<Found>),
    path: &str,
    raw: &str,
) -> Vec<FactKind> {
    let path = RelPath::parse(path).unwrap();
    let subject = Subject::new(&path);
    let image = [raw];
    let mut found = Vec::new();
    let side = Side::plain(&subject, &image);
    detect(&subject, &side, &Line::new(&image, 0, false).unwrap(), &mut found);
    found.into_iter().map(|found| found.kind).collect()
}
