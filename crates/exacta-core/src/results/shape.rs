//! The shape of an entry: which fields, of which type.
//!
//! Whatever can be read of a broken entry is kept, so that one pass reports shape and
//! meaning together; what cannot be read is `None` and later rules stay silent on it.

use alloc::vec::Vec;

use super::contract::META_ID;
use super::findings::{Findings, quoted};
use super::reason::Reason;
use super::rule::Rule;
use crate::read::parse::json::Json;
use crate::text::pointer::Pointer;

/// The type of a field.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    TextOrNull,
    Flag,
    Count,
    Texts,
    Object,
    Any,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::TextOrNull => "a string or null",
            Self::Flag => "true or false",
            Self::Count => "a whole number from 0",
            Self::Texts => "an array of strings",
            Self::Object => "an object",
            Self::Any => "any value",
        }
    }

    fn fits(self, value: &Json) -> bool {
        match self {
            Self::Text => matches!(value, Json::Str(_)),
            Self::TextOrNull => matches!(value, Json::Str(_) | Json::Null),
            Self::Flag => matches!(value, Json::Bool(_)),
            Self::Count => count(value).is_some(),
            Self::Texts => texts(value).is_some(),
            Self::Object => matches!(value, Json::Obj(_)),
            Self::Any => true,
        }
    }
}

type Fields = [(&'static str, Kind)];

const ROW: &Fields = &[
    ("step_id", Kind::Text),
    ("tool", Kind::TextOrNull),
    ("ok", Kind::Flag),
    ("skipped", Kind::Flag),
    ("reason", Kind::TextOrNull),
    ("error", Kind::TextOrNull),
    ("output", Kind::Any),
];
const META: &Fields = &[
    ("step_id", Kind::Text),
    ("ok", Kind::Flag),
    ("skipped", Kind::Flag),
    ("reason", Kind::TextOrNull),
    ("task_status", Kind::Text),
    ("stats", Kind::Object),
    ("blocked_steps", Kind::Texts),
    ("failed_steps", Kind::Texts),
];
const STATS: &Fields = &[
    ("total_steps", Kind::Count),
    ("ok", Kind::Count),
    ("skipped", Kind::Count),
    ("failed", Kind::Count),
];

/// A field that holds a string or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text<'a> {
    /// Missing or of another type; reported as such.
    Unreadable,
    /// Null.
    Null,
    /// A string.
    Is(&'a str),
}

impl<'a> Text<'a> {
    fn of(entry: &'a Json, name: &str) -> Self {
        match entry.get(name) {
            Some(Json::Null) => Self::Null,
            Some(Json::Str(text)) => Self::Is(text),
            _ => Self::Unreadable,
        }
    }

    /// Whether the field says nothing.
    pub(super) fn is_blank(self) -> bool {
        match self {
            Self::Unreadable => false,
            Self::Null => true,
            Self::Is(text) => text.trim().is_empty(),
        }
    }
}

/// A step's entry, as far as it can be read.
pub(super) struct Row<'a> {
    pub(super) at: Pointer,
    pub(super) step_id: Option<&'a str>,
    pub(super) tool: Text<'a>,
    pub(super) ok: Option<bool>,
    pub(super) skipped: Option<bool>,
    pub(super) reason: Text<'a>,
    pub(super) error: Text<'a>,
}

/// The one thing a row says of its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ok,
    Skipped,
    Failed,
}

impl Row<'_> {
    /// A row of which nothing can be read.
    pub(super) fn unreadable(at: Pointer) -> Self {
        Self {
            at,
            step_id: None,
            tool: Text::Unreadable,
            ok: None,
            skipped: None,
            reason: Text::Unreadable,
            error: Text::Unreadable,
        }
    }

    /// What the row says; nothing when the flags cannot be read. Where both flags are
    /// set, `skipped` counts: a step that did not run cannot have succeeded.
    pub(super) fn state(&self) -> Option<State> {
        match (self.ok?, self.skipped?) {
            (_, true) => Some(State::Skipped),
            (true, false) => Some(State::Ok),
            (false, false) => Some(State::Failed),
        }
    }

    /// Whether the row gives this word as its reason.
    pub(super) fn has_reason(&self, word: Reason) -> bool {
        self.reason == Text::Is(word.as_str())
    }
}

