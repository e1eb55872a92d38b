//! JSON with the places of its keys, strict or with comments.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A parsed object.
pub(super) struct JsonText {
    pub(super) root: Map<String, Value>,
    /// Lines of the keys on the two outer levels, by the key above and the key.
    lines: BTreeMap<(String, String), usize>,
}

impl JsonText {
    /// Reads strict JSON.
    pub(super) fn strict(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }

    /// Reads JSON in which comments and commas at the end are allowed.
    pub(super) fn relaxed(text: &str) -> Result<Self, String> {
        Self::parse(&without_comments(text))
    }

    fn parse(text: &str) -> Result<Self, String> {
        match serde_json::from_str(text) {
            Ok(Value::Object(root)) => Ok(Self { root, lines: lines(text) }),
            Ok(_) => Err("not a JSON object".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The entries of the object below a key, each with its line.
    pub(super) fn table<'v>(
        &'v self,
        key: &'v str,
    ) -> impl Iterator<Item = (&'v String, &'v Value, Option<usize>)> {
        let entries = self.root.get(key).and_then(Value::as_object).into_iter().flatten();
        entries.map(move |(name, value)| (name, value, self.line(key, name)))
    }

    /// The line of a key below another, or of an outermost key below the empty one.
    pub(super) fn line(&self, above: &str, key: &str) -> Option<usize> {
        self.lines.get(&(above.to_owned(), key.to_owned())).copied()
    }
}

/// The same text with blanks for comments and for commas that nothing follows; as long as
/// the text and with the same lines.
fn without_comments(text: &str) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut comma: Option<usize> = None;
    let mut rest = text.bytes().peekable();
    let blank = |byte: u8| if byte == b'\n' { b'\n' } else { b' ' };
    while let Some(byte) = rest.next() {
        match (byte, rest.peek()) {
            (b'"', _) => {
                comma = None;
                out.push(byte);
                while let Some(inner) = rest.next() {
                    out.push(inner);
                    match inner {
                        b'\\' => out.extend(rest.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            (b'/', Some(b'/')) => {
                out.push(b' ');
                while let Some(inner) = rest.next_if(|inner| *inner != b'\n') {
                    out.push(blank(inner));
                }
            }
            (b'/', Some(b'*')) => {
                out.push(b' ');
                let mut before = 0;
                rest.next();
                out.push(b' ');
                for inner in rest.by_ref() {
                    out.push(blank(inner));
                    if before == b'*' && inner == b'/' {
                        break;
                    }
                    before = inner;
                }
            }
            (b'}' | b']', _) => {
                if let Some(at) = comma.take().and_then(|at| out.get_mut(at)) {
                    *at = b' ';
                }
                out.push(byte);
            }
            _ => {
                if byte == b',' {
                    comma = Some(out.len());
                } else if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                out.push(byte);
            }
        }
    }
    // Only whole comments were blanked, byte by byte.
    String::from_utf8_lossy(&out).into_owned()
}

/// Where the keys of the two outer levels stand.
fn lines(text: &str) -> BTreeMap<(String, String), usize> {
    let mut found = BTreeMap::new();
    let (mut line, mut depth) = (0, 0_usize);
    let mut outer = String::new();
    let mut last: Option<(usize, usize, usize)> = None;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\n' => line += 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let mut end = at + 1;
                while let Some((inside, inner)) = bytes.next() {
                    end = inside;
                    match inner {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        b'\n' => line += 1,
                        _ => {}
                    }
                }
                last = Some((at + 1, end, line));
            }
            b':' => {
                if let Some((from, to, line)) = last.take() {
                    let key = text.get(from..to).unwrap_or_default();
                    if depth == 1 {
                        key.clone_into(&mut outer);
                        found.insert((String::new(), key.to_owned()), line);
                    } else if depth == 2 {
                        found.insert((outer.clone(), key.to_owned()), line);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_blanked_and_texts_are_not() {
        for (text, plain) in [
            ("{\"a\": 1, // x\n}", "{\"a\": 1      \n}"),
            ("{/* x\n */\"a\": \"//\\\"/*\"}", "{    \n   \"a\": \"//\\\"/*\"}"),
            ("{\"a\": [1,],}", "{\"a\": [1 ] }"),
            ("{\"é\": 1} // é", "{\"é\": 1}      "),
        ] {
            let out = without_comments(text);
            assert_eq!(out, plain);
            assert_eq!(out.len(), text.len());
        }
    }

    #[test]
    fn keys_are_found_below_the_key_they_belong_to() {
        let text = "{\n\"scripts\": {\n\"a\": \"x\"\n},\n\"dependencies\": {\n\"a\": \"1\"\n}\n}";
        let json = JsonText::strict(text).unwrap();
        assert_eq!(json.line("scripts", "a"), Some(2));
        assert_eq!(json.line("dependencies", "a"), Some(5));
        assert_eq!(json.line("", "dependencies"), Some(4));
    }
}
