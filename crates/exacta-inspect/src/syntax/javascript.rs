//! What a JavaScript or TypeScript module exports.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::item::{Item, Parameter, children, field, named, text_of};
use super::javascript_names::{Export, common_js};

/// Everything exported, by `export` or by `module.exports`, with the members of exported
/// classes and interfaces.
pub(super) fn items(root: Node<'_>, text: &str) -> Vec<Item> {
    let mut module = Module { text, declared: BTreeMap::new(), exports: Vec::new() };
    for node in named(root) {
        module.statement(node);
    }
    module.resolve()
}

struct Module<'t> {
    text: &'t str,
    /// What each local name is, first the thing itself, then its members.
    declared: BTreeMap<String, Vec<Item>>,
    exports: Vec<Export>,
}

impl Module<'_> {
    fn statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "export_statement" => self.export(node),
            "expression_statement" => {
                if let Some(expression) = node.named_child(0) {
                    common_js(expression, self.text, &mut self.exports);
                }
            }
            _ => {
                self.declare(node);
            }
        }
    }

    fn export(&mut self, node: Node<'_>) {
        let text = self.text;
        let default = children(node).iter().any(|child| child.kind() == "default");
        if let Some(declaration) = node.child_by_field_name("declaration") {
            for name in self.declare(declaration) {
                let public = if default { "default".to_owned() } else { name.clone() };
                self.exports.push(Export::new(public, name, declaration));
            }
            return;
        }
        if let Some(value) = node.child_by_field_name("value") {
            self.exports.push(Export::new(
                "default".to_owned(),
                text_of(value, text).chars().take(80).collect(),
                node,
            ));
            return;
        }
        let from = field(node, "source", text);
        for child in named(node) {
            match child.kind() {
                "export_clause" => {
                    for one in named(child) {
                        let local = field(one, "name", text);
                        let alias = field(one, "alias", text);
                        let public = if alias.is_empty() { local.clone() } else { alias };
                        self.exports.push(Export::new(public, local, one));
                    }
                }
                "namespace_export" => {
                    let name =
                        child.named_child(0).map(|name| text_of(name, text)).unwrap_or_default();
                    self.exports.push(Export::new(name.to_owned(), String::new(), child));
                }
                _ => {}
            }
        }
        if children(node).iter().any(|child| child.kind() == "*") {
            self.exports.push(Export::new(format!("* from {from}"), String::new(), node));
        }
    }

    /// Remembers a declaration and says which names it makes.
    fn declare(&mut self, node: Node<'_>) -> Vec<String> {
        let text = self.text;
        let name = node.child_by_field_name("name").map(|name| text_of(name, text).to_owned());
        let made = match node.kind() {
            "function_declaration"
            | "generator_function_declaration"
            | "function_signature"
            | "function_expression" => {
                vec![(name, vec![function("function", String::new(), node, text)])]
            }
            "class_declaration" | "abstract_class_declaration" | "class" => {
                vec![(name, class(node, text))]
            }
            "interface_declaration" => vec![(name, interface(node, text))],
            "type_alias_declaration" => {
                let shape = field(node, "value", text);
                vec![(name, vec![Item::new("type", String::new(), node).shaped(shape)])]
            }
            "enum_declaration" => vec![(name, enumeration(node, text))],
            "internal_module" | "module" => {
                vec![(name, vec![Item::new("namespace", String::new(), node)])]
            }
            "lexical_declaration" | "variable_declaration" => named(node)
                .into_iter()
                .filter(|child| child.kind() == "variable_declarator")
                .map(|child| {
                    (
                        child.child_by_field_name("name").map(|n| text_of(n, text).to_owned()),
                        vec![variable(child, text)],
                    )
                })
                .collect(),
            "ambient_declaration" => {
                return named(node).into_iter().flat_map(|inner| self.declare(inner)).collect();
            }
            _ => return Vec::new(),
        };
        let mut names = Vec::new();
        for (name, items) in made {
            let name = name.unwrap_or_else(|| "(default)".to_owned());
            self.declared.entry(name.clone()).or_default().extend(items);
            names.push(name);
        }
        names
    }

    fn resolve(self) -> Vec<Item> {
        let mut items = Vec::new();
        for export in self.exports {
            match self.declared.get(&export.local) {
                Some(declared) => {
                    for one in declared {
                        let mut item = one.clone();
                        item.name = format!("{}{}", export.public, one.name);
                        items.push(item);
                    }
                }
                None => items.push(Item {
                    sort: "export",
                    name: export.public,
                    shape: String::new(),
                    parameters: export.parameters,
                    line: export.line,
                }),
            }
        }
        items
    }
}

