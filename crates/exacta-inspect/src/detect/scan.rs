//! Runs every line detector over one line.

use exacta_core::judge::facts::{FactKind, Secret};

use super::line::Line;
use super::side::Side;
use super::subject::Subject;
use super::{certificate, example, hidden, placeholder, secret, url_import};

/// Something found on a line.
pub(crate) struct Found {
    /// The line from 0.
    pub(crate) index: usize,
    /// What was found.
    pub(crate) kind: FactKind,
    /// Two findings with one kind and one key are the same finding in another place.
    pub(crate) key: String,
    /// Whether it stands in a text or in a test, where it does less than in live code.
    pub(crate) dormant: bool,
}

impl Found {
    pub(crate) fn at(index: usize, kind: FactKind) -> Self {
        Self { index, kind, key: String::new(), dormant: false }
    }

    pub(crate) fn new(line: &Line<'_>, kind: FactKind) -> Self {
        Self::at(line.index, kind)
    }
}

/// Every finding on the line but dangers, which are found in whole statements.
pub(crate) fn scan(
    subject: &Subject<'_>,
    side: &Side<'_>,
    line: &Line<'_>,
    found: &mut Vec<Found>,
) {
    if line.raw.is_empty() {
        return;
    }
    hidden::detect(line, found);
    secret::detect(subject, line, found);
    placeholder::detect(subject, line, found);
    example::detect(subject, line, found);
    if !subject.prose && !line.comment {
        certificate::detect(subject, side, line, found);
        url_import::detect(subject, side, line, found);
    }
}

/// What may hide in a line of a list that programs write. The names before its values are
/// those of packages, so that a value is no secret because of them.
pub(crate) fn scan_list(subject: &Subject<'_>, line: &Line<'_>, found: &mut Vec<Found>) {
    let from = found.len();
    hidden::detect(line, found);
    secret::detect(subject, line, found);
    let by_name =
        |kind: &FactKind| matches!(kind, FactKind::SecretAdded { secret: Secret::Assignment, .. });
    let mut position = 0;
    found.retain(|one| {
        position += 1;
        position <= from || !by_name(&one.kind)
    });
}
