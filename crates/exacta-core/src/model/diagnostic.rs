//! The one finding type that every door renders.
//!
//! A finding says what is wrong (`message`), where (`pointer`, `line`, `column`) and
//! what to do (`help`). Messages are lower-case without a full stop; what a user or a
//! planner wrote stands in backticks.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::code::Code;
use crate::text::pointer::Pointer;

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

impl Place {
    /// Line and column of a byte offset in a text.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(start..).unwrap_or_default().chars().count() + 1;
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { line: count(line), column: count(column) }
    }
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

/// The most findings that one draft gets.
pub const MAX_FINDINGS: usize = 1_000;

/// Keeps the first findings and says in one more how many there were beyond them; a stage
/// may have stopped looking when it had more than the most. That
/// one carries the code of a finding it stands for, first of all one that refuses, and
/// of those one after which there is no plan at all.
pub fn keep_first(issues: &mut Vec<Issue>) {
    if issues.len() <= MAX_FINDINGS {
        return;
    }
    let rest = issues.split_off(MAX_FINDINGS);
    let chosen = rest
        .iter()
        .find(|issue| issue.code == Code::PlanInvalidTool)
        .or_else(|| rest.iter().find(|issue| issue.is_error()))
        .or_else(|| rest.first());
    if let Some(chosen) = chosen {
        let message = format!("there are at least {} more findings", rest.len());
        let mut summary =
            Issue::error(chosen.code, "findings", message).help("fix the ones that are listed");
        summary.severity = chosen.severity;
        issues.push(summary);
    }
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

/// Where a stage collects several findings, one is a list too.
impl From<Issue> for Vec<Issue> {
    fn from(issue: Issue) -> Self {
        vec![issue]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_beyond_the_most_are_counted() {
        for (count, kept) in [(0, 0), (1_000, 1_000), (1_001, 1_001), (5_000, 1_001)] {
            let mut issues = vec![Issue::error(Code::PlanConflict, "x", "y"); count];
            keep_first(&mut issues);
            assert_eq!(issues.len(), kept, "{count}");
        }
        let mut issues = vec![Issue::error(Code::PlanConflict, "x", "y"); 2_000];
        issues.push(Issue::error(Code::PlanInvalidTool, "x", "y"));
        keep_first(&mut issues);
        let last = issues.last().unwrap();
        assert_eq!(last.code, Code::PlanInvalidTool);
        assert_eq!(last.message, "there are at least 1001 more findings");
    }
}
