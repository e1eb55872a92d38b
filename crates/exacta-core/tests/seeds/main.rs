//! The rules of the source documents, one named test each.
#![expect(clippy::unwrap_used, reason = "test code reports by panicking")]

mod approvals;
mod execution_contract;
mod plan_contract;
mod reach;
mod recipes;

use std::collections::BTreeSet;

use exacta_core::model::diagnostic::Issue;
use exacta_testkit::Check;
use serde_json::Value;

/// The findings on a draft, whichever stage makes them.
fn issues(check: &Check, draft: &Value) -> Vec<Issue> {
    match check.text(draft.to_string()) {
        Ok(examined) => examined.issues,
        Err(issues) => issues,
    }
}

/// Asserts that a draft has findings of exactly this code and rule, and returns the first.
fn refused(check: &Check, draft: &Value, code: &str, rule: &str) -> Issue {
    let issues = issues(check, draft);
    let found: BTreeSet<(&str, &str)> =
        issues.iter().map(|issue| (issue.code.as_str(), &*issue.rule)).collect();
    assert_eq!(found, BTreeSet::from([(code, rule)]), "{draft}\n{issues:#?}");
    issues.into_iter().next().unwrap()
}

/// The policy that tool tests need: a host and two recipients.
fn online() -> Check {
    let mut check = Check::on([("a.txt", "1\n")]);
    check.policy.allowed_domains =
        ["ok.example", "second.example"].map(str::to_owned).into_iter().collect();
    check.policy.allowed_recipients = ["ok@corp.com".to_owned()].into();
    check
}
