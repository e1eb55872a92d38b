//! One value more or less, and every other byte as it was.

use serde_json::Value;

use super::layout::Layout;
use super::read::{Items, Node, Step, end_of, find, place, reach, read};

/// The text with an entry more at the end of a list, which is made where there is none.
///
/// # Errors
/// In words, when something else is there.
pub(in crate::agent) fn with_entry(
    text: &str,
    at: &[&str],
    entry: &Value,
) -> Result<String, String> {
    let root = read(text)?;
    match reach(&root, at)? {
        (node, []) => match node.items {
            Items::Entries(_) => Ok(inserted(text, node, None, entry)),
            _ => Err(format!("`{}` is not a list there", at.join("."))),
        },
        (node, missing) => {
            added(text, node, missing, &Value::Array(vec![entry.clone()]), &at.join("."))
        }
    }
}

/// The text with a value at a place; what was there is gone.
///
/// # Errors
/// In words, when something on the way is not an object.
pub(in crate::agent) fn with_value(
    text: &str,
    at: &[&str],
    value: &Value,
) -> Result<String, String> {
    let root = read(text)?;
    match reach(&root, at)? {
        (node, []) => {
            let layout = Layout::of(text);
            let new = layout.written(value, Layout::indent_at(text, node.start));
            Ok(spliced(text, node.start, node.end, &new))
        }
        (node, missing) => added(text, node, missing, value, &at.join(".")),
    }
}

