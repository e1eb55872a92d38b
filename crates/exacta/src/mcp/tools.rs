//! The tools that clients see: names, words, schemas and what they do to the world.
//!
//! The list is the same for everybody and always in this order.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::shapes::{
    Explanation, Handed, Nothing, Patience, PlanAnswer, Question, RunAnswer, StatusAnswer,
    ThisPlan, ToRun, ToUndo, UndoAnswer,
};
use crate::wire::{CheckReport, VerifyReport};

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// It looks.
    Reads,
    /// It adds a plan to the record; files stay as they are.
    Records,
    /// It may change the project's files.
    Acts,
}

/// One tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) effect: Effect,
    /// Whether doing it twice is doing it once.
    pub(super) idempotent: bool,
    pub(super) input: fn() -> Map<String, Value>,
    pub(super) output: fn() -> Map<String, Value>,
}

/// Every tool, in the order of the list.
pub(super) const TOOLS: [Tool; 9] = [
    Tool {
        name: "plan_check",
        title: "Check a plan",
        description: "Judge a plan or patch on the project as it is: findings, risk, quality and \
                      the decision. Nothing is stored and nothing changes.",
        effect: Effect::Reads,
        idempotent: true,
        input: taken::<Handed>,
        output: given::<CheckReport>,
    },
    Tool {
        name: "plan_show",
        title: "Show a plan",
        description: "A plan with its scores, files and the patch of what it does.",
        effect: Effect::Reads,
        idempotent: true,
        input: taken::<ThisPlan>,
        output: given::<PlanAnswer>,
    },
    Tool {
        name: "plan_status",
        title: "Where a plan stands",
        description: "Whether a plan waits, was approved, rejected or ran, and what to do next. \
                      Follows the plan that took its place.",
        effect: Effect::Reads,
        idempotent: true,
        input: taken::<ThisPlan>,
        output: given::<StatusAnswer>,
    },
    Tool {
        name: "plan_explain",
        title: "Explain a plan or a code",
        description: "Every point of risk and quality with its evidence, or the page of a \
                      finding's code with what to change.",
        effect: Effect::Reads,
        idempotent: true,
        input: taken::<Question>,
        output: given::<Explanation>,
    },
    Tool {
        name: "plan_wait",
        title: "Wait for a decision",
        description: "Wait until a person has decided on a plan, at most 45 seconds. When it still \
                      waits, call again; do not work around it.",
        effect: Effect::Reads,
        idempotent: true,
        input: taken::<Patience>,
        output: given::<StatusAnswer>,
    },
    Tool {
        name: "audit_verify",
        title: "Verify the record",
        description: "Check that nobody changed the record of plans, approvals and runs.",
        effect: Effect::Reads,
        idempotent: true,
        input: taken::<Nothing>,
        output: given::<VerifyReport>,
    },
    Tool {
        name: "plan_propose",
        title: "Propose a plan",
        description: "Hand in a plan or patch. It is checked, scored, decided on and recorded; it \
                      never runs by this call. A person decides where the answer says so: there is \
                      no tool that approves.",
        effect: Effect::Records,
        idempotent: false,
        input: taken::<Handed>,
        output: given::<PlanAnswer>,
    },
    Tool {
        name: "plan_run",
        title: "Run an approved plan",
        description: "Run a plan that was approved, all of it or none of it. Refused for a plan \
                      that waits.",
        effect: Effect::Acts,
        idempotent: false,
        input: taken::<ToRun>,
        output: given::<RunAnswer>,
    },
    Tool {
        name: "run_undo",
        title: "Propose to undo a run",
        description: "Hand in the plan that takes a run back. Refused where later work would be \
                      lost. It runs with plan_run once it may.",
        effect: Effect::Records,
        idempotent: false,
        input: taken::<ToUndo>,
        output: given::<UndoAnswer>,
    },
];

/// The names of all tools.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.name)
}

fn taken<T: JsonSchema>() -> Map<String, Value> {
    object(SchemaSettings::draft2020_12().for_deserialize(), T::json_schema_of)
}

fn given<T: JsonSchema>() -> Map<String, Value> {
    object(SchemaSettings::draft2020_12().for_serialize(), T::json_schema_of)
}

/// The whole schema of a type.
trait RootSchema: JsonSchema + Sized {
    fn json_schema_of(settings: SchemaSettings) -> schemars::Schema {
        settings.into_generator().into_root_schema_for::<Self>()
    }
}

impl<T: JsonSchema> RootSchema for T {}

fn object(
    settings: SchemaSettings,
    schema: fn(SchemaSettings) -> schemars::Schema,
) -> Map<String, Value> {
    match schema(settings).to_value() {
        Value::Object(mut fields) => {
            fields.insert("type".into(), "object".into());
            let mut schema = Value::Object(fields);
            without_own_formats(&mut schema);
            match schema {
                Value::Object(fields) => fields,
                _ => Map::new(),
            }
        }
        _ => Map::new(),
    }
}

/// Takes the names of Rust's integers out: no client knows them as formats, and some warn.
fn without_own_formats(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("format").and_then(Value::as_str);
            if own.is_some_and(|name| name.starts_with("uint") || name.starts_with("int")) {
                fields.remove("format");
            }
            fields.values_mut().for_each(without_own_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(without_own_formats),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_tool_that_decides() {
        for tool in &TOOLS {
            for word in ["approve", "reject", "decide", "changes", "renew", "pause"] {
                assert!(!tool.name.contains(word), "{}", tool.name);
            }
        }
    }

    #[test]
    fn what_a_tool_takes_is_an_object_without_unknown_fields() {
        for tool in &TOOLS {
            let (input, output) = ((tool.input)(), (tool.output)());
            assert_eq!(input["type"], "object", "{}", tool.name);
            assert_eq!(input["additionalProperties"], false, "{}", tool.name);
            assert_eq!(output["type"], "object", "{}", tool.name);
            assert!(output.contains_key("properties"), "{}", tool.name);
            let written = Value::Object(output).to_string();
            assert!(!written.contains("\"format\":\"uint"), "{}", tool.name);
        }
    }
}
