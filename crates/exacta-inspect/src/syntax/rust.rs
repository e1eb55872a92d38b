//! Public items of Rust.

use crate::syntax::field::Field as _;
use std::collections::BTreeSet;

use tree_sitter::Node;

use super::item::{
    Item, Parameter, Public, children, field, has_child, named, text_of, tokens, whole,
};

/// The deepest nesting of modules that is followed.
const DEEPEST: usize = 16;

/// What `pub` makes visible (items, fields, variants, methods, re-exports), what public
/// types can do, and the lines of modules that are compiled for tests only or never.
pub(super) fn public(root: Node<'_>, text: &str) -> Public {
    let top = named(root);
    let mut public = Public::default();
    lines(&top, text, &mut public);
    let private = top
        .iter()
        .filter(|node| {
            matches!(node.kind(), "struct_item" | "enum_item" | "union_item" | "trait_item")
        })
        .filter(|node| !is_public(**node, text))
        .filter_map(|node| node.field("name"))
        .map(|name| text_of(name, text))
        .collect();
    let mut search = Search { text, public, private, declared: BTreeSet::new() };
    search.scope(top, "", Scope::Module, 0);
    search.public
}

/// Which lines only tests use, and which nobody does.
fn lines(top: &[Node<'_>], text: &str, public: &mut Public) {
    let (mut for_tests, mut never) = (false, false);
    for child in top {
        if child.kind() == "attribute_item" {
            let attribute = text_of(*child, text);
            for_tests |= attribute.contains("cfg(test)");
            never |= is_never(attribute);
            continue;
        }
        let rows = (child.start_position().row, child.end_position().row);
        if std::mem::take(&mut for_tests) && child.kind() == "mod_item" {
            public.tests.push(rows);
        }
        if std::mem::take(&mut never) {
            public.never.push(rows);
        }
    }
}

/// A condition that nothing meets.
fn is_never(attribute: &str) -> bool {
    let dense: String = attribute.split_whitespace().collect();
    dense.contains("cfg(any())")
        || dense.contains("cfg(false)")
        || dense.contains("cfg(not(all()))")
}

#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Module,
    Implementation,
    Trait,
}

struct Search<'t> {
    text: &'t str,
    public: Public,
    /// Types and traits of the file that nobody else can name.
    private: BTreeSet<&'t str>,
    /// Names of public types of the file.
    declared: BTreeSet<String>,
}

