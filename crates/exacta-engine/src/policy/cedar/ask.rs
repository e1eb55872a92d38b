//! Puts the two questions to one file and turns its answers into verdicts.
//!
//! Cedar skips a policy that fails while it is evaluated. Skipping a `forbid` would
//! loosen, so here any failure denies, whatever the other policies say.

use std::collections::BTreeMap;

use cedar_policy::{AuthorizationError, Authorizer, Decision, PolicyId};
use exacta_core::judge::policy::{Clause, PolicyInput, RuleVerdict, Then};

use super::file::{CedarFile, CedarPolicy};
use super::input::{Put, Question};
use super::read::position;
use super::stack::on_known_stack;
use crate::workspace::GateFile;

/// The name of every such file.
const CEDAR: &str = GateFile::Cedar.name();

/// Everything the file has against a plan. Where it denies, what it would only ask about
/// is left out.
pub(super) fn ask(file: &CedarFile, matter: &PolicyInput) -> Vec<RuleVerdict> {
    on_known_stack(|| answers(file, matter)).unwrap_or_else(|| {
        vec![verdict(file, None, Then::Deny, "Cedar gave up while it was asked".into())]
    })
}

fn answers(file: &CedarFile, matter: &PolicyInput) -> Vec<RuleVerdict> {
    let put = match Put::of(matter) {
        Ok(put) => put,
        Err(error) => {
            let reason = format!("the plan cannot be put to Cedar: {error}");
            return vec![verdict(file, None, Then::Deny, reason)];
        }
    };
    let authorizer = Authorizer::new();
    let mut failed: BTreeMap<Option<usize>, RuleVerdict> = BTreeMap::new();
    let mut against = Vec::new();
    for (question, request) in &put.requests {
        let response = authorizer.is_authorized(request, &file.set, &put.entities);
        for error in response.diagnostics().errors() {
            let AuthorizationError::PolicyEvaluationError(error) = error;
            let policy = policy(file, error.policy_id());
            let reason = format!("it cannot be evaluated: {}", error.inner());
            let denied = verdict(file, policy, Then::Deny, reason);
            failed.insert(position(error.policy_id()), denied);
        }
        if response.decision() == Decision::Deny {
            against.extend(refusals(file, *question, response.diagnostics().reason()));
        }
    }
    let mut all: Vec<RuleVerdict> = failed.into_values().chain(against).collect();
    if all.iter().any(|verdict| verdict.then == Then::Deny) {
        all.retain(|verdict| verdict.then == Then::Deny);
    }
    all
}

/// The policies that forbid, or the file that does not permit.
fn refusals<'a>(
    file: &CedarFile,
    question: Question,
    forbidding: impl Iterator<Item = &'a PolicyId>,
) -> Vec<RuleVerdict> {
    let then = match question {
        Question::MayRun => Then::Deny,
        Question::MayRunUnasked => Then::Ask,
    };
    let name = question.as_str();
    // Cedar keeps them in no order.
    let forbidding: BTreeMap<Option<usize>, &PolicyId> =
        forbidding.map(|id| (position(id), id)).collect();
    if forbidding.is_empty() {
        let reason = format!("none of its policies permits `{name}`");
        return vec![verdict(file, None, then, reason)];
    }
    let each = forbidding.into_values().map(|id| {
        let policy = policy(file, id);
        let said = policy.and_then(|policy| policy.reason.clone());
        verdict(file, policy, then, said.unwrap_or_else(|| format!("it forbids `{name}`")))
    });
    each.collect()
}

fn policy<'a>(file: &'a CedarFile, id: &PolicyId) -> Option<&'a CedarPolicy> {
    file.policies.iter().find(|policy| policy.id == *id)
}

fn verdict(
    file: &CedarFile,
    policy: Option<&CedarPolicy>,
    then: Then,
    reason: String,
) -> RuleVerdict {
    let clause = match policy {
        Some(CedarPolicy { name, place, .. }) => {
            Clause::Policy { name: name.clone(), file: CEDAR, line: place.line }
        }
        None => Clause::Text { file: CEDAR },
    };
    let layer = file.layer;
    RuleVerdict { then, reason, layer, clause, steps: Vec::new(), matched: None, count: 0 }
}
