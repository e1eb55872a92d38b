//! Risk, quality and decision for people: every point with its evidence.

use exacta_core::decide::{Decision, Kind, Reason};
use exacta_core::score::{Assessment, Evidence, FactorScore, Level, Quality, Risk, Thousandths};
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
    for line in risk(&assessment.risk).iter().chain(&quality(&assessment.quality)) {
        printer.line(line)?;
    }
    decided(decision, printer)
}

/// The risk, a line each for score, factors, evidence and floors.
pub(crate) fn risk(risk: &Risk) -> Vec<String> {
    let mut lines = vec![headline_of_risk(risk)];
    for factor in risk.factors.iter().filter(|factor| factor.score > 0) {
        let most = format!("{}{}", factor.max, capped(factor));
        lines.push(format!("  {:<20} {:>3} of {most}", factor.name, factor.score));
        evidence(&factor.evidence, Points::Added, &mut lines);
    }
    lines.extend(floors(risk));
    lines
}

pub(super) fn headline_of_risk(risk: &Risk) -> String {
    let (word, tone) = match risk.level {
        Level::Low => ("low", style::GOOD),
        Level::Medium => ("medium", style::WARNING),
        Level::High => ("high", style::ERROR),
    };
    let strong = style::STRONG;
    format!(
        "{strong}Risk{strong:#} {}/100 {tone}{word}{tone:#}  {}",
        risk.score,
        bar(risk.score, 100)
    )
}

/// Why the risk is at least some number.
pub(super) fn floors(risk: &Risk) -> impl Iterator<Item = String> {
    risk.floors.iter().map(|floor| {
        format!(
            "  at least {:<11} {}: {}",
            floor.at_least,
            visible(floor.step_id.as_bytes()),
            visible(floor.reason.as_bytes())
        )
    })
}

/// The quality, a line each for score, dimensions and evidence.
pub(crate) fn quality(quality: &Quality) -> Vec<String> {
    let mut lines = vec![headline_of_quality(quality)];
    for (dimension, scored) in quality.dimensions.each() {
        if !scored.applicable || scored.findings.is_empty() {
            continue;
        }
        lines.push(format!("  {:<20} {}", dimension.name(), scored.score));
        evidence(&scored.findings, Points::Lost, &mut lines);
    }
    lines
}

pub(super) fn headline_of_quality(quality: &Quality) -> String {
    let strong = style::STRONG;
    let bar = bar(quality.overall.get(), 1000);
    format!("{strong}Quality{strong:#} {}  {bar}", quality.overall)
}

/// Why the findings of a factor add up to more than the factor; else nothing.
pub(super) fn capped(factor: &FactorScore) -> String {
    let points = factor.evidence.iter().map(|one| u64::from(one.points)).sum::<u64>();
    if points > u64::from(factor.max) { format!(", {points} points found") } else { String::new() }
}

/// What the points of a finding are.
#[derive(Clone, Copy)]
pub(super) enum Points {
    /// Added to a risk factor.
    Added,
    /// Taken from a quality dimension, in thousandths as the dimension itself.
    Lost,
}

impl Points {
    /// How many characters they take where they are not nothing.
    fn width(self) -> usize {
        match self {
            Self::Added => 5,
            Self::Lost => 6,
        }
    }

    fn shown(self, points: u32) -> String {
        match self {
            // What only asks has no points to show.
            _ if points == 0 => "-".to_owned(),
            Self::Added => format!("+{points:<4}"),
            Self::Lost => format!("-{}", Thousandths::new(points)),
        }
    }
}

/// Each finding with its points, its place and the line itself.
pub(super) fn evidence(list: &[Evidence], kind: Points, lines: &mut Vec<String>) {
    let quiet = style::QUIET;
    for item in list {
        let place = match (&item.path, item.line, &item.step_id) {
            (Some(path), Some(line), _) => format!("{path}:{line}"),
            (Some(path), None, _) => path.to_string(),
            (None, _, Some(step)) => step.clone(),
            (None, _, None) => String::new(),
        };
        let place = match visible(place.as_bytes()) {
            place if place.is_empty() => String::new(),
            place => format!("  {quiet}{place}{quiet:#}"),
        };
        let finding = visible(item.finding.as_bytes());
        lines.push(format!("    {} {finding}{place}", kind.shown(item.points)));
        if let Some(excerpt) = &item.excerpt {
            let margin = " ".repeat(kind.width() + 5);
            lines.push(format!("{margin}{quiet}{}{quiet:#}", visible(excerpt.as_bytes())));
        }
    }
}

/// What happens, every reason, and what would have to change.
pub(super) fn decided(decision: &Decision, printer: &mut Printer) -> Result<(), CliError> {
    let (word, tone) = match decision.kind {
        Kind::Reject => ("rejected", style::ERROR),
        Kind::Wait => ("waits for a person", style::WARNING),
        Kind::AutoNotify => ("runs unasked, and you are told", style::GOOD),
        Kind::AutoSilent => ("runs unasked", style::GOOD),
    };
    let strong = style::STRONG;
    printer.line(&format!("{strong}Decision{strong:#} {tone}{word}{tone:#}"))?;
    for line in decision.reasons.iter().flat_map(reason) {
        printer.line(&line)?;
    }
    Ok(())
}

/// One reason: what is so, its evidence, what would have to change.
pub(crate) fn reason(reason: &Reason) -> Vec<String> {
    let mut lines = vec![format!("  {}", visible(reason.message.as_bytes()))];
    evidence(&reason.evidence, Points::Added, &mut lines);
    if let Some(to_pass) = &reason.to_pass {
        let mark = style::MARK;
        lines.push(format!("    {mark}to pass{mark:#}: {}", visible(to_pass.as_bytes())));
    }
    lines
}

/// A bar that reads without colour.
pub(super) fn bar(value: u32, full: u32) -> String {
    let filled = value.min(full) * BAR / full;
    let part = |count: u32, sign: &str| sign.repeat(count as usize);
    format!("[{}{}]", part(filled, "#"), part(BAR - filled, "."))
}
