//! `tests_required` without named checks: where code changes, a test changes with it.
//!
//! Tests that stand in the same file as the code are known by the inspector, so this
//! constraint is checked on facts, after the others. What could not be read has no tests.

use alloc::vec::Vec;

use super::constraints::finding;
use crate::judge::facts::{Fact, FactKind, FileRole, is_test, of_path};
use crate::model::change::Change;
use crate::model::diagnostic::Issue;
use crate::model::path::RelPath;
use crate::model::plan::{Constraint, Effective};

/// Checks the constraint, where it is in force.
pub fn tests(effective: &[Effective], changes: &[Change], facts: &[Fact], issues: &mut Vec<Issue>) {
    let code = |change: &Change| is_source(&change.path);
    let test = |change: &Change| is_test(&change.path) && change.after.is_some();
    let within = |fact: &Fact| matches!(fact.kind, FactKind::TestsTouched {});
    if !changes.iter().any(code) || changes.iter().any(test) || facts.iter().any(within) {
        return;
    }
    for (index, Effective { origin, constraint }) in effective.iter().enumerate() {
        if asks_for_tests(constraint) {
            let broken = "code changes and no test does";
            issues.push(finding(effective, index, *origin, None, broken));
        }
    }
}

/// Whether a constraint is about tests in the plan, not about checks by name.
pub(super) fn asks_for_tests(constraint: &Constraint) -> bool {
    matches!(constraint, Constraint::TestsRequired { checks } if checks.is_empty())
}

fn is_source(path: &RelPath) -> bool {
    of_path("", path, false, false)
        .iter()
        .any(|fact| matches!(fact.kind, FactKind::HasRole { role: FileRole::Source }))
}
