//! What a name does where it stands: it is looked up, or it is a key that nobody looks up.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

/// The name that begins at a byte.
pub(super) fn word_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    rest.get(..end.unwrap_or(rest.len())).filter(|word| !word.is_empty())
}

/// Whether a word holds others that are not told apart.
pub(super) fn is_opaque(language: Language, node: Node<'_>, text: &str, asks: bool) -> bool {
    let kind = node.kind();
    match language {
        Language::Rust => matches!(kind, "token_tree" | "macro_definition" | "attribute_item"),
        Language::Python => kind.contains("string") && (asks || text.contains('{')),
        Language::JavaScript | Language::TypeScript => {
            kind == "template_string" || kind == "template_literal_type"
        }
        Language::Java => kind.contains("string") && text.contains("\\{"),
        Language::C | Language::Cpp => kind.starts_with("preproc_"),
        Language::Go => false,
    }
}

/// Whether a word is a key: the name of a part, an argument or a label.
pub(super) fn is_key(
    language: Language,
    node: Node<'_>,
    parent: Option<Node<'_>>,
    field: Option<&str>,
) -> bool {
    let (kind, parent) = (node.kind(), parent.map_or("", |parent| parent.kind()));
    match language {
        Language::Python => matches!(
            (parent, field),
            ("attribute", Some("attribute")) | ("keyword_argument", Some("name"))
        ),
        Language::JavaScript | Language::TypeScript => {
            matches!(
                kind,
                "property_identifier" | "private_property_identifier" | "statement_identifier"
            ) || kind == "string_fragment"
        }
        Language::Go => matches!(kind, "field_identifier" | "label_name"),
        Language::C | Language::Cpp => {
            matches!(kind, "field_identifier" | "statement_identifier") || kind == "string_content"
        }
        Language::Rust => {
            kind == "field_identifier"
                || kind == "identifier" && matches!(parent, "label" | "lifetime")
                || kind.contains("string")
        }
        Language::Java => matches!(
            (parent, field),
            ("field_access", Some("field")) | ("method_invocation", Some("name"))
        ),
    }
}

/// Whether a local may have another name in this place.
pub(super) fn may_stand(
    language: Language,
    node: Node<'_>,
    parent: Node<'_>,
    around: Option<Node<'_>>,
    field: Option<&str>,
) -> bool {
    let kind = parent.kind();
    let listed = match language {
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript => JAVASCRIPT,
        Language::Go => GO,
        Language::Java => JAVA,
        Language::C | Language::Cpp => C,
        Language::Rust => RUST,
    };
    if !listed.contains(&kind) {
        return false;
    }
    match kind {
        "arrow_function" | "lambda" | "closure_expression" | "lambda_expression" => {
            field == Some("body")
        }
        "tuple_struct_pattern" => field != Some("type"),
        // A key of a literal of Go may be the name of a field.
        "literal_element" => around.is_some_and(|pair| {
            pair.kind() != "keyed_element"
                || pair.child_by_field_name("value").is_some_and(|value| value == parent)
        }),
        // A function takes the name of what it is put into.
        "variable_declarator"
        | "assignment_expression"
        | "augmented_assignment_expression"
        | "assignment_pattern"
            if matches!(language, Language::JavaScript | Language::TypeScript) =>
        {
            let right = ["value", "right"].iter().find_map(|one| parent.child_by_field_name(one));
            right.is_none_or(|right| right == node || !names_itself(right))
        }
        _ => true,
    }
}

/// Whether a value takes the name of what it is put into.
fn names_itself(mut value: Node<'_>) -> bool {
    while value.kind() == "parenthesized_expression"
        && let Some(inner) = value.named_child(0)
    {
        value = inner;
    }
    let kind = value.kind();
    kind.contains("function") || kind.contains("class")
}

