//! Findings as a SARIF 2.1.0 log, for code-scanning tools.

use exacta_core::code::Code;
use exacta_core::diagnostic::{Issue, Severity};
use serde_json::{Value, json};

use super::Subject;
use crate::wire::CheckReport;

/// The log of one check.
pub(super) fn log(subject: &Subject<'_>, report: &CheckReport) -> Value {
    let rules: Vec<Value> = Code::ALL
        .iter()
        .map(|code| json!({"id": code.as_str(), "shortDescription": {"text": code.summary()}}))
        .collect();
    let results: Vec<Value> = report.issues.iter().map(|issue| result(subject, issue)).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "exacta",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules
            }},
            "results": results
        }]
    })
}

fn result(subject: &Subject<'_>, issue: &Issue) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": subject.name}});
    if let (Some(place), Some(object)) = (issue.place, physical.as_object_mut()) {
        object
            .insert("region".into(), json!({"startLine": place.line, "startColumn": place.column}));
    }
    json!({
        "ruleId": issue.code.as_str(),
        "level": match issue.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "message": {"text": format!("{}. {}", issue.message, issue.help)},
        "locations": [{
            "physicalLocation": physical,
            "logicalLocations": [{"fullyQualifiedName": issue.pointer.as_str()}]
        }],
        "properties": {"rule": issue.rule, "step_id": issue.step_id}
    })
}
