//! Declarations that give a name to plain data: working it out does nothing.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

/// Parts of data.
const DATA: &[&str] = &[
    "string",
    "string_content",
    "string_start",
    "string_end",
    "string_fragment",
    "string_literal",
    "interpreted_string_literal",
    "interpreted_string_literal_content",
    "raw_string_literal",
    "raw_string_literal_content",
    "concatenated_string",
    "escape_sequence",
    "number",
    "integer",
    "float",
    "int_literal",
    "float_literal",
    "rune_literal",
    "decimal_integer_literal",
    "decimal_floating_point_literal",
    "hex_integer_literal",
    "character_literal",
    "true",
    "false",
    "none",
    "null",
    "nil",
    "null_literal",
    "undefined",
    "unary_expression",
    "unary_operator",
    "list",
    "tuple",
    "set",
    "dictionary",
    "pair",
    "array",
    "object",
    "property_identifier",
    "array_initializer",
    "expression_list",
    "comment",
    "line_comment",
    "block_comment",
];

/// The one part of a declaration that has the name, if everything else is plain data. `text`
/// is that of the declaration.
pub(super) fn declared<'a>(language: Language, node: Node<'a>, text: &str) -> Option<Node<'a>> {
    let declared = match language {
        Language::Python => node.named_child(0).filter(|one| one.kind() == "assignment")?,
        Language::JavaScript | Language::TypeScript => {
            only(node, |one| one.kind() == "variable_declarator")?
        }
        Language::Java => node.child_by_field_name("declarator")?,
        // The list of several is not looked into.
        Language::Go => only(node, |one| matches!(one.kind(), "const_spec" | "var_spec"))?,
        _ => return None,
    };
    let single = match language {
        Language::Python => {
            let left = declared.child_by_field_name("left")?;
            // Runners look for names in small letters.
            let name = text.split([' ', ':', '=']).next().unwrap_or_default();
            let typed = declared.child_by_field_name("type").is_some();
            left.kind() == "identifier" && !typed && !name.contains(char::is_lowercase)
        }
        // A mark says what else it is.
        Language::Java => !text.contains('@'),
        _ => declared.child_by_field_name("name")?.kind() == "identifier",
    };
    let value =
        declared.child_by_field_name("value").or_else(|| declared.child_by_field_name("right"))?;
    (single && is_data(value)).then_some(declared)
}

/// The only part with a name, if it is of a kind.
fn only(node: Node<'_>, kind: impl Fn(&Node<'_>) -> bool) -> Option<Node<'_>> {
    let first = node.named_child(0).filter(kind)?;
    (node.named_child_count() == 1).then_some(first)
}

fn is_data(value: Node<'_>) -> bool {
    let mut cursor = value.walk();
    let mut below = vec![value];
    while let Some(node) = below.pop() {
        if !DATA.contains(&node.kind()) {
            return false;
        }
        below.extend(node.named_children(&mut cursor));
    }
    true
}