/// The text without one value, and without what holds nothing any more because of it.
///
/// # Errors
/// In words, when the text is not a JSON object.
pub(in crate::agent) fn without(text: &str, at: &[Step<'_>]) -> Result<String, String> {
    let mut text = text.to_owned();
    for length in (1..=at.len()).rev() {
        let Some((last, above)) = at.get(..length).and_then(<[_]>::split_last) else { break };
        let root = read(&text)?;
        let Some(holder) = find(&root, above) else { break };
        let Some((start, index, count)) = place(holder, *last) else { break };
        let now_empty = length == at.len() || is_empty(holder, index);
        if !now_empty {
            break;
        }
        text = removed(&text, holder, start, index, count);
    }
    Ok(text)
}

/// Whether the value at a place of its holder holds nothing.
fn is_empty(holder: &Node, index: usize) -> bool {
    let node = match &holder.items {
        Items::Fields(fields) => fields.get(index).map(|(_, _, node)| node),
        Items::Entries(entries) => entries.get(index),
        Items::None => None,
    };
    node.is_some_and(|node| match &node.items {
        Items::Fields(fields) => fields.is_empty() && node.end - node.start == 2,
        Items::Entries(entries) => entries.is_empty() && node.end - node.start == 2,
        Items::None => false,
    })
}

fn spliced(text: &str, start: usize, end: usize, new: &str) -> String {
    let (before, after) = (text.get(..start), text.get(end..));
    [before.unwrap_or_default(), new, after.unwrap_or_default()].concat()
}

/// The text with a field more, whose value is inside of objects for all but the first name.
fn added(
    text: &str,
    holder: &Node,
    names: &[&str],
    value: &Value,
    whole: &str,
) -> Result<String, String> {
    let Some((name, below)) = names.split_first().filter(|_| is_object(holder)) else {
        return Err(format!("`{whole}` is not an object there"));
    };
    let nested = below.iter().rev().fold(value.clone(), |value, name| {
        Value::Object([((*name).to_owned(), value)].into_iter().collect())
    });
    Ok(inserted(text, holder, Some(name), &nested))
}

fn is_object(node: &Node) -> bool {
    matches!(node.items, Items::Fields(_))
}

/// The text with an item more at the end of an object or a list.
fn inserted(text: &str, holder: &Node, name: Option<&str>, value: &Value) -> String {
    let layout = Layout::of(text);
    let count = match &holder.items {
        Items::Fields(fields) => fields.len(),
        Items::Entries(entries) => entries.len(),
        Items::None => 0,
    };
    let named = |written: String| match name {
        Some(name) => format!("{}: {written}", Value::from(name)),
        None => written,
    };
    let inside = text.get(holder.start..holder.end).unwrap_or_default();
    let Some(last) = count.checked_sub(1) else {
        let outer = Layout::indent_at(text, holder.start);
        let indent = format!("{outer}{}", layout.unit);
        let new = named(layout.written(value, &indent));
        let line = layout.line_end;
        let close = if inside.contains('\n') { String::new() } else { format!("{line}{outer}") };
        let at = holder.start + 1;
        return spliced(text, at, at, &format!("{line}{indent}{new}{close}"));
    };
    let Some(end) = end_of(holder, last) else { return text.to_owned() };
    if !inside.contains('\n') {
        return spliced(text, end, end, &format!(", {}", named(value.to_string())));
    }
    let start = match &holder.items {
        Items::Fields(fields) => fields.get(last).map_or(end, |(_, start, _)| *start),
        _ => find(holder, &[Step::Entry(last)]).map_or(end, |node| node.start),
    };
    let indent = Layout::indent_at(text, start).to_owned();
    let new = format!("{}{indent}{}", layout.line_end, named(layout.written(value, &indent)));
    // A comment on the same line belongs to what is there.
    let (line_end, comma) = rest_of_line(text, end);
    if comma {
        return spliced(text, line_end, line_end, &format!("{new},"));
    }
    let text = spliced(text, line_end, line_end, &new);
    spliced(&text, end, end, ",")
}

/// Where a line ends that has nothing more than a comma and comments, and whether it has the
/// comma.
fn rest_of_line(text: &str, from: usize) -> (usize, bool) {
    let plain = with_comments_zeroed(text, from);
    let (mut at, mut comma, mut end) = (from, false, from);
    while let Some(byte) = plain.get(at) {
        match byte {
            b',' if !comma => (comma, end) = (true, at + 1),
            b' ' | b'\t' => {}
            // What was a comment.
            0 => end = at + 1,
            _ => break,
        }
        at += 1;
    }
    (end, comma)
}

/// The text from a place on, where comments are zeros.
fn with_comments_zeroed(text: &str, from: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = from;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let end = if rest.starts_with("//") {
            at + rest.find(['\r', '\n']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            at + rest.find("*/").map_or(rest.len(), |found| found + 2)
        } else if rest.starts_with([' ', '\t', ',']) {
            at += 1;
            continue;
        } else {
            return bytes;
        };
        bytes.get_mut(at..end).into_iter().flatten().for_each(|byte| *byte = 0);
        at = end;
    }
}

/// The text without one item and its comma.
fn removed(text: &str, holder: &Node, start: usize, index: usize, count: usize) -> String {
    let Some(end) = end_of(holder, index) else { return text.to_owned() };
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let before = text.as_bytes().get(..start).unwrap_or_default();
    let gap = before.len() - before.iter().rev().take_while(|byte| blank(byte)).count();
    // The next comma, wherever comments let it stand; one that trails counts too.
    let commas = commas_after(text, end, holder.end);
    if let Some(comma) = commas {
        return spliced(text, gap, comma + 1, text.get(end..comma).unwrap_or_default());
    }
    let mut text = spliced(text, gap, end, "");
    if let Some(comma) = index
        .checked_sub(1)
        .and_then(|before| end_of(holder, before))
        .and_then(|from| commas_after(&text, from, gap))
    {
        text = spliced(&text, comma, comma + 1, "");
    }
    if count == 1 {
        // What is left of the holder is nothing if it is blank.
        let close = holder.end - (end - gap);
        let inside = text.get(holder.start + 1..close - 1).unwrap_or_default();
        if inside.trim().is_empty() {
            text = spliced(&text, holder.start + 1, close - 1, "");
        }
    }
    text
}

/// The first comma between two places that is not in a comment, if nothing else comes first.
fn commas_after(text: &str, from: usize, until: usize) -> Option<usize> {
    let mut at = from;
    while at < until {
        let rest = text.get(at..until)?;
        if rest.starts_with(',') {
            return Some(at);
        } else if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else if rest.starts_with(|c: char| c.is_ascii_whitespace()) {
            at += 1;
        } else {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::value;
    use super::*;

    const COMMENTED: &str = "{\n    // mine\n    \"theme\": \"dark\", // keep\n    /* odd */ \"url\": \"http://x//y,]\",\n    \"hooks\": {\n        \"PreToolUse\": [\n            { \"matcher\": \"Bash\" }, // first\n        ],\n    },\n}\n";

    #[test]
    fn what_is_put_in_comes_out_again_and_nothing_else_moves() {
        for text in [
            "{}",
            "{}\n",
            "{ }\n",
            "{\"a\":1}",
            "{\"a\": [1, 2], \"b\": {\"c\": {}}}\n",
            "{\n\t\"a\": 1\n}\n",
            "{\r\n  \"a\": 1\r\n}\r\n",
            "{\n  \"a\": 1 // last\n}\n",
            "{\n  \"a\": 1, // last\n}\n",
            "{\n  \"a\": 1\n  // alone\n}\n",
            "{ // head\n  \"a\": \"}{[],//\" /* x */ , /* y */\n}\n",
            "// before\n{\n \"hooks\": {\"PreToolUse\":[{\"x\":1}]}\n}\n// after\n",
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      1,\n      2\n    ]\n  }\n}",
            COMMENTED,
        ] {
            let entry = json!({ "matcher": "x", "hooks": [{ "command": "exacta" }] });
            let at = ["hooks", "PreToolUse"];
            let with = with_entry(text, &at, &entry).unwrap();
            let list = value(&with).unwrap()["hooks"]["PreToolUse"].clone();
            let list = list.as_array().unwrap();
            assert_eq!(list.last(), Some(&entry), "{with}");
            let newest = Step::Entry(list.len() - 1);
            let steps = [Step::Field("hooks"), Step::Field("PreToolUse"), newest];
            assert_eq!(without(&with, &steps).unwrap().trim(), made_plain(text), "{with}");

            let with = with_value(text, &["mcpServers", "exacta"], &json!({ "a": [1] })).unwrap();
            assert_eq!(value(&with).unwrap()["mcpServers"]["exacta"]["a"][0], 1, "{with}");
            let steps = [Step::Field("mcpServers"), Step::Field("exacta")];
            assert_eq!(without(&with, &steps).unwrap().trim(), made_plain(text), "{with}");
        }
    }

    /// Blank insides of empty brackets are the one thing that is not kept.
    fn made_plain(text: &str) -> String {
        text.trim().replace("{ }", "{}")
    }

    #[test]
    fn comments_and_layout_stay_where_they_were() {
        let with = with_value(COMMENTED, &["mcp"], &json!({ "a": 1 })).unwrap();
        let wanted = COMMENTED
            .replace("    },\n}\n", "    },\n    \"mcp\": {\n        \"a\": 1\n    },\n}\n");
        assert_eq!(with, wanted);
        let with = with_entry(COMMENTED, &["hooks", "PreToolUse"], &json!(7)).unwrap();
        assert_eq!(with, COMMENTED.replace("// first\n", "// first\n            7,\n"));
    }

    #[test]
    fn a_value_in_the_middle_goes_and_one_is_exchanged() {
        let text = "{\n  \"a\": 1, // one\n  \"b\": 2, // two\n  \"c\": 3\n}\n";
        let gone = without(text, &[Step::Field("b")]).unwrap();
        assert_eq!(value(&gone).unwrap(), json!({ "a": 1, "c": 3 }), "{gone}");
        assert!(gone.contains("// one") && gone.contains("// two"), "{gone}");
        let gone = without(text, &[Step::Field("c")]).unwrap();
        assert_eq!(value(&gone).unwrap(), json!({ "a": 1, "b": 2 }), "{gone}");
        let new = with_value(text, &["b"], &json!({ "x": true })).unwrap();
        assert_eq!(value(&new).unwrap()["b"]["x"], true);
        assert!(new.contains("}, // two"), "{new}");
    }

    #[test]
    fn what_is_not_an_object_or_not_clear_is_refused() {
        for text in
            ["[]", "{", "", "{\"hooks\": 1}", "{\"hooks\": []}", "{\"hooks\": {}, \"hooks\": {}}"]
        {
            let done = with_entry(text, &["hooks", "PreToolUse"], &json!(1));
            assert!(done.is_err(), "{text}: {done:?}");
        }
    }
}
