//! What the check has found so far.
//!
//! Every finding names its rule; code and help come from the rule, so that two places
//! that find the same thing say the same thing.

use alloc::string::String;
use alloc::vec::Vec;

use super::rule::Rule;
use crate::model::diagnostic::Issue;
use crate::text::pointer::Pointer;
use crate::text::shown::shown;

/// The broken rules, in the order in which they were found.
#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<Issue>);

impl Findings {
    /// Adds a broken rule.
    pub(super) fn add(
        &mut self,
        rule: Rule,
        at: Pointer,
        step_id: Option<&str>,
        message: impl Into<String>,
    ) {
        let mut issue = Issue::error(rule.code(), rule.as_str(), message).at(at).help(rule.help());
        issue.step_id = step_id.map(String::from);
        self.0.push(issue);
    }
}

/// Foreign text inside a message: in backticks, printable, of bounded length.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", shown(text.as_bytes()))
}
