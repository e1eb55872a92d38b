//! Doc comments of Rust that nobody but a reader of pages sees.
//!
//! Macros see the doc comments of what they stand on and of everything in it, and samples in
//! them are tests. So they are words only where no such macro stands around, above something
//! that may have them or at the top of a file, and samples count to the byte.

use tree_sitter::{Node, TreeCursor};

use super::comments::is_sentence;
use super::orders::is_order;

/// Attributes that look at no doc comments, and marks of tests.
const INERT: &[&str] = &[
    "allow",
    "automatically_derived",
    "bench",
    "cfg",
    "cold",
    "default",
    "deny",
    "deprecated",
    "doc",
    "error",
    "expect",
    "feature",
    "forbid",
    "from",
    "ignore",
    "inline",
    "macro_export",
    "macro_use",
    "must_use",
    "no_mangle",
    "no_std",
    "non_exhaustive",
    "path",
    "recursion_limit",
    "repr",
    "rustfmt::skip",
    "serde",
    "should_panic",
    "source",
    "target_feature",
    "test",
    "tokio::main",
    "tokio::test",
    "track_caller",
    "warn",
];

/// Derived traits whose macros look at no doc comments.
const DERIVED: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deserialize",
    "Eq",
    "Error",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Serialize",
];

/// What a doc comment may stand above.
const ITEMS: &[&str] = &[
    "const_item",
    "enum_item",
    "enum_variant",
    "field_declaration",
    "function_item",
    "function_signature_item",
    "impl_item",
    "mod_item",
    "static_item",
    "struct_item",
    "trait_item",
    "type_item",
    "union_item",
];

/// What a doc comment is.
pub(super) enum Doc<'t> {
    /// More than words.
    More,
    /// The first line of a block of words, with all of its lines.
    Begins(Vec<&'t str>),
    /// Another line of it.
    Within,
}

/// The blocks of one text, in its order.
#[derive(Default)]
pub(super) struct Blocks {
    /// Whether no macro sees the whole file, once that was asked.
    unseen: Option<bool>,
    /// Where the last block ends, and whether it is words.
    end: usize,
    words: bool,
}

impl Blocks {
    /// What a comment is, at which the cursor stands. `seen` says that a macro may see what
    /// the comment stands in or on.
    pub(super) fn enter<'t>(
        &mut self,
        text: &'t str,
        node: Node<'_>,
        cursor: &TreeCursor<'_>,
        seen: bool,
    ) -> Doc<'t> {
        if seen || !*self.unseen.get_or_insert_with(|| no_macro_sees(text)) {
            return Doc::More;
        }
        if node.start_byte() < self.end {
            return if self.words { Doc::Within } else { Doc::More };
        }
        let rest = text.get(node.start_byte()..).unwrap_or_default();
        let inner = rest.starts_with("//!");
        let (lines, length) = block(rest, if inner { "//!" } else { "///" });
        self.end = node.start_byte() + length;
        let counts = if inner || stands_above_an_item(text, cursor.clone()) {
            counting(&lines)
        } else {
            None
        };
        self.words = counts.is_some();
        counts.map_or(Doc::More, Doc::Begins)
    }
}

/// Whether no macro of a file may see all of it.
fn no_macro_sees(text: &str) -> bool {
    text.match_indices("#![").all(|(at, sign)| {
        let rest = text.get(at + sign.len()..).unwrap_or_default();
        rest.split_once(']').is_some_and(|(inside, _)| is_inert_inside(inside, 0))
    })
}

/// Whether an attribute looks at no doc comments.
pub(super) fn is_inert(attribute: &str) -> bool {
    let inside = attribute.strip_prefix("#[").and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| is_inert_inside(inside.trim(), 0))
}

fn is_inert_inside(inside: &str, depth: usize) -> bool {
    let end = inside.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
    let (name, rest) = inside.split_at(end.unwrap_or(inside.len()));
    let list = || rest.trim_start().strip_prefix('(')?.trim_end().strip_suffix(')');
    match name {
        "derive" => list().is_some_and(|list| {
            list.split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .all(|one| one.rsplit("::").next().is_some_and(|name| DERIVED.contains(&name)))
        }),
        // What an attribute is under a condition.
        "cfg_attr" => {
            depth == 0
                && list().is_some_and(|list| {
                    let mut parts = apart(list).into_iter().skip(1);
                    parts.all(|one| one.trim().is_empty() || is_inert_inside(one.trim(), 1))
                })
        }
        _ => INERT.contains(&name) || name.starts_with("clippy::"),
    }
}

