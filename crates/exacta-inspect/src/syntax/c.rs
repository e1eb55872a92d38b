//! What C and C++ headers promise, and functions that other files can link to.

use crate::syntax::field::Field as _;
use exacta_core::model::path::RelPath;
use tree_sitter::Node;

use super::declarators::{declared_name, function_declarator, parameters};
use super::item::{Item, Public, children, field, has_child, named, text_of, tokens};
use super::surface::module_name;

const DEEPEST: usize = 24;

/// Namespaces that by custom are nobody's business.
const PRIVATE: [&str; 6] = ["detail", "details", "internal", "impl", "_impl", "priv"];

/// Functions that are not `static`; in headers also types, members, variables and macros,
/// and the headers they hand on.
pub(super) fn public(root: Node<'_>, text: &str, path: &RelPath) -> Public {
    let name = path.name().to_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    let header = ending.starts_with('h') || ending == "inl" || ending == "ipp";
    let mut search = Search { text, header, items: Vec::new(), open: Vec::new() };
    search.scope(root, "", 0);
    Public { items: search.items, open: search.open, ..Public::default() }
}

struct Search<'t> {
    text: &'t str,
    header: bool,
    items: Vec<Item>,
    open: Vec<String>,
}

impl Search<'_> {
    fn scope(&mut self, node: Node<'_>, prefix: &str, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for child in self.compiled(node) {
            self.item(child, prefix, depth);
        }
    }

    /// The parts of a node without those that are left out whatever is the case.
    fn compiled<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let mut parts = named(node);
        let condition = Some(node)
            .filter(|node| matches!(node.kind(), "preproc_if" | "preproc_elif"))
            .and_then(|node| node.field("condition"));
        let alternative = node.field("alternative");
        match condition.map(|condition| text_of(condition, self.text).trim()) {
            Some("0") => parts.retain(|part| Some(*part) == alternative),
            Some("1") => parts.retain(|part| Some(*part) != alternative),
            _ => {}
        }
        parts
    }

    fn item(&mut self, node: Node<'_>, prefix: &str, depth: usize) {
        let text = self.text;
        match node.kind() {
            "preproc_ifdef"
            | "preproc_if"
            | "preproc_else"
            | "preproc_elif"
            | "linkage_specification"
            | "declaration_list"
            | "template_declaration"
            | "export_declaration" => self.scope(node, prefix, depth + 1),
            "namespace_definition" => {
                let Some(name) = node.field("name") else { return };
                if PRIVATE.contains(&text_of(name, text)) {
                    return;
                }
                let inner = join(prefix, text_of(name, text));
                if let Some(body) = node.field("body") {
                    self.scope(body, &inner, depth + 1);
                }
            }
            "function_definition" => self.function(node, prefix),
            "declaration" if self.header => {
                if let Some(kind) = node.field("type") {
                    self.type_item(kind, prefix, depth);
                }
                self.function(node, prefix);
                self.variables(node, prefix);
            }
            "preproc_include" if self.header => {
                let path = node.field("path");
                let own = path.filter(|path| path.kind() == "string_literal");
                self.open.extend(own.map(|path| module_name(text_of(path, text))));
            }
            "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier"
                if self.header =>
            {
                self.type_item(node, prefix, depth);
            }
            "type_definition" if self.header => self.typedef(node, prefix, depth),
            "alias_declaration" if self.header => {
                if let Some(name) = node.field("name") {
                    let shape = field(node, "type", text);
                    self.items.push(
                        Item::new("type", join(prefix, text_of(name, text)), node).shaped(shape),
                    );
                }
            }
            "preproc_def" | "preproc_function_def" if self.header => self.define(node),
            _ => {}
        }
    }

    fn function(&mut self, node: Node<'_>, prefix: &str) {
        let text = self.text;
        let local = children(node).into_iter().any(|child| {
            child.kind() == "storage_class_specifier" && text_of(child, text) == "static"
        });
        let Some(declarator) = node.field("declarator") else { return };
        let Some(function) = function_declarator(declarator) else { return };
        let Some(name) = declared_name(function, text) else { return };
        // Members are promised by their class, not by their definition.
        if local || name.contains("::") {
            return;
        }
        let shape = self.result(node, declarator);
        let mut item = Item::new("function", join(prefix, name), node).shaped(shape);
        item.parameters = parameters(function, text);
        self.items.push(item);
    }

    /// Variables that other files define.
    fn variables(&mut self, node: Node<'_>, prefix: &str) {
        let text = self.text;
        let shared = children(node).into_iter().any(|child| {
            child.kind() == "storage_class_specifier" && text_of(child, text) == "extern"
        });
        if !shared {
            return;
        }
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            if function_declarator(declarator).is_none()
                && let Some(name) = declared_name(declarator, text)
            {
                let shape = self.result(node, declarator);
                let item = Item::new("variable", join(prefix, name), node).shaped(shape);
                self.items.push(item);
            }
        }
    }

    /// What a function gives back: its type and the stars around the declarator. Macros
    /// that decorate it do not count, nor does a type's body.
    fn result(&self, node: Node<'_>, declarator: Node<'_>) -> String {
        let Some(kind) = node.field("type") else { return String::new() };
        let body = kind.field("body");
        let shape = tokens(kind, self.text, &|part| Some(part) == body);
        let words: Vec<&str> = shape.split(' ').filter(|word| !is_macro(word)).collect();
        let stars = text_of(declarator, self.text)
            .chars()
            .take_while(|c| matches!(c, '*' | '&' | ' '))
            .filter(|c| *c != ' ');
        words.join(" ").chars().chain(stars).collect()
    }

    fn type_item(&mut self, node: Node<'_>, prefix: &str, depth: usize) {
        let text = self.text;
        let (Some(name), Some(body)) = (node.field("name"), node.field("body")) else {
            return;
        };
        // A specialisation promises nothing that its template does not.
        if name.kind() == "template_type" {
            return;
        }
        let full = join(prefix, text_of(name, text));
        let bases = children(node)
            .into_iter()
            .find(|child| child.kind() == "base_class_clause")
            .map(|bases| tokens(bases, text, &super::item::whole))
            .unwrap_or_default();
        let mut item = Item::new("type", full.clone(), node).shaped(bases);
        item.order = self.fields(body);
        self.items.push(item);
        self.members(body, &full, node.kind() != "class_specifier", depth + 1);
    }

    /// The fields of a type in the order in which they are in memory.
    fn fields(&self, body: Node<'_>) -> Vec<String> {
        let mut names = Vec::new();
        for member in named(body).into_iter().filter(|one| one.kind() == "field_declaration") {
            let mut cursor = member.walk();
            for declarator in member.children_by_field_name("declarator", &mut cursor) {
                if function_declarator(declarator).is_none()
                    && !has_child(member, "storage_class_specifier")
                    && let Some(name) = declared_name(declarator, self.text)
                {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }

    fn members(&mut self, body: Node<'_>, prefix: &str, mut public: bool, depth: usize) {
        let text = self.text;
        if depth > DEEPEST {
            return;
        }
        for member in self.compiled(body) {
            match member.kind() {
                "access_specifier" => public = text_of(member, text).starts_with("public"),
                _ if !public => {}
                "enumerator" => {
                    if let Some(name) = member.field("name") {
                        self.items.push(Item::new(
                            "constant",
                            join(prefix, text_of(name, text)),
                            member,
                        ));
                    }
                }
                "field_declaration" | "function_definition" | "declaration" => {
                    self.member(member, prefix, depth);
                }
                "preproc_ifdef"
                | "preproc_if"
                | "preproc_else"
                | "preproc_elif"
                | "template_declaration" => {
                    self.members(member, prefix, public, depth + 1);
                }
                _ => {}
            }
        }
    }

    fn member(&mut self, node: Node<'_>, prefix: &str, depth: usize) {
        let text = self.text;
        if let Some(kind) = node.field("type") {
            self.type_item(kind, prefix, depth + 1);
        }
        let mut cursor = node.walk();
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let Some(name) = declared_name(declarator, text) else { continue };
            let full = join(prefix, name);
            let shape = self.result(node, declarator);
            let item = match function_declarator(declarator) {
                Some(function) => {
                    let mut item = Item::new("method", full, node).shaped(shape);
                    item.parameters = parameters(function, text);
                    item
                }
                None => Item::new("field", full, node).shaped(shape),
            };
            self.items.push(item);
        }
    }

    fn typedef(&mut self, node: Node<'_>, prefix: &str, depth: usize) {
        let text = self.text;
        let Some(name) = node.field("declarator").and_then(|d| declared_name(d, text)) else {
            return;
        };
        let full = join(prefix, name);
        let kind = node.field("type");
        let body = kind.and_then(|kind| kind.field("body"));
        let shape = if body.is_some() { String::new() } else { field(node, "type", text) };
        let mut item = Item::new("type", full.clone(), node).shaped(shape);
        item.order = body.map(|body| self.fields(body)).unwrap_or_default();
        self.items.push(item);
        if let Some(body) = body {
            self.members(body, &full, true, depth + 1);
        }
    }

    /// Include guards promise nothing.
    fn define(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name").map(|name| text_of(name, self.text)) else {
            return;
        };
        if node.kind() == "preproc_def" && node.field("value").is_none() {
            return;
        }
        let count = node.field("parameters").map(|list| named(list).len());
        let shape = count.map(|count| format!("{count} parameters")).unwrap_or_default();
        self.items.push(Item::new("macro", name.to_owned(), node).shaped(shape));
    }
}

/// `EXPORTED`, `LIB_API` and the like.
fn is_macro(word: &str) -> bool {
    word.len() > 3
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}::{name}") }
}
