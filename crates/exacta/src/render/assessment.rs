//! Risk, quality and decision for people: every point with its evidence.

use std::io;

use exacta_core::judge::decide::{Decision, Kind};
use exacta_core::judge::score::Assessment;
use exacta_core::review::assessment::{asked, quality, reason, risk};

use super::Printer;
use crate::paint::style;

/// Prints scores, evidence and the decision with its reasons.
pub(super) fn print(
    assessment: &Assessment,
    decision: &Decision,
    printer: &mut Printer,
) -> io::Result<()> {
    printer.rows(&risk(&assessment.risk))?;
    printer.rows(&quality(&assessment.quality))?;
    decided(decision, printer)
}

/// What happens, every reason, and what would have to change.
pub(super) fn decided(decision: &Decision, printer: &mut Printer) -> io::Result<()> {
    let (word, tone) = match decision.kind {
        Kind::Reject => ("rejected", style::ERROR),
        Kind::Wait => ("waits for a person", style::WARNING),
        Kind::AutoNotify => ("runs unasked, and you are told", style::GOOD),
        Kind::AutoSilent => ("runs unasked", style::GOOD),
    };
    let strong = style::STRONG;
    printer.line(&format!("{strong}Decision{strong:#} {tone}{word}{tone:#}"))?;
    let rows = if decision.kind == Kind::Reject { reason } else { asked };
    decision.reasons.iter().try_for_each(|one| printer.rows(&rows(one)))
}
