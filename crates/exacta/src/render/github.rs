//! Findings as workflow commands, so that they show up in a pull request.

use std::io;

use exacta_core::model::diagnostic::Severity;
use exacta_core::text::shown::visible;

use super::deciding::{Deciding, deciding};
use super::{Printer, Subject};
use crate::wire::CheckReport;

/// Prints one command per finding, and per thing that decided.
pub(super) fn print(
    subject: &Subject<'_>,
    report: &CheckReport,
    printer: &mut Printer,
) -> io::Result<()> {
    for issue in &report.issues {
        let level = match issue.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let (name, place) = match issue.place.map(|place| subject.at(place)) {
            Some((name, place)) => (name, format!(",line={},col={}", place.line, place.column)),
            None => (subject.name.as_str(), String::new()),
        };
        let step = issue.step_id.as_deref().map_or_else(String::new, |step| format!("{step}: "));
        printer.machine(&format!(
            "::{level} file={}{place},title={}::{}",
            property(name),
            property(&format!("{} {}", issue.code.as_str(), issue.rule)),
            data(&format!("{step}{} (help: {})", issue.message, issue.help))
        ))?;
    }
    for Deciding { rejects, id, message, place } in deciding(report) {
        let (level, word) =
            if rejects { ("error", "rejected") } else { ("warning", "waits for a person") };
        let (file, line) = place.unwrap_or_else(|| (subject.name.clone(), None));
        let line = line.map_or_else(String::new, |line| format!(",line={line}"));
        printer.machine(&format!(
            "::{level} file={}{line},title={}::{}",
            property(&file),
            property(&format!("{word}: {id}")),
            data(&message)
        ))?;
    }
    Ok(())
}

/// Escapes a message: only `%` and line breaks mean something there.
fn data(text: &str) -> String {
    visible(text.as_bytes()).replace('%', "%25")
}

/// Escapes a property, where `:` and `,` mean something too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
