//! The rules of a single row, and of rows among each other.

use alloc::collections::BTreeMap;

use super::findings::{Findings, quoted};
use super::reason::{Meaning, Reason};
use super::rule::Rule;
use super::shape::{Row, Text};

/// Holds every row against the rules that need neither summary nor plan.
pub(super) fn check(rows: &[Row<'_>], findings: &mut Findings) {
    let mut seen = BTreeMap::new();
    for row in rows {
        if let Some(id) = row.step_id {
            if id.is_empty() {
                findings.add(Rule::StepIdEmpty, row.at.key("step_id"), None, "the id is empty");
            } else if let Some(first) = seen.insert(id, &row.at) {
                let message = format!("the step {} has a row at {first} already", quoted(id));
                findings.add(Rule::StepIdRepeated, row.at.key("step_id"), Some(id), message);
            }
        }
        alone(row, findings);
    }
}

fn alone(row: &Row<'_>, findings: &mut Findings) {
    let step = row.step_id;
    if row.tool == Text::Is("") {
        findings.add(Rule::ToolEmpty, row.at.key("tool"), step, "the tool's name is empty");
    }
    if row.skipped == Some(true) && row.ok == Some(true) {
        let message = "the step is said to be skipped and to have succeeded";
        findings.add(Rule::SkippedOk, row.at.key("ok"), step, message);
    }
    if row.ok == Some(true)
        && let Text::Is(error) = row.error
    {
        let message = format!("the step succeeded with the error {}", quoted(error));
        findings.add(Rule::OkError, row.at.key("error"), step, message);
    }
    if row.ok == Some(false)
        && row.skipped == Some(false)
        && row.error.is_blank()
        && row.reason.is_blank()
    {
        let message = "the step failed and neither `error` nor `reason` says why";
        findings.add(Rule::FailedUnexplained, row.at.clone(), step, message);
    }
    if let (Some(ok), Some(skipped)) = (row.ok, row.skipped)
        && let Text::Is(reason) = row.reason
        && let Some(word) = Reason::contract(reason)
        && let Some(meaning) = word.meaning()
    {
        let right = match meaning {
            Meaning::Skipped => !ok && skipped,
            Meaning::Failed => !ok && !skipped,
        };
        if !right {
            let message = format!(
                "the reason `{}` does not go with ok: {ok}, skipped: {skipped}",
                word.as_str()
            );
            findings.add(Rule::ReasonFlags, row.at.key("reason"), step, message);
        }
    }
}
