//! New kinds of errors of Python: classes that are nothing but a name.

use tree_sitter::Node;

/// Errors that the language has.
const BUILT_IN: &[&str] = &[
    "ArithmeticError",
    "AttributeError",
    "ConnectionError",
    "EOFError",
    "Exception",
    "KeyError",
    "IndexError",
    "LookupError",
    "NotImplementedError",
    "OSError",
    "PermissionError",
    "RuntimeError",
    "TimeoutError",
    "TypeError",
    "ValueError",
    "Warning",
    "UserWarning",
    "DeprecationWarning",
];

/// Whether a class of Python is an error of a known kind with no more than a docstring in it.
pub(super) fn is_plain_error(class: Node<'_>, text: &str) -> bool {
    let Some(bases) = class.child_by_field_name("superclasses") else { return false };
    let base = bases.named_child(0).filter(|_| bases.named_child_count() == 1);
    let Some(base) = base.and_then(|base| text.get(base.byte_range())) else { return false };
    // Something of this name may stand in the place of the language's own.
    let anew = [format!("{base} ="), format!("class {base}"), format!("import {base}")];
    if !BUILT_IN.contains(&base)
        || anew.iter().any(|sign| text.contains(sign))
        || text.contains(&format!("as {base}"))
        || text.contains("import *")
    {
        return false;
    }
    let Some(body) = class.child_by_field_name("body") else { return false };
    let mut cursor = body.walk();
    body.named_children(&mut cursor).all(|part| match part.kind() {
        "pass_statement" | "comment" => true,
        "expression_statement" => {
            part.named_child_count() == 1
                && part.named_child(0).is_some_and(|one| {
                    let words = text.get(one.byte_range()).unwrap_or_default();
                    one.kind() == "string" && words.starts_with(['"', '\''])
                })
        }
        _ => false,
    })
}