/// The parts of a list, by the commas that stand in no brackets.
fn apart(list: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0_usize, 0);
    let mut parts = Vec::new();
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(list.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(list.get(start..));
    parts
}

/// The lines of a block of doc comments that a text begins with, and how long it is.
fn block<'t>(text: &'t str, mark: &str) -> (Vec<&'t str>, usize) {
    let (mut lines, mut length) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let Some(words) = line.trim_start().strip_prefix(mark) else { break };
        if words.starts_with('/') {
            break;
        }
        lines.push(words.trim_end());
        length += line.len();
    }
    (lines, length)
}

/// Whether a block stands above something that may have it, and no macro sees that.
fn stands_above_an_item(text: &str, mut cursor: TreeCursor<'_>) -> bool {
    while cursor.goto_next_sibling() {
        let node = cursor.node();
        match node.kind() {
            "line_comment" => {}
            "attribute_item" => {
                if !text.get(node.byte_range()).is_some_and(is_inert) {
                    return false;
                }
            }
            kind => return ITEMS.contains(&kind),
        }
    }
    false
}

/// The lines of a block that are more than words: samples, which are tests, with their
/// fences, and whatever is no sentence. `None` where it cannot be told what is a sample.
fn counting<'t>(lines: &[&'t str]) -> Option<Vec<&'t str>> {
    let mut counting = Vec::new();
    let mut fence: Option<&str> = None;
    for line in lines {
        let words = line.strip_prefix(' ').unwrap_or(line);
        let sign = ["```", "~~~"].into_iter().find(|sign| line.contains(sign));
        if let Some(sign) = sign {
            if !words.starts_with(sign) || fence.is_some_and(|open| open != sign) {
                return None;
            }
            fence = if fence.is_some() { None } else { Some(sign) };
            counting.push(*line);
        } else if fence.is_some() {
            counting.push(*line);
        } else if line.starts_with("    ")
            || line.contains('\t')
            || ["<pre", "<code", "<script", "<!--"].iter().any(|mark| line.contains(mark))
        {
            return None;
        } else if !is_words(words.trim()) {
            counting.push(*line);
        }
    }
    fence.is_none().then_some(counting)
}

/// Whether a line is a sentence or a title.
fn is_words(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let is_title = title.len() < line.len() && title.starts_with(' ');
    let words = if is_title { title.trim_start() } else { line };
    let one = is_title && words.chars().all(char::is_alphanumeric);
    // Where a link of the page leads.
    let target = words.starts_with('[') && words.contains("]: ") && !words.contains('<');
    !is_order(words, false) && (one || target || is_sentence(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_see_no_doc_comments_are_a_closed_list() {
        for attribute in [
            "#[derive(Clone, serde::Serialize)]",
            "#[cfg_attr(docsrs, doc(cfg(feature = \"a\")))]",
            "#[cfg_attr(all(a, b), derive(Debug), inline)]",
            "#[clippy::msrv = \"1\"]",
        ] {
            assert!(is_inert(attribute), "{attribute}");
        }
        for attribute in [
            "#[derive(Parser)]",
            "#[derive(Clone, Parser)]",
            "#[cfg_attr(a, derive(Parser))]",
            "#[cfg_attr(a, command)]",
            "#[async_trait]",
            "#[pymethods]",
        ] {
            assert!(!is_inert(attribute), "{attribute}");
        }
    }

    #[test]
    fn samples_count_and_words_around_them_do_not() {
        let sample = [" Adds.", "", " # Examples", " ```", " add(1);", " ```", " See `add`."];
        assert_eq!(counting(&sample), Some(vec![" ```", " add(1);", " ```"]));
        assert_eq!(counting(&[" Adds.", " [one]: two"]), Some(vec![]));
        assert_eq!(counting(&[" Adds.", " | a |"]), Some(vec![" | a |"]));
        for lines in [&[" Adds.", "     add(1);"][..], &[" - ```"], &[" ```", " a"], &[" <pre>"]] {
            assert_eq!(counting(lines), None, "{lines:?}");
        }
    }
}
