//! Why a text is not JSON, in plain words: what was found, and what belongs there.
//!
//! The reader's own words are made for those who write readers ("expected ident"). Here
//! they are said for whoever wrote the text.

use alloc::string::{String, ToString as _};

use crate::model::diagnostic::Place;
use crate::text::shown::shown;

/// The longest part of the text that is repeated, in characters.
const MOST: usize = 24;

/// The reader's `reason` in plain words; `place` is where the reader came to.
pub(crate) fn in_words(reason: &str, document: &str, place: Place) -> String {
    let at = last_read(document, place);
    // A word is known to be wrong only by what follows it.
    let begun = matches!(reason, "expected ident" | "invalid number");
    let word = document.get(..at).filter(|read| begun && read.ends_with(in_word));
    let found = found(document, word.map_or(at, |read| read.trim_end_matches(in_word).len()));
    let wanted = |what: &str| match &found {
        Some(found) => format!("{what} was expected, and `{found}` was found"),
        None => format!("{what} was expected, and the text ends"),
    };
    let said = |with: &dyn Fn(&str) -> String| match &found {
        Some(found) => with(found),
        None => "the text ends too early".to_string(),
    };
    match reason {
        "expected value" => wanted("a value"),
        "expected ident" => said(&|found| {
            format!("`{found}` is no value; without quotes only `true`, `false`, `null` and numbers are")
        }),
        "key must be a string" => wanted("a key in double quotes"),
        "expected `:`" => wanted("`:`"),
        "expected `,` or `}`" => wanted("a comma or `}`"),
        "expected `,` or `]`" => wanted("a comma or `]`"),
        "trailing comma" => "nothing follows a comma but the end of the list".into(),
        "trailing characters" => said(&|found| format!("`{found}` follows the end of the value")),
        "invalid number" => said(&|found| format!("a number is cut off or misspelt at `{found}`")),
        "EOF while parsing a value" => "the text ends where a value should be".into(),
        "EOF while parsing an object" => "the text ends inside an object".into(),
        "EOF while parsing a list" => "the text ends inside an array".into(),
        "EOF while parsing a string" => "the text ends inside a string".into(),
        "invalid escape" => "a string has a backslash before a character that needs none".into(),
        "invalid unicode code point"
        | "lone leading surrogate in hex escape"
        | "unexpected end of hex escape" => {
            "a string has an escape `\\u…` that stands for no character".into()
        }
        _ if reason.starts_with("control character") => {
            "a string has a line break or another control character in it; write it as an escape such as `\\n`".into()
        }
        other => other.into(),
    }
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The word or sign around a byte; `None` at the end.
fn found(document: &str, at: usize) -> Option<String> {
    let at = document.floor_char_boundary(at);
    let (before, rest) = document.split_at_checked(at)?;
    let first = rest.chars().next()?;
    if !in_word(first) {
        let sign = if first.is_whitespace() { rest.trim_start().chars().next()? } else { first };
        return Some(shown(sign.to_string().as_bytes()));
    }
    let from = before.trim_end_matches(in_word).len();
    let word: String =
        document.get(from..)?.chars().take_while(|c| in_word(*c)).take(MOST).collect();
    Some(shown(word.as_bytes()))
}

/// The byte of the document that the JSON reader came to. It counts lines, and bytes in
/// them, from 1.
pub(super) fn last_read(document: &str, place: Place) -> usize {
    let row = match place.line as usize {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', document.as_bytes())
            .nth(line - 2)
            .map_or(document.len(), |at| at + 1),
    };
    (row + place.column as usize).saturating_sub(1).min(document.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::parse::json::{JsonRule, read};

    #[test]
    fn what_was_found_is_said() {
        for (text, said) in [
            ("hello", "a value was expected, and `hello` was found"),
            (
                "this is a plan",
                "`this` is no value; without quotes only `true`, `false`, `null` and numbers are",
            ),
            (
                "{\"a\": tru}",
                "`tru` is no value; without quotes only `true`, `false`, `null` and numbers are",
            ),
            ("{a: 1}", "a key in double quotes was expected, and `a` was found"),
            ("{\"a\" 1}", "`:` was expected, and `1` was found"),
            ("{\"a\": 1 \"b\": 2}", "a comma or `}` was expected, and `\"` was found"),
            ("[1 2]", "a comma or `]` was expected, and `2` was found"),
            ("{\"a\": [1, 2],}", "nothing follows a comma but the end of the list"),
            ("{} x", "`x` follows the end of the value"),
            ("{\"a\": ", "the text ends where a value should be"),
            ("{\"a\": 1", "the text ends inside an object"),
            ("[1, 2", "the text ends inside an array"),
            ("{\"a\": \"b", "the text ends inside a string"),
            ("", "the text ends where a value should be"),
            (
                "{\"a\": \"b\n\"}",
                "a string has a line break or another control character in it; write it as an escape such as `\\n`",
            ),
            ("{\"a\": \"\\x\"}", "a string has a backslash before a character that needs none"),
        ] {
            let fault = read(text).unwrap_err();
            let JsonRule::Syntax(reason) = &fault.rule else { panic!("{text}: {fault:?}") };
            assert_eq!(in_words(reason, text, fault.place), said, "{text}");
        }
    }
}
