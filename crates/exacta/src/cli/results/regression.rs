//! The cases that an executor is put through: a plan each, and what must come of it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

const CASES: &str = include_str!("../../../../../corpus/executors/cases.json");

/// What a case calls a tool that does not exist, and the name that is handed in for it.
const MISSING: (&str, &str) = ("MISSING", "exacta_no_such_tool");
/// What a case calls a tool that works.
const WORKS: &str = "WORKS";

/// The cases of this version of the contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    version: u32,
    cases: Vec<Case>,
}

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// Its name.
    pub(super) name: String,
    /// What it is about.
    pub(super) promise: String,
    steps: Vec<Value>,
    /// The status that must be told.
    pub(super) status: String,
    /// What the row of each step must be: `ok`, `skipped` or `failed`.
    pub(super) rows: BTreeMap<String, String>,
}

/// Every case, in the order of the table; none if the table is not one of ours.
pub(super) fn cases() -> Vec<Case> {
    match serde_json::from_str::<Table>(CASES) {
        Ok(table) if table.version == 1 => table.cases,
        _ => Vec::new(),
    }
}

impl Case {
    /// The plan to hand in. Some cases need a tool that works.
    pub(super) fn plan(&self, works: Option<&str>, args: &Value) -> Option<Value> {
        let mut steps = self.steps.clone();
        for step in &mut steps {
            let tool = step.get_mut("tool")?;
            let written = tool.as_str().or_else(|| tool.get("name")?.as_str())?;
            if written == MISSING.0 {
                match tool.get_mut("name") {
                    Some(name) => *name = json!(MISSING.1),
                    None => *tool = json!(MISSING.1),
                }
            } else if written == WORKS {
                *tool = json!({"name": works?, "args": args});
            }
        }
        Some(json!({"plan_version": 1, "execution": "contract", "steps": steps}))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use exacta_core::read::parse::Limits;
    use exacta_core::results::PlanOutline;

    use super::*;

    #[test]
    fn every_case_is_a_plan_with_a_name_of_its_own_and_a_row_for_each_step() {
        let cases = cases();
        assert!(cases.len() >= 19);
        let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), cases.len());
        for case in &cases {
            let plan = case.plan(Some("noop"), &json!({})).unwrap().to_string();
            assert!(!plan.contains("MISSING") && !plan.contains("WORKS"));
            let outline = PlanOutline::read(plan.as_bytes(), Limits::default()).unwrap();
            let ids: BTreeSet<&str> = outline.steps().iter().map(|s| s.step_id.as_str()).collect();
            assert_eq!(ids, case.rows.keys().map(String::as_str).collect(), "{}", case.name);
            assert_eq!(outline.order().is_err(), case.status == "BLOCKED", "{}", case.name);
        }
        let without = cases.iter().filter(|case| case.plan(None, &json!({})).is_none()).count();
        assert!(without > 0 && without < cases.len());
    }

    #[test]
    fn every_row_of_the_table_of_situations_has_a_case() {
        let names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
        for name in
            ["unknown-dependency", "dependency-failed", "dependency-skipped", "tool-not-found"]
        {
            assert!(names.iter().any(|own| own == name), "{name}");
        }
    }
}
