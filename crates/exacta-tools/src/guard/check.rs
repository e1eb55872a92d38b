//! Whether a step may call its tool with these arguments. What is not allowed is refused.

use std::collections::BTreeSet;

use exacta_core::model::registry::Effect;
use exacta_engine::tools::GuardFinding;
use serde_json::Value;

use crate::registry::{Registry, Tool};

/// The most findings about the arguments of one step.
const MOST_FINDINGS: usize = 20;

/// Keywords of JSON Schema that look into values: while a value below is not filled in,
/// what they say is not yet true.
const LOOKS_INSIDE: [&str; 7] =
    ["anyOf", "oneOf", "not", "contains", "enum", "const", "uniqueItems"];

/// What the guard is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The step.
    pub step_id: &'a str,
    /// The tool it names.
    pub tool: &'a str,
    /// Its arguments.
    pub args: &'a Value,
    /// The effect that the plan was judged by.
    pub effect: Effect,
    /// The tools that may be used.
    pub usable: &'a BTreeSet<String>,
    /// Where references are not filled in yet, as JSON pointers.
    pub unfilled: &'a [String],
}

/// Every reason why the step may not run; none is a yes.
pub fn check(registry: &Registry, question: &Question<'_>) -> Vec<GuardFinding> {
    let finding = |code: &str, pointer: String, message: String| GuardFinding {
        step_id: question.step_id.into(),
        code: code.to_owned(),
        pointer,
        message,
    };
    let name = question.tool;
    let Some(tool) = registry.find(name) else {
        return vec![finding(
            "TOOL_NOT_FOUND",
            String::new(),
            format!("there is no tool `{name}`"),
        )];
    };
    let mut findings = Vec::new();
    if !question.usable.contains(name) {
        let message = format!("`{name}` is not allowed here");
        findings.push(finding("TOOL_NOT_ALLOWED", String::new(), message));
    }
    if tool.primitive.effect() > question.effect {
        let message = format!("`{name}` does more than the plan was judged by");
        findings.push(finding("EFFECT_EXCEEDED", String::new(), message));
    }
    for (pointer, message) in arguments(tool, question.args, question.unfilled) {
        findings.push(finding("ARGS_INVALID", pointer, message));
    }
    findings
}

/// Where and how the arguments break the tool's schema.
fn arguments(tool: &Tool, args: &Value, unfilled: &[String]) -> Vec<(String, String)> {
    if !args.is_object() {
        return vec![(String::new(), "the arguments are not an object".to_owned())];
    }
    tool.validator
        .iter_errors(args)
        .filter(|error| {
            let at = error.instance_path().as_str();
            let inside = LOOKS_INSIDE.contains(&error.kind().keyword());
            !unfilled.iter().any(|open| is_below(at, open) || (inside && is_below(open, at)))
        })
        .take(MOST_FINDINGS)
        .map(|error| (error.instance_path().as_str().to_owned(), error.masked().to_string()))
        .collect()
}

/// Whether `pointer` is `base` or stands below it.
fn is_below(pointer: &str, base: &str) -> bool {
    pointer.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kit::Scripted;

    fn codes(
        tool: &str,
        args: &Value,
        effect: Effect,
        usable: &[&str],
        open: &[&str],
    ) -> Vec<String> {
        let mut registry = Registry::new();
        registry
            .add(Scripted::new("Say", Effect::DraftWrite).with_schema(json!({
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 1},
                    "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
                    "what": {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"}]}
                },
                "required": ["text"], "additionalProperties": false
            })))
            .unwrap();
        let question = Question {
            step_id: "a",
            tool,
            args,
            effect,
            usable: &usable.iter().map(|name| (*name).to_owned()).collect(),
            unfilled: &open.iter().map(|at| (*at).to_owned()).collect::<Vec<_>>(),
        };
        check(&registry, &question).into_iter().map(|found| found.code + &found.pointer).collect()
    }

    #[test]
    fn what_is_not_named_is_refused() {
        let args = json!({"text": "x"});
        assert!(codes("Say", &args, Effect::DraftWrite, &["Say"], &[]).is_empty());
        assert_eq!(codes("Say", &args, Effect::DraftWrite, &[], &[]), ["TOOL_NOT_ALLOWED"]);
        assert_eq!(codes("say", &args, Effect::DraftWrite, &["say"], &[]), ["TOOL_NOT_FOUND"]);
        assert_eq!(codes("Say", &args, Effect::Read, &["Say"], &[]), ["EFFECT_EXCEEDED"]);
        assert!(codes("Say", &args, Effect::Send, &["Say"], &[]).is_empty());
    }

    #[test]
    fn arguments_are_held_against_the_schema() {
        for (args, at) in [
            (json!({}), ""),
            (json!({"text": ""}), "/text"),
            (json!({"text": 1}), "/text"),
            (json!({"text": "x", "more": 1}), ""),
            (json!({"text": "x", "tags": ["a", 1]}), "/tags/1"),
            (json!({"text": "x", "what": {"a": 1}}), "/what"),
            (json!([]), ""),
            (json!("x"), ""),
        ] {
            let found = codes("Say", &args, Effect::Send, &["Say"], &[]);
            assert_eq!(found, [format!("ARGS_INVALID{at}")], "{args}");
        }
    }

    #[test]
    fn what_is_not_filled_in_yet_is_not_judged_and_the_rest_is() {
        let open = json!({"text": {"$ref": "b.output"}, "tags": ["$b.output"], "what": {"a": {"$ref": "b.output"}}});
        let places = ["/text", "/tags/0", "/what/a"];
        assert!(codes("Say", &open, Effect::Send, &["Say"], &places).is_empty());
        let more = json!({"text": {"$ref": "b.output"}, "tags": [1], "more": {"$ref": "b.output"}});
        let found = codes("Say", &more, Effect::Send, &["Say"], &["/text", "/more"]);
        assert_eq!(found.len(), 2, "{found:?}");
        // A place is no prefix of another name.
        let found = codes("Say", &json!({"text": 1}), Effect::Send, &["Say"], &["/tex"]);
        assert_eq!(found, ["ARGS_INVALID/text"]);
    }
}
