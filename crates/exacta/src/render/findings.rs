//! Findings for people: grouped by step, each with an excerpt and what to do.

use std::collections::BTreeMap;

use exacta_core::diagnostic::{Issue, Severity};
use exacta_core::examine::{Examined, Verdict};
use exacta_core::plan::{Action, Draft, Payload};
use exacta_core::shown::visible;

use super::excerpt::{self, Excerpt};
use super::printer::style;
use super::{Printer, Subject};
use crate::cli::CliError;

/// Prints every finding; those about the whole plan first, then step by step.
pub(super) fn print(
    subject: &Subject<'_>,
    issues: &[Issue],
    examined: Option<&Examined>,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let draft = examined.map(|examined| match &examined.verdict {
        Verdict::Sound(plan) => plan.draft(),
        Verdict::Rejected { draft, .. } => draft,
    });
    let mut groups: BTreeMap<Option<usize>, Vec<&Issue>> = BTreeMap::new();
    for issue in issues {
        groups.entry(position(issue, draft)).or_default().push(issue);
    }
    for (group, issues) in groups {
        if let (Some(_), Some(step)) =
            (group, issues.first().and_then(|issue| issue.step_id.as_ref()))
        {
            let strong = style::STRONG;
            printer.line(&format!("{strong}{}{strong:#}", visible(step.as_bytes())))?;
        }
        for issue in issues {
            finding(subject, issue, draft, printer)?;
        }
    }
    Ok(())
}

/// The position of the finding's step in the draft, so that groups come in its order.
fn position(issue: &Issue, draft: Option<&Draft>) -> Option<usize> {
    let step = issue.step_id.as_ref()?;
    let known = draft.and_then(|draft| draft.steps.iter().position(|s| s.step_id == *step));
    Some(known.or_else(|| step_index(issue)).unwrap_or(usize::MAX))
}

/// The step that the pointer leads into.
fn step_index(issue: &Issue) -> Option<usize> {
    let mut tokens = issue.pointer.tokens();
    (tokens.next()? == "steps").then(|| tokens.next()?.parse().ok()).flatten()
}

/// Prints one finding.
pub(super) fn finding(
    subject: &Subject<'_>,
    issue: &Issue,
    draft: Option<&Draft>,
    printer: &mut Printer,
) -> Result<(), CliError> {
    let (word, tone) = match issue.severity {
        Severity::Error => ("error", style::ERROR),
        Severity::Warning => ("warning", style::WARNING),
    };
    let quiet = style::QUIET;
    printer.line(&format!(
        "{tone}{word}[{}]{tone:#} {quiet}({}){quiet:#}: {}",
        issue.code.as_str(),
        issue.rule,
        visible(issue.message.as_bytes())
    ))?;
    if let Some(place) = issue.place {
        let member = visible(issue.pointer.as_str().as_bytes());
        let inside =
            issue.inner.map_or_else(String::new, |inner| format!(", its line {}", inner.line));
        printer.line(&format!(
            "  {quiet}-->{quiet:#} {}:{}:{}  {quiet}{member}{inside}{quiet:#}",
            subject.name, place.line, place.column
        ))?;
    }
    let excerpt = inner(issue, draft).or_else(|| excerpt::at(subject.text, issue.place?));
    if let Some(excerpt) = excerpt {
        show(&excerpt, printer)?;
    }
    if !issue.help.is_empty() {
        let mark = style::MARK;
        printer.line(&format!("  {mark}help{mark:#}: {}", visible(issue.help.as_bytes())))?;
    }
    printer.line("")
}

fn show(excerpt: &Excerpt, printer: &mut Printer) -> Result<(), CliError> {
    let (quiet, error) = (style::QUIET, style::ERROR);
    let number = excerpt.line.to_string();
    let margin = " ".repeat(number.len());
    printer.line(&format!("  {quiet}{number} |{quiet:#} {}", excerpt.text))?;
    let spaces = " ".repeat(excerpt.caret);
    printer.line(&format!("  {quiet}{margin} |{quiet:#} {spaces}{error}^{error:#}"))
}

/// The excerpt inside a decoded text, such as the line of a diff.
fn inner(issue: &Issue, draft: Option<&Draft>) -> Option<Excerpt> {
    let place = issue.inner?;
    let step = draft?.steps.get(step_index(issue)?)?;
    let Action::File(file) = &step.action else { return None };
    match &file.payload {
        Payload::CreateDiff(diff) | Payload::ModifyDiff(diff) => {
            excerpt::at(diff.as_bytes(), place)
        }
        _ => None,
    }
}
