//! Bytes to JSON value, through the strict layer that drafts are read with.

use alloc::boxed::Box;
use alloc::string::String;

use super::rule::Rule;
use crate::model::diagnostic::Issue;
use crate::read::parse::in_words;
use crate::read::parse::json::{self, Json, JsonRule, MAX_DEPTH, MAX_INTEGER, MAX_KEY, MAX_VALUES};
use crate::text::shown::shown;

/// The largest result list that is read, in bytes.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Reads one JSON document; also gives back the bytes as the text they are.
pub(super) fn read(bytes: &[u8]) -> Result<(&str, Json), Box<Issue>> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the list has more than {MAX_BYTES} bytes");
        return Err(Box::new(issue(Rule::TooLarge, message).place(1, 1)));
    }
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let message = format!("the text is not UTF-8 from byte {} on", error.valid_up_to());
        Box::new(issue(Rule::Json, message).place(1, 1))
    })?;
    let value = json::read(text).map_err(|fault| {
        let broken = match fault.rule {
            JsonRule::Syntax(reason) => {
                let reason = in_words(&reason, text, fault.place);
                issue(Rule::Json, format!("this is not JSON: {reason}"))
            }
            JsonRule::DuplicateKey(key) => {
                let key = shown(key.as_bytes());
                issue(Rule::DuplicateKey, format!("the key `{key}` is given twice"))
            }
            JsonRule::KeySize(key) => {
                let key = shown(key.as_bytes());
                issue(Rule::TooLarge, format!("the key `{key}` has more than {MAX_KEY} bytes"))
            }
            JsonRule::NumberRange => {
                issue(Rule::NumberRange, format!("a number is beyond ±{MAX_INTEGER}"))
            }
            JsonRule::NumberRounded => {
                let message = "a number has more digits than every reader keeps";
                issue(Rule::NumberRange, message.into())
            }
            JsonRule::Depth => {
                issue(Rule::TooLarge, format!("values nest deeper than {MAX_DEPTH} levels"))
            }
            JsonRule::Values => {
                issue(Rule::TooLarge, format!("the list holds more than {MAX_VALUES} values"))
            }
        };
        Box::new(broken.at(fault.pointer).place(fault.place.line, fault.place.column))
    })?;
    Ok((text, value))
}

fn issue(rule: Rule, message: String) -> Issue {
    Issue::error(rule.code(), rule.as_str(), message).help(rule.help())
}
