//! Doc comments of Rust that nobody but a reader of pages sees.
//!
//! Macros see the doc comments of what they stand on, and samples in them are tests. So they
//! are words only in a file without such macros, above something that may have them, and in
//! a block without samples.

use tree_sitter::{Node, TreeCursor};

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
    /// Whether no macro sees them, once that was asked.
    unseen: Option<bool>,
    /// Where the last block ends, and whether it is words.
    end: usize,
    words: bool,
}

impl Blocks {
    /// What a comment is, at which the cursor stands.
    pub(super) fn enter<'t>(
        &mut self,
        text: &'t str,
        node: Node<'_>,
        cursor: &TreeCursor<'_>,
    ) -> Doc<'t> {
        if !*self.unseen.get_or_insert_with(|| no_macro_sees(text)) {
            return Doc::More;
        }
        if node.start_byte() < self.end {
            return if self.words { Doc::Within } else { Doc::More };
        }
        let (lines, end) = block(text, node.start_byte());
        self.end = end;
        self.words = node.start_position().row > 1
            && !has_sample(&lines)
            && stands_above_an_item(cursor.clone());
        if self.words { Doc::Begins(lines) } else { Doc::More }
    }
}

/// Whether no macro of a file may see its doc comments.
fn no_macro_sees(text: &str) -> bool {
    text.match_indices("#[").chain(text.match_indices("#![")).all(|(at, sign)| {
        let rest = text.get(at + sign.len()..).unwrap_or_default();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')));
        let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
        if name != "derive" {
            return INERT.contains(&name) || name.starts_with("clippy::");
        }
        let list = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        list.is_some_and(|(list, _)| {
            list.split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .all(|one| one.rsplit("::").next().is_some_and(|name| DERIVED.contains(&name)))
        })
    })
}

/// The lines of a block of doc comments that begins with a node, and where it ends.
fn block(text: &str, from: usize) -> (Vec<&str>, usize) {
    let rest = text.get(from..).unwrap_or_default();
    let (mut lines, mut end) = (Vec::new(), from);
    for line in rest.split_inclusive('\n') {
        let words = line.trim_start();
        if !words.starts_with("///") || words.starts_with("////") {
            break;
        }
        lines.push(words.trim_end());
        end += line.len();
    }
    (lines, end)
}

/// Whether a block stands above something that may have it.
fn stands_above_an_item(mut cursor: TreeCursor<'_>) -> bool {
    while cursor.goto_next_sibling() {
        let kind = cursor.node().kind();
        if !matches!(kind, "line_comment" | "attribute_item") {
            return ITEMS.contains(&kind);
        }
    }
    false
}

/// Whether a block of doc comments holds a sample, which is a test.
fn has_sample(lines: &[&str]) -> bool {
    lines.iter().any(|line| {
        let words = line.trim_start_matches('/');
        words.starts_with("    ")
            || words.contains('\t')
            || ["```", "~~~", "<pre", "<code", "<script"].iter().any(|mark| words.contains(mark))
    })
}
