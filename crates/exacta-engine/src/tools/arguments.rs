//! The name of a step's arguments.

use exacta_core::model::digest::Digest;
use exacta_core::read::parse::json;
use serde_json::Value;

/// Names arguments by their canonical form: the order of members makes no other arguments.
#[must_use]
pub fn arguments_hash(args: &Value) -> Digest {
    let text = args.to_string();
    let canonical = json::read(&text).ok().and_then(|json| Digest::of_canonical(&json).ok());
    canonical.unwrap_or_else(|| Digest::of(text.as_bytes()))
}
