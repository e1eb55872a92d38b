//! One JSON value in many spellings: key order, white space, escapes.

use std::fmt::Write as _;

use serde_json::Value;

use crate::rng::Rng;

/// Writes `value` in a random spelling that means the same.
#[must_use]
pub fn respell(value: &Value, rng: &mut Rng) -> String {
    let mut text = String::new();
    space(&mut text, rng);
    write_value(&mut text, value, rng);
    space(&mut text, rng);
    text
}

fn space(text: &mut String, rng: &mut Rng) {
    for _ in 0..rng.below(3) {
        text.push(*rng.pick(&[' ', '\n', '\t', '\r']));
    }
}

fn write_value(text: &mut String, value: &Value, rng: &mut Rng) {
    match value {
        Value::String(content) => write_string(text, content, rng),
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                space(text, rng);
                write_value(text, element, rng);
                space(text, rng);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            rng.shuffle(&mut members);
            text.push('{');
            for (index, (key, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                space(text, rng);
                write_string(text, key, rng);
                space(text, rng);
                text.push(':');
                space(text, rng);
                write_value(text, member, rng);
                space(text, rng);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn write_string(text: &mut String, content: &str, rng: &mut Rng) {
    text.push('"');
    for c in content.chars() {
        let must = matches!(c, '"' | '\\') || u32::from(c) < 0x20;
        let short = match c {
            '"' => Some('"'),
            '\\' => Some('\\'),
            '/' => Some('/'),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            '\u{8}' => Some('b'),
            '\u{c}' => Some('f'),
            _ => None,
        };
        if !must && !rng.percent(15) {
            text.push(c);
        } else if let Some(short) = short.filter(|_| rng.percent(50)) {
            text.push('\\');
            text.push(short);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let upper = rng.percent(50);
                let written = if upper {
                    write!(text, "\\u{unit:04X}")
                } else {
                    write!(text, "\\u{unit:04x}")
                };
                written.expect("writing to a string");
            }
        }
    }
    text.push('"');
}
