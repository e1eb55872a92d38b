//! Risk and quality with their evidence, and what nothing was found for.

use crate::render::{assessment, style};
use crate::review::document::Document;
use crate::wire::CheckReport;

pub(super) fn add(report: &CheckReport, document: &mut Document) {
    let quiet = style::QUIET;
    let without_findings = |document: &mut Document, names: Vec<&str>| {
        if !names.is_empty() {
            document.line(format!("  {quiet}nothing found: {}{quiet:#}", names.join(", ")));
        }
    };
    if let Some(risk) = &report.risk {
        document.line("");
        document.extend(assessment::risk(risk));
        let clear = risk.factors.iter().filter(|factor| factor.score == 0);
        without_findings(document, clear.map(|factor| factor.name).collect());
    }
    if let Some(quality) = &report.quality {
        document.line("");
        document.extend(assessment::quality(quality));
        let each = quality.dimensions.each();
        let clear = each.iter().filter(|(_, d)| d.applicable && d.findings.is_empty());
        without_findings(document, clear.map(|(dimension, _)| dimension.name()).collect());
        for (dimension, _) in each.iter().filter(|(_, scored)| !scored.applicable) {
            let name = dimension.name();
            let why = "there was no intent to compare with, or it names nothing";
            document.line(format!("  {quiet}{name} does not apply: {why}{quiet:#}"));
        }
    }
}
