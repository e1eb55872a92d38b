//! Fills in what earlier steps gave, right before a step runs.
//!
//! `{"$ref": "step_1.output.title"}`, or a text that is nothing else:
//! `"$step_1.output.title"`. Validation has refused references that steer a call or name a
//! step that does not come before (`exacta-core`, `validate/refs.rs`); the same rules are
//! applied here again to what really runs. The value takes the place of the reference
//! whole; nothing is spliced into text.

use std::collections::{BTreeMap, BTreeSet};

use exacta_core::read::validate::{output_path, steers};
use serde_json::Value;

use crate::error::ToolError;

/// The most bytes that arguments may have once they are filled in.
const MOST_BYTES: usize = 1024 * 1024;

/// Outputs of the steps that come before, by id.
pub type Outputs<'a> = BTreeMap<&'a str, &'a Value>;

/// Arguments with every reference filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The arguments.
    pub args: Value,
    /// Where something was filled in, as JSON pointers.
    pub places: Vec<String>,
}

/// Whether there can be a reference at all: the quick look before the careful one.
pub fn may_refer(args: &Value) -> bool {
    let mut walk = vec![args];
    while let Some(value) = walk.pop() {
        match value {
            Value::Object(members) if members.contains_key("$ref") => return true,
            Value::Object(members) => walk.extend(members.values()),
            Value::Array(elements) => walk.extend(elements),
            Value::String(text) if text.starts_with('$') => return true,
            _ => {}
        }
    }
    false
}

/// Where arguments hold references, as JSON pointers. `is_step` knows the ids of the plan.
pub fn places(args: &Value, is_step: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    let mut walk = vec![(args, String::new())];
    while let Some((value, at)) = walk.pop() {
        if target(value, is_step).is_some() {
            places.push(at);
            continue;
        }
        match value {
            Value::Object(members) => walk.extend(
                members.iter().rev().map(|(key, value)| (value, format!("{at}/{}", escaped(key)))),
            ),
            Value::Array(elements) => walk.extend(
                elements
                    .iter()
                    .enumerate()
                    .rev()
                    .map(|(index, value)| (value, format!("{at}/{index}"))),
            ),
            _ => {}
        }
    }
    places
}

/// Fills in every reference. `outside` is whether the tool has an outside effect: then not
/// even a member of what is filled in may say where the call goes.
///
/// # Errors
/// When a reference steers the call, names a step that does not come before, or leads to
/// nothing.
pub fn fill(
    args: &Value,
    outputs: &Outputs<'_>,
    steps: &BTreeSet<&str>,
    outside: bool,
) -> Result<Filled, ToolError> {
    let mut filler = Filler { outputs, steps, outside, places: Vec::new(), bytes: 0 };
    let args = filler.value(args, &mut Vec::new())?;
    Ok(Filled { args, places: filler.places })
}

struct Filler<'a> {
    outputs: &'a Outputs<'a>,
    steps: &'a BTreeSet<&'a str>,
    outside: bool,
    places: Vec<String>,
    bytes: usize,
}

impl Filler<'_> {
    /// Plans are nested 64 deep at most, so this recursion ends early.
    fn value(&mut self, value: &Value, keys: &mut Vec<String>) -> Result<Value, ToolError> {
        if let Some(text) = target(value, &|id| self.steps.contains(id)) {
            return self.reference(text?, keys);
        }
        match value {
            Value::Object(members) => {
                let mut filled = serde_json::Map::with_capacity(members.len());
                for (key, value) in members {
                    keys.push(key.clone());
                    filled.insert(key.clone(), self.value(value, keys)?);
                    keys.pop();
                }
                Ok(Value::Object(filled))
            }
            Value::Array(elements) => {
                let mut filled = Vec::with_capacity(elements.len());
                for (index, value) in elements.iter().enumerate() {
                    keys.push(index.to_string());
                    filled.push(self.value(value, keys)?);
                    keys.pop();
                }
                Ok(Value::Array(filled))
            }
            other => Ok(other.clone()),
        }
    }

    fn reference(&mut self, text: &str, keys: &[String]) -> Result<Value, ToolError> {
        if keys.is_empty() || steers(keys.iter().map(String::as_str)) {
            return Err(ToolError::new(
                "REF_STEERS",
                "an earlier output may not fill an address, a recipient, a path, a name or all arguments",
            ));
        }
        let (id, path) = split(text, &|id| self.steps.contains(id)).ok_or_else(|| {
            ToolError::new(
                "REF_INVALID",
                format!("the reference `{text}` names no step of the plan"),
            )
        })?;
        let output = self.outputs.get(id).ok_or_else(|| {
            ToolError::new(
                "REF_INVALID",
                format!("the reference `{text}` names a step that this step does not depend on"),
            )
        })?;
        let found = path.iter().try_fold(*output, |value, part| match value {
            Value::Object(members) => members.get(*part),
            Value::Array(elements) => elements.get(part.parse::<usize>().ok()?),
            _ => None,
        });
        let Some(found) = found else {
            return Err(ToolError::new(
                "REF_MISSING",
                format!("the output of `{id}` has nothing at `{text}`"),
            ));
        };
        if self.outside && holds_steering(found, keys) {
            return Err(ToolError::new(
                "REF_STEERS",
                format!("what `{text}` gives has a member that says where a call goes"),
            ));
        }
        self.bytes = self.bytes.saturating_add(found.to_string().len());
        if self.bytes > MOST_BYTES {
            return Err(ToolError::new(
                "REF_TOO_LARGE",
                "the arguments have more than 1 MiB when filled in",
            ));
        }
        self.places
            .push(keys.iter().fold(String::new(), |at, key| format!("{at}/{}", escaped(key))));
        Ok(found.clone())
    }
}

