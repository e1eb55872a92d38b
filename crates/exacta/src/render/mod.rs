//! What people and their tools see. Nothing here decides anything.

use std::io;

mod assessment;
mod colours;
mod deciding;
mod excerpt;
mod explain;
mod findings;
pub(crate) mod flow;
mod github;
mod ids;
mod junit;
mod page;
mod printer;
mod renames;
mod results;
mod sarif;
mod summary;

use exacta_core::judge::examine::Examined;
use exacta_core::model::diagnostic::{Issue, Place};

use crate::wire::{CheckReport, ResultsReport};
pub(crate) use colours::without_colours;
pub(crate) use ids::Ids;
pub(crate) use page::page;
pub(crate) use printer::Printer;
pub(crate) use renames::{Deed, becomes, deeds};

/// The ways to print the outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For people who ask why: every factor, dimension and row of the table.
    #[value(skip)]
    Explain,
    /// The stable JSON shape.
    Json,
    /// Annotations of GitHub workflows.
    Github,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    Junit,
}

/// The text that was checked.
pub(crate) struct Subject<'a> {
    /// Its name as findings show it.
    pub(crate) name: String,
    /// The bytes that were handed in.
    pub(crate) text: &'a [u8],
    /// Whether it is a git patch.
    pub(crate) is_patch: bool,
    /// The files that it was joined from, each with the line at which it begins; empty where it
    /// is one text.
    pub(crate) parts: &'a [(String, usize)],
}

impl Subject<'_> {
    /// The file that a place is in, and the place in that file.
    fn at(&self, place: Place) -> (&str, Place) {
        let begins = |(_, first): &&(String, usize)| *first <= place.line as usize;
        let Some((name, first)) = self.parts.iter().rfind(begins) else {
            return (&self.name, place);
        };
        let before = u32::try_from(first.saturating_sub(1)).unwrap_or_default();
        (name, Place { line: place.line.saturating_sub(before), ..place })
    }
}

/// Prints the outcome of a check.
pub(crate) fn check(
    format: Format,
    subject: &Subject<'_>,
    report: &CheckReport,
    examined: Option<&Examined>,
    printer: &mut Printer,
) -> io::Result<()> {
    match format {
        Format::Human | Format::Explain => {
            let show = if format == Format::Human { assessment::print } else { explain::print };
            let first = findings::print(subject, &report.issues, examined, printer)?;
            summary::print(subject, report, examined, first, show, printer)?;
        }
        Format::Json => printer.json(report)?,
        Format::Github => github::print(subject, report, printer)?,
        Format::Sarif => printer.json(&sarif::log(subject, report))?,
        Format::Junit => printer.machine(&junit::document(subject, report)?)?,
    }
    Ok(())
}

/// Prints a plan that was handed in; what became of it is told by whoever handed it in.
pub(crate) fn plan(
    subject: &Subject<'_>,
    report: &CheckReport,
    examined: &Examined,
    printer: &mut Printer,
) -> io::Result<()> {
    if !report.ok {
        return check(Format::Human, subject, report, Some(examined), printer);
    }
    findings::print(subject, &report.issues, Some(examined), printer)?;
    summary::body(report, Some(examined), assessment::print, printer)
}

/// Prints why a stored plan is judged as it is.
pub(crate) fn explained(
    subject: &Subject<'_>,
    report: &CheckReport,
    examined: &Examined,
    printer: &mut Printer,
) -> io::Result<()> {
    findings::print(subject, &report.issues, Some(examined), printer)?;
    summary::body(report, Some(examined), explain::print, printer)
}

/// Prints the outcome of a check of results.
pub(crate) fn results(
    json: bool,
    subject: &Subject<'_>,
    report: &ResultsReport,
    printer: &mut Printer,
) -> io::Result<()> {
    if json { printer.json(report) } else { results::print(subject, report, printer) }
}

/// Prints findings about a text that is no plan.
pub(crate) fn findings(
    subject: &Subject<'_>,
    issues: &[Issue],
    printer: &mut Printer,
) -> io::Result<()> {
    findings::print(subject, issues, None, printer).map(drop)
}
