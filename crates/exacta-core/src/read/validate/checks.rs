//! PS-1 for checks that constraints name: policy must know each of them.
//!
//! A name that policy does not know would ask for nothing, so it breaks the constraint.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::constraints::finding;
use crate::judge::policy::Policy;
use crate::model::diagnostic::Issue;
use crate::model::plan::{Constraint, Effective};

/// The checks that constraints in force name.
#[must_use]
pub fn named_checks(effective: &[Effective]) -> BTreeSet<&str> {
    let named = effective.iter().filter_map(|effective| match &effective.constraint {
        Constraint::TestsRequired { checks } => Some(checks),
        _ => None,
    });
    named.flatten().map(|name| &**name).collect()
}

/// Finds every name that policy does not know.
pub fn checks(effective: &[Effective], policy: &Policy, issues: &mut Vec<Issue>) {
    for (index, Effective { origin, constraint }) in effective.iter().enumerate() {
        let Constraint::TestsRequired { checks } = constraint else { continue };
        for name in checks.iter().filter(|name| !policy.checks.contains_key(*name)) {
            let broken = format!("policy knows no check `{name}`");
            let help = "name a check that the policy in force has";
            issues.push(finding(effective, index, *origin, None, &broken).help(help));
        }
    }
}
