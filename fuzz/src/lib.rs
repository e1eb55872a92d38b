//! What the targets share.

use exacta_core::read::parse::json::Json;
use exacta_core::model::plan::Draft;

/// A draft in its normalised JSON form.
pub fn json(draft: &Draft) -> String {
    let bytes = serde_json::to_vec(draft).expect("a draft has a JSON form");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// Reads any JSON under the strict rules.
pub fn strict(text: &str) -> Option<Json> {
    exacta_core::read::parse::json::read(text).ok()
}
