//! Findings for people: grouped by step, each with an excerpt and what to do.

use std::collections::{BTreeMap, HashMap};
use std::io;

use exacta_core::judge::examine::{Examined, Verdict};
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::{Issue, Severity};
use exacta_core::model::plan::{Action, Draft, Payload};
use exacta_core::text::shown::visible;

use super::excerpt::{Excerpt, Rows};
use super::{Printer, Subject};
use crate::paint::style;

/// Prints every finding; those about the whole plan first, then step by step. Returns
/// the code of the first.
pub(super) fn print(
    subject: &Subject<'_>,
    issues: &[Issue],
    examined: Option<&Examined>,
    printer: &mut Printer,
) -> io::Result<Option<Code>> {
    let draft = examined.map(|examined| match &examined.verdict {
        Verdict::Sound(plan) => plan.draft(),
        Verdict::Rejected { draft, .. } => draft,
    });
    let steps = draft.into_iter().flat_map(|draft| &draft.steps).enumerate();
    let known: HashMap<&str, usize> = steps.map(|(at, step)| (step.step_id.as_str(), at)).collect();
    let mut groups: BTreeMap<Option<usize>, Vec<&Issue>> = BTreeMap::new();
    for issue in issues {
        groups.entry(position(issue, &known)).or_default().push(issue);
    }
    let first = groups.values().flatten().next().map(|issue| issue.code);
    let mut rows = Rows::of(subject.text);
    let mut advised = "";
    for (group, issues) in groups {
        if let (Some(_), Some(step)) =
            (group, issues.first().and_then(|issue| issue.step_id.as_ref()))
        {
            let strong = style::STRONG;
            printer.line(&format!("in {strong}`{}`{strong:#}", visible(step.as_bytes())))?;
        }
        for issue in issues {
            // Advice is given once, however many files it is good for.
            let again = issue.help == advised;
            finding(subject, issue, draft, &mut rows, !again, printer)?;
            advised = &issue.help;
        }
    }
    Ok(first)
}

/// The position of the finding's step in the draft, so that groups come in its order.
fn position(issue: &Issue, known: &HashMap<&str, usize>) -> Option<usize> {
    let step = issue.step_id.as_deref()?;
    Some(step_index(issue).or_else(|| known.get(step).copied()).unwrap_or(usize::MAX))
}

/// The step that the pointer leads into.
fn step_index(issue: &Issue) -> Option<usize> {
    let mut tokens = issue.pointer.tokens();
    (tokens.next()? == "steps").then(|| tokens.next()?.parse().ok()).flatten()
}

/// Prints one finding, and what to do about it if `advise`; `rows` are the lines of the subject.
pub(super) fn finding(
    subject: &Subject<'_>,
    issue: &Issue,
    draft: Option<&Draft>,
    rows: &mut Rows<'_>,
    advise: bool,
    printer: &mut Printer,
) -> io::Result<()> {
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
    // A finding about the whole plan has no place worth showing.
    let place = issue
        .place
        .filter(|_| draft.is_none() || subject.is_patch || !issue.pointer.as_str().is_empty());
    if let Some(place) = place {
        let member = visible(issue.pointer.as_str().as_bytes());
        let inside =
            issue.inner.map_or_else(String::new, |inner| format!(", its line {}", inner.line));
        let where_in = format!(" {quiet}{member}{inside}{quiet:#}");
        let (name, place) = subject.at(place);
        printer.line(&format!(
            "  {quiet}-->{quiet:#} {name}:{}:{}{}",
            place.line,
            place.column,
            if member.is_empty() { "" } else { &where_in }
        ))?;
    }
    let around = |place| {
        let line = subject.at(place).1.line;
        rows.at(place).map(|excerpt| Excerpt { line, ..excerpt })
    };
    let excerpt = inner(issue, draft).or_else(|| place.and_then(around));
    if let Some(excerpt) = excerpt {
        show(&excerpt, printer)?;
    }
    if advise && !issue.help.is_empty() {
        let mark = style::MARK;
        printer.line(&format!("  {mark}help{mark:#}: {}", visible(issue.help.as_bytes())))?;
    }
    printer.line("")
}

fn show(excerpt: &Excerpt, printer: &mut Printer) -> io::Result<()> {
    let (quiet, error) = (style::QUIET, style::ERROR);
    let number = excerpt.line.to_string();
    let margin = " ".repeat(number.len());
    printer.verbatim(&format!("  {quiet}{number} |{quiet:#} {}", excerpt.text))?;
    let spaces = " ".repeat(excerpt.caret);
    printer.verbatim(&format!("  {quiet}{margin} |{quiet:#} {spaces}{error}^{error:#}"))
}

/// The excerpt inside a decoded text, such as the line of a diff.
fn inner(issue: &Issue, draft: Option<&Draft>) -> Option<Excerpt> {
    let place = issue.inner?;
    let step = draft?.steps.get(step_index(issue)?)?;
    let Action::File(file) = &step.action else { return None };
    match &file.payload {
        Payload::CreateDiff(diff) | Payload::ModifyDiff(diff) => {
            Rows::of(diff.as_bytes()).at(place)
        }
        _ => None,
    }
}
