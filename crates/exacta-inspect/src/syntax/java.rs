//! Public and protected items of Java.

use crate::syntax::field::Field as _;
use tree_sitter::Node;

use super::item::{Item, Parameter, Public, children, field, named, text_of, tokens, whole};

/// The package; types, their methods, constructors, fields and constants.
pub(super) fn public(root: Node<'_>, text: &str) -> Public {
    // A file that says nothing is in the package without a name.
    let mut public = Public { package: Some((String::new(), 0)), ..Public::default() };
    for node in named(root) {
        if node.kind() == "package_declaration" {
            let name = named(node).last().map(|name| tokens(*name, text, &whole));
            let line = node.start_position().row;
            public.package = name.map(|name| (name.replace(' ', ""), line));
        }
        type_item(node, "", text, false, &mut public.items, 0);
    }
    public
}

const TYPES: [&str; 5] = [
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
];

/// The words of the `modifiers` node that matter to users.
fn modifiers<'t>(node: Node<'_>, text: &'t str) -> Vec<&'t str> {
    children(node)
        .into_iter()
        .find(|child| child.kind() == "modifiers")
        .map(|list| children(list).into_iter().map(|word| text_of(word, text)).collect())
        .unwrap_or_default()
}

fn visible(node: Node<'_>, text: &str, implied: bool) -> bool {
    let words = modifiers(node, text);
    words.iter().any(|word| matches!(*word, "public" | "protected"))
        || implied && !words.contains(&"private")
}

fn type_item(
    node: Node<'_>,
    prefix: &str,
    text: &str,
    implied: bool,
    items: &mut Vec<Item>,
    depth: usize,
) {
    if depth > 8 || !TYPES.contains(&node.kind()) || !visible(node, text, implied) {
        return;
    }
    let Some(name) = node.field("name").map(|name| text_of(name, text)) else {
        return;
    };
    let full = join(prefix, name);
    let mut shape = vec![
        field(node, "type_parameters", text),
        field(node, "superclass", text),
        field(node, "interfaces", text),
        field(node, "parameters", text),
    ];
    shape.extend(
        modifiers(node, text)
            .into_iter()
            .filter(|word| matches!(*word, "final" | "abstract" | "sealed"))
            .map(str::to_owned),
    );
    shape.retain(|part| !part.is_empty());
    let open = matches!(node.kind(), "interface_declaration" | "annotation_type_declaration");
    let mut item = Item::new("type", full.clone(), node).shaped(shape.join(" "));
    let body = node.field("body");
    if !modifiers(node, text).contains(&"sealed") {
        let members = body.map(named).unwrap_or_default();
        item.asks = members.into_iter().filter_map(|member| demand(member, open, text)).collect();
    }
    items.push(item);
    let Some(body) = body else { return };
    for member in named(body) {
        if member.kind() == "enum_body_declarations" {
            for inner in named(member) {
                member_item(inner, &full, text, false, items, depth);
            }
        } else {
            member_item(member, &full, text, open, items, depth);
        }
    }
}

/// What an implementation must provide, if the member is such.
fn demand(member: Node<'_>, open: bool, text: &str) -> Option<String> {
    let words = modifiers(member, text);
    let left_out = match member.kind() {
        "method_declaration" => member.field("body").is_none(),
        "annotation_type_element_declaration" => member.field("value").is_none(),
        _ => false,
    };
    let asked = left_out && (open && !words.contains(&"private") || words.contains(&"abstract"));
    let name = member.field("name").filter(|_| asked)?;
    Some(text_of(name, text).to_owned())
}

fn member_item(
    node: Node<'_>,
    prefix: &str,
    text: &str,
    open: bool,
    items: &mut Vec<Item>,
    depth: usize,
) {
    let name = node.field("name").map(|name| text_of(name, text));
    match node.kind() {
        "enum_constant" => {
            if let Some(name) = name {
                items.push(Item::new("constant", join(prefix, name), node));
            }
        }
        "method_declaration" | "constructor_declaration" if visible(node, text, open) => {
            let Some(name) = name else { return };
            let item = if node.kind() == "method_declaration" { "method" } else { "constructor" };
            let mut shape = field(node, "type", text);
            if modifiers(node, text).contains(&"static") {
                shape.push_str(" static");
            }
            let mut item = Item::new(item, join(prefix, name), node).shaped(shape);
            for parameter in node.field("parameters").map(named).unwrap_or_default() {
                let shape = match parameter.field("type") {
                    Some(kind) => tokens(kind, text, &whole),
                    None => tokens(parameter, text, &|part| part.kind() == "variable_declarator"),
                };
                item.parameters.push(Parameter { shape, optional: false });
            }
            item.asks = thrown(node, text);
            items.push(item);
        }
        "field_declaration" | "constant_declaration" if visible(node, text, open) => {
            let shape = field(node, "type", text);
            for declarator in
                named(node).into_iter().filter(|child| child.kind() == "variable_declarator")
            {
                if let Some(name) = declarator.field("name") {
                    let full = join(prefix, text_of(name, text));
                    items.push(Item::new("field", full, node).shaped(shape.clone()));
                }
            }
        }
        _ => type_item(node, prefix, text, open, items, depth + 1),
    }
}

/// What callers must catch or pass on. Those whose name says that they are unchecked ask
/// for nothing.
fn thrown(node: Node<'_>, text: &str) -> Vec<String> {
    let unchecked = [
        "RuntimeException",
        "Error",
        "IllegalArgumentException",
        "IllegalStateException",
        "NullPointerException",
        "UnsupportedOperationException",
        "IndexOutOfBoundsException",
        "ClassCastException",
        "NumberFormatException",
        "ArithmeticException",
        "ConcurrentModificationException",
        "NoSuchElementException",
        "DateTimeException",
        "UncheckedIOException",
    ];
    let list = children(node).into_iter().find(|child| child.kind() == "throws");
    list.map(named)
        .unwrap_or_default()
        .into_iter()
        .map(|kind| text_of(kind, text))
        .filter(|kind| !unchecked.contains(&kind.rsplit('.').next().unwrap_or_default()))
        .map(|kind| format!("a catch of {kind}"))
        .collect()
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}