const PYTHON: &[&str] = &[
    "argument_list",
    "as_pattern",
    "as_pattern_target",
    "assert_statement",
    "assignment",
    "attribute",
    "augmented_assignment",
    "await",
    "binary_operator",
    "boolean_operator",
    "call",
    "comparison_operator",
    "conditional_expression",
    "delete_statement",
    "dictionary_splat",
    "elif_clause",
    "expression_list",
    "expression_statement",
    "for_in_clause",
    "for_statement",
    "generator_expression",
    "dictionary_comprehension",
    "if_clause",
    "if_statement",
    "keyword_argument",
    "lambda",
    "list",
    "list_comprehension",
    "list_pattern",
    "list_splat",
    "named_expression",
    "not_operator",
    "pair",
    "parenthesized_expression",
    "pattern_list",
    "raise_statement",
    "return_statement",
    "set",
    "set_comprehension",
    "slice",
    "subscript",
    "tuple",
    "tuple_pattern",
    "unary_operator",
    "while_statement",
    "with_item",
    "yield",
];

const JAVASCRIPT: &[&str] = &[
    "arguments",
    "array",
    "array_pattern",
    "arrow_function",
    "as_expression",
    "assignment_expression",
    "assignment_pattern",
    "augmented_assignment_expression",
    "await_expression",
    "binary_expression",
    "call_expression",
    "computed_property_name",
    "expression_statement",
    "for_in_statement",
    "for_statement",
    "member_expression",
    "new_expression",
    "non_null_expression",
    "pair",
    "pair_pattern",
    "parenthesized_expression",
    "rest_pattern",
    "return_statement",
    "satisfies_expression",
    "sequence_expression",
    "spread_element",
    "subscript_expression",
    "switch_case",
    "ternary_expression",
    "throw_statement",
    "unary_expression",
    "update_expression",
    "variable_declarator",
    "yield_expression",
];

const GO: &[&str] = &[
    "argument_list",
    "assignment_statement",
    "binary_expression",
    "call_expression",
    "dec_statement",
    "expression_list",
    "expression_statement",
    "expression_switch_statement",
    "for_clause",
    "for_statement",
    "if_statement",
    "inc_statement",
    "index_expression",
    "literal_element",
    "parenthesized_expression",
    "range_clause",
    "return_statement",
    "selector_expression",
    "send_statement",
    "slice_expression",
    "type_assertion_expression",
    "unary_expression",
    "var_spec",
    "variadic_argument",
];

const JAVA: &[&str] = &[
    "argument_list",
    "array_access",
    "array_initializer",
    "assert_statement",
    "assignment_expression",
    "binary_expression",
    "cast_expression",
    "dimensions_expr",
    "enhanced_for_statement",
    "expression_statement",
    "field_access",
    "for_statement",
    "instanceof_expression",
    "lambda_expression",
    "method_invocation",
    "method_reference",
    "parenthesized_expression",
    "return_statement",
    "ternary_expression",
    "throw_statement",
    "unary_expression",
    "update_expression",
    "variable_declarator",
    "yield_statement",
];

const C: &[&str] = &[
    "argument_list",
    "array_declarator",
    "assignment_expression",
    "binary_expression",
    "call_expression",
    "cast_expression",
    "comma_expression",
    "conditional_expression",
    "declaration",
    "expression_statement",
    "field_expression",
    "for_statement",
    "init_declarator",
    "initializer_list",
    "parenthesized_expression",
    "pointer_declarator",
    "pointer_expression",
    "reference_declarator",
    "return_statement",
    "sizeof_expression",
    "subscript_argument_list",
    "subscript_expression",
    "unary_expression",
    "update_expression",
];

const RUST: &[&str] = &[
    "arguments",
    "array_expression",
    "assignment_expression",
    "await_expression",
    "binary_expression",
    "block",
    "break_expression",
    "call_expression",
    "closure_expression",
    "compound_assignment_expr",
    "expression_statement",
    "field_expression",
    "field_initializer",
    "for_expression",
    "if_expression",
    "index_expression",
    "let_condition",
    "let_declaration",
    "match_arm",
    "match_expression",
    "mut_pattern",
    "parenthesized_expression",
    "range_expression",
    "ref_pattern",
    "reference_expression",
    "reference_pattern",
    "return_expression",
    "slice_pattern",
    "try_expression",
    "tuple_expression",
    "tuple_pattern",
    "tuple_struct_pattern",
    "type_cast_expression",
    "unary_expression",
    "while_expression",
];
