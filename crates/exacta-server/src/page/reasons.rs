//! Why a person is asked, and what that rests on: one sentence, then every point with its
//! evidence.

use exacta_core::judge::decide::{Decision, Kind, Reason};
use exacta_core::judge::score::{Class, Level};
use exacta_core::review::{Block, Part, PartKind, Review, Row, RowKind};
use exacta_core::text::shown::visible;
use maud::{Markup, html};

use super::frame::meter;
use super::plan::PlanView;
use super::row::words;

/// A part of the review.
pub(super) fn part(review: &Review, kind: PartKind) -> Option<&Part> {
    review.parts.iter().find(|part| part.kind == kind)
}

/// The rows of a part, without its heading.
pub(super) fn rows(part: &Part) -> Markup {
    html! {
        @for block in &part.blocks {
            @if let Block::Rows(rows) = block {
                (folded(&rows.iter().filter(|row| row.kind != RowKind::Heading && !row.spans.is_empty()).collect::<Vec<_>>()))
            }
        }
    }
}

/// The one thing that somebody is asked about: what was found where it weighs most, and the
/// rule of the table only where nothing was found.
fn first_reason(view: &PlanView<'_>, decision: &Decision) -> Option<String> {
    // What the scores alone would do is not why somebody is asked, where there is a reason.
    let asks = decision.kind == Kind::Wait;
    let told = |reason: &&Reason| !asks || reason.to_pass.is_some();
    let class = view.examined.assessment.as_ref().and_then(|one| one.risk.class.as_ref());
    let worst = |of: Class| class.filter(|one| asks && one.class == of).map(|one| &one.evidence);
    let found = worst(Class::Dangerous)
        .or_else(|| decision.reasons.iter().filter(told).find_map(|one| one.evidence.first()))
        .or_else(|| worst(Class::Behaviour));
    let Some(found) = found.filter(|_| asks) else {
        let first = decision.reasons.iter().find(told).or_else(|| decision.reasons.first());
        return first.map(|reason| reason.message.clone());
    };
    let line = found.line.map(|line| format!(":{line}")).unwrap_or_default();
    Some(match &found.path {
        Some(path) => format!("{}, in {path}{line}", found.finding),
        None => found.finding.clone(),
    })
}

/// Words as a sentence of their own.
fn sentence_of(words: &str) -> String {
    let words = visible(words.as_bytes());
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}

/// So many rows of evidence stand below one point before the rest is folded away.
const SHOWN: usize = 9;

/// Rows, with the rest of a long list of evidence to be opened.
fn folded(rows: &[&Row]) -> Markup {
    let below =
        |row: &Row| row.indent >= 4 && matches!(row.kind, RowKind::Prose | RowKind::Excerpt);
    html! {
        @for run in rows.chunk_by(|one, next| below(one) == below(next)) {
            @let evidence = run.first().is_some_and(|row| below(row));
            @let (first, rest) = run.split_at(if evidence && run.len() > SHOWN + 3 { SHOWN } else { run.len() });
            @for row in first { (words(row)) }
            @if !rest.is_empty() {
                @let more = rest.iter().filter(|row| row.kind != RowKind::Excerpt).count();
                details.row.i4 { summary { (more) " more" } @for row in rest { (words(row)) } }
            }
        }
    }
}

/// Why a person is asked: the first reason as a sentence, then all of them with evidence.
pub(super) fn why(view: &PlanView<'_>) -> Markup {
    let Some(part) = part(view.review, PartKind::Why) else { return html! {} };
    let decision = view.examined.decision.as_ref();
    let kind = decision.map_or(Kind::Reject, |decision| decision.kind);
    let title = match kind {
        Kind::Wait => "Why you are asked",
        Kind::AutoNotify | Kind::AutoSilent => "Why nobody has to be asked",
        Kind::Reject => "Why the plan is refused",
    };
    let first = decision.and_then(|decision| first_reason(view, decision)).or_else(|| {
        let issue = view.examined.issues.iter().find(|issue| issue.is_error());
        issue.map(|issue| issue.message.clone())
    });
    html! {
        section.why aria-labelledby="why" {
            h2 #why { (title) }
            @if let Some(first) = first { p.sentence { (sentence_of(&first)) } }
            details open[view.waits()] { summary { "Every reason, with its evidence" } (rows(part)) }
        }
    }
}

/// Risk and quality.
pub(super) fn scores(view: &PlanView<'_>) -> Markup {
    let Some(assessment) = &view.examined.assessment else { return html! {} };
    let (word, class) = match assessment.risk.level {
        Level::Low => ("low", "low"),
        Level::Medium => ("medium", "medium"),
        Level::High => ("high", "high"),
    };
    let quality = assessment.quality.overall;
    let good = match quality.get() {
        0..=599 => "high",
        600..=749 => "medium",
        _ => "low",
    };
    let body = |kind: PartKind| {
        part(view.review, kind).map(|part| html! {
            @for block in &part.blocks {
                @if let Block::Rows(rows) = block {
                    (folded(&rows.iter().filter(|row| !row.spans.is_empty()).skip(1).collect::<Vec<_>>()))
                }
            }
        })
    };
    html! {
        section.scores {
            div.score {
                h2 { "Risk " strong { (assessment.risk.score) } span.quiet { " of 100, " (word) } }
                (meter(assessment.risk.score, 100, class))
                @if let Some(body) = body(PartKind::Risk) { (body) }
            }
            div.score {
                h2 { "Quality " strong { (quality) } span.quiet { " of 1" } }
                (meter(quality.get(), 1000, good))
                @if let Some(body) = body(PartKind::Quality) { (body) }
            }
        }
    }
}
