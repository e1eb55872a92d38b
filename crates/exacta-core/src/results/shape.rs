//! The shape of an entry: which fields, of which type.
//!
//! Whatever can be read of a broken entry is kept, so that one pass reports shape and
//! meaning together; what cannot be read is `None` and later rules stay silent on it.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::contract::META_ID;
use super::findings::Findings;
use super::quote::quoted;
use super::reason::Reason;
use super::rule::Rule;
use crate::pointer::Pointer;

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

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::TextOrNull => value.is_string() || value.is_null(),
            Self::Flag => value.is_boolean(),
            Self::Count => value.is_u64(),
            Self::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Self::Object => value.is_object(),
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
    fn of(entry: &'a Map<String, Value>, name: &str) -> Self {
        match entry.get(name) {
            Some(Value::Null) => Self::Null,
            Some(Value::String(text)) => Self::Is(text),
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
pub(super) fn is_meta(entry: &Map<String, Value>) -> bool {
    match entry.get("step_id") {
        Some(Value::String(id)) => id == META_ID,
        _ => entry.contains_key("task_status"),
    }
}

/// Reads a step's entry and reports what is wrong with its shape.
pub(super) fn row<'a>(
    entry: &'a Map<String, Value>,
    at: Pointer,
    findings: &mut Findings,
) -> Row<'a> {
    let step_id = entry.get("step_id").and_then(Value::as_str);
    fields(entry, ROW, &at, step_id, findings);
    Row {
        step_id,
        tool: Text::of(entry, "tool"),
        ok: entry.get("ok").and_then(Value::as_bool),
        skipped: entry.get("skipped").and_then(Value::as_bool),
        reason: Text::of(entry, "reason"),
        error: Text::of(entry, "error"),
        at,
    }
}

/// Reads a summary entry and reports what is wrong with its shape.
pub(super) fn meta<'a>(
    entry: &'a Map<String, Value>,
    at: Pointer,
    findings: &mut Findings,
) -> Meta<'a> {
    fields(entry, META, &at, None, findings);
    let stats = entry.get("stats").and_then(Value::as_object).map(|stats| {
        fields(stats, STATS, &at.key("stats"), None, findings);
        let count = |name| stats.get(name).and_then(Value::as_u64);
        Counts {
            total_steps: count("total_steps"),
            ok: count("ok"),
            skipped: count("skipped"),
            failed: count("failed"),
        }
    });
    Meta {
        ok: entry.get("ok").and_then(Value::as_bool),
        skipped: entry.get("skipped").and_then(Value::as_bool),
        reason: Text::of(entry, "reason"),
        task_status: entry.get("task_status").and_then(Value::as_str),
        stats,
        blocked_steps: texts(entry, "blocked_steps"),
        failed_steps: texts(entry, "failed_steps"),
        at,
    }
}

/// Holds an object against its list of fields.
fn fields(
    object: &Map<String, Value>,
    known: &Fields,
    at: &Pointer,
    step_id: Option<&str>,
    findings: &mut Findings,
) {
    for (name, kind) in known {
        match object.get(*name) {
            Some(value) if kind.fits(value) => {}
            Some(value) => {
                let message = format!("`{name}` is {}, not {}", found(value), kind.name());
                findings.add(Rule::FieldType, at.key(name), step_id, message);
            }
            None if matches!(kind, Kind::Any) => {}
            None => {
                let message = format!("`{name}` is missing");
                findings.add(Rule::FieldMissing, at.clone(), step_id, message);
            }
        }
    }
    for name in object.keys() {
        if !known.iter().any(|(field, _)| field == name) {
            let message = format!("{} is not a field of the contract", quoted(name));
            findings.add(Rule::FieldUnknown, at.key(name), step_id, message);
        }
    }
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(list) if list.iter().all(Value::is_string) => "an array",
        Value::Array(_) => "an array with other values",
        Value::Object(_) => "an object",
    }
}

fn texts<'a>(entry: &'a Map<String, Value>, name: &str) -> Option<Vec<&'a str>> {
    entry.get(name)?.as_array()?.iter().map(Value::as_str).collect()
}
