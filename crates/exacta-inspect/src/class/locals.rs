//! Whether two trees differ in nothing but names of local variables.
//!
//! A name counts as local only where every sign says so: it is declared in the body of
//! one function, occurs nowhere outside of it, not even in a text or a comment, and the
//! new name occurs nowhere before.

use std::collections::BTreeMap;

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

/// So many places and so many names may differ.
const MOST_PLACES: usize = 200;
const MOST_NAMES: usize = 8;

/// Names that mean something in a language although nobody declares them.
pub(super) const TAKEN: &[&str] = &[
    "self",
    "cls",
    "this",
    "super",
    "arguments",
    "undefined",
    "NaN",
    "Infinity",
    "eval",
    "exec",
    "print",
    "len",
    "open",
    "input",
    "range",
    "list",
    "dict",
    "set",
    "str",
    "int",
    "float",
    "bool",
    "type",
    "object",
    "id",
    "min",
    "max",
    "sum",
    "any",
    "all",
    "map",
    "filter",
    "sorted",
    "iter",
    "next",
    "hash",
    "repr",
    "super",
    "vars",
    "locals",
    "globals",
    "dir",
    "getattr",
    "setattr",
    "isinstance",
    "require",
    "module",
    "exports",
    "global",
    "window",
    "document",
    "process",
    "console",
    "fetch",
    "name",
    "location",
    "event",
    "top",
    "parent",
    "status",
    "nil",
    "true",
    "false",
    "iota",
    "append",
    "cap",
    "copy",
    "delete",
    "make",
    "new",
    "panic",
    "recover",
    "error",
    "string",
    "byte",
    "rune",
    "async",
    "await",
    "yield",
    "let",
    "static",
    "var",
    "record",
    "drop",
];

/// Words with which a program looks at its own names.
const LOOKS: &[&str] = &[
    "eval",
    "exec",
    "locals",
    "globals",
    "vars",
    "Function(",
    "with (",
    "with(",
    "__getattr__",
    "setTimeout(\"",
    "inspect",
    "debugger",
];

/// Places where names differ: old and new node of each.
#[derive(Default)]
pub(super) struct Renamed<'t> {
    places: Vec<(Node<'t>, Node<'t>)>,
    names: BTreeMap<&'t str, &'t str>,
    back: BTreeMap<&'t str, &'t str>,
}

impl<'t> Renamed<'t> {
    /// Notes that a name became another; `false` when that cannot be a renamed local.
    pub(super) fn note(
        &mut self,
        language: Language,
        (old, old_name): (Node<'t>, &'t str),
        (new, new_name): (Node<'t>, &'t str),
    ) -> bool {
        let plain = |node: Node<'_>| node.kind() == "identifier";
        if matches!(language, Language::C | Language::Cpp) || !plain(old) || !plain(new) {
            return false;
        }
        self.places.push((old, new));
        let known = *self.names.entry(old_name).or_insert(new_name);
        let other = *self.back.entry(new_name).or_insert(old_name);
        known == new_name
            && other == old_name
            && self.places.len() <= MOST_PLACES
            && self.names.len() <= MOST_NAMES
    }

    /// Whether anything was renamed.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether every renamed name is a local.
    pub(super) fn are_locals(&self, language: Language, before: &str, after: &str) -> bool {
        let looks = |text: &str| LOOKS.iter().any(|word| text.contains(word));
        !looks(before)
            && !looks(after)
            && self.names.iter().all(|(old, new)| {
                let places: Vec<Node<'t>> = self
                    .places
                    .iter()
                    .filter(|(node, _)| before.get(node.byte_range()) == Some(*old))
                    .map(|(node, _)| *node)
                    .collect();
                !TAKEN.contains(new)
                    && !TAKEN.contains(old)
                    && new.starts_with(|c: char| c.is_ascii_lowercase())
                    && old.starts_with(|c: char| c.is_ascii_lowercase())
                    && new.is_ascii()
                    && occurrences(before, old) == places.len()
                    && occurrences(before, new) == 0
                    && occurrences(after, old) == 0
                    && occurrences(after, new) == places.len()
                    && is_local(language, &places)
            })
    }
}

