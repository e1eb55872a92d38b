//! What the parts of a script are: functions, classes, interfaces, objects, and their
//! members.
//!
//! A list of items is a thing: first itself, without a name, then its members, whose names
//! start with a dot.

use crate::syntax::field::Field as _;
use tree_sitter::Node;

use super::item::{Item, Parameter, children, field, has_child, named, text_of, tokens, whole};

/// Namespaces inside namespaces are followed so deep.
const DEEPEST: usize = 4;

pub(super) fn function(item: &'static str, name: String, node: Node<'_>, text: &str) -> Item {
    let shape =
        format!("{} {}", field(node, "type_parameters", text), field(node, "return_type", text));
    let mut item = Item::new(item, name, node).shaped(shape.trim().to_owned());
    item.parameters = parameters(node, text);
    item
}

/// Names of parameters do not matter; types, where given, do.
fn parameters(node: Node<'_>, text: &str) -> Vec<Parameter> {
    if node.field("parameter").is_some() {
        return vec![Parameter { shape: String::new(), optional: false }];
    }
    let list = node.field("parameters").map(named).unwrap_or_default();
    list.into_iter()
        .map(|parameter| {
            let rest = parameter.kind() == "rest_pattern"
                || parameter.field("pattern").is_some_and(|p| p.kind() == "rest_pattern");
            let optional = rest
                || matches!(parameter.kind(), "optional_parameter" | "assignment_pattern")
                || parameter.field("value").is_some();
            Parameter { shape: field(parameter, "type", text), optional }
        })
        .collect()
}

/// What a value is, where its text tells: a function, a class or an object.
pub(super) fn value(node: Node<'_>, text: &str) -> Option<Vec<Item>> {
    match node.kind() {
        "arrow_function" | "function_expression" | "generator_function" => {
            Some(vec![function("function", String::new(), node, text)])
        }
        "class" => Some(class(node, text)),
        _ => {
            let object = object(node, text)?;
            let mut items = vec![Item::new("constant", String::new(), node)];
            items.extend(members(object, text));
            Some(items)
        }
    }
}

/// The object that an expression is: `{…}`, `{…} as const`, `Object.freeze({…})`.
pub(super) fn object<'n>(node: Node<'n>, text: &str) -> Option<Node<'n>> {
    match node.kind() {
        "object" => Some(node),
        "as_expression" if text_of(node, text).ends_with("const") => {
            node.named_child(0).filter(|inner| inner.kind() == "object")
        }
        "parenthesized_expression" | "satisfies_expression" => {
            node.named_child(0).filter(|inner| inner.kind() == "object")
        }
        "call_expression" if field(node, "function", text) == "Object . freeze" => {
            let list = node.field("arguments")?;
            list.named_child(0).filter(|inner| inner.kind() == "object")
        }
        _ => None,
    }
}

/// The members of an object that can be named as such.
pub(super) fn members(object: Node<'_>, text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for member in named(object) {
        let (name, inner) = match member.kind() {
            "shorthand_property_identifier" => (text_of(member, text), None),
            "pair" => {
                let key = member.field("key");
                (key.map_or("", |key| text_of(key, text)), member.field("value"))
            }
            "method_definition" => {
                let name = member.field("name");
                (name.map_or("", |name| text_of(name, text)), Some(member))
            }
            _ => continue,
        };
        let name = name.trim_matches(['"', '\'']);
        if is_name(name) {
            items.push(member_item(format!(".{name}"), inner, member, text));
        }
    }
    items
}

/// Something that is put under a name of something else.
pub(super) fn member_item(
    name: String,
    value: Option<Node<'_>>,
    node: Node<'_>,
    text: &str,
) -> Item {
    let functions =
        ["arrow_function", "function_expression", "generator_function", "method_definition"];
    match value {
        Some(value) if functions.contains(&value.kind()) => {
            let mut item = function("function", name, value, text);
            item.line = node.start_position().row;
            item
        }
        _ => Item::new("export", name, node),
    }
}

/// Whether others may use a member of this name.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '$')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

pub(super) fn class(node: Node<'_>, text: &str) -> Vec<Item> {
    let mut item = Item::new("class", String::new(), node);
    item.bases = bases(node, text);
    let mut items = vec![item];
    for member in node.field("body").map(named).unwrap_or_default() {
        let Some(name) = member.field("name").or_else(|| member.field("property")) else {
            continue;
        };
        let name = text_of(name, text);
        let hidden = children(member).into_iter().any(|child| {
            child.kind() == "accessibility_modifier" && text_of(child, text) != "public"
        });
        if !hidden && !name.starts_with(['#', '_']) {
            items.extend(declared_member(member, name, text));
        }
    }
    items
}

/// What a class or an interface is besides itself.
fn bases(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in children(node) {
        match part.kind() {
            "class_heritage" if part.named_child(0).is_some_and(|one| is_clause(one)) => {
                for clause in named(part) {
                    found.extend(clause_bases(clause, text));
                }
            }
            "class_heritage" | "extends_type_clause" => found.extend(clause_bases(part, text)),
            _ => {}
        }
    }
    found
}

