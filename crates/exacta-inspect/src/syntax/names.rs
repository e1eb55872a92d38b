//! How functions and the things around them are called.

use crate::syntax::field::Field as _;
use exacta_core::judge::facts::Language;
use tree_sitter::Node;

use super::declarators::declared_name;
use super::item::text_of;

/// The name of something whose name is part of the names inside.
pub(super) fn container_name(language: Language, node: Node<'_>, text: &str) -> Option<String> {
    let field =
        if language == Language::Rust && node.kind() == "impl_item" { "type" } else { "name" };
    let name = node.field(field)?;
    Some(without_generics(text_of(name, text)).to_owned())
}

/// The name of a function; `None` when it has none and counts as part of what it is in.
pub(super) fn function_name(
    language: Language,
    node: Node<'_>,
    parent: Option<Node<'_>>,
    text: &str,
) -> Option<String> {
    match language {
        Language::Rust | Language::Python | Language::Java => {
            node.field("name").map(|name| text_of(name, text).to_owned())
        }
        Language::Go => {
            let name = text_of(node.field("name")?, text);
            match receiver(node, text) {
                Some(receiver) => Some(format!("{receiver}.{name}")),
                None => Some(name.to_owned()),
            }
        }
        Language::JavaScript | Language::TypeScript => script_name(node, parent, text),
        Language::C | Language::Cpp => {
            declared_name(node.field("declarator")?, text).map(str::to_owned)
        }
    }
}

/// The type that a Go method belongs to.
pub(super) fn receiver<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let list = node.field("receiver")?;
    let declaration = list.named_child(0)?;
    let kind = declaration.field("type")?;
    Some(without_generics(text_of(kind, text).trim_start_matches(['*', '(']).trim()))
}

fn without_generics(name: &str) -> &str {
    name.split(['<', '[']).next().unwrap_or(name).trim()
}

/// Functions of a script get their name from where they are put, too.
fn script_name(node: Node<'_>, parent: Option<Node<'_>>, text: &str) -> Option<String> {
    if let Some(name) = node.field("name") {
        return Some(text_of(name, text).to_owned());
    }
    let parent = parent?;
    let field = match parent.kind() {
        "variable_declarator" | "field_definition" | "public_field_definition" => "name",
        "pair" => "key",
        "assignment_expression" => "left",
        _ => return None,
    };
    let name = parent.field(field).or_else(|| parent.field("property"))?;
    let name = text_of(name, text);
    (name.len() <= 80).then(|| name.to_owned())
}
