//! Why a person is asked; the first thing to read.

use alloc::vec::Vec;

use super::titled;
use crate::judge::decide::Kind;
use crate::judge::score::Class;
use crate::model::diagnostic::Severity;
use crate::review::assessment::{Points, asked, evidence, reason};
use crate::review::model::{Part, PartKind};
use crate::review::row::{Role, Row};
use crate::review::subject::Subject;
use crate::text::shown::visible;

/// What the change does, in a sentence with its line, where that is more than nothing.
fn effect(subject: &Subject<'_>) -> Vec<Row> {
    let assessment = subject.examined.assessment.as_ref();
    let classed = assessment.and_then(|assessment| assessment.risk.class.as_ref());
    let Some(classed) = classed.filter(|classed| classed.class > Class::Additive) else {
        return Vec::new();
    };
    let (class, sentence) = (classed.class.as_str(), classed.class.sentence());
    let mut rows = vec![Row::prose(2).say(format!("{class}: {sentence}"))];
    rows.extend(evidence(core::slice::from_ref(&classed.evidence), Points::Added));
    rows
}

pub(in crate::review) fn why(subject: &Subject<'_>) -> Part {
    let decision = subject.examined.decision.as_ref();
    let title = match decision.map_or(Kind::Reject, |decision| decision.kind) {
        Kind::Wait => "Why you are asked",
        Kind::AutoNotify | Kind::AutoSilent => "Why nobody has to be asked",
        Kind::Reject => "Why the plan is refused",
    };
    titled(PartKind::Why, title, |sheet| {
        let reasons = decision.iter().flat_map(|decision| &decision.reasons);
        let rejected = decision.is_none_or(|decision| decision.kind == Kind::Reject);
        sheet.rows(reasons.flat_map(if rejected { reason } else { asked }));
        if decision.is_some_and(|decision| decision.kind == Kind::Wait) {
            sheet.rows(effect(subject));
        }
        sheet.rows(subject.examined.issues.iter().map(|issue| {
            let (word, role) = match issue.severity {
                Severity::Error => ("error", Role::Error),
                Severity::Warning => ("warning", Role::Warning),
            };
            let row = Row::prose(2).with(role, format!("{word}[{}]", issue.code.as_str()));
            row.say(format!(" {}", visible(issue.message.as_bytes())))
        }));
        if !subject.is_complete() {
            let row = Row::prose(2).with(Role::Error, "an image is missing");
            sheet.row(
                row.say(": what would be written cannot be shown, so the plan cannot be approved"),
            );
        }
    })
}