pub(super) fn function(item: &'static str, name: String, node: Node<'_>, text: &str) -> Item {
    let shape =
        format!("{} {}", field(node, "type_parameters", text), field(node, "return_type", text));
    let mut item = Item::new(item, name, node).shaped(shape.trim().to_owned());
    item.parameters = parameters(node, text);
    item
}

/// Names of parameters do not matter; types, where given, do.
fn parameters(node: Node<'_>, text: &str) -> Vec<Parameter> {
    if node.child_by_field_name("parameter").is_some() {
        return vec![Parameter { shape: String::new(), optional: false }];
    }
    let list = node.child_by_field_name("parameters").map(named).unwrap_or_default();
    list.into_iter()
        .map(|parameter| {
            let rest = parameter.kind() == "rest_pattern"
                || parameter
                    .child_by_field_name("pattern")
                    .is_some_and(|p| p.kind() == "rest_pattern");
            let optional = rest
                || matches!(parameter.kind(), "optional_parameter" | "assignment_pattern")
                || parameter.child_by_field_name("value").is_some();
            Parameter { shape: field(parameter, "type", text), optional }
        })
        .collect()
}

fn variable(node: Node<'_>, text: &str) -> Item {
    match node.child_by_field_name("value") {
        Some(value)
            if matches!(
                value.kind(),
                "arrow_function" | "function_expression" | "generator_function"
            ) =>
        {
            let mut item = function("function", String::new(), value, text);
            item.line = node.start_position().row;
            item
        }
        _ => Item::new("constant", String::new(), node).shaped(field(node, "type", text)),
    }
}

fn class(node: Node<'_>, text: &str) -> Vec<Item> {
    let heritage = children(node)
        .into_iter()
        .find(|child| child.kind() == "class_heritage")
        .map(|heritage| text_of(heritage, text).split_whitespace().collect::<Vec<_>>().join(" "))
        .unwrap_or_default();
    let mut items = vec![Item::new("class", String::new(), node).shaped(heritage)];
    for member in node.child_by_field_name("body").map(named).unwrap_or_default() {
        let Some(name) =
            member.child_by_field_name("name").or_else(|| member.child_by_field_name("property"))
        else {
            continue;
        };
        let name = text_of(name, text);
        let hidden = children(member).into_iter().any(|child| {
            child.kind() == "accessibility_modifier" && text_of(child, text) != "public"
        });
        if hidden || name.starts_with(['#', '_']) {
            continue;
        }
        let full = format!(".{name}");
        match member.kind() {
            "method_definition" | "method_signature" | "abstract_method_signature" => {
                items.push(function("method", full, member, text));
            }
            "field_definition" | "public_field_definition" => {
                items.push(Item::new("field", full, member).shaped(field(member, "type", text)));
            }
            _ => {}
        }
    }
    items
}

fn interface(node: Node<'_>, text: &str) -> Vec<Item> {
    let shape = field(node, "type_parameters", text);
    let mut items = vec![Item::new("interface", String::new(), node).shaped(shape)];
    for member in node.child_by_field_name("body").map(named).unwrap_or_default() {
        let Some(name) = member.child_by_field_name("name").map(|name| text_of(name, text)) else {
            continue;
        };
        if name.starts_with('_') {
            continue;
        }
        let full = format!(".{name}");
        match member.kind() {
            "property_signature" => {
                items.push(Item::new("field", full, member).shaped(field(member, "type", text)));
            }
            "method_signature" => items.push(function("method", full, member, text)),
            _ => {}
        }
    }
    items
}

fn enumeration(node: Node<'_>, text: &str) -> Vec<Item> {
    let mut items = vec![Item::new("enum", String::new(), node)];
    for member in node.child_by_field_name("body").map(named).unwrap_or_default() {
        let name = member.child_by_field_name("name").unwrap_or(member);
        items.push(Item::new("constant", format!(".{}", text_of(name, text)), member));
    }
    items
}
