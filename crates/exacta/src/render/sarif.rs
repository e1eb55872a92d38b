//! Findings as a SARIF 2.1.0 log, for code-scanning tools.

use exacta_core::judge::decide::ReasonKind;
use exacta_core::model::code::Code;
use exacta_core::model::diagnostic::{Issue, Severity};
use serde_json::{Value, json};

use super::Subject;
use super::deciding::{Deciding, deciding};
use crate::wire::CheckReport;

/// The log of one check.
pub(super) fn log(subject: &Subject<'_>, report: &CheckReport) -> Value {
    let rule = |id: &str, summary: &str| json!({"id": id, "shortDescription": {"text": summary}});
    let codes = Code::ALL.iter().map(|code| rule(code.as_str(), code.summary()));
    let reasons = ReasonKind::ALL.iter().map(|kind| rule(kind.as_str(), kind.summary()));
    let scores = [
        rule("quality", "something takes quality away from the plan"),
        rule("risk", "something makes the plan risky"),
    ];
    let rules: Vec<Value> = codes.chain(reasons).chain(scores).collect();
    let results: Vec<Value> = report
        .issues
        .iter()
        .map(|issue| result(subject, issue))
        .chain(deciding(report).iter().map(|what| decided(subject, what)))
        .collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "exacta",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules
            }},
            "columnKind": "unicodeCodePoints",
            "results": results
        }]
    })
}

fn result(subject: &Subject<'_>, issue: &Issue) -> Value {
    let place = issue.place.map(|place| subject.at(place));
    let name = place.map_or(subject.name.as_str(), |(name, _)| name);
    let mut physical = json!({"artifactLocation": {"uri": uri(name)}});
    if let (Some((_, place)), Some(object)) = (place, physical.as_object_mut()) {
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

fn decided(subject: &Subject<'_>, what: &Deciding) -> Value {
    let (file, line) = what.place.clone().unwrap_or_else(|| (subject.name.clone(), None));
    let mut physical = json!({"artifactLocation": {"uri": uri(&file)}});
    if let (Some(line), Some(object)) = (line, physical.as_object_mut()) {
        object.insert("region".into(), json!({"startLine": line}));
    }
    json!({
        "ruleId": what.id,
        "level": if what.rejects { "error" } else { "warning" },
        "message": {"text": what.message},
        "locations": [{"physicalLocation": physical}]
    })
}

/// A name as a relative URI reference: everything but plain characters is percent-encoded.
fn uri(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    name.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_becomes_a_uri_reference() {
        for (name, encoded) in [
            ("plans/a-1_b.json", "plans/a-1_b.json"),
            ("my plan: 100%.json", "my%20plan%3A%20100%25.json"),
            ("é", "%C3%A9"),
            ("<stdin>", "%3Cstdin%3E"),
        ] {
            assert_eq!(uri(name), encoded);
        }
    }
}
