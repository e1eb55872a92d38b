//! Why a person is asked; the first thing to read.

use exacta_core::decide::Kind;
use exacta_core::diagnostic::Severity;
use exacta_core::shown::visible;

use crate::render::{assessment, style};
use crate::review::ReviewPlan;
use crate::review::document::Document;

pub(super) fn add(plan: &ReviewPlan<'_>, document: &mut Document) {
    document.heading(match plan.report.decision {
        Kind::Wait => "Why you are asked",
        Kind::AutoNotify | Kind::AutoSilent => "Why nobody has to be asked",
        Kind::Reject => "Why the plan is refused",
    });
    for reason in &plan.report.reasons {
        document.extend(assessment::reason(reason));
    }
    for issue in &plan.report.issues {
        let (word, tone) = match issue.severity {
            Severity::Error => ("error", style::ERROR),
            Severity::Warning => ("warning", style::WARNING),
        };
        document.line(format!(
            "  {tone}{word}[{}]{tone:#} {}",
            issue.code.as_str(),
            visible(issue.message.as_bytes())
        ));
    }
    if !plan.is_complete() {
        let error = style::ERROR;
        document.line(format!(
            "  {error}an image is missing{error:#}: what would be written cannot be shown, so the plan cannot be approved"
        ));
    }
}
