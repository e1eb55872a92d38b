//! What kinds of nodes do, the same for all grammars: they use the same names for the
//! same things, and where two differ, both names are here.

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing of its own.
    Plain,
    /// Nothing that runs.
    Comment,
    /// A function with or without a name.
    Function,
    /// A branch on a condition.
    If,
    /// One case of several.
    Case,
    /// What happens when something fails.
    Catch,
    /// Leaves with a value.
    Return,
    /// Leaves with an error.
    Throw,
    /// Leaves a part.
    Jump,
    /// Calls something.
    Call,
    /// Calls a macro.
    Macro,
    /// Brings in what another file or package has.
    Import,
    /// A text.
    Text,
    /// A value inside a text.
    Hole,
    /// Two values made one.
    Pair,
    /// Yes or no.
    Truth,
    /// A name.
    Name,
    /// A value gets a name.
    Binding,
    /// A mark on a function or a class.
    Mark,
    /// Goes on only if something holds.
    Assert,
    /// Keeps only what fits.
    Filter,
    /// Passes an error on.
    Try,
    /// Switches checks of the language off, or defines a word anew.
    Raw,
    /// A value is put into something.
    Assign,
    /// A value stands behind the name of an option.
    Option,
    /// A value or a member gets a type.
    Declared,
    /// A value gets another type.
    Cast,
    /// Room for so many values.
    Room,
    /// A part of a value.
    Cut,
    /// Something that is held while a block runs.
    Held,
    /// What is left of a value.
    Rest,
    /// What texts are held against.
    Pattern,
    /// Waits for something.
    Await,
    /// A class or something like it.
    Class,
    /// An entry of something, by its place or name.
    Index,
    /// One of two values.
    Choice,
    /// Values one behind the other.
    Row,
}

/// The role of a node kind.
pub(crate) fn role_of(kind: &str) -> Role {
    match kind {
        "comment" | "line_comment" | "block_comment" | "html_comment" => Role::Comment,
        "function_definition"
        | "function_declaration"
        | "function_item"
        | "method_definition"
        | "method_declaration"
        | "constructor_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "arrow_function"
        | "lambda"
        | "lambda_expression"
        | "closure_expression"
        | "func_literal" => Role::Function,
        "if_statement" | "if_expression" | "elif_clause" => Role::If,
        "switch_case"
        | "switch_default"
        | "case_clause"
        | "match_arm"
        | "case_statement"
        | "expression_case"
        | "default_case"
        | "switch_block_statement_group"
        | "switch_rule" => Role::Case,
        "except_clause" | "catch_clause" => Role::Catch,
        "return_statement" | "return_expression" => Role::Return,
        "throw_statement" | "raise_statement" => Role::Throw,
        "break_statement"
        | "continue_statement"
        | "goto_statement"
        | "break_expression"
        | "continue_expression" => Role::Jump,
        "call"
        | "call_expression"
        | "method_invocation"
        | "object_creation_expression"
        | "new_expression" => Role::Call,
        "macro_invocation" => Role::Macro,
        "import_statement"
        | "import_from_statement"
        | "import_declaration"
        | "import_spec"
        | "use_declaration"
        | "preproc_include"
        | "extern_crate_declaration" => Role::Import,
        "string"
        | "string_literal"
        | "interpreted_string_literal"
        | "raw_string_literal"
        | "template_string"
        | "char_literal"
        | "rune_literal"
        | "character_literal"
        | "concatenated_string" => Role::Text,
        "interpolation" | "template_substitution" => Role::Hole,
        "binary_expression" | "binary_operator" | "boolean_operator" | "comparison_operator" => {
            Role::Pair
        }
        "true" | "false" | "boolean_literal" => Role::Truth,
        "variable_declarator"
        | "const_item"
        | "static_item"
        | "assignment"
        | "short_var_declaration"
        | "const_spec"
        | "var_spec"
        | "init_declarator"
        | "preproc_def" => Role::Binding,
        "decorator" | "annotation" | "marker_annotation" | "attribute_item" => Role::Mark,
        "assert_statement" => Role::Assert,
        "if_clause" => Role::Filter,
        "try_expression" => Role::Try,
        "unsafe_block" | "preproc_function_def" | "asm_statement" | "gnu_asm_expression" => {
            Role::Raw
        }
        "assignment_expression"
        | "augmented_assignment_expression"
        | "augmented_assignment"
        | "compound_assignment_expr"
        | "assignment_statement" => Role::Assign,
        "pair"
        | "keyword_argument"
        | "keyed_element"
        | "field_initializer"
        | "initializer_pair"
        | "default_parameter"
        | "typed_default_parameter"
        | "assignment_pattern"
        | "object_assignment_pattern"
        | "optional_parameter_declaration"
        | "required_parameter"
        | "optional_parameter"
        | "public_field_definition"
        | "enumerator"
        | "enum_variant"
        | "enum_constant"
        | "field_definition" => Role::Option,
        "declaration"
        | "field_declaration"
        | "parameter_declaration"
        | "local_variable_declaration"
        | "let_declaration" => Role::Declared,
        "cast_expression" | "type_cast_expression" => Role::Cast,
        "array_declarator" | "dimensions_expr" => Role::Room,
        "slice" | "slice_expression" | "range_expression" => Role::Cut,
        "with_item" => Role::Held,
        "rest_pattern" => Role::Rest,
        "regex" => Role::Pattern,
        "subscript" | "subscript_expression" | "index_expression" | "array_access" => Role::Index,
        "conditional_expression" | "ternary_expression" => Role::Choice,
        "initializer_list" | "tuple" | "tuple_expression" | "array" | "list"
        | "array_expression" => Role::Row,
        "await_expression" | "await" | "defer_statement" => Role::Await,
        "class_declaration"
        | "class_definition"
        | "class"
        | "class_specifier"
        | "struct_specifier"
        | "impl_item"
        | "macro_definition"
        | "trait_item"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration" => Role::Class,
        _ if kind.ends_with("identifier") => Role::Name,
        _ => Role::Plain,
    }
}
