//! Exported items of Go: what starts with a capital letter.

use exacta_core::path::RelPath;
use tree_sitter::Node;

use super::item::{Item, Parameter, field, named, text_of, tokens, whole};
use super::names::receiver;

/// Nothing in `package main` or below `internal` can be used by others.
pub(super) fn items(root: Node<'_>, text: &str, path: &RelPath) -> Vec<Item> {
    let mut items = Vec::new();
    let main = named(root).into_iter().any(|node| {
        node.kind() == "package_clause"
            && text_of(node, text).split_whitespace().nth(1) == Some("main")
    });
    if main || path.components().any(|part| part == "internal") {
        return items;
    }
    for node in named(root) {
        match node.kind() {
            "function_declaration" => function(node, None, text, &mut items),
            "method_declaration" => function(node, receiver(node, text), text, &mut items),
            "type_declaration" => {
                for spec in named(node) {
                    type_spec(spec, text, &mut items);
                }
            }
            "const_declaration" | "var_declaration" => values(node, text, &mut items, 0),
            _ => {}
        }
    }
    items
}

fn exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn function(node: Node<'_>, of: Option<&str>, text: &str, items: &mut Vec<Item>) {
    let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, text)) else {
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
    let Some(result) = node.child_by_field_name("result") else { return String::new() };
    if result.kind() == "parameter_list" {
        let types: Vec<String> = list(result, text).into_iter().map(|one| one.shape).collect();
        return types.join(", ");
    }
    tokens(result, text, &whole)
}

fn parameters(node: Node<'_>, text: &str) -> Vec<Parameter> {
    node.child_by_field_name("parameters").map(|node| list(node, text)).unwrap_or_default()
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
    let Some(name) = node.child_by_field_name("name").map(|name| text_of(name, text)) else {
        return;
    };
    if !exported(name) {
        return;
    }
    let Some(kind) = node.child_by_field_name("type") else { return };
    let shape = match kind.kind() {
        "struct_type" | "interface_type" => kind.kind().to_owned(),
        _ => tokens(kind, text, &whole),
    };
    items.push(Item::new("type", name.to_owned(), node).shaped(shape));
    let members = match kind.kind() {
        "struct_type" => kind.named_child(0).map(named).unwrap_or_default(),
        "interface_type" => named(kind),
        _ => Vec::new(),
    };
    for member in members {
        let mut cursor = member.walk();
        let names: Vec<&str> = member
            .children_by_field_name("name", &mut cursor)
            .map(|name| text_of(name, text))
            .collect();
        for field_name in names.into_iter().filter(|name| exported(name)) {
            let full = format!("{name}.{field_name}");
            let mut item = if member.kind() == "field_declaration" {
                Item::new("field", full, member).shaped(field(member, "type", text))
            } else {
                Item::new("method", full, member).shaped(results(member, text))
            };
            item.parameters = parameters(member, text);
            items.push(item);
        }
    }
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
