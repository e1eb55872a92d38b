//! A plan's assessment at length: every factor and dimension with its bar, every point
//! with its lines, what would help, and the way through the decision table.
//!
//! It needs nothing but the assessment and the decision, so that a stored plan is
//! explained as one that was checked just now.

use exacta_core::decide::table::ROWS;
use exacta_core::decide::{Decision, ReasonKind};
use exacta_core::score::Assessment;
use exacta_core::score::table::{Dimension, Factor};

use super::Printer;
use super::assessment::{
    Points, bar, capped, decided, evidence, floors, headline_of_quality, headline_of_risk,
};
use super::printer::style;
use crate::cli::CliError;

/// Prints everything that is known about why a plan is judged as it is.
pub(crate) fn print(
    assessment: &Assessment,
    decision: &Decision,
    printer: &mut Printer,
) -> Result<(), CliError> {
    for line in risk(assessment).iter().chain(&quality(assessment)) {
        printer.line(line)?;
    }
    decided(decision, printer)?;
    way(decision, printer)
}

fn risk(assessment: &Assessment) -> Vec<String> {
    let mut lines = vec![headline_of_risk(&assessment.risk)];
    for (factor, scored) in Factor::ALL.iter().zip(&assessment.risk.factors) {
        let bar = bar(scored.score, scored.max);
        let (name, score, max, more) = (scored.name, scored.score, scored.max, capped(scored));
        lines.push(format!("  {name:<20} {score:>3} of {max:<3} {bar}{more}"));
        evidence(&scored.evidence, Points::Added, &mut lines);
        if scored.score > 0 {
            lines.push(advice(to_lower(*factor)));
        }
    }
    lines.extend(floors(&assessment.risk));
    lines
}

fn quality(assessment: &Assessment) -> Vec<String> {
    let quality = &assessment.quality;
    let mut lines = vec![headline_of_quality(quality)];
    for (dimension, scored) in quality.dimensions.each() {
        let note = if scored.applicable {
            ""
        } else {
            "  not applicable: no intent to compare with, or it names nothing"
        };
        lines.push(format!(
            "  {:<20} {}  {}{note}",
            dimension.name(),
            scored.score,
            bar(scored.score.get(), 1000)
        ));
        evidence(&scored.findings, Points::Lost, &mut lines);
        if !scored.findings.is_empty() {
            lines.push(advice(to_raise(dimension)));
        }
    }
    lines
}

fn advice(text: &str) -> String {
    let mark = style::MARK;
    format!("    {mark}help{mark:#}: {text}")
}

/// Every row of the decision table, with a mark at the one that matched.
fn way(decision: &Decision, printer: &mut Printer) -> Result<(), CliError> {
    let strong = style::STRONG;
    printer.line(&format!("{strong}Way to the decision{strong:#}"))?;
    for row in ROWS {
        let hit = row.name == decision.row;
        let sign = if hit { "=>" } else { "  " };
        printer.line(&format!("  {sign} {:<28} {}", row.name, row.kind.as_str()))?;
        if hit {
            break;
        }
    }
    let asks = decision.reasons.iter().filter(|reason| reason.kind != ReasonKind::Row).count();
    printer.line(&format!("     then {asks} of the questions that always ask a person"))
}

/// What makes a factor smaller.
fn to_lower(factor: Factor) -> &'static str {
    match factor {
        Factor::FileOperations => "send the work in smaller parts, and deletions by themselves",
        Factor::DependencyChanges => "send changes of dependencies as a plan of their own",
        Factor::RefactoringScope => "send the work in parts that touch fewer files and folders",
        Factor::BreakingChanges => "keep the old name or signature beside the new one",
        Factor::SecurityImpact => "send what guards or runs by itself as a plan of its own",
        Factor::CodeComplexity => "split long functions before adding to them",
    }
}

/// What makes a dimension better.
fn to_raise(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Completeness => "touch everything that was asked for, and the tests of it",
        Dimension::Specificity => "write out what placeholders and example values stand for",
        Dimension::Feasibility => {
            "name inputs and files that exist, and edit sources, not products"
        }
        Dimension::Safety => "leave tests running and take dangerous commands out",
        Dimension::Clarity => "say in the title what happens and where",
    }
}