/// How often a word stands in a text, in code, texts and comments alike.
pub(super) fn occurrences(text: &str, word: &str) -> usize {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.match_indices(word)
        .filter(|(at, _)| {
            let before = text.get(..*at).and_then(|text| text.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(part) && !after.is_some_and(part)
        })
        .count()
}

/// Whether one of the places declares the name in a function, and all are inside of it.
fn is_local(language: Language, places: &[Node<'_>]) -> bool {
    let Some(function) =
        places.iter().find_map(|node| declares(language, *node).then(|| function(*node))).flatten()
    else {
        return false;
    };
    places.iter().all(|node| {
        function.start_byte() <= node.start_byte()
            && node.end_byte() <= function.end_byte()
            && is_use(language, *node)
    })
}

/// The innermost function around a node, by its body.
fn function(node: Node<'_>) -> Option<Node<'_>> {
    let mut inner = node;
    while let Some(parent) = inner.parent() {
        let body = parent.child_by_field_name("body") == Some(inner);
        if body && is_function(parent.kind()) {
            return Some(inner);
        }
        if is_class(parent.kind()) {
            return None;
        }
        inner = parent;
    }
    None
}

fn is_function(kind: &str) -> bool {
    kind.contains("function") || kind.contains("method") || kind == "constructor_declaration"
}

fn is_class(kind: &str) -> bool {
    matches!(
        kind,
        "class_definition"
            | "class_body"
            | "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "object"
            | "impl_item"
            | "trait_item"
            | "class"
    )
}

fn field_of(node: Node<'_>, parent: Node<'_>, field: &str) -> bool {
    parent.child_by_field_name(field) == Some(node)
}

/// Whether this place declares a variable of its function.
fn declares(language: Language, node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match language {
        Language::Python => {
            matches!(parent.kind(), "assignment" | "for_statement")
                && field_of(node, parent, "left")
        }
        Language::JavaScript | Language::TypeScript => {
            let value = parent.child_by_field_name("value").map(|value| value.kind());
            parent.kind() == "variable_declarator"
                && field_of(node, parent, "name")
                && value.is_some_and(|kind| !kind.contains("function") && !kind.contains("class"))
        }
        Language::Go => {
            let list = parent.parent();
            parent.kind() == "expression_list"
                && list.is_some_and(|up| {
                    up.kind() == "short_var_declaration" && field_of(parent, up, "left")
                })
        }
        Language::Java => {
            parent.kind() == "variable_declarator"
                && field_of(node, parent, "name")
                && parent.parent().is_some_and(|up| up.kind() == "local_variable_declaration")
        }
        Language::Rust => {
            parent.kind() == "let_declaration" && field_of(node, parent, "pattern")
                || parent.kind() == "mut_pattern"
                    && parent.parent().is_some_and(|up| up.kind() == "let_declaration")
        }
        Language::C | Language::Cpp => false,
    }
}

/// Whether the place only uses the variable: it is not a member, a parameter, a key or any
/// other name that someone else may ask for.
fn is_use(language: Language, node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let kind = parent.kind();
    let member = ["attribute", "property", "field", "key", "label", "alias", "alternative"]
        .iter()
        .any(|field| field_of(node, parent, field));
    let named = field_of(node, parent, "name")
        && !matches!(kind, "variable_declarator")
        && language != Language::Rust;
    // A function that is assigned to a variable takes its name.
    let given = matches!(kind, "assignment_expression" | "assignment")
        && field_of(node, parent, "left")
        && parent.child_by_field_name("right").is_some_and(|right| {
            right.kind().contains("function")
                || right.kind().contains("class")
                || right.kind() == "lambda"
        });
    let elsewhere = kind.contains("parameter")
        || kind.contains("jsx")
        || kind.contains("import")
        || kind.contains("export")
        || kind.contains("shorthand")
        || kind.contains("annotation")
        || kind.contains("lambda")
        || matches!(
            kind,
            "global_statement"
                | "nonlocal_statement"
                | "keyword_argument"
                | "dotted_name"
                | "keyed_element"
                | "literal_element"
                | "arrow_function"
                | "closure_parameters"
                | "function_definition"
                | "class_definition"
                | "decorator"
                | "catch_clause"
                | "format_expression"
                | "interpolation"
                | "labeled_statement"
                | "break_statement"
                | "continue_statement"
                | "inferred_parameters"
                | "delete_statement"
                | "typeof"
        );
    let in_class = {
        let (mut up, mut found) = (Some(parent), false);
        while let Some(node) = up {
            if is_function(node.kind()) {
                break;
            }
            found |= is_class(node.kind()) && node.kind() != "object";
            up = node.parent();
        }
        found
    };
    !(member || named || given || elsewhere || in_class)
}