fn is_clause(node: Node<'_>) -> bool {
    matches!(node.kind(), "extends_clause" | "implements_clause")
}

fn clause_bases(clause: Node<'_>, text: &str) -> Vec<String> {
    let parts = named(clause).into_iter().filter(|part| part.kind() != "type_arguments");
    parts.map(|part| tokens(part, text, &whole)).collect()
}

pub(super) fn interface(node: Node<'_>, text: &str) -> Vec<Item> {
    let shape = field(node, "type_parameters", text);
    let mut item = Item::new("interface", String::new(), node).shaped(shape);
    item.bases = bases(node, text);
    let members = node.field("body").map(named).unwrap_or_default();
    // Whoever makes such an object must have all that may not be left out.
    item.asks = members
        .iter()
        .filter_map(|member| Some((member, member.field("name")?)))
        .map(|(member, name)| {
            let optional = if has_child(*member, "?") { "?" } else { "" };
            format!("{}{optional}", text_of(name, text))
        })
        .collect();
    let mut items = vec![item];
    for member in members {
        let Some(name) = member.field("name").map(|name| text_of(name, text)) else {
            continue;
        };
        if !name.starts_with('_') {
            items.extend(declared_member(member, name, text));
        }
    }
    items
}

/// A member of a class or an interface; one that may be left out has a `?`.
fn declared_member(member: Node<'_>, name: &str, text: &str) -> Option<Item> {
    let full = format!(".{name}");
    let mut item = match member.kind() {
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            function("method", full, member, text)
        }
        "field_definition" | "public_field_definition" | "property_signature" => {
            Item::new("field", full, member).shaped(field(member, "type", text))
        }
        _ => return None,
    };
    if has_child(member, "?") {
        item.shape.insert(0, '?');
    }
    Some(item)
}

pub(super) fn enumeration(node: Node<'_>, text: &str) -> Vec<Item> {
    let mut items = vec![Item::new("enum", String::new(), node)];
    for member in node.field("body").map(named).unwrap_or_default() {
        let name = member.field("name").unwrap_or(member);
        items.push(Item::new("constant", format!(".{}", text_of(name, text)), member));
    }
    items
}

pub(super) fn variable(node: Node<'_>, text: &str) -> Vec<Item> {
    let typed = node.field("type").is_some();
    let items = node.field("value").and_then(|inner| value(inner, text));
    match items {
        // A type says what it has, whatever is put there.
        Some(mut items) if !typed || items.first().is_some_and(|one| one.sort != "constant") => {
            if let Some(first) = items.first_mut() {
                first.line = node.start_position().row;
            }
            items
        }
        _ => vec![Item::new("constant", String::new(), node).shaped(field(node, "type", text))],
    }
}

/// A namespace and what it exports.
pub(super) fn namespace(node: Node<'_>, text: &str, depth: usize) -> Vec<Item> {
    let mut items = vec![Item::new("namespace", String::new(), node)];
    let parts = node.field("body").map(named).unwrap_or_default();
    for part in parts.into_iter().filter(|_| depth < DEEPEST) {
        let declaration = match part.kind() {
            "export_statement" => part.field("declaration"),
            _ => None,
        };
        for (name, inner) in declaration.map(|one| declared(one, text, depth)).unwrap_or_default() {
            items.extend(inner.into_iter().map(|mut item| {
                item.name = format!(".{}{}", name.as_deref().unwrap_or_default(), item.name);
                item
            }));
        }
    }
    items
}

/// The names that a declaration makes, and what they are.
pub(super) fn declared(
    node: Node<'_>,
    text: &str,
    depth: usize,
) -> Vec<(Option<String>, Vec<Item>)> {
    let name = node.field("name").map(|name| text_of(name, text).to_owned());
    let items = match node.kind() {
        "function_declaration"
        | "generator_function_declaration"
        | "function_signature"
        | "function_expression" => vec![function("function", String::new(), node, text)],
        "class_declaration" | "abstract_class_declaration" | "class" => class(node, text),
        "interface_declaration" => interface(node, text),
        "type_alias_declaration" => {
            vec![Item::new("type", String::new(), node).shaped(field(node, "value", text))]
        }
        "enum_declaration" => enumeration(node, text),
        "internal_module" | "module" => namespace(node, text, depth + 1),
        "lexical_declaration" | "variable_declaration" => {
            return named(node)
                .into_iter()
                .filter(|child| child.kind() == "variable_declarator")
                .map(|child| {
                    let name = child.field("name");
                    (name.map(|name| text_of(name, text).to_owned()), variable(child, text))
                })
                .collect();
        }
        "ambient_declaration" => {
            return named(node)
                .into_iter()
                .filter(|_| depth < DEEPEST)
                .flat_map(|inner| declared(inner, text, depth + 1))
                .collect();
        }
        _ => return Vec::new(),
    };
    vec![(name, items)]
}
