//! What somebody chose in their editor, when it showed them the effect of a plan.

use serde_json::Value;

use super::{Proof, Shown};

/// The option that approves.
pub const APPROVE: &str = "approve";
/// The option that rejects.
pub const REJECT: &str = "reject";

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorChoice {
    /// It may happen.
    Approve(Proof),
    /// It may not.
    Reject(Proof),
    /// Neither: whatever else was answered.
    Neither,
}

/// Reads an editor's answer to the request `asked`. An answer to anything else, an error, a
/// cancelled question and an option that was not offered decide nothing.
#[must_use]
pub fn editor_choice(answer: &Value, asked: &str) -> EditorChoice {
    let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
    if text("/id") != Some(asked) || text("/result/outcome/outcome") != Some("selected") {
        return EditorChoice::Neither;
    }
    let proof = Proof::from(Shown::Editor);
    match text("/result/outcome/optionId") {
        Some(APPROVE) => EditorChoice::Approve(proof),
        Some(REJECT) => EditorChoice::Reject(proof),
        _ => EditorChoice::Neither,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_choice_that_answers_the_question_decides() {
        let chosen = |id: &str, outcome: &str, option: &str| {
            let outcome = json!({ "outcome": outcome, "optionId": option });
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } });
            editor_choice(&answer, "q1")
        };
        let proof = Proof::from(Shown::Editor);
        assert_eq!(chosen("q1", "selected", "approve"), EditorChoice::Approve(proof.clone()));
        assert_eq!(chosen("q1", "selected", "reject"), EditorChoice::Reject(proof));
        for (id, outcome, option) in [
            ("q2", "selected", "approve"),
            ("q1", "cancelled", "approve"),
            ("q1", "selected", "allow_once"),
            ("q1", "selected", "later"),
        ] {
            assert_eq!(chosen(id, outcome, option), EditorChoice::Neither);
        }
        let error = json!({ "id": "q1", "error": { "code": 1, "message": "approve" } });
        assert_eq!(editor_choice(&error, "q1"), EditorChoice::Neither);
    }
}
