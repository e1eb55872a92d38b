//! What a draft says about itself.
//!
//! Claims can only tighten; what the server computes (status, hashes, scores, the
//! approval) is refused from a planner, so that nobody can mistake it for ours.

use alloc::vec::Vec;

use super::draft::add_input;
use super::json::Json;
use super::object::{Object, schema};
use crate::model::diagnostic::Issue;
use crate::model::plan::Draft;
use crate::text::pointer::Pointer;

/// Plan-level fields that only the gate writes.
const SERVER_OWNED: &[&str] = &[
    "id",
    "plan_id",
    "planId",
    "plan_hash",
    "planHash",
    "effect_hash",
    "status",
    "state",
    "decision",
    "decided_by",
    "decidedBy",
    "decided_at",
    "decidedAt",
    "approval",
    "approvals",
    "approval_decision",
    "approvalDecision",
    "approved_by",
    "approvedBy",
    "binding",
    "risk",
    "risk_score",
    "riskScore",
    "risk_assessment",
    "riskAssessment",
    "risk_tier",
    "riskTier",
    "quality",
    "quality_score",
    "qualityScore",
    "estimates",
    "validation_issues",
    "validationIssues",
    "issues",
    "policy_context",
    "policyContext",
    "policy_hash",
    "llm",
    "llm_model",
    "correlation_id",
    "correlationId",
    "created_at",
    "createdAt",
    "timestamp",
    "expiry",
    "expires_at",
    "run_id",
    "runId",
    "derived_from",
    "derivedFrom",
    "requires_approval",
    "requiresApproval",
    "changes",
    "assurance",
    "format",
];

/// Takes the server-owned fields out, with a finding for each.
pub(super) fn without_server_owned(value: Json) -> (Json, Vec<Issue>) {
    let Json::Obj(members) = value else { return (value, Vec::new()) };
    let (owned, rest): (Vec<_>, Vec<_>) =
        members.into_iter().partition(|(key, _)| SERVER_OWNED.contains(&key.as_str()));
    let issues = owned
        .into_iter()
        .map(|(key, _)| {
            schema("server_owned", format!("`{key}` is set by the gate, never by a planner"))
                .at(Pointer::root().key(&key))
                .help("leave the field out; the gate computes it")
        })
        .collect();
    (Json::Obj(rest), issues)
}

/// Reads inputs, claims and the fields of seed 004 that are inputs under other names.
pub(super) fn read(object: &mut Object, draft: &mut Draft, issues: &mut Vec<Issue>) {
    if let Some(taken) = object.take("inputs") {
        if matches!(taken.value, Json::Obj(_)) {
            draft.inputs = taken.value;
        } else {
            issues.push(
                schema("type", format!("`inputs` must be an object, not {}", taken.value.kind()))
                    .at(object.pointer().key(&taken.key))
                    .help("write an object"),
            );
        }
    }
    for (name, list) in
        [("web_source_url", false), ("inbox_source_text", false), ("daily_sources", true)]
    {
        read_input(object, draft, name, list, issues);
    }
    draft.intent = read_free(object, "intent", issues);
    draft.provider = read_free(object, "provider", issues);
    draft.estimated_tokens = object.count("estimated_tokens", 0, issues);
    draft.estimated_duration = object.count("estimated_duration", 0, issues);
    draft.target_files = object.strings("target_files", issues);
    draft.allowed_primitives = object.strings("allowed_primitives", issues);
    draft.web_allowed_domains = object.strings("web_allowed_domains", issues);
    draft.recipient_hints = object.strings("recipient_hints", issues);
}

fn read_input(
    object: &mut Object,
    draft: &mut Draft,
    name: &str,
    list: bool,
    issues: &mut Vec<Issue>,
) {
    let Some(taken) = object.take(name) else { return };
    // Seed 004 writes an absent option as null.
    if matches!(taken.value, Json::Null) && !list && draft.inputs.get(name).is_none() {
        return;
    }
    let fits = match &taken.value {
        Json::Str(_) | Json::Null => !list,
        Json::Arr(elements) => list && elements.iter().all(|e| matches!(e, Json::Str(_))),
        _ => false,
    };
    if !fits {
        let expected = if list { "an array of strings" } else { "a string" };
        issues.push(
            schema("type", format!("`{name}` must be {expected}"))
                .at(object.pointer().key(&taken.key))
                .help(format!("write {expected}")),
        );
    } else if add_input(draft, name, taken.value).is_err() {
        issues.push(
            schema("duplicate_key", format!("`{name}` and `inputs.{name}` are both given"))
                .at(object.pointer().key(&taken.key))
                .help(format!("keep `inputs.{name}`")),
        );
    }
}

/// A claim that is kept as it is: a string or an object.
fn read_free(object: &mut Object, name: &str, issues: &mut Vec<Issue>) -> Option<Json> {
    let taken = object.take(name)?;
    if matches!(taken.value, Json::Str(_) | Json::Obj(_)) {
        return Some(taken.value);
    }
    issues.push(
        schema(
            "type",
            format!("`{name}` must be a string or an object, not {}", taken.value.kind()),
        )
        .at(object.pointer().key(&taken.key))
        .help("write a string"),
    );
    None
}
