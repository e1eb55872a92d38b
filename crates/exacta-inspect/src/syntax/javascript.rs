//! What a JavaScript or TypeScript module exports.

use crate::syntax::field::Field as _;
use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::item::{Item, Public, children, field, named, text_of};
use super::javascript_members::{declared, value};
use super::surface::module_name;

/// Everything exported, by `export` or by `module.exports`, with the members of exported
/// classes, interfaces and objects.
pub(super) fn public(root: Node<'_>, text: &str) -> Public {
    let mut module = Module::new(text);
    for node in named(root) {
        module.statement(node);
    }
    module.resolve()
}

/// A public name and what is behind it.
pub(super) struct Export {
    pub(super) public: String,
    /// The local name, when it is one.
    pub(super) local: String,
    /// What it is, when it has no other name.
    pub(super) items: Vec<Item>,
    /// Whether it is all that `require` gives, so that its members are exports too.
    pub(super) whole: bool,
    pub(super) line: usize,
}

impl Export {
    pub(super) fn new(public: String, local: String, node: Node<'_>) -> Self {
        let line = node.start_position().row;
        Self { public, local, items: Vec::new(), whole: false, line }
    }
}

/// What is known of a module so far.
pub(super) struct Module<'t> {
    pub(super) text: &'t str,
    /// What each local name is, first the thing itself, then its members.
    pub(super) declared: BTreeMap<String, Vec<Item>>,
    /// What was put under a local name later on.
    pub(super) owned: BTreeMap<String, Vec<Item>>,
    /// What was put under its prototype.
    pub(super) members: BTreeMap<String, Vec<Item>>,
    pub(super) exports: Vec<Export>,
    /// Local names of the exports themselves.
    pub(super) aliases: BTreeSet<String>,
    pub(super) open: Vec<String>,
}

impl<'t> Module<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            declared: BTreeMap::new(),
            owned: BTreeMap::new(),
            members: BTreeMap::new(),
            exports: Vec::new(),
            aliases: BTreeSet::new(),
            open: Vec::new(),
        }
    }

    fn statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "export_statement" => self.export(node),
            "expression_statement" => {
                let Some(expression) = node.named_child(0) else { return };
                match expression.kind() {
                    "assignment_expression" => self.assign(expression, None),
                    "call_expression" => self.call(expression),
                    "internal_module" => {
                        self.declare(expression);
                    }
                    _ => {}
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
        if let Some(declaration) = node.field("declaration") {
            for name in self.declare(declaration) {
                let public = if default { "default".to_owned() } else { name.clone() };
                self.exports.push(Export::new(public, name, declaration));
            }
            return;
        }
        if let Some(inner) = node.field("value") {
            let local = text_of(inner, text).chars().take(80).collect();
            let mut export = Export::new("default".to_owned(), local, node);
            if let Some(items) = value(inner, text) {
                export.local.clear();
                export.items = items;
            }
            self.exports.push(export);
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
            self.open.push(module_name(&from.replace(' ', "")));
            self.exports.push(Export::new(format!("* from {from}"), String::new(), node));
        }
    }

    /// Remembers a declaration and says which names it makes.
    fn declare(&mut self, node: Node<'_>) -> Vec<String> {
        if matches!(node.kind(), "lexical_declaration" | "variable_declaration") {
            for declarator in named(node) {
                let assigned = declarator.field("value");
                let name = declarator.field("name");
                if let (Some(name), Some(inner)) = (name, assigned)
                    && inner.kind() == "assignment_expression"
                {
                    self.assign(inner, Some(text_of(name, self.text)));
                }
            }
        }
        let mut names = Vec::new();
        for (name, items) in declared(node, self.text, 0) {
            let name = name.unwrap_or_else(|| "(default)".to_owned());
            self.declared.entry(name.clone()).or_default().extend(items);
            names.push(name);
        }
        names
    }

    fn resolve(self) -> Public {
        let mut items = Vec::new();
        for export in &self.exports {
            let named = |item: &Item, name: String| Item { name, ..item.clone() };
            let of_local = self.declared.get(&export.local).filter(|_| !export.local.is_empty());
            let thing = of_local.unwrap_or(&export.items);
            // An object that is all there is has no name of its own.
            let object =
                thing.first().is_some_and(|first| first.sort == "constant") && thing.len() > 1;
            let bare = export.whole && (object || self.aliases.contains(&export.local));
            for (index, item) in thing.iter().enumerate() {
                if !bare {
                    items.push(named(item, format!("{}{}", export.public, item.name)));
                } else if index > 0 {
                    items.push(named(item, item.name.trim_start_matches('.').to_owned()));
                }
            }
            for item in self.members.get(&export.local).into_iter().flatten() {
                items.push(named(item, format!("{}{}", export.public, item.name)));
            }
            for item in self.owned.get(&export.local).into_iter().flatten() {
                let own = item.name.trim_start_matches('.');
                let full =
                    if export.whole { own.to_owned() } else { format!("{}.{own}", export.public) };
                items.push(named(item, full));
            }
            if thing.is_empty() {
                items.push(Item::on_line("export", export.public.clone(), export.line));
            }
        }
        Public { items, open: self.open, ..Public::default() }
    }
}
