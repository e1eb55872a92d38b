//! Names that a script hands out: `export` lists and the older `module.exports`.

use tree_sitter::Node;

use super::item::{Parameter, field, named, text_of};
use super::javascript::function;

/// A public name and the local one behind it.
pub(super) struct Export {
    pub(super) public: String,
    pub(super) local: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) line: usize,
}

impl Export {
    pub(super) fn new(public: String, local: String, node: Node<'_>) -> Self {
        let line = node.start_position().row;
        Self { public, local, parameters: Vec::new(), line }
    }
}

/// `module.exports = …`, `module.exports.a = …`, `exports.a = …`.
pub(super) fn common_js(node: Node<'_>, text: &str, exports: &mut Vec<Export>) {
    if node.kind() != "assignment_expression" {
        return;
    }
    let (Some(left), Some(right)) =
        (node.child_by_field_name("left"), node.child_by_field_name("right"))
    else {
        return;
    };
    let target = text_of(left, text);
    if target == "module.exports" || target == "exports" {
        match right.kind() {
            "object" => members(right, text, exports),
            // `module.exports = exports = f`
            "assignment_expression" => common_js(right, text, exports),
            _ => exports.push(value("default".to_owned(), right, node, text)),
        }
        return;
    }
    let name = target.strip_prefix("module.exports.").or_else(|| target.strip_prefix("exports."));
    if let Some(name) = name.filter(|name| !name.contains(['.', '['])) {
        exports.push(value(name.to_owned(), right, node, text));
    }
}

fn members(object: Node<'_>, text: &str, exports: &mut Vec<Export>) {
    for member in named(object) {
        match member.kind() {
            "shorthand_property_identifier" => {
                let name = text_of(member, text).to_owned();
                exports.push(Export::new(name.clone(), name, member));
            }
            "pair" => {
                let name = field(member, "key", text).trim_matches(['"', '\'']).to_owned();
                if let Some(right) = member.child_by_field_name("value") {
                    exports.push(value(name, right, member, text));
                }
            }
            "method_definition" => {
                let mut export = Export::new(field(member, "name", text), String::new(), member);
                export.parameters = function("method", String::new(), member, text).parameters;
                exports.push(export);
            }
            _ => {}
        }
    }
}

fn value(public: String, right: Node<'_>, node: Node<'_>, text: &str) -> Export {
    match right.kind() {
        "identifier" => Export::new(public, text_of(right, text).to_owned(), node),
        "arrow_function" | "function_expression" | "generator_function" => {
            let mut export = Export::new(public, String::new(), node);
            export.parameters = function("function", String::new(), right, text).parameters;
            export
        }
        _ => Export::new(public, String::new(), node),
    }
}
