//! The planner's words, set apart: nothing in them decides what runs.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Sheet, titled};
use crate::model::plan::Draft;
use crate::read::parse::json::Json;
use crate::review::model::{Part, PartKind};
use crate::review::row::{Role, Row, RowKind};

pub(in crate::review) fn words(draft: &Draft) -> Option<Part> {
    let parts = parts(draft);
    let title = "The planner's words (untrusted: nothing below was checked or decides what runs)";
    let write = |sheet: &mut Sheet| {
        for (step, label, words) in &parts {
            let mut row = Row::prose(2);
            if let Some(step) = step {
                row = row.show(Role::Quiet, step.as_bytes()).with(Role::Quiet, ", ");
            }
            sheet.row(row.with(Role::Quiet, label));
            match words {
                Words::Text(words) => quote(words, sheet),
                Words::Json(value) => json(value, &Row::new(RowKind::QuotedContent, 2), sheet),
            }
        }
    };
    (!parts.is_empty()).then(|| titled(PartKind::Words, title, write))
}

enum Words<'a> {
    Text(&'a str),
    Json(&'a Json),
}

/// Everything the planner says beside the steps' effects, each with its step and its label.
fn parts(draft: &Draft) -> Vec<(Option<&str>, &'static str, Words<'_>)> {
    let mut parts = Vec::new();
    let mut add = |label, words| parts.push((None, label, words));
    draft.goal.iter().for_each(|goal| add("goal", Words::Text(goal)));
    draft.assumptions.iter().for_each(|words| add("assumption", Words::Text(words)));
    draft.skill_id.iter().for_each(|skill| add("skill_id", Words::Text(skill)));
    let inputs = Some(&draft.inputs);
    let inputs = inputs.filter(|json| !matches!(json, Json::Obj(members) if members.is_empty()));
    for (label, value) in [
        ("claims the intent", draft.intent.as_ref()),
        ("claims the provider", draft.provider.as_ref()),
        ("inputs", inputs),
    ] {
        if let Some(json) = value {
            add(label, Words::Json(json));
        }
    }
    for (label, list) in [
        ("claims these primitives", &draft.allowed_primitives),
        ("claims these domains", &draft.web_allowed_domains),
        ("claims these recipients", &draft.recipient_hints),
        ("claims these files", &draft.target_files),
    ] {
        list.iter().flatten().for_each(|words| add(label, Words::Text(words)));
    }
    // The steps of a patch have titles of our making.
    let steps = if draft.patch.is_some() { &[][..] } else { &draft.steps };
    for step in steps {
        let id = Some(step.step_id.as_str());
        parts.extend(step.title.iter().map(|words| (id, "title", Words::Text(words))));
        let description = step.description.iter();
        parts.extend(description.map(|words| (id, "description", Words::Text(words))));
    }
    parts
}

/// Untrusted prose, a row for each of its lines, so that none can pass for one of ours.
pub(in crate::review) fn quote(words: &str, sheet: &mut Sheet) {
    sheet.rows(
        words
            .split('\n')
            .map(|line| Row::new(RowKind::Quote, 2).show(Role::Untrusted, line.as_bytes())),
    );
}

/// A value in full, a member a row like `row`.
pub(super) fn json(value: &Json, row: &Row, sheet: &mut Sheet) {
    let written = serde_json::to_string_pretty(value);
    let written: String = written.unwrap_or_else(|_| "cannot be shown".to_owned());
    let lines = written.split('\n');
    sheet.rows(lines.map(|line| row.clone().show(Role::Untrusted, line.as_bytes())));
}
