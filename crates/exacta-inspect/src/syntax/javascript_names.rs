//! The older way of a script to hand out names: `module.exports` and what is put there.

use crate::syntax::field::Field as _;
use tree_sitter::Node;

use super::item::{Item, field, named, text_of};
use super::javascript::{Export, Module};
use super::javascript_members::{is_name, member_item, members, object, value};
use super::surface::module_name;

/// So many targets of one assignment are followed.
const CHAIN: usize = 16;

/// What a value is put under.
enum Target<'t> {
    /// All that the module exports.
    Exports,
    /// One name of it.
    Export(&'t str),
    /// A property of a local name.
    Property(&'t str, &'t str),
    /// A member of everything that a local name makes.
    Prototype(&'t str, &'t str),
    /// All of these members.
    Prototypes(&'t str),
}

impl<'t> Module<'t> {
    /// `module.exports = …`, `exports.a = …`, `local.a = …`, `Local.prototype.a = …`, also one
    /// after the other; `local` is what the whole is declared as.
    pub(super) fn assign(&mut self, node: Node<'_>, local: Option<&'t str>) {
        let mut targets = Vec::new();
        let mut assigned = node;
        while assigned.kind() == "assignment_expression" && targets.len() < CHAIN {
            let (Some(left), Some(right)) = (assigned.field("left"), assigned.field("right"))
            else {
                return;
            };
            targets.extend(self.target(left));
            assigned = right;
        }
        let mut all = false;
        for target in targets {
            match target {
                Target::Exports if all => {}
                Target::Exports => {
                    all = true;
                    self.aliases.extend(local.map(str::to_owned));
                    self.whole(assigned, node);
                }
                Target::Export(name) => self.one(name.to_owned(), assigned, node),
                Target::Property(of, name) => {
                    let item = member_item(format!(".{name}"), Some(assigned), node, self.text);
                    self.owned.entry(of.to_owned()).or_default().push(item);
                }
                Target::Prototype(of, name) => {
                    let item = member_item(format!(".{name}"), Some(assigned), node, self.text);
                    self.member(of, item);
                }
                Target::Prototypes(of) => self.prototypes(of, assigned),
            }
        }
    }

    fn prototypes(&mut self, of: &str, assigned: Node<'_>) {
        if let Some(object) = object(assigned, self.text) {
            for item in members(object, self.text) {
                self.member(of, item);
            }
        }
    }

    /// A member of whatever a local name makes.
    fn member(&mut self, of: &str, mut item: Item) {
        if item.sort == "function" {
            item.sort = "method";
        }
        self.members.entry(of.to_owned()).or_default().push(item);
    }

    fn target(&self, left: Node<'_>) -> Option<Target<'t>> {
        let text = self.text;
        let is_exports = |name: &str| {
            matches!(name, "exports" | "module.exports") || self.aliases.contains(name)
        };
        let whole = text_of(left, text);
        if is_exports(whole) && !self.aliases.contains(whole) {
            return Some(Target::Exports);
        }
        let of = text_of(left.field("object")?, text);
        let name = left
            .field("property")
            .or_else(|| left.field("index").filter(|one| one.kind() == "string"))
            .map(|name| text_of(name, text).trim_matches(['"', '\'']))?;
        if is_exports(of) {
            return Some(Target::Export(name));
        }
        if !is_name(name) {
            return None;
        }
        match of.strip_suffix(".prototype") {
            Some(of) => Some(Target::Prototype(of, name)),
            None if name == "prototype" => Some(Target::Prototypes(of)),
            None if is_name(of) => Some(Target::Property(of, name)),
            None => None,
        }
    }

    /// Everything that the module exports.
    fn whole(&mut self, assigned: Node<'_>, node: Node<'_>) {
        let text = self.text;
        let Some(object) = object(assigned, text) else {
            let mut export = self.export_of("default".to_owned(), assigned, node);
            export.whole = true;
            self.exports.push(export);
            return;
        };
        self.all_of(object);
    }

    /// The members of an object as exports.
    fn all_of(&mut self, object: Node<'_>) {
        let text = self.text;
        for member in named(object) {
            match member.kind() {
                "shorthand_property_identifier" => {
                    let name = text_of(member, text).to_owned();
                    self.exports.push(Export::new(name.clone(), name, member));
                }
                "pair" => {
                    let name = field(member, "key", text).trim_matches(['"', '\'']).to_owned();
                    if let Some(right) = member.field("value") {
                        self.one(name, right, member);
                    }
                }
                "method_definition" => {
                    let name = field(member, "name", text);
                    let item = member_item(String::new(), Some(member), member, text);
                    let mut export = Export::new(name, String::new(), member);
                    export.items = vec![item];
                    self.exports.push(export);
                }
                "spread_element" => {
                    let inner = member.named_child(0);
                    self.open.extend(inner.and_then(|inner| required(inner, text)));
                }
                _ => {}
            }
        }
    }

    fn one(&mut self, public: String, assigned: Node<'_>, node: Node<'_>) {
        let export = self.export_of(public, assigned, node);
        self.exports.push(export);
    }

    fn export_of(&self, public: String, assigned: Node<'_>, node: Node<'_>) -> Export {
        let text = self.text;
        let mut export = Export::new(public, String::new(), node);
        if assigned.kind() == "identifier" {
            text_of(assigned, text).clone_into(&mut export.local);
        } else {
            export.items = value(assigned, text).unwrap_or_default();
            if let Some(first) = export.items.first_mut() {
                first.line = export.line;
            }
        }
        export
    }

    /// `Object.defineProperty(exports, "a", …)`, `Object.assign(Local.prototype, {…})`,
    /// `__exportStar(require("./b"), exports)`.
    pub(super) fn call(&mut self, node: Node<'_>) {
        let text = self.text;
        let arguments = node.field("arguments").map(named).unwrap_or_default();
        let (Some(first), Some(second)) = (arguments.first(), arguments.get(1)) else { return };
        let of = text_of(*first, text);
        let exports = |name: &str| matches!(name, "exports" | "module.exports");
        match field(node, "function", text).replace(' ', "").as_str() {
            "Object.defineProperty" if exports(of) && second.kind() == "string" => {
                let name = text_of(*second, text).trim_matches(['"', '\'']);
                self.exports.push(Export::new(name.to_owned(), String::new(), node));
            }
            "Object.assign" if exports(of) => {
                if let Some(object) = object(*second, text) {
                    self.all_of(object);
                }
                self.open.extend(required(*second, text));
            }
            "Object.assign" => {
                if let Some(of) = of.strip_suffix(".prototype") {
                    self.prototypes(of, *second);
                }
            }
            "__exportStar" | "tslib.__exportStar" => self.open.extend(required(*first, text)),
            _ => {}
        }
    }
}

/// The module that `require("./b")` names.
fn required(node: Node<'_>, text: &str) -> Option<String> {
    let call = node.kind() == "call_expression" && field(node, "function", text) == "require";
    let path = node.field("arguments").filter(|_| call)?.named_child(0)?;
    Some(module_name(text_of(path, text)))
}
