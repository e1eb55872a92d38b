//! Exported items of Go: what starts with a capital letter.

use crate::syntax::field::Field as _;
use exacta_core::model::path::RelPath;
use tree_sitter::Node;

use super::item::{Item, Parameter, Public, field, named, text_of, tokens, whole};
use super::names::receiver;

/// Nothing in `package main` or below `internal` can be used by others, and nothing of a
/// file that is left out of every build.
pub(super) fn public(root: Node<'_>, text: &str, path: &RelPath) -> Public {
    let mut public = Public::default();
    if ignored(root, text) {
        public.never.push((0, root.end_position().row));
        return public;
    }
    let top = named(root);
    public.package = top
        .iter()
        .find(|node| node.kind() == "package_clause")
        .and_then(|node| Some((node.named_child(0)?, node.start_position().row)))
        .map(|(name, line)| (text_of(name, text).to_owned(), line));
    let main = public.package.as_ref().is_some_and(|(name, _)| name == "main");
    if main || path.components().any(|part| part == "internal") {
        return public;
    }
    let items = &mut public.items;
    for node in top {
        match node.kind() {
            "function_declaration" => function(node, None, text, items),
            "method_declaration" => function(node, receiver(node, text), text, items),
            "type_declaration" => {
                for spec in named(node) {
                    type_spec(spec, text, items);
                }
            }
            "const_declaration" | "var_declaration" => values(node, text, items, 0),
            _ => {}
        }
    }
    public
}

/// `//go:build ignore` above everything else.
fn ignored(root: Node<'_>, text: &str) -> bool {
    let mut cursor = root.walk();
    root.children(&mut cursor)
        .take_while(Node::is_extra)
        .map(|comment| text_of(comment, text).trim_end())
        .any(|line| matches!(line, "//go:build ignore" | "// +build ignore"))
}

fn exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn function(node: Node<'_>, of: Option<&str>, text: &str, items: &mut Vec<Item>) {
    let Some(name) = node.field("name").map(|name| text_of(name, text)) else {
        return;
    };
    if !exported(name) || of.is_some_and(|of| !exported(of)) {
        return;
    }
    let full = of.map_or_else(|| name.to_owned(), |of| format!("{of}.{name}"));
    let shape = format!("{} {}", field(node, "type_parameters", text), results(node, text));
    let mut item = Item::new("function", full, node).shaped(shape.trim().to_owned());
    item.parameters = parameters(node, text);
    items.push(item);
}

/// Names of results do not matter.
fn results(node: Node<'_>, text: &str) -> String {
    let Some(result) = node.field("result") else { return String::new() };
    if result.kind() == "parameter_list" {
        let types: Vec<String> = list(result, text).into_iter().map(|one| one.shape).collect();
        return types.join(", ");
    }
    tokens(result, text, &whole)
}

fn parameters(node: Node<'_>, text: &str) -> Vec<Parameter> {
    node.field("parameters").map(|node| list(node, text)).unwrap_or_default()
}

/// `a, b int` are two parameters; a variadic one may be left out.
fn list(node: Node<'_>, text: &str) -> Vec<Parameter> {
    let mut out = Vec::new();
    for declaration in named(node) {
        let variadic = declaration.kind() == "variadic_parameter_declaration";
        let kind = field(declaration, "type", text);
        let mut cursor = declaration.walk();
        let names = declaration.children_by_field_name("name", &mut cursor).count().max(1);
        for _ in 0..names {
            out.push(Parameter { shape: kind.clone(), optional: variadic });
        }
    }
    out
}

fn type_spec(node: Node<'_>, text: &str, items: &mut Vec<Item>) {
    let Some(name) = node.field("name").map(|name| text_of(name, text)) else {
        return;
    };
    if !exported(name) {
        return;
    }
    let Some(kind) = node.field("type") else { return };
    let shape = match kind.kind() {
        "struct_type" | "interface_type" => kind.kind().to_owned(),
        _ => tokens(kind, text, &whole),
    };
    let members = match kind.kind() {
        "struct_type" => kind.named_child(0).map(named).unwrap_or_default(),
        "interface_type" => named(kind),
        _ => Vec::new(),
    };
    let mut item = Item::new("type", name.to_owned(), node).shaped(shape);
    if kind.kind() == "interface_type" {
        item.asks = demands(&members, text);
    }
    items.push(item);
    for member in members {
        let mut cursor = member.walk();
        let mut names: Vec<&str> = member
            .children_by_field_name("name", &mut cursor)
            .map(|name| text_of(name, text))
            .collect();
        if names.is_empty() && member.kind() == "field_declaration" {
            names.extend(member.field("type").map(|kind| embedded(kind, text)));
        }
        for field_name in names.into_iter().filter(|name| exported(name)) {
            let full = format!("{name}.{field_name}");
            let mut item = if member.kind() == "field_declaration" {
                Item::new("field", full, member).shaped(field(member, "type", text))
            } else {
                Item::new("method", full, member).shaped(results(member, text))
            };
            item.parameters = parameters(member, text);
            item.bases = names_elsewhere(member, text);
            items.push(item);
        }
    }
}

/// What encodings call a field: `json:"id,omitempty"` makes it `id` in JSON.
fn names_elsewhere(member: Node<'_>, text: &str) -> Vec<String> {
    let tag = member.field("tag").map(|tag| text_of(tag, text)).unwrap_or_default();
    tag.trim_matches('`')
        .split_whitespace()
        .filter_map(|part| part.split_once(":\""))
        .map(|(encoding, name)| {
            let name = name.split([',', '"']).next().unwrap_or_default();
            format!("`{name}` in {encoding}")
        })
        .collect()
}

/// The name of a field that has none of its own: its type's.
fn embedded<'t>(kind: Node<'_>, text: &'t str) -> &'t str {
    let name = text_of(kind, text).split('[').next().unwrap_or_default();
    name.rsplit('.').next().unwrap_or_default().trim_start_matches('*').trim()
}

/// What an implementation of an interface must have. One with a method that starts with a
/// small letter is implemented by nobody else.
fn demands(members: &[Node<'_>], text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for member in members {
        match member.field("name").map(|name| text_of(name, text)) {
            Some(name) if !exported(name) => return Vec::new(),
            Some(name) => names.push(name.to_owned()),
            None => {
                let embedded = tokens(*member, text, &whole);
                if !embedded.contains(['|', '~']) {
                    names.push(embedded);
                }
            }
        }
    }
    names
}

fn values(node: Node<'_>, text: &str, items: &mut Vec<Item>, depth: usize) {
    for spec in named(node) {
        if depth < 2 && spec.kind() == "var_spec_list" {
            values(spec, text, items, depth + 1);
            continue;
        }
        let mut cursor = spec.walk();
        for name in spec.children_by_field_name("name", &mut cursor) {
            let name = text_of(name, text);
            if exported(name) {
                let shape = field(spec, "type", text);
                items.push(Item::new("value", name.to_owned(), spec).shaped(shape));
            }
        }
    }
}
