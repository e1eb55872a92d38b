//! Public items of Rust.

use tree_sitter::Node;

use super::item::{Item, Parameter, children, field, has_child, named, text_of, tokens, whole};

/// The deepest nesting of modules that is followed.
const DEEPEST: usize = 16;

/// What `pub` makes visible (items, fields, variants, methods, re-exports), and the first
/// and last line of each module that is compiled for tests only.
pub(super) fn items(root: Node<'_>, text: &str) -> (Vec<Item>, Vec<(usize, usize)>) {
    let top = named(root);
    let tests = test_modules(&top, text);
    let private = top
        .iter()
        .filter(|node| matches!(node.kind(), "struct_item" | "enum_item" | "union_item"))
        .filter(|node| !is_public(**node, text))
        .filter_map(|node| node.child_by_field_name("name"))
        .map(|name| text_of(name, text).to_owned())
        .collect();
    let mut search = Search { text, items: Vec::new(), private };
    search.scope(top, "", Scope::Module, 0);
    (search.items, tests)
}

fn test_modules(top: &[Node<'_>], text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut for_tests = false;
    for child in top {
        match child.kind() {
            "attribute_item" => for_tests |= text_of(*child, text).contains("cfg(test)"),
            _ => {
                if std::mem::take(&mut for_tests) && child.kind() == "mod_item" {
                    found.push((child.start_position().row, child.end_position().row));
                }
            }
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Module,
    Implementation,
    Trait,
}

struct Search<'t> {
    text: &'t str,
    items: Vec<Item>,
    private: Vec<String>,
}

impl Search<'_> {
    fn scope(&mut self, parts: Vec<Node<'_>>, prefix: &str, scope: Scope, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let mut attributes = String::new();
        for child in parts {
            if child.kind() == "attribute_item" {
                attributes.push_str(text_of(child, self.text));
                continue;
            }
            let attributes = std::mem::take(&mut attributes);
            if attributes.contains("cfg(test)") || attributes.contains("doc(hidden)") {
                continue;
            }
            let public = scope == Scope::Trait || is_public(child, self.text);
            if public
                || matches!(child.kind(), "impl_item" | "foreign_mod_item" | "macro_definition")
            {
                self.item(child, prefix, &attributes, depth);
            }
        }
    }

    fn item(&mut self, node: Node<'_>, prefix: &str, attributes: &str, depth: usize) {
        let text = self.text;
        let name = node.child_by_field_name("name").map(|name| text_of(name, text));
        let full = name.map(|name| join(prefix, name)).unwrap_or_default();
        match node.kind() {
            "function_item" | "function_signature_item" => {
                self.items.push(function(node, full, text));
            }
            "struct_item" | "union_item" => {
                let body = node.child_by_field_name("body");
                let fields = body.filter(|body| body.kind() == "field_declaration_list");
                let shape = tokens(node, text, &|part| {
                    part.kind() == "visibility_modifier" || Some(part) == fields
                });
                self.items.push(Item::new("type", full.clone(), node).shaped(shape));
                for field in fields.map(named).unwrap_or_default() {
                    self.field(field, &full);
                }
            }
            "enum_item" => {
                let shape = field(node, "type_parameters", text);
                self.items.push(Item::new("type", full.clone(), node).shaped(shape));
                for variant in node.child_by_field_name("body").map(named).unwrap_or_default() {
                    if variant.kind() == "enum_variant"
                        && let Some(name) = variant.child_by_field_name("name")
                    {
                        let name = join(&full, text_of(name, text));
                        let shape = field(variant, "body", text);
                        self.items.push(Item::new("variant", name, variant).shaped(shape));
                    }
                }
            }
            "trait_item" => {
                let shape = format!(
                    "{} {}",
                    field(node, "type_parameters", text),
                    field(node, "bounds", text)
                );
                self.items.push(Item::new("trait", full.clone(), node).shaped(shape));
                if let Some(body) = node.child_by_field_name("body") {
                    self.scope(named(body), &full, Scope::Trait, depth + 1);
                }
            }
            "impl_item" if node.child_by_field_name("trait").is_none() => {
                let Some(of) = node.child_by_field_name("type") else { return };
                let of = text_of(of, text).split('<').next().unwrap_or_default().trim().to_owned();
                if !self.private.contains(&of)
                    && let Some(body) = node.child_by_field_name("body")
                {
                    self.scope(named(body), &join(prefix, &of), Scope::Implementation, depth + 1);
                }
            }
            "mod_item" => {
                self.items.push(Item::new("module", full.clone(), node));
                if let Some(body) = node.child_by_field_name("body") {
                    self.scope(named(body), &full, Scope::Module, depth + 1);
                }
            }
            "foreign_mod_item" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.scope(named(body), prefix, Scope::Module, depth + 1);
                }
            }
            "const_item" | "static_item" => {
                let shape = field(node, "type", text);
                self.items.push(Item::new("constant", full, node).shaped(shape));
            }
            "type_item" | "associated_type" => {
                let shape = format!(
                    "{} {}",
                    field(node, "type_parameters", text),
                    field(node, "type", text)
                );
                self.items.push(Item::new("type", full, node).shaped(shape));
            }
            "macro_definition" if attributes.contains("macro_export") => {
                self.items.push(Item::new("macro", full, node));
            }
            "use_declaration" => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    self.reexports(argument, prefix, 0);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, node: Node<'_>, of: &str) {
        if node.kind() == "field_declaration"
            && is_public(node, self.text)
            && let Some(name) = node.child_by_field_name("name")
        {
            let name = format!("{of}.{}", text_of(name, self.text));
            let shape = field(node, "type", self.text);
            self.items.push(Item::new("field", name, node).shaped(shape));
        }
    }

    fn reexports(&mut self, node: Node<'_>, prefix: &str, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let text = self.text;
        let name = match node.kind() {
            "use_list" => {
                for child in named(node) {
                    self.reexports(child, prefix, depth + 1);
                }
                return;
            }
            "scoped_use_list" => {
                if let Some(list) = node.child_by_field_name("list") {
                    self.reexports(list, prefix, depth + 1);
                }
                return;
            }
            "use_as_clause" => node.child_by_field_name("alias").map(|alias| text_of(alias, text)),
            "scoped_identifier" => node.child_by_field_name("name").map(|name| text_of(name, text)),
            _ => Some(text_of(node, text)),
        };
        if let Some(name) = name {
            self.items.push(Item::new("re-export", join(prefix, name), node));
        }
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}::{name}") }
}

fn is_public(node: Node<'_>, text: &str) -> bool {
    // It is the first part of whatever it makes visible.
    let mut cursor = node.walk();
    let first = node.children(&mut cursor).find(|child| !child.is_extra());
    first
        .is_some_and(|child| child.kind() == "visibility_modifier" && text_of(child, text) == "pub")
}

/// Names of parameters do not matter to callers; types do.
fn function(node: Node<'_>, name: String, text: &str) -> Item {
    let mut item = Item::new("function", name, node);
    let skipped: Vec<Node<'_>> = children(node)
        .into_iter()
        .filter(|part| {
            matches!(
                part.kind(),
                "visibility_modifier" | "block" | "parameters" | "identifier" | ";"
            )
        })
        .collect();
    item.shape = tokens(node, text, &|part| skipped.contains(&part));
    for parameter in node.child_by_field_name("parameters").map(named).unwrap_or_default() {
        let shape = match parameter.kind() {
            "parameter" => field(parameter, "type", text),
            "self_parameter" if !has_child(parameter, "&") => "self".to_owned(),
            "attribute_item" => continue,
            _ => tokens(parameter, text, &whole),
        };
        item.parameters.push(Parameter { shape, optional: false });
    }
    item
}
