//! A plan's assessment at length: every factor and dimension with its bar, every point
//! with its lines, what would help, and the way through the decision table.
//!
//! It needs nothing but the assessment and the decision, so that a stored plan is
//! explained as one that was checked just now.

use std::io;

use exacta_core::judge::decide::table::ROWS;
use exacta_core::judge::decide::{Decision, Kind, ReasonKind};
use exacta_core::judge::score::Assessment;
use exacta_core::judge::score::table::{Dimension, Factor};
use exacta_core::review::assessment::{
    Points, bar, capped, class, evidence, floors, headline_of_quality, headline_of_risk,
};
use exacta_core::review::{Role, Row};

use super::Printer;
use super::assessment::decided;
use crate::paint::style;

/// Prints everything that is known about why a plan is judged as it is.
pub(crate) fn print(
    assessment: &Assessment,
    decision: &Decision,
    printer: &mut Printer,
) -> io::Result<()> {
    printer.rows(&risk(assessment))?;
    printer.rows(&quality(assessment))?;
    decided(decision, printer)?;
    if decision.kind != Kind::Reject {
        for to_pass in decision.reasons.iter().filter_map(|one| one.to_pass.as_deref()) {
            printer.rows(&[advice(to_pass)])?;
        }
    }
    way(decision, printer)
}

fn risk(assessment: &Assessment) -> Vec<Row> {
    let mut rows = vec![headline_of_risk(&assessment.risk)];
    rows.extend(class(&assessment.risk));
    for (factor, scored) in Factor::ALL.iter().zip(&assessment.risk.factors) {
        let bar = bar(scored.score, scored.max);
        let (name, score, max, more) = (scored.name, scored.score, scored.max, capped(scored));
        rows.push(Row::prose(2).say(format!("{name:<20} {score:>3} of {max:<3} {bar}{more}")));
        rows.extend(evidence(&scored.evidence, Points::Added));
        if scored.score > 0 {
            rows.push(advice(to_lower(*factor)));
        }
    }
    rows.extend(floors(&assessment.risk));
    rows
}

fn quality(assessment: &Assessment) -> Vec<Row> {
    let quality = &assessment.quality;
    let mut rows = vec![headline_of_quality(quality)];
    for (dimension, scored) in quality.dimensions.each() {
        let note = if scored.applicable {
            ""
        } else {
            "  not applicable: no intent names a path, a name or a quoted word to look for"
        };
        let bar = bar(scored.score.get(), 1000);
        let (name, score) = (dimension.name(), scored.score);
        rows.push(Row::prose(2).say(format!("{name:<20} {score}  {bar}{note}")));
        rows.extend(evidence(&scored.findings, Points::Lost));
        if !scored.findings.is_empty() {
            rows.push(advice(to_raise(dimension)));
        }
    }
    rows
}

fn advice(text: &str) -> Row {
    Row::prose(4).with(Role::Mark, "help").say(format!(": {text}"))
}

/// Every row of the decision table, with a mark at the one that matched.
fn way(decision: &Decision, printer: &mut Printer) -> io::Result<()> {
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
