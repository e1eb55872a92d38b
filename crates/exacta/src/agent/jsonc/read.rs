//! Where each value of a JSON file with comments lies.

use serde_json::Value;

/// One step of the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agent) enum Step<'n> {
    /// The field of this name.
    Field(&'n str),
    /// The entry at this place.
    Entry(usize),
}

/// Where a value lies, and what is in it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) items: Items,
}

#[derive(Debug)]
pub(super) enum Items {
    /// Name, where the name begins, and the value.
    Fields(Vec<(String, usize, Node)>),
    Entries(Vec<Node>),
    None,
}

/// The value of a text, without its comments.
///
/// # Errors
/// In words, when it is not a JSON object.
pub(in crate::agent) fn value(text: &str) -> Result<Value, String> {
    match serde_json::from_slice(&without_comments(text)) {
        Ok(Value::Object(fields)) => Ok(Value::Object(fields)),
        Ok(_) => Err("it is not a JSON object".into()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

/// The text with every comment and every comma before a closing bracket made blank.
fn without_comments(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut comma, mut last) = (0, None, b'{');
    while let Some(byte) = bytes.get(at).copied() {
        let next = bytes.get(at + 1).copied();
        let end = match (byte, next) {
            (b'"', _) => {
                (comma, last) = (None, byte);
                at = end_of_string(&bytes, at);
                continue;
            }
            (b'/', Some(b'/')) => {
                let rest = bytes.get(at..).unwrap_or_default();
                at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            }
            (b'/', Some(b'*')) => {
                let rest = text.get(at + 2..).unwrap_or_default();
                rest.find("*/").map_or(at, |found| at + 2 + found + 2)
            }
            _ => at,
        };
        if end > at {
            for byte in bytes.get_mut(at..end).into_iter().flatten() {
                if *byte != b'\n' && *byte != b'\r' {
                    *byte = b' ';
                }
            }
            at = end;
            continue;
        }
        match byte {
            // Only what follows a value is a comma too many.
            b',' if !b"{[,:".contains(&last) => (comma, last) = (Some(at), byte),
            b']' | b'}' => {
                if let Some(byte) = comma.take().and_then(|comma| bytes.get_mut(comma)) {
                    *byte = b' ';
                }
                last = byte;
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => (comma, last) = (None, byte),
        }
        at += 1;
    }
    bytes
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where everything lies.
pub(super) fn read(text: &str) -> Result<Node, String> {
    value(text)?;
    let plain = without_comments(text);
    let mut at = 0;
    // It was read before, so every byte is where JSON has it.
    node(&plain, &mut at).ok_or_else(|| "it is not JSON".into())
}

fn skip(bytes: &[u8], at: &mut usize) -> Option<u8> {
    while bytes.get(*at).is_some_and(u8::is_ascii_whitespace) {
        *at += 1;
    }
    bytes.get(*at).copied()
}

fn node(bytes: &[u8], at: &mut usize) -> Option<Node> {
    let first = skip(bytes, at)?;
    let start = *at;
    let items = match first {
        b'{' | b'[' => {
            *at += 1;
            let (mut fields, mut entries) = (Vec::new(), Vec::new());
            loop {
                match skip(bytes, at)? {
                    b'}' | b']' => break,
                    b',' => *at += 1,
                    b'"' if first == b'{' => {
                        let from = *at;
                        *at = end_of_string(bytes, from);
                        let name = serde_json::from_slice(bytes.get(from..*at)?).ok()?;
                        skip(bytes, at).filter(|byte| *byte == b':')?;
                        *at += 1;
                        fields.push((name, from, node(bytes, at)?));
                    }
                    _ => entries.push(node(bytes, at)?),
                }
            }
            *at += 1;
            if first == b'{' { Items::Fields(fields) } else { Items::Entries(entries) }
        }
        b'"' => {
            *at = end_of_string(bytes, start);
            Items::None
        }
        _ => {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
            while bytes.get(*at).is_some_and(|byte| !ends(byte)) {
                *at += 1;
            }
            Items::None
        }
    };
    Some(Node { start, end: *at, items })
}

/// The last value that is there on the way, and the names that lead on from it.
pub(super) fn reach<'n, 'a>(
    root: &'n Node,
    at: &'a [&'a str],
) -> Result<(&'n Node, &'a [&'a str]), String> {
    let (mut node, mut rest) = (root, at);
    while let Some((name, after)) = rest.split_first() {
        let Items::Fields(fields) = &node.items else {
            return Err(format!("`{}` is not an object there", at.join(".")));
        };
        let mut named = fields.iter().filter(|(field, _, _)| field == name);
        match (named.next(), named.next()) {
            (None, _) => break,
            (Some((_, _, found)), None) => (node, rest) = (found, after),
            (Some(_), Some(_)) => return Err(format!("`{name}` is there twice")),
        }
    }
    Ok((node, rest))
}

pub(super) fn find<'n>(root: &'n Node, at: &[Step<'_>]) -> Option<&'n Node> {
    at.iter().try_fold(root, |node, step| match (&node.items, step) {
        (Items::Fields(fields), Step::Field(name)) => {
            fields.iter().find(|(field, _, _)| field == name).map(|(_, _, node)| node)
        }
        (Items::Entries(entries), Step::Entry(index)) => entries.get(*index),
        _ => None,
    })
}

/// Where an item begins, the how-manieth it is, and how many there are.
pub(super) fn place(holder: &Node, step: Step<'_>) -> Option<(usize, usize, usize)> {
    match (&holder.items, step) {
        (Items::Fields(fields), Step::Field(name)) => {
            let index = fields.iter().position(|(field, _, _)| field == name)?;
            Some((fields.get(index)?.1, index, fields.len()))
        }
        (Items::Entries(entries), Step::Entry(index)) => {
            Some((entries.get(index)?.start, index, entries.len()))
        }
        _ => None,
    }
}

/// Where an item ends.
pub(super) fn end_of(holder: &Node, index: usize) -> Option<usize> {
    match &holder.items {
        Items::Fields(fields) => fields.get(index).map(|(_, _, node)| node.end),
        Items::Entries(entries) => entries.get(index).map(|node| node.end),
        Items::None => None,
    }
}
