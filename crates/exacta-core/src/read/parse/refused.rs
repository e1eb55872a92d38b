//! A broken rule of the JSON layer as a finding, at the number or name that breaks it.

use super::json::{JsonFault, JsonRule, MAX_DEPTH, MAX_KEY, MAX_VALUES};
use super::json_words::{in_words, last_read};
use super::object::schema;
use crate::model::code::Code;
use crate::model::diagnostic::Issue;
use crate::text::shown::shown;

/// The finding for `fault`, whose place counts from `start`, where the document begins.
pub(super) fn refused(fault: JsonFault, text: &str, start: usize) -> Issue {
    let document = text.get(start..).unwrap_or_default();
    let last = last_read(document, fault.place);
    let read = document.get(..document.ceil_char_boundary(last + 1)).unwrap_or(document);
    let at = start
        + match fault.rule {
            JsonRule::NumberRange | JsonRule::NumberRounded => {
                read.trim_end_matches(is_in_number).len()
            }
            JsonRule::DuplicateKey(_) | JsonRule::KeySize(_) => name_start(read).unwrap_or(last),
            _ => last,
        };
    let before = text.get(..text.floor_char_boundary(at)).unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let rule = match fault.rule {
        JsonRule::Syntax(reason) => JsonRule::Syntax(in_words(&reason, document, fault.place)),
        other => other,
    };
    finding(rule, text)
        .at(fault.pointer)
        .place(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

fn finding(rule: JsonRule, text: &str) -> Issue {
    match rule {
        JsonRule::Syntax(_) if looks_like_patch(text) => {
            Issue::error(Code::PlanParseNonjson, "json", "this is a patch, not a plan")
                .help("hand it in with `--patch`")
        }
        JsonRule::Syntax(reason) => {
            Issue::error(Code::PlanParseNonjson, "json", format!("this is not JSON: {reason}"))
                .help("answer with one JSON object and nothing else: no comments, no trailing commas, no text around it")
        }
        JsonRule::DuplicateKey(key) => {
            schema("duplicate_key", format!("the key `{key}` is given twice"))
                .help("give each key once; escapes count as the character they stand for")
        }
        JsonRule::KeySize(key) => Issue::error(
            Code::PlanTooLarge,
            "key_size",
            format!("the key `{}` has more than {MAX_KEY} bytes", shown(key.as_bytes())),
        )
        .help("use a short key; put long text into a value"),
        JsonRule::NumberRange => schema("number_range", "a number is beyond ±9007199254740991")
            .help("write large values as strings; readers disagree on integers beyond 2^53−1"),
        JsonRule::NumberRounded => {
            schema("number_range", "a number has more digits than every reader keeps")
                .help("write it with fewer digits, or as a string; readers round it in silence")
        }
        JsonRule::Depth => {
            schema("depth", format!("arrays and objects nest deeper than {MAX_DEPTH} levels"))
                .help("flatten the value")
        }
        JsonRule::Values => Issue::error(
            Code::PlanTooLarge,
            "values",
            format!("the text holds more than {MAX_VALUES} values"),
        )
        .help("split the plan"),
    }
}

fn is_in_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')
}

/// Where the name begins that was read last; the reader may have looked beyond it.
fn name_start(read: &str) -> Option<usize> {
    let name = read.trim_end().trim_end_matches(':').trim_end();
    super::locate::open_quote(name.strip_suffix('"')?)
}

fn looks_like_patch(text: &str) -> bool {
    ["diff --git ", "--- ", "Index: ", "From "].iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use crate::read::parse::{Limits, draft};

    #[test]
    fn a_finding_stands_at_the_number_or_name() {
        for (text, rule, place) in [
            ("{\"é\": 9007199254740993}", "number_range", (1, 7)),
            ("{\n \"a\": [1, -1e400 ]}", "number_range", (2, 11)),
            ("{\"a\": 1, \"a\": 2}", "duplicate_key", (1, 10)),
            ("{\"a\": 1,\n  \"\\u0061\" : 2}", "duplicate_key", (2, 3)),
            ("{\"a\\\"b\": 1,\n  \"a\\\"b\"\n\n: 2}", "duplicate_key", (2, 3)),
            ("```json\n{\"é\": 1, \"é\": 2}\n```", "duplicate_key", (2, 10)),
            ("{\"é\": tru}", "json", (1, 10)),
            ("{\n", "json", (1, 1)),
            ("{\n 7", "json", (2, 2)),
        ] {
            let issues = draft(text.as_bytes(), Limits::default()).unwrap_err();
            let issue = issues.first().unwrap();
            let found = issue.place.map(|p| (p.line, p.column)).unwrap();
            assert_eq!((&*issue.rule, found), (rule, place), "{text}");
        }
    }

    #[test]
    fn a_long_key_is_refused_with_its_start() {
        let text =
            |length: usize| format!("{{\"inputs\":{{\"{}\":1}},\"steps\":[]}}", "k".repeat(length));
        let limits = Limits::default();
        assert!(draft(text(1024).as_bytes(), limits).is_ok());
        let issues = draft(text(1025).as_bytes(), limits).unwrap_err();
        let issue = issues.first().unwrap();
        assert_eq!(&*issue.rule, "key_size");
        assert_eq!(issue.pointer.as_str(), "/inputs");
        assert_eq!(issue.place.map(|p| p.column), Some(12));
        assert!(issue.message.len() < 200, "{}", issue.message);
    }
}
