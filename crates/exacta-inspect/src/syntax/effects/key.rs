//! Code as a key: the same whatever its layout, bounded in length.

use std::fmt::Write as _;

use tree_sitter::Node;

/// Of longer pieces the beginning and the length count.
const MOST: usize = 4096;

/// The code of `node` without white space, and without a comma that ends a list.
pub(super) fn key(node: Node<'_>, text: &str) -> String {
    between(node.start_byte(), node.end_byte(), text)
}

/// The same for a stretch of bytes.
pub(super) fn between(start: usize, end: usize, text: &str) -> String {
    let length = end.saturating_sub(start);
    let mut key = String::with_capacity(length.min(MOST));
    squeeze(&mut key, start, end, text);
    key
}

/// The same, behind what is there already.
pub(super) fn squeeze(key: &mut String, start: usize, end: usize, text: &str) {
    let whole = text.as_bytes().get(start..end).unwrap_or_default();
    let piece = whole.get(..whole.len().min(MOST)).unwrap_or_default();
    let mut out: Vec<u8> = std::mem::take(key).into_bytes();
    let from = out.len();
    for byte in piece {
        if byte.is_ascii_whitespace() {
            continue;
        }
        if matches!(byte, b')' | b']' | b'}') && out.len() > from && out.last() == Some(&b',') {
            out.pop();
        }
        out.push(*byte);
    }
    *key = match String::from_utf8(out) {
        Ok(key) => key,
        Err(cut) => String::from_utf8_lossy(cut.as_bytes()).into_owned(),
    };
    if whole.len() > MOST {
        let _ = write!(key, " {}", whole.len());
    }
}

/// A key with every digit replaced, so that numbers do not count.
pub(super) fn without_numbers(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut chars = key.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '0'..='9' | '.' | '_' if out.ends_with('#') => {}
            // `1e9`
            'e' if out.ends_with('#') && chars.peek().is_some_and(char::is_ascii_digit) => {}
            '0'..='9' => out.push('#'),
            _ => out.push(c),
        }
    }
    out
}

/// A key with every text replaced by an empty one.
pub(super) fn without_texts(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut open: Option<char> = None;
    let mut escaped = false;
    for c in key.chars() {
        match open {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(quote) if c == quote => {
                open = None;
                out.push(c);
            }
            Some(_) => {}
            None => {
                if matches!(c, '"' | '\'') {
                    open = Some(c);
                }
                out.push(c);
            }
        }
    }
    out
}

/// The words of a name: `checkToken`, `check_token` and `CHECK-TOKEN` are two words.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut upper = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            fresh = true;
            continue;
        }
        if fresh || (c.is_uppercase() && !upper) {
            out.push(String::new());
        }
        fresh = false;
        upper = c.is_uppercase();
        if let Some(last) = out.last_mut() {
            last.extend(c.to_lowercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_numbers_do_not_count() {
        assert_eq!(between(0, 9, "f( a,\n )x"), "f(a)x");
        assert_eq!(without_numbers("a<128.5&&b"), "a<#&&b");
        assert_eq!(without_texts("f(\"a\\\"b\",'c')"), "f(\"\",'')");
        assert_eq!(words("checkToken_Name"), ["check", "token", "name"]);
        assert_eq!(words("EXPECT_EQ"), ["expect", "eq"]);
    }
}
