//! Arguments of tools: small readers, and the pieces that their schemas are made of.

use serde_json::{Value, json};

use crate::error::ToolError;

/// A schema of these members and no others.
pub(super) fn object(members: &[(&str, Value)], required: &[&str]) -> Value {
    let members: serde_json::Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({
        "type": "object",
        "properties": members,
        "required": required,
        "additionalProperties": false,
    })
}

/// A text of at most so many characters.
pub(super) fn text(most: u64) -> Value {
    json!({"type": "string", "maxLength": most})
}

/// A text that is not empty.
pub(super) fn some_text(most: u64) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": most})
}

/// A list of such texts.
pub(super) fn texts(most: u64, longest: u64) -> Value {
    json!({"type": "array", "maxItems": most, "items": {"type": "string", "minLength": 1, "maxLength": longest}})
}

/// A whole number.
pub(super) fn count(least: u64, most: u64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

/// An address of a page.
pub(super) fn url() -> Value {
    json!({"type": "string", "minLength": 9, "maxLength": 2048, "pattern": "^https://"})
}

/// One address of a person, or a list of them.
pub(super) fn people() -> Value {
    let one = json!({"type": "string", "minLength": 3, "maxLength": 254});
    json!({"anyOf": [one, {"type": "array", "items": one, "maxItems": 20, "uniqueItems": true}]})
}

/// The text of a member; none when it is not there.
pub(super) fn str_of<'a>(args: &'a Value, name: &str) -> Option<&'a str> {
    args.get(name).and_then(Value::as_str)
}

/// The texts of a member, which is one or a list.
pub(super) fn strings(args: &Value, name: &str) -> Vec<String> {
    match args.get(name) {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(list)) => {
            list.iter().filter_map(|one| one.as_str().map(ToOwned::to_owned)).collect()
        }
        _ => Vec::new(),
    }
}

/// A number of a member, or what it is when left out.
pub(super) fn number(args: &Value, name: &str, otherwise: u64) -> u64 {
    args.get(name).and_then(Value::as_u64).unwrap_or(otherwise)
}

/// An argument that only shows itself to be wrong when it is used.
pub(super) fn wrong(message: impl Into<String>) -> ToolError {
    ToolError::new("ARGS_INVALID", message)
}

/// The name of a watch, which an earlier step gave; nothing else may stand there.
pub(super) fn watch(args: &Value) -> Result<Option<&str>, ToolError> {
    let Some(name) = str_of(args, "watch").filter(|name| !name.is_empty()) else { return Ok(None) };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.len() > 60 || !name.chars().all(plain) {
        return Err(wrong("`watch` is not what an earlier step gave"));
    }
    Ok(Some(name))
}