/// The counts of the summary, as far as they can be read.
pub(super) struct Counts {
    pub(super) total_steps: Option<u64>,
    pub(super) ok: Option<u64>,
    pub(super) skipped: Option<u64>,
    pub(super) failed: Option<u64>,
}

/// The summary entry, as far as it can be read.
pub(super) struct Meta<'a> {
    pub(super) at: Pointer,
    pub(super) ok: Option<bool>,
    pub(super) skipped: Option<bool>,
    pub(super) reason: Text<'a>,
    pub(super) task_status: Option<&'a str>,
    pub(super) stats: Option<Counts>,
    pub(super) blocked_steps: Option<Vec<&'a str>>,
    pub(super) failed_steps: Option<Vec<&'a str>>,
}

/// Whether an entry is a summary: by its id, or, where it has none, by its status.
pub(super) fn is_meta(entry: &Json) -> bool {
    match entry.get("step_id") {
        Some(Json::Str(id)) => id == META_ID,
        _ => entry.get("task_status").is_some(),
    }
}

/// Reads a step's entry and reports what is wrong with its shape.
pub(super) fn row<'a>(entry: &'a Json, at: Pointer, findings: &mut Findings) -> Row<'a> {
    let step_id = entry.get("step_id").and_then(Json::as_str);
    fields(entry, ROW, &at, step_id, findings);
    Row {
        step_id,
        tool: Text::of(entry, "tool"),
        ok: entry.get("ok").and_then(flag),
        skipped: entry.get("skipped").and_then(flag),
        reason: Text::of(entry, "reason"),
        error: Text::of(entry, "error"),
        at,
    }
}

/// Reads a summary entry and reports what is wrong with its shape.
pub(super) fn meta<'a>(entry: &'a Json, at: Pointer, findings: &mut Findings) -> Meta<'a> {
    fields(entry, META, &at, None, findings);
    let stats = entry.get("stats").filter(|stats| Kind::Object.fits(stats)).map(|stats| {
        fields(stats, STATS, &at.key("stats"), None, findings);
        let count = |name| stats.get(name).and_then(count);
        Counts {
            total_steps: count("total_steps"),
            ok: count("ok"),
            skipped: count("skipped"),
            failed: count("failed"),
        }
    });
    Meta {
        ok: entry.get("ok").and_then(flag),
        skipped: entry.get("skipped").and_then(flag),
        reason: Text::of(entry, "reason"),
        task_status: entry.get("task_status").and_then(Json::as_str),
        stats,
        blocked_steps: entry.get("blocked_steps").and_then(texts),
        failed_steps: entry.get("failed_steps").and_then(texts),
        at,
    }
}

/// Holds an object against its list of fields.
fn fields(
    object: &Json,
    known: &Fields,
    at: &Pointer,
    step_id: Option<&str>,
    findings: &mut Findings,
) {
    for (name, kind) in known {
        match object.get(name) {
            Some(value) if kind.fits(value) => {}
            Some(value) => {
                let message = format!("`{name}` must be {}, not {}", kind.name(), found(value));
                findings.add(Rule::Type, at.key(name), step_id, message);
            }
            None if matches!(kind, Kind::Any) => {}
            None => {
                let message = format!("`{name}` is missing");
                findings.add(Rule::MissingField, at.clone(), step_id, message);
            }
        }
    }
    let Json::Obj(members) = object else { return };
    for (name, _) in members {
        if !known.iter().any(|(field, _)| field == name) {
            let message = format!("{} is not a field of the contract", quoted(name));
            findings.add(Rule::UnknownField, at.key(name), step_id, message);
        }
    }
}

fn found(value: &Json) -> &'static str {
    match value {
        Json::Int(..0) => "a negative number",
        Json::Arr(_) if texts(value).is_none() => "an array with other values",
        other => other.kind(),
    }
}

fn flag(value: &Json) -> Option<bool> {
    if let Json::Bool(flag) = value { Some(*flag) } else { None }
}

fn count(value: &Json) -> Option<u64> {
    if let Json::Int(number) = value { u64::try_from(*number).ok() } else { None }
}

fn texts(value: &Json) -> Option<Vec<&str>> {
    let Json::Arr(elements) = value else { return None };
    elements.iter().map(Json::as_str).collect()
}