/// The text of a reference, if the value is one; an error if it only looks like one.
fn target<'v>(
    value: &'v Value,
    is_step: &dyn Fn(&str) -> bool,
) -> Option<Result<&'v str, ToolError>> {
    match value {
        Value::Object(members) => {
            let target = members.get("$ref")?;
            let alone = target.as_str().filter(|_| members.len() == 1);
            Some(
                alone.ok_or_else(|| {
                    ToolError::new("REF_INVALID", "`$ref` stands alone and holds text")
                }),
            )
        }
        Value::String(text) => {
            let text = text.strip_prefix('$')?;
            split(text, is_step).map(|_| Ok(text))
        }
        _ => None,
    }
}

/// The step that a reference names, and the way into its output. Ids may hold dots; the
/// longest one counts.
fn split<'t>(text: &'t str, is_step: &dyn Fn(&str) -> bool) -> Option<(&'t str, Vec<&'t str>)> {
    text.match_indices(['.', '/']).rev().find_map(|(at, _)| {
        let (id, rest) = text.split_at_checked(at)?;
        let path = output_path(rest)?;
        is_step(id).then_some((id, path))
    })
}

/// Whether an object somewhere in this value has a key that steers.
fn holds_steering(value: &Value, around: &[String]) -> bool {
    let mut walk = vec![value];
    while let Some(value) = walk.pop() {
        match value {
            Value::Object(members) => {
                let around = || around.iter().map(String::as_str);
                if members.keys().any(|key| steers(around().chain([key.as_str()]))) {
                    return true;
                }
                walk.extend(members.values());
            }
            Value::Array(elements) => walk.extend(elements),
            _ => {}
        }
    }
    false
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(args: &Value, outside: bool) -> Result<Filled, ToolError> {
        let first =
            json!({"title": "T", "items": [{"n": 1}, {"link": "https://a.example"}], "a.b": 2});
        let dotted = json!("whole");
        let outputs = Outputs::from([("step_1", &first), ("a.b", &dotted)]);
        fill(args, &outputs, &BTreeSet::from(["step_1", "a.b", "later", "step_1.output"]), outside)
    }

    #[test]
    fn both_spellings_take_the_value_whole() {
        let args = json!({
            "body": {"$ref": "step_1.output.title"},
            "list": ["$step_1.output.items.0.n", "$step_1/output/a.b", "$a.b.output", "$5.output", "$step_1"],
        });
        let filled = filled(&args, true).unwrap();
        assert_eq!(
            filled.args,
            json!({"body": "T", "list": [1, 2, "whole", "$5.output", "$step_1"]})
        );
        assert_eq!(filled.places, ["/body", "/list/0", "/list/1", "/list/2"]);
        let is_step = |id: &str| matches!(id, "step_1" | "a.b");
        assert_eq!(places(&args, &is_step), filled.places);
    }

    #[test]
    fn no_reference_says_where_a_call_goes() {
        for key in
            ["url", "to", "cc", "path", "endpoint", "host", "Base-URL", "name", "attachments"]
        {
            let args = json!({key: {"$ref": "step_1.output.title"}});
            assert_eq!(filled(&args, false).unwrap_err().code, "REF_STEERS", "{key}");
            let below = json!({"x": {key: ["$step_1.output.title"]}});
            assert_eq!(filled(&below, false).unwrap_err().code, "REF_STEERS", "{key}");
        }
        assert_eq!(
            filled(&json!({"$ref": "step_1.output"}), false).unwrap_err().code,
            "REF_STEERS"
        );
    }

    #[test]
    fn what_is_filled_in_steers_no_outside_effect_either() {
        let args = json!({"payload": {"$ref": "step_1.output.items.1"}});
        assert_eq!(filled(&args, true).unwrap_err().code, "REF_STEERS");
        assert!(filled(&args, false).is_ok());
    }

    #[test]
    fn only_what_comes_before_and_exists_can_be_named() {
        for (text, code) in [
            ("later.output", "REF_INVALID"),
            ("nobody.output", "REF_INVALID"),
            ("step_1.title", "REF_INVALID"),
            ("step_1", "REF_INVALID"),
            ("step_1.output.nothing", "REF_MISSING"),
            ("step_1.output.title.deeper", "REF_MISSING"),
            ("step_1.output.items.7", "REF_MISSING"),
        ] {
            let fault = filled(&json!({"body": {"$ref": text}}), false).unwrap_err();
            assert_eq!(fault.code, code, "{text}");
        }
        for shape in [json!({"$ref": "step_1.output", "more": 1}), json!({"$ref": 5})] {
            assert_eq!(filled(&json!({"body": shape}), false).unwrap_err().code, "REF_INVALID");
        }
    }

    #[test]
    fn arguments_do_not_grow_without_end() {
        let long = json!("x".repeat(MOST_BYTES / 2));
        let outputs = Outputs::from([("a", &long)]);
        let args = json!({"list": ["$a.output", "$a.output", "$a.output"]});
        let fault = fill(&args, &outputs, &BTreeSet::from(["a"]), false).unwrap_err();
        assert_eq!(fault.code, "REF_TOO_LARGE");
    }
}
