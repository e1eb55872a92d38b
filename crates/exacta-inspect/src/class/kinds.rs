//! What nodes are to a reader that holds two trees against each other.

use std::collections::BTreeSet;

use exacta_core::judge::facts::Language;
use tree_sitter::{Node, TreeCursor};

/// So many functions of one file are looked at.
const MOST_FUNCTIONS: usize = 400;

/// Functions that a text of C defines at its top, and that no macro of it is called like.
pub(super) fn functions_of_c<'t>(text: &'t str, mut cursor: TreeCursor<'_>) -> BTreeSet<&'t str> {
    while cursor.goto_parent() {}
    let mut found = BTreeSet::new();
    if !cursor.goto_first_child() {
        return found;
    }
    loop {
        let node = cursor.node();
        if node.kind() == "function_definition" {
            let mut inner = node;
            while let Some(next) = inner.child_by_field_name("declarator") {
                inner = next;
            }
            found.extend(text.get(inner.byte_range()).filter(|_| inner.kind() == "identifier"));
        }
        if found.len() > MOST_FUNCTIONS || !cursor.goto_next_sibling() {
            break;
        }
    }
    let macros: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define"))
        .filter_map(|rest| {
            rest.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
        })
        .collect();
    found.retain(|name| name.contains(|c: char| c.is_ascii_lowercase()) && !macros.contains(name));
    found
}

/// Whether white space between words may become part of a text: arguments of what may be a
/// macro.
pub(super) fn makes_text(language: Language, kind: &str) -> bool {
    matches!(language, Language::C | Language::Cpp)
        && matches!(kind, "argument_list" | "preproc_call" | "preproc_def" | "preproc_function_def")
}

pub(super) fn in_directive(parent: Option<&Node<'_>>) -> bool {
    parent.is_some_and(|parent| {
        parent.kind().starts_with("preproc_")
            && !matches!(
                parent.kind(),
                "preproc_ifdef" | "preproc_if" | "preproc_else" | "preproc_elif"
            )
    })
}

/// Comments that become part of the program.
pub(super) fn is_rust_doc(text: &str) -> bool {
    ["///", "//!", "/**", "/*!"].iter().any(|sign| text.starts_with(sign))
}

/// Nodes whose text counts to the byte: texts, and what macros are handed.
pub(super) fn is_whole(language: Language, node: Node<'_>) -> bool {
    let kind = node.kind();
    if !node.is_named() {
        return false;
    }
    match language {
        Language::Rust => {
            matches!(kind, "token_tree" | "macro_definition" | "attribute_item")
                || kind.contains("string")
                || kind.contains("literal")
        }
        Language::Python => matches!(kind, "string" | "concatenated_string" | "line_continuation"),
        Language::JavaScript | Language::TypeScript => {
            kind.contains("string")
                || kind.contains("regex")
                || kind.starts_with("jsx_text")
                || kind == "template_literal_type"
        }
        Language::Go => kind.contains("string_literal"),
        Language::Java => kind.contains("string_literal") || kind == "character_literal",
        Language::C | Language::Cpp => {
            kind.contains("string")
                || kind == "char_literal"
                || kind == "preproc_arg"
                || kind == "preproc_call"
                || kind == "preproc_include"
        }
    }
}