impl Search<'_> {
    fn push(&mut self, item: Item) {
        self.public.items.push(item);
    }

    fn scope(&mut self, parts: Vec<Node<'_>>, prefix: &str, scope: Scope, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let mut attributes = String::new();
        let mut implementations = Vec::new();
        for child in parts {
            if child.kind() == "attribute_item" {
                attributes.push_str(text_of(child, self.text));
                continue;
            }
            let attributes = std::mem::take(&mut attributes);
            if attributes.contains("cfg(test)")
                || attributes.contains("doc(hidden)")
                || is_never(&attributes)
            {
                continue;
            }
            if child.kind() == "impl_item" && child.field("trait").is_some() {
                implementations.push(child);
                continue;
            }
            let public = scope == Scope::Trait || is_public(child, self.text);
            if public
                || matches!(child.kind(), "impl_item" | "foreign_mod_item" | "macro_definition")
            {
                self.item(child, prefix, &attributes, depth);
            }
        }
        for node in implementations {
            self.implementation(node, prefix);
        }
    }

    /// What a type can do. Where the type is declared elsewhere, it may be nobody's business.
    fn implementation(&mut self, node: Node<'_>, prefix: &str) {
        let text = self.text;
        let (Some(of), Some(what)) = (node.field("type"), node.field("trait")) else {
            return;
        };
        let of = text_of(of, text).split('<').next().unwrap_or_default().trim();
        let what = tokens(what, text, &whole);
        if self.private.contains(of) || self.private.contains(head(&what)) {
            return;
        }
        let full = join(prefix, of);
        let mut item = Item::new("implementation", format!("{full}: {}", last(&what)), node);
        item.quiet = !self.declared.contains(&full);
        self.push(item);
    }

    /// A public type, how it lies in memory and what it can do by derivation.
    fn declare(&mut self, mut item: Item, attributes: &str, node: Node<'_>) {
        item.bases.extend(laid_out(attributes));
        if attributes.contains("non_exhaustive") {
            item.asks.push("room for what may be added".to_owned());
        }
        for what in derived(attributes) {
            let name = format!("{}: {}", item.name, last(what));
            self.push(Item::new("implementation", name, node));
        }
        self.declared.insert(item.name.clone());
        self.push(item);
    }

    fn item(&mut self, node: Node<'_>, prefix: &str, attributes: &str, depth: usize) {
        let text = self.text;
        let name = node.field("name").map(|name| text_of(name, text));
        let full = name.map(|name| join(prefix, name)).unwrap_or_default();
        match node.kind() {
            "function_item" | "function_signature_item" => {
                self.push(function(node, full, text));
            }
            "struct_item" | "union_item" => {
                let body = node.field("body");
                let fields = body.filter(|body| body.kind() == "field_declaration_list");
                let shape = tokens(node, text, &|part| {
                    part.kind() == "visibility_modifier" || Some(part) == fields
                });
                self.declare(Item::new("type", full.clone(), node).shaped(shape), attributes, node);
                for field in fields.map(named).unwrap_or_default() {
                    self.field(field, &full);
                }
            }
            "enum_item" => {
                let shape = field(node, "type_parameters", text);
                self.declare(Item::new("type", full.clone(), node).shaped(shape), attributes, node);
                for variant in node.field("body").map(named).unwrap_or_default() {
                    if variant.kind() == "enum_variant"
                        && let Some(name) = variant.field("name")
                    {
                        let name = join(&full, text_of(name, text));
                        let shape = field(variant, "body", text);
                        self.push(Item::new("variant", name, variant).shaped(shape));
                    }
                }
            }
            "trait_item" => {
                let shape = format!(
                    "{} {}",
                    field(node, "type_parameters", text),
                    field(node, "bounds", text)
                );
                let mut item = Item::new("trait", full.clone(), node).shaped(shape);
                item.asks = demands(node, text);
                self.push(item);
                if let Some(body) = node.field("body") {
                    self.scope(named(body), &full, Scope::Trait, depth + 1);
                }
            }
            "impl_item" => {
                let Some(of) = node.field("type") else { return };
                let of = text_of(of, text).split('<').next().unwrap_or_default().trim();
                if !self.private.contains(of)
                    && let Some(body) = node.field("body")
                {
                    self.scope(named(body), &join(prefix, of), Scope::Implementation, depth + 1);
                }
            }
            "mod_item" => {
                self.push(Item::new("module", full.clone(), node));
                if let Some(body) = node.field("body") {
                    self.scope(named(body), &full, Scope::Module, depth + 1);
                }
            }
            "foreign_mod_item" => {
                if let Some(body) = node.field("body") {
                    self.scope(named(body), prefix, Scope::Module, depth + 1);
                }
            }
            "const_item" | "static_item" => {
                let shape = field(node, "type", text);
                self.push(Item::new("constant", full, node).shaped(shape));
            }
            "type_item" | "associated_type" => {
                let shape = format!(
                    "{} {}",
                    field(node, "type_parameters", text),
                    field(node, "type", text)
                );
                self.push(Item::new("type", full, node).shaped(shape));
            }
            "macro_definition" if attributes.contains("macro_export") => {
                self.push(Item::new("macro", full, node));
            }
            "use_declaration" => {
                if let Some(argument) = node.field("argument") {
                    self.reexports(argument, prefix, "", 0);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, node: Node<'_>, of: &str) {
        if node.kind() == "field_declaration"
            && is_public(node, self.text)
            && let Some(name) = node.field("name")
        {
            let name = format!("{of}.{}", text_of(name, self.text));
            let shape = field(node, "type", self.text);
            self.push(Item::new("field", name, node).shaped(shape));
        }
    }

    /// `within` is what stands before a list in braces.
    fn reexports(&mut self, node: Node<'_>, prefix: &str, within: &str, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let text = self.text;
        let name = match node.kind() {
            "use_list" => {
                for child in named(node) {
                    self.reexports(child, prefix, within, depth + 1);
                }
                return;
            }
            "scoped_use_list" => {
                if let Some(list) = node.field("list") {
                    let path = node.field("path");
                    let within = path.map(|path| text_of(path, text)).unwrap_or_default();
                    self.reexports(list, prefix, within, depth + 1);
                }
                return;
            }
            "use_wildcard" if prefix.is_empty() => {
                let module = text_of(node, text).trim_end_matches("::*");
                let module = if module == "*" { within } else { module };
                self.public.open.push(module.rsplit("::").next().unwrap_or_default().to_owned());
                Some(text_of(node, text))
            }
            "use_as_clause" => node.field("alias").map(|alias| text_of(alias, text)),
            "scoped_identifier" => node.field("name").map(|name| text_of(name, text)),
            _ => Some(text_of(node, text)),
        };
        if let Some(name) = name {
            self.push(Item::new("re-export", join(prefix, name), node));
        }
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}::{name}") }
}

/// What stands in `derive(…)`, also under a condition.
fn derived(attributes: &str) -> impl Iterator<Item = &str> {
    let lists = attributes.split("derive(").skip(1);
    let lists = lists.map(|rest| rest.split(')').next().unwrap_or_default());
    lists.flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty())
}

/// What stands in `repr(…)`: code of other languages goes by it.
fn laid_out(attributes: &str) -> impl Iterator<Item = String> {
    let lists = attributes.split("repr(").skip(1);
    let lists = lists.map(|rest| rest.split(')').next().unwrap_or_default());
    lists.flat_map(|list| list.split(',')).map(|how| format!("repr({})", how.trim()))
}

/// The name of a trait without its arguments.
fn head(name: &str) -> &str {
    name.split('<').next().unwrap_or_default().trim()
}

/// A trait without the way to it, which may be spelled in many ways.
fn last(name: &str) -> String {
    let own = head(name);
    let start = own.rfind("::").map_or(0, |at| at + 2);
    name.get(start..).unwrap_or(name).split_whitespace().collect()
}

/// What every implementation of a trait must provide. A sealed one has no others.
fn demands(node: Node<'_>, text: &str) -> Vec<String> {
    if field(node, "bounds", text).contains("Sealed") {
        return Vec::new();
    }
    let members = node.field("body").map(named).unwrap_or_default();
    members
        .into_iter()
        .filter(|member| match member.kind() {
            "function_signature_item" => true,
            "associated_type" => !has_child(*member, "="),
            "const_item" => member.field("value").is_none(),
            _ => false,
        })
        .filter_map(|member| member.field("name"))
        .map(|name| text_of(name, text).to_owned())
        .collect()
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
    for parameter in node.field("parameters").map(named).unwrap_or_default() {
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
