//! Findings in the formats of other tools.

use serde_json::json;

use crate::project::Project;

const PLAN: &str =
    "{\"steps\": [{\"step_id\": \"step_1\", \"type\": \"file_delete\", \"target\": \"50%, a:b\"}]}";

#[test]
fn github_annotations_are_one_escaped_line_each() {
    let project = Project::of(&[("plan.json", PLAN)]);
    let said = project.exacta(&["check", "plan.json", "--format", "github"]);
    assert_eq!(said.code, 10);
    assert_eq!(said.out.lines().count(), 1);
    assert!(
        said.out.starts_with(
            "::error file=plan.json,line=1,col=67,title=PLAN_PATH_INVALID PV-4::step_1: "
        ),
        "{}",
        said.out
    );
    assert!(said.out.contains("50%25, a:b"), "{}", said.out);
}

#[test]
fn sarif_names_rule_place_and_pointer() {
    let project = Project::of(&[("plan.json", PLAN)]);
    let log = project.exacta(&["check", "plan.json", "--format", "sarif"]).json();
    assert_eq!(log["version"], json!("2.1.0"));
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], json!("PLAN_PATH_INVALID"));
    assert_eq!(result["level"], json!("error"));
    let place = &result["locations"][0];
    assert_eq!(place["physicalLocation"]["region"], json!({"startLine": 1, "startColumn": 67}));
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], json!("/steps/0/target"));
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["id"] == json!("PLAN_PATH_INVALID")));
}

#[test]
fn junit_fails_or_passes_the_one_case() {
    let project = Project::of(&[
        ("bad.json", PLAN),
        (
            "good.json",
            "{\"steps\": [{\"step_id\": \"a\", \"type\": \"file_create\", \"target\": \"x.md\", \"content\": \"\"}]}",
        ),
    ]);
    let bad = project.exacta(&["check", "bad.json", "--format", "junit"]).out;
    assert!(
        bad.contains("failures=\"1\"") && bad.contains("<failure type=\"PLAN_PATH_INVALID\""),
        "{bad}"
    );
    let good = project.exacta(&["check", "good.json", "--format", "junit"]).out;
    assert!(good.contains("failures=\"0\"") && !good.contains("<failure"), "{good}");
    for text in [bad, good] {
        let mut reader = quick_xml::Reader::from_str(&text);
        loop {
            if let quick_xml::events::Event::Eof = reader.read_event().unwrap() {
                break;
            }
        }
    }
}
