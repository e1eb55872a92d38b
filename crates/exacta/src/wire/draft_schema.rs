//! What the schema of a draft says beyond its types: which fields go together.
//!
//! A planner that keeps to the schema should not learn of a rule from the gate. Rules that
//! a schema cannot say (unique ids, paths, sums) stay with the gate.

use exacta_core::model::registry::PRIMITIVES;
use exacta_core::read::parse::json::MAX_INTEGER;
use schemars::Schema;
use serde_json::{Value, json};

/// The payloads of a file step.
const PAYLOADS: [&str; 4] = ["content", "content_base64", "diff", "edits"];

/// Adds the rules to the generated schema.
pub(super) fn tighten(schema: &mut Schema) {
    let set = |schema: &mut Schema, pointer: &str, name: &str, value: Value| {
        if let Some(Value::Object(at)) = schema.pointer_mut(pointer) {
            at.insert(name.into(), value);
        }
    };
    set(schema, "/properties/steps", "minItems", json!(1));
    set(schema, "/properties/constraints", "maxItems", json!(64));
    for claim in ["intent", "provider"] {
        let at = format!("/properties/{claim}");
        set(schema, &at, "type", json!(["string", "object"]));
        if let Some(Value::Object(claim)) = schema.pointer_mut(&at) {
            claim.remove("$ref");
        }
    }
    for count in ["estimated_tokens", "estimated_duration"] {
        set(schema, &format!("/properties/{count}"), "maximum", json!(MAX_INTEGER));
    }
    for (name, shape) in [
        ("web_source_url", json!({"type": ["string", "null"]})),
        ("inbox_source_text", json!({"type": ["string", "null"]})),
        ("daily_sources", json!({"type": "array", "items": {"type": "string"}})),
    ] {
        set(schema, "/properties", name, shape);
        let meaning = json!(format!("Another spelling of `inputs.{name}`."));
        set(schema, &format!("/properties/{name}"), "description", meaning);
    }
    set(schema, "/$defs/Step", "oneOf", alternatives());
    if let Some(Value::Array(kinds)) = schema.pointer_mut("/$defs/Constraint/oneOf") {
        kinds.iter_mut().for_each(constraint);
    }
    if let Some(Value::Object(definitions)) = schema.pointer_mut("/$defs") {
        definitions.remove("AnyValue");
    }
}

/// The four kinds of steps and what each has.
fn alternatives() -> Value {
    let file = |kind: &str, payloads: &[&str], without: &[&str]| {
        let mut absent = vec!["tool", "args"];
        absent.extend(without);
        absent.extend(PAYLOADS.iter().filter(|name| !payloads.contains(name)));
        // A step without payload has exactly one of one thing: its target.
        let one_of = if payloads.is_empty() { &["target"] } else { payloads };
        json!({
            "properties": {"type": {"const": kind}},
            "required": ["type", "target"],
            "not": any_of(&absent),
            "oneOf": one_of.iter().map(|name| json!({"required": [name]})).collect::<Vec<_>>()
        })
    };
    let file_only = ["type", "target", "mode"].into_iter().chain(PAYLOADS);
    let call = json!({
        "required": ["tool"],
        "not": any_of(&file_only.collect::<Vec<_>>()),
        "anyOf": [
            {"properties": {"tool": {"type": "string", "minLength": 1}}},
            {"properties": {"tool": {"type": "object"}}, "not": {"required": ["args"]}}
        ]
    });
    json!([
        file("file_create", &["content", "content_base64", "diff"], &[]),
        file("file_modify", &PAYLOADS, &[]),
        file("file_delete", &[], &["mode"]),
        call
    ])
}

fn any_of(names: &[&str]) -> Value {
    let each: Vec<Value> = names.iter().map(|name| json!({"required": [name]})).collect();
    json!({"anyOf": each})
}

/// Lists of a constraint hold something, numbers are within range, tools exist.
fn constraint(kind: &mut Value) {
    let Some(Value::Object(properties)) = kind.get_mut("properties") else { return };
    for (name, shape) in properties {
        let Value::Object(shape) = shape else { continue };
        match name.as_str() {
            "globs" | "domains" | "recipients" | "tools" | "checks" => {
                shape.insert("minItems".into(), json!(1));
                shape.insert("maxItems".into(), json!(1000));
            }
            "max" => {
                shape.insert("maximum".into(), json!(MAX_INTEGER));
            }
            _ => {}
        }
        if name == "tools" {
            let names: Vec<&str> = PRIMITIVES.iter().map(|primitive| primitive.name).collect();
            shape.insert("items".into(), json!({"type": "string", "enum": names}));
            shape.remove("default");
        }
        if name == "checks" {
            shape.remove("default");
        }
    }
}
