//! Finds the one JSON document in a planner's text.
//!
//! Allowed is the bare object, or exactly one block that opens with a line
//! "```json" and closes with a line "```", with nothing but white space around it.
//! Nothing is ever searched for or repaired: a planner that adds words is refused.

use crate::model::code::Code;
use crate::model::diagnostic::Issue;

/// The opening line of the one allowed fence.
const OPEN: &str = "```json";
const CLOSE: &str = "```";

/// The document inside `text`, and the byte at which it starts.
///
/// # Errors
/// When the text is neither a bare document nor one fenced document.
pub(crate) fn document(text: &str) -> Result<(usize, &str), Issue> {
    if text.starts_with('\u{feff}') {
        return Err(nonjson("byte_order_mark", "the text starts with a byte order mark")
            .place(1, 1)
            .help("save the plan as UTF-8 without a byte order mark"));
    }
    let trimmed = text.trim_start_matches(JSON_SPACE);
    let start = text.len() - trimmed.len();
    let body = trimmed.trim_end_matches(JSON_SPACE);
    if body.is_empty() {
        return Err(Issue::error(Code::PlanSchemaInvalid, "not_an_object", "the text is empty")
            .place(1, 1)
            .help("hand in one JSON object with a `steps` array"));
    }
    if body.starts_with(['{', '[', '"']) || !body.contains(CLOSE) {
        return Ok((start, body));
    }
    // Lines are counted in the whole text.
    let skipped = text.get(..start).unwrap_or_default().matches('\n').count();
    let number = |line: usize| u32::try_from(skipped + line + 1).unwrap_or(u32::MAX);
    if let Some(third) = fence_lines(body).nth(2) {
        return Err(Issue::error(
            Code::PlanParseMultiblock,
            "one_block",
            "the text holds more than one fenced block",
        )
        .place(number(third), 1)
        .help("answer with exactly one ```json block, or with the bare object"));
    }
    inside_fence(body).map(|(offset, inner)| (start + offset, inner)).ok_or_else(|| {
        // Either the text does not open the block, or the block does not end it.
        let opened = body.lines().next().is_some_and(is_opening);
        let line = if opened { body.lines().count().saturating_sub(1) } else { 0 };
        nonjson("fence", "the text is not a bare object and not one ```json block")
            .place(number(line), 1)
            .help("open the block with a line ```json, close it with a line ```, add no other text")
    })
}

const JSON_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn nonjson(rule: &'static str, message: &'static str) -> Issue {
    Issue::error(Code::PlanParseNonjson, rule, message)
}

/// The lines that open or close a block, from 0. A fence inside a JSON string never
/// stands at the start of a line, because JSON strings hold no line breaks.
fn fence_lines(text: &str) -> impl Iterator<Item = usize> {
    text.split('\n')
        .enumerate()
        .filter(|(_, line)| line.starts_with(CLOSE) || line.starts_with("~~~"))
        .map(|(number, _)| number)
}

fn is_opening(line: &str) -> bool {
    line.trim_end_matches(JSON_SPACE) == OPEN
}

fn inside_fence(body: &str) -> Option<(usize, &str)> {
    let (first, rest) = body.split_once('\n')?;
    if !is_opening(first) {
        return None;
    }
    let inner = rest.strip_suffix(CLOSE)?;
    // The closing fence stands on a line of its own.
    if !inner.ends_with('\n') {
        return None;
    }
    Some((first.len() + 1, inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        document(text).unwrap_err().code.as_str()
    }

    #[test]
    fn finds_the_bare_object_and_the_one_fence() {
        assert_eq!(document(" \n{} \n"), Ok((2, "{}")));
        assert_eq!(document("```json\n{}\n```"), Ok((8, "{}\n")));
        assert_eq!(document("\n```json \r\n{}\r\n```\n"), Ok((11, "{}\r\n")));
        // A fence inside a string is text.
        let text = r#"{"a":"```json\n{}\n```"}"#;
        assert_eq!(document(text), Ok((0, text)));
        let fenced = format!("```json\n{text}\n```");
        assert_eq!(document(&fenced).map(|(_, inner)| inner.trim_end()), Ok(text));
    }

    #[test]
    fn refuses_every_other_wrapping() {
        for text in [
            "```JSON\n{}\n```",
            "```json5\n{}\n```",
            "```\n{}\n```",
            "```json\n{}",
            "```json {}```",
            "here: ```json\n{}\n```",
            "```json\n{}\n``` done",
            "```json\n{}\n```\nbye",
            "\u{feff}{}",
            "  text\n```json\n{}\n```",
        ] {
            assert_eq!(code(text), "PLAN_PARSE_NONJSON", "{text:?}");
        }
        for text in
            ["```json\n{}\n```\n```json\n{}\n```", "a\n```json\n{}\n```\nb\n```json\n{}\n```"]
        {
            assert_eq!(code(text), "PLAN_PARSE_MULTIBLOCK", "{text:?}");
        }
        for text in ["", " \n "] {
            assert_eq!(code(text), "PLAN_SCHEMA_INVALID", "{text:?}");
        }
    }
}
