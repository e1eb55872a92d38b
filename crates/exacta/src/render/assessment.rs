//! Risk, quality and decision for people: every point with its evidence.

use exacta_core::decide::{Decision, Kind, Reason};
use exacta_core::score::{Assessment, Evidence, Level, Quality, Risk};
use exacta_core::shown::visible;

use super::Printer;
use super::printer::style;
use crate::cli::CliError;

/// How many characters a full bar has.
const BAR: u32 = 20;

/// Prints scores, evidence and the decision with its reasons.
pub(super) fn print(
    assessment: &Assessment,
    decision: &Decision,
    printer: &mut Printer,
) -> Result<(), CliError> {
    risk(assessment, printer)?;
    quality(assessment, printer)?;
    decided(decision, printer)
}

fn risk(assessment: &Assessment, printer: &mut Printer) -> Result<(), CliError> {
    let risk = &assessment.risk;
    headline_of_risk(risk, printer)?;
    for factor in risk.factors.iter().filter(|factor| factor.score > 0) {
        printer.line(&format!("  {:<20} {:>3} of {}", factor.name, factor.score, factor.max))?;
        evidence(&factor.evidence, "+", printer)?;
    }
    floors(risk, printer)
}

pub(super) fn headline_of_risk(risk: &Risk, printer: &mut Printer) -> Result<(), CliError> {
    let (word, tone) = match risk.level {
        Level::Low => ("low", style::GOOD),
        Level::Medium => ("medium", style::WARNING),
        Level::High => ("high", style::ERROR),
    };
    let strong = style::STRONG;
    printer.line(&format!(
        "{strong}Risk{strong:#} {}/100 {tone}{word}{tone:#}  {}",
        risk.score,
        bar(risk.score, 100)
    ))
}

/// Why the risk is at least some number.
pub(super) fn floors(risk: &Risk, printer: &mut Printer) -> Result<(), CliError> {
    for floor in &risk.floors {
        printer.line(&format!(
            "  at least {:<11} {}: {}",
            floor.at_least,
            visible(floor.step_id.as_bytes()),
            visible(floor.reason.as_bytes())
        ))?;
    }
    Ok(())
}

pub(super) fn headline_of_quality(
    quality: &Quality,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let strong = style::STRONG;
    printer.line(&format!(
        "{strong}Quality{strong:#} {}  {}",
        quality.overall,
        bar(quality.overall.get(), 1000)
    ))
}

fn quality(assessment: &Assessment, printer: &mut Printer) -> Result<(), CliError> {
    let quality = &assessment.quality;
    headline_of_quality(quality, printer)?;
    for (dimension, scored) in quality.dimensions.each() {
        if !scored.applicable || scored.findings.is_empty() {
            continue;
        }
        printer.line(&format!("  {:<20} {}", dimension.name(), scored.score))?;
        evidence(&scored.findings, "-", printer)?;
    }
    Ok(())
}

/// Each finding with its points, its place and the line itself.
pub(super) fn evidence(
    list: &[Evidence],
    sign: &str,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let quiet = style::QUIET;
    for item in list {
        let place = match (&item.path, item.line, &item.step_id) {
            (Some(path), Some(line), _) => format!("{path}:{line}"),
            (Some(path), None, _) => path.to_string(),
            (None, _, Some(step)) => step.clone(),
            (None, _, None) => String::new(),
        };
        printer.line(&format!(
            "    {sign}{:<4} {}  {quiet}{}{quiet:#}",
            item.points,
            visible(item.finding.as_bytes()),
            visible(place.as_bytes())
        ))?;
        if let Some(excerpt) = &item.excerpt {
            printer.line(&format!("          {quiet}{}{quiet:#}", visible(excerpt.as_bytes())))?;
        }
    }
    Ok(())
}

/// What happens, every reason, and what would have to change.
pub(super) fn decided(decision: &Decision, printer: &mut Printer) -> Result<(), CliError> {
    let (word, tone) = match decision.kind {
        Kind::Reject => ("rejected", style::ERROR),
        Kind::Wait => ("waits for a person", style::WARNING),
        Kind::AutoNotify => ("would run, and you would be told", style::GOOD),
        Kind::AutoSilent => ("would run", style::GOOD),
    };
    let strong = style::STRONG;
    printer.line(&format!("{strong}Decision{strong:#} {tone}{word}{tone:#}"))?;
    for reason in &decision.reasons {
        why(reason, printer)?;
    }
    Ok(())
}

fn why(reason: &Reason, printer: &mut Printer) -> Result<(), CliError> {
    printer.line(&format!("  {}", visible(reason.message.as_bytes())))?;
    evidence(&reason.evidence, " ", printer)?;
    if let Some(to_pass) = &reason.to_pass {
        let mark = style::MARK;
        printer.line(&format!("    {mark}to pass{mark:#}: {}", visible(to_pass.as_bytes())))?;
    }
    Ok(())
}

/// A bar that reads without colour.
pub(super) fn bar(value: u32, full: u32) -> String {
    let filled = value.min(full) * BAR / full;
    let part = |count: u32, sign: &str| sign.repeat(count as usize);
    format!("[{}{}]", part(filled, "#"), part(BAR - filled, "."))
}
