//! The outcome of a check of results, for people.

use std::io;

use exacta_core::text::shown::visible;

use super::excerpt::Rows;
use super::findings;
use super::{Printer, Subject};
use crate::exit::Exit;
use crate::paint::style;
use crate::wire::ResultsReport;

/// Prints every finding in the order of the check, then the verdict.
pub(super) fn print(
    subject: &Subject<'_>,
    report: &ResultsReport,
    printer: &mut Printer,
) -> io::Result<()> {
    let mut rows = Rows::of(subject.text);
    for issue in &report.issues {
        findings::finding(subject, issue, None, &mut rows, true, printer)?;
    }
    let (good, error) = (style::GOOD, style::ERROR);
    let name = visible(subject.name.as_bytes());
    let version = report.contract_version;
    if report.ok {
        let fits = if report.against_plan { " and fit the plan" } else { "" };
        return printer
            .line(&format!("{good}sound{good:#}: the results keep contract {version}{fits}"));
    }
    let count = report.issues.len();
    let errors = if count == 1 { "error" } else { "errors" };
    if report.exit_code == Exit::Refused.code() {
        return printer.line(&format!(
            "{error}refused{error:#}: {count} {errors} in the plan {name}; no results were checked"
        ));
    }
    printer
        .line(&format!("{error}broken{error:#}: {count} {errors} against contract {version}"))?;
    let code = report.issues.first().map_or("CODE", |issue| issue.code.as_str());
    printer.line(&format!(
        "Fix the executor and check its next results again; `exacta explain {code}` says more."
    ))
}
