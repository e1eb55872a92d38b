//! How a JSON file is laid out, so that new values look like those that are there.

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

/// How a file is laid out.
pub(super) struct Layout {
    pub(super) line_end: &'static str,
    pub(super) unit: String,
}

impl Layout {
    pub(super) fn of(text: &str) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indents = text.lines().map(|line| {
            let length = line.len() - line.trim_start_matches([' ', '\t']).len();
            line.get(..length).unwrap_or_default()
        });
        let unit = indents.filter(|indent| !indent.is_empty()).min_by_key(|indent| indent.len());
        Self { line_end, unit: unit.unwrap_or("  ").to_owned() }
    }

    /// What the line of a place begins with.
    pub(super) fn indent_at(text: &str, at: usize) -> &str {
        let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        let length = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..length).unwrap_or_default()
    }

    /// A value over several lines, all but the first indented.
    pub(super) fn written(&self, value: &Value, indent: &str) -> String {
        let mut bytes = Vec::new();
        let pretty = PrettyFormatter::with_indent(self.unit.as_bytes());
        let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, pretty));
        let text = match (written, String::from_utf8(bytes)) {
            (Ok(()), Ok(text)) => text,
            _ => value.to_string(),
        };
        text.replace('\n', &format!("{}{indent}", self.line_end))
    }
}
