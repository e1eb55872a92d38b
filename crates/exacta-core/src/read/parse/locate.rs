//! Turns JSON Pointers into line and column, only when there is something to report.
//!
//! The parser keeps no positions, so reading a good draft costs nothing extra. When
//! findings exist, the text is walked once more, level by level, and only into the
//! members that a finding names.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::spelling::Spelling;
use super::{fence, json};
use crate::model::diagnostic::{Issue, Place};

/// Fills in `place` for every finding that has a pointer but no place yet, and makes
/// the pointer lead to what the planner wrote.
pub fn locate(text: &str, issues: &mut [Issue]) {
    let Ok((start, document)) = fence::document(text) else { return };
    if let Ok(read) = json::read(document) {
        let mut spelling = Spelling::of(&read);
        for issue in issues.iter_mut().filter(|issue| issue.place.is_none()) {
            issue.pointer = spelling.as_written(&issue.pointer);
        }
    }
    let mut wanted = Node::default();
    for issue in issues.iter().filter(|issue| issue.place.is_none()) {
        wanted.want(issue);
    }
    let mut found = BTreeMap::new();
    wanted.find(document, document, "", &mut found);
    let mut offsets: Vec<(usize, usize)> = Vec::new();
    for (index, issue) in issues.iter().enumerate().filter(|(_, issue)| issue.place.is_none()) {
        // A pointer to something missing is shown at the innermost part that exists.
        let mut pointer = issue.pointer.as_str();
        let offset = loop {
            if let Some(offset) = found.get(pointer) {
                break Some(*offset);
            }
            match pointer.rsplit_once('/') {
                Some((outer, _)) => pointer = outer,
                None => break None,
            }
        };
        if let Some(Found { value, key }) = offset {
            let about_the_name = matches!(&*issue.rule, "unknown_field" | "server_owned");
            let offset = if about_the_name { key.unwrap_or(value) } else { value };
            offsets.push((start + offset, index));
        }
    }
    offsets.sort_unstable();
    let mut walk = Walk { text, at: 0, place: Place { line: 1, column: 1 } };
    for (offset, index) in offsets {
        let place = walk.to(offset);
        if let Some(issue) = issues.get_mut(index) {
            issue.place = Some(place);
        }
    }
}

/// Byte offsets in the document: of a value, and of the name before it.
#[derive(Clone, Copy)]
struct Found {
    value: usize,
    key: Option<usize>,
}

/// The pointers that findings name, as a tree.
#[derive(Default)]
struct Node(BTreeMap<String, Node>);

impl Node {
    fn want(&mut self, issue: &Issue) {
        let mut node = self;
        for token in issue.pointer.tokens() {
            node = node.0.entry(token.into_owned()).or_default();
        }
    }

    /// Depth is bounded by that of the document, which the JSON layer bounds.
    fn find(&self, document: &str, part: &str, pointer: &str, found: &mut BTreeMap<String, Found>) {
        let offset = offset_in(document, part);
        found.entry(pointer.into()).or_insert(Found { value: offset, key: None });
        if self.0.is_empty() {
            return;
        }
        let Ok(Level(entries)) = serde_json::from_str::<Level<'_>>(part) else { return };
        for (name, value) in entries {
            let Some(child) = self.0.get(&*name) else { continue };
            let mut inner = String::from(pointer);
            inner.push('/');
            inner.push_str(&name.replace('~', "~0").replace('/', "~1"));
            let value_at = offset_in(document, value.get());
            found.insert(
                inner.clone(),
                Found { value: value_at, key: name_before(document, value_at) },
            );
            child.find(document, value.get(), &inner, found);
        }
    }
}

/// One level of a document: names (or indices) and the raw text of each value.
struct Level<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Level<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LevelVisitor;
        impl<'de> Visitor<'de> for LevelVisitor {
            type Value = Level<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object or an array")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = access.next_entry::<Cow<'de, str>, &'de RawValue>()? {
                    entries.push(entry);
                }
                Ok(Level(entries))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(value) = access.next_element::<&'de RawValue>()? {
                    entries.push((Cow::Owned(format!("{}", entries.len())), value));
                }
                Ok(Level(entries))
            }
        }
        deserializer.deserialize_any(LevelVisitor)
    }
}

/// Where `part`, a slice of `document`, begins in it.
fn offset_in(document: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(document.as_ptr() as usize)
}

/// Where the name of the member whose value begins at `value` begins.
fn name_before(document: &str, value: usize) -> Option<usize> {
    let before = document.get(..value)?.trim_end().strip_suffix(':')?.trim_end();
    open_quote(before.strip_suffix('"')?)
}

/// Where the string begins whose text, without the closing quote, ends with `inside`.
pub(super) fn open_quote(inside: &str) -> Option<usize> {
    inside
        .rmatch_indices('"')
        .find(|(at, _)| {
            let escapes = inside.bytes().take(*at).rev().take_while(|b| *b == b'\\').count();
            escapes % 2 == 0
        })
        .map(|(at, _)| at)
}

/// Walks forward over the text once, however many findings and however long a line.
struct Walk<'t> {
    text: &'t str,
    at: usize,
    place: Place,
}

impl Walk<'_> {
    fn to(&mut self, offset: usize) -> Place {
        let part = self.text.get(self.at..offset).unwrap_or_default();
        let breaks = memchr::memchr_iter(b'\n', part.as_bytes()).count();
        let row = part.rsplit('\n').next().unwrap_or(part);
        let columns = u32::try_from(row.chars().count()).unwrap_or(u32::MAX);
        let from = if breaks > 0 { 1 } else { self.place.column };
        self.place = Place {
            line: self.place.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX)),
            column: from.saturating_add(columns),
        };
        self.at = offset;
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::code::Code;
    use crate::text::pointer::Pointer;

    fn place(text: &str, rule: &'static str, pointer: &Pointer) -> (u32, u32) {
        let mut issues = [Issue::error(Code::PlanSchemaInvalid, rule, "x").at(pointer.clone())];
        locate(text, &mut issues);
        issues[0].place.map(|p| (p.line, p.column)).unwrap()
    }

    #[test]
    fn points_at_the_value_or_at_the_name() {
        let text = "```json\n{ \"steps\": [\n  {\"é/~\\\"\": {\"b\": 7}}]}\n```";
        let member = Pointer::root().key("steps").index(0).key("é/~\"").key("b");
        assert_eq!(place(text, "type", &member), (3, 19));
        assert_eq!(place(text, "unknown_field", &member), (3, 14));
        let outer = Pointer::root().key("steps").index(0).key("é/~\"");
        assert_eq!(place(text, "unknown_field", &outer), (3, 4));
        assert_eq!(place(text, "type", &outer.key("missing")), (3, 13));
        assert_eq!(place(text, "type", &Pointer::root()), (2, 1));
    }

    #[test]
    fn many_findings_in_any_order_get_their_own_places() {
        let text = "{\"a\":\n [1, 2],\n\"é\": [3, 4]}";
        let pointers = ["é/1", "a/1", "é/0", "a", "a/0"];
        let mut issues = pointers.map(|path| {
            let pointer = path.split('/').fold(Pointer::root(), |at, token| at.key(token));
            Issue::error(Code::PlanSchemaInvalid, "type", "x").at(pointer)
        });
        locate(text, &mut issues);
        let places = issues.map(|issue| issue.place.map(|p| (p.line, p.column)).unwrap());
        assert_eq!(places, [(3, 10), (2, 6), (3, 7), (2, 2), (2, 3)]);
    }
}
