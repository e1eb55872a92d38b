//! The declarators of C and C++, which wrap a name from the inside out.

use crate::syntax::field::Field as _;
use tree_sitter::Node;

use super::item::{Parameter, named, text_of, tokens};

/// The innermost name of a declarator.
pub(super) fn declared_name<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let mut current = node;
    for _ in 0..32 {
        match current.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast"
            | "template_function" => {
                return Some(text_of(current, text));
            }
            _ => {}
        }
        current = current.field("declarator").or_else(|| {
            named(current).into_iter().find(|child| {
                child.kind().ends_with("declarator") || child.kind().ends_with("identifier")
            })
        })?;
    }
    None
}

/// The function declarator inside a declarator.
pub(super) fn function_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut current = node;
    for _ in 0..32 {
        if current.kind() == "function_declarator" {
            return Some(current);
        }
        current = current.field("declarator").or_else(|| {
            named(current).into_iter().find(|child| child.kind().ends_with("declarator"))
        })?;
    }
    None
}

/// Types of the parameters, without their names.
pub(super) fn parameters(function: Node<'_>, text: &str) -> Vec<Parameter> {
    let list = function.field("parameters").map(named).unwrap_or_default();
    list.into_iter()
        .map(|parameter| {
            let value = parameter.field("default_value");
            let shape = tokens(parameter, text, &|part| {
                part.kind() == "identifier" || Some(part) == value || part.kind() == "="
            });
            Parameter { shape, optional: value.is_some() }
        })
        .filter(|parameter| parameter.shape != "void")
        .collect()
}
