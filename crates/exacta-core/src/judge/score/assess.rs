//! Risk and quality of one subject.

use schemars::JsonSchema;
use serde::Serialize;

use super::basis::Basis;
use super::quality::{self, Quality};
use super::risk::{self, Risk};
use super::subject::Subject;

/// What was found out about a plan. Made only by [`assess`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Assessment {
    /// How good the plan is.
    pub quality: Quality,
    /// How much can go wrong.
    pub risk: Risk,
}

/// Assesses a subject.
#[must_use]
pub fn assess(subject: &Subject<'_>) -> Assessment {
    let basis = Basis::of(subject);
    Assessment { risk: risk::of(&basis), quality: quality::of(&basis) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::facts::{Ecosystem, VersionStep};
    use crate::judge::score::Class;
    use crate::judge::score::sample::{Sample, kinds};
    use serde_json::json;

    /// The worked example of `docs/concepts/risk.md`.
    #[test]
    fn the_example_of_the_risk_page() {
        let mut sample = Sample::new();
        sample.modify("src/a.rs");
        sample.delete("src/b.rs");
        sample.modify("Cargo.toml");
        sample.fact(kinds::dependency_version(Ecosystem::Cargo, VersionStep::Other));
        sample.modify("Cargo.lock");
        let risk = sample.assess().risk;
        assert_eq!((risk.points(), risk.score), (25, 31));
        assert_eq!(risk.class.unwrap().class, Class::Behaviour);
        let factors = sample.assess().risk.factors;
        let points: alloc::vec::Vec<u32> =
            factors.iter().flat_map(|factor| &factor.evidence).map(|e| e.points).collect();
        assert_eq!(points, [10, 5, 2, 3, 5]);
    }

    /// The worked example of `docs/concepts/quality.md`.
    #[test]
    fn the_example_of_the_quality_page() {
        let mut sample = Sample::new();
        sample.rewrite("src/header.rs", "fn parse_header() { 1 }\n", "fn parse_header() { 2 }\n");
        sample.intent = Some("fix the overflow in `parse_header` and say so in CHANGES.md".into());
        sample.has_tests = true;
        sample.last_step().title = None;
        let quality = sample.assess().quality;
        assert_eq!(quality.dimensions.completeness.score.get(), 750);
        assert_eq!(quality.dimensions.clarity.score.get(), 600);
        assert_eq!(quality.overall.get(), 885);
    }

    #[test]
    fn the_shape_is_the_one_that_doors_promise() {
        let mut sample = Sample::new();
        sample.delete("a.txt");
        sample.tool("WriteEmailDraft", "{}");
        let value = serde_json::to_value(sample.assess()).unwrap();
        let risk = &value["risk"];
        assert_eq!(
            (&risk["score"], &risk["level"], &risk["tier"]),
            (&json!(31), &json!("medium"), &json!("MEDIUM"))
        );
        let names: alloc::vec::Vec<_> = risk["factors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "File operations",
                "Dependency changes",
                "Refactoring scope",
                "Breaking changes",
                "Security impact",
                "Code complexity"
            ]
        );
        assert_eq!(
            risk["factors"][0],
            json!({"name": "File operations", "score": 10, "max": 35, "evidence": [
                {"step_id": "step_1", "path": "a.txt", "finding": "file deleted", "points": 10}
            ]})
        );
        assert_eq!(
            risk["floors"],
            json!([
                {"step_id": "step_1", "at_least": 31, "reason": "behaviour (something that exists may act differently: file deleted, or left without content)"},
                {"step_id": "step_2", "at_least": 31, "reason": "`WriteEmailDraft` writes a draft"}
            ])
        );
        assert_eq!(
            risk["class"],
            json!({"name": "behaviour", "understood": 100,
                "reason": "something that exists may act differently: file deleted, or left without content",
                "evidence": {"step_id": "step_1", "path": "a.txt", "finding": "file deleted, or left without content", "points": 0}})
        );
        assert_eq!(value["quality"]["overall"], json!(1.0));
        assert_eq!(
            value["quality"]["dimensions"]["safety"],
            json!({"score": 1.0, "weight": 15, "applicable": true, "findings": []})
        );
        let schema = serde_json::to_string(&schemars::schema_for!(Assessment)).unwrap();
        assert!(schema.contains("dimensions"));
    }
}
