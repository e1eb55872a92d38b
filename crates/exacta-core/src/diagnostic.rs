//! The one finding type that every door renders.
//!
//! A finding says what is wrong (`message`), where (`pointer`, `line`, `column`) and
//! what to do (`help`). Messages are lower-case without a full stop; what a user or a
//! planner wrote stands in backticks.

use alloc::borrow::Cow;
use alloc::string::String;

use schemars::JsonSchema;
use serde::Serialize;

use crate::code::Code;
use crate::pointer::Pointer;

/// Whether a finding refuses the plan or only informs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The plan is refused.
    Error,
    /// The plan stands; a person should know.
    Warning,
}

/// A line and column, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Issue {
    /// Stable code with a page of its own (`exacta explain CODE`).
    pub code: Code,
    /// The rule that was broken: `PV-1` … `PS-3`, or a short stable name.
    pub rule: Cow<'static, str>,
    /// Whether the plan is refused.
    pub severity: Severity,
    /// The step it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// JSON Pointer into the draft.
    #[schemars(with = "String")]
    pub pointer: Pointer,
    /// Where that is in the text that was handed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Where it is inside the decoded text at `pointer` (a line of a diff, say).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl Issue {
    /// A finding that refuses the plan.
    pub fn error(
        code: Code,
        rule: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            rule: rule.into(),
            severity: Severity::Error,
            step_id: None,
            pointer: Pointer::root(),
            place: None,
            inner: None,
            message: message.into(),
            help: String::new(),
        }
    }

    /// A finding that informs.
    pub fn warning(
        code: Code,
        rule: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, rule, message) }
    }

    /// Says where in the draft.
    #[must_use]
    pub fn at(mut self, pointer: Pointer) -> Self {
        self.pointer = pointer;
        self
    }

    /// Says which step.
    #[must_use]
    pub fn step(mut self, step_id: impl Into<String>) -> Self {
        self.step_id = Some(step_id.into());
        self
    }

    /// Says where in the text that was handed in.
    #[must_use]
    pub fn place(mut self, line: u32, column: u32) -> Self {
        self.place = Some(Place { line, column });
        self
    }

    /// Says where inside the decoded text at the pointer.
    #[must_use]
    pub fn inner(mut self, line: u32, column: u32) -> Self {
        self.inner = Some(Place { line, column });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Whether this finding refuses the plan.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
