//! The planner's words, set apart: nothing in them decides what runs.

use exacta_core::parse::json::Json;
use exacta_core::plan::Draft;

use crate::render::style;
use crate::review::document::Document;
use crate::review::look::Signs;
use crate::review::text;

pub(super) fn add(draft: &Draft, signs: Signs, document: &mut Document) {
    let parts = parts(draft, signs);
    if parts.is_empty() {
        return;
    }
    document
        .heading("The planner's words (untrusted: nothing below was checked or decides what runs)");
    for (label, words) in parts {
        let quiet = style::QUIET;
        document.line(format!("  {quiet}{label}{quiet:#}"));
        match words {
            Words::Text(words) => quote(words, signs, document),
            Words::Json(value) => json(value, &prefix(signs), signs, document),
        }
    }
}

/// Everything the planner says beside the steps' effects, each part with its label.
fn parts(draft: &Draft, signs: Signs) -> Vec<(String, Words<'_>)> {
    let text = |label: &str, words| (label.to_owned(), Words::Text(words));
    let mut parts: Vec<(String, Words<'_>)> = Vec::new();
    parts.extend(draft.goal.iter().map(|goal| text("goal", goal)));
    parts.extend(draft.assumptions.iter().map(|words| text("assumption", words)));
    parts.extend(draft.skill_id.iter().map(|skill| text("skill_id", skill)));
    let inputs = Some(&draft.inputs);
    let inputs = inputs.filter(|json| !matches!(json, Json::Obj(members) if members.is_empty()));
    for (label, value) in [
        ("claims the intent", draft.intent.as_ref()),
        ("claims the provider", draft.provider.as_ref()),
        ("inputs", inputs),
    ] {
        parts.extend(value.map(|json| (label.to_owned(), Words::Json(json))));
    }
    for (label, list) in [
        ("claims these primitives", &draft.allowed_primitives),
        ("claims these domains", &draft.web_allowed_domains),
        ("claims these recipients", &draft.recipient_hints),
        ("claims these files", &draft.target_files),
    ] {
        parts.extend(list.iter().flatten().map(|words| text(label, words)));
    }
    // The steps of a patch have titles of our making.
    let steps = if draft.patch.is_some() { &[][..] } else { &draft.steps };
    for step in steps {
        let id = text::line(step.step_id.as_bytes(), signs);
        parts.extend(step.title.iter().map(|words| text(&format!("{id}, title"), words)));
        let description = step.description.iter();
        parts.extend(description.map(|words| text(&format!("{id}, description"), words)));
    }
    parts
}

enum Words<'a> {
    Text(&'a str),
    Json(&'a Json),
}

fn prefix(signs: Signs) -> String {
    let quiet = style::QUIET;
    format!("  {quiet}{}{quiet:#} ", signs.bar)
}

/// Untrusted prose; a bar before every line, so that none can pass for one of ours.
pub(super) fn quote(words: &str, signs: Signs, document: &mut Document) {
    let bar = prefix(signs);
    for line in text::lines(words, signs) {
        document.line(format!("{bar}{line}"));
    }
}

/// A value in full, a member a line.
pub(super) fn json(value: &Json, indent: &str, signs: Signs, document: &mut Document) {
    let written = serde_json::to_string_pretty(value);
    let written = written.unwrap_or_else(|error| format!("cannot be shown: {error}"));
    for line in text::lines(&written, signs) {
        document.content(format!("{indent}{line}"));
    }
}
