//! A problem and its place in the diff text.

use super::problem::DiffProblem;
use crate::model::code::Code;

/// Why a diff cannot be read or does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct DiffFault {
    line: u32,
    column: u32,
    problem: DiffProblem,
}

impl DiffFault {
    /// A problem at a line and column of the diff text, both from 1.
    pub(super) fn new(line: u32, column: u32, problem: DiffProblem) -> Self {
        Self { line, column, problem }
    }

    /// The line of the diff text, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The column in characters, from 1.
    #[must_use]
    pub fn column(&self) -> u32 {
        self.column
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &DiffProblem {
        &self.problem
    }

    /// The problem alone, for a report that has its own place.
    pub(super) fn into_problem(self) -> DiffProblem {
        self.problem
    }

    /// `DiffMalformed` when the text is wrong; `DiffMismatch`, `FileMissing` or
    /// `FileExists` when the text is sound and the file is not what it needs.
    #[must_use]
    pub fn code(&self) -> Code {
        self.problem.code()
    }

    /// What a planner can do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.problem.help()
    }
}
