//! Collects the mistakes of one file, each with its place.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use toml::de::DeValue;

use crate::model::code::Code;
use crate::model::diagnostic::{Issue, Place};
use crate::text::pointer::Pointer;
use crate::text::shown::shown;

/// A key on its way down from the top of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct At {
    dotted: String,
    pub(super) pointer: Pointer,
}

impl At {
    pub(super) fn key(&self, name: &str) -> Self {
        let dot = if self.dotted.is_empty() { "" } else { "." };
        let safe = shown(name.as_bytes());
        Self { dotted: format!("{}{dot}{safe}", self.dotted), pointer: self.pointer.key(name) }
    }

    pub(super) fn index(&self, index: usize) -> Self {
        Self { dotted: format!("{}[{index}]", self.dotted), pointer: self.pointer.index(index) }
    }

    /// The same key, with a pointer to something inside its value.
    pub(super) fn inside(&self, pointer: Pointer) -> Self {
        Self { pointer, dotted: self.dotted.clone() }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.dotted
    }
}

/// The mistakes found so far.
pub(super) struct Findings<'i> {
    text: &'i str,
    issues: Vec<Issue>,
}

impl<'i> Findings<'i> {
    pub(super) fn new(text: &'i str) -> Self {
        Self { text, issues: Vec::new() }
    }

    /// Notes a mistake at a key.
    pub(super) fn add(
        &mut self,
        rule: &'static str,
        at: &At,
        span: &Range<usize>,
        message: String,
        help: impl Into<String>,
    ) {
        let mut issue =
            Issue::error(Code::PolicyInvalid, rule, message).at(at.pointer.clone()).help(help);
        issue.place = Some(Place::of(self.text, span.start));
        self.issues.push(issue);
    }

    /// Notes that a value has the wrong type.
    pub(super) fn wrong(
        &mut self,
        at: &At,
        span: &Range<usize>,
        expected: &str,
        found: &DeValue<'_>,
    ) {
        let found = kind(found);
        let message = format!("`{}` must be {expected}, not {found}", at.as_str());
        self.add("type", at, span, message, format!("write {expected}"));
    }

    /// Every mistake, from the top of the file to its end.
    pub(super) fn into_issues(mut self) -> Vec<Issue> {
        self.issues.sort_by_key(|issue| issue.place);
        self.issues
    }

    pub(super) fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
