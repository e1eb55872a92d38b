//! Which grammar reads which file, and what its node kinds mean.

use std::sync::LazyLock;

use exacta_core::judge::facts::Language;
use exacta_core::model::path::RelPath;

use super::effects::{Role, role_of};

/// The node ends a comment.
pub(super) const COMMENT: u16 = 1;
/// A function with a name.
pub(super) const FUNCTION: u16 = 1 << 1;
/// Something whose name is part of the names inside.
pub(super) const CONTAINER: u16 = 1 << 2;
/// One more way through the function.
pub(super) const BRANCH: u16 = 1 << 3;
/// Its parts count one too many.
pub(super) const LESS_ONE: u16 = 1 << 4;
/// An operator inside it may be a branch.
pub(super) const OPERATION: u16 = 1 << 5;
/// An operator that is a branch inside an operation.
pub(super) const OPERATOR: u16 = 1 << 6;
/// A statement that is prose when it holds nothing but a string.
pub(super) const PROSE: u16 = 1 << 7;

/// A parser's tables.
pub(super) struct Grammar {
    pub(super) parser: tree_sitter::Language,
    /// Meaning of each node kind by its number.
    meanings: Vec<u16>,
    /// What each node kind does, likewise.
    roles: Vec<Role>,
}

impl Grammar {
    fn new(parser: tree_sitter::Language, kinds: &[(u16, &[&str])]) -> Self {
        let count = u16::try_from(parser.node_kind_count()).unwrap_or(u16::MAX);
        let meanings = (0..count)
            .map(|id| {
                let name = parser.node_kind_for_id(id).unwrap_or_default();
                kinds
                    .iter()
                    .filter(|(_, names)| names.contains(&name))
                    .fold(0, |meaning, (bits, _)| meaning | bits)
            })
            .collect();
        let roles =
            (0..count).map(|id| role_of(parser.node_kind_for_id(id).unwrap_or_default())).collect();
        Self { parser, meanings, roles }
    }

    pub(super) fn role(&self, kind: u16) -> Role {
        self.roles.get(usize::from(kind)).copied().unwrap_or(Role::Plain)
    }

    pub(super) fn meaning(&self, kind: u16) -> u16 {
        self.meanings.get(usize::from(kind)).copied().unwrap_or(0)
    }
}

const SCRIPT: &[(u16, &[&str])] = &[
    (COMMENT, &["comment", "html_comment", "hash_bang_line"]),
    (
        FUNCTION,
        &[
            "function_declaration",
            "generator_function_declaration",
            "method_definition",
            "function_expression",
            "generator_function",
            "arrow_function",
        ],
    ),
    (CONTAINER, &["class_declaration", "abstract_class_declaration", "class", "internal_module"]),
    (
        BRANCH,
        &[
            "if_statement",
            "for_statement",
            "for_in_statement",
            "while_statement",
            "do_statement",
            "switch_case",
            "catch_clause",
            "ternary_expression",
        ],
    ),
    (OPERATION, &["binary_expression", "augmented_assignment_expression"]),
    (OPERATOR, &["&&", "||", "??"]),
];

const C_LIKE: &[(u16, &[&str])] = &[
    (COMMENT, &["comment"]),
    (FUNCTION, &["function_definition"]),
    (CONTAINER, &["class_specifier", "struct_specifier", "namespace_definition"]),
    (
        BRANCH,
        &[
            "if_statement",
            "for_statement",
            "for_range_loop",
            "while_statement",
            "do_statement",
            "case",
            "conditional_expression",
            "catch_clause",
        ],
    ),
    (OPERATION, &["binary_expression"]),
    (OPERATOR, &["&&", "||", "and", "or"]),
];

static RUST: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::new(
        tree_sitter_rust::LANGUAGE.into(),
        &[
            (COMMENT, &["line_comment", "block_comment"]),
            (FUNCTION, &["function_item"]),
            (CONTAINER, &["mod_item", "impl_item", "trait_item"]),
            (
                BRANCH,
                &[
                    "if_expression",
                    "while_expression",
                    "for_expression",
                    "loop_expression",
                    "match_arm",
                    // `?` goes on or leaves the function.
                    "try_expression",
                ],
            ),
            (LESS_ONE, &["match_expression"]),
            (OPERATION, &["binary_expression", "let_chain"]),
            (OPERATOR, &["&&", "||"]),
        ],
    )
});

static PYTHON: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::new(
        tree_sitter_python::LANGUAGE.into(),
        &[
            (COMMENT, &["comment"]),
            (FUNCTION, &["function_definition"]),
            (CONTAINER, &["class_definition"]),
            (
                BRANCH,
                &[
                    "if_statement",
                    "elif_clause",
                    "for_statement",
                    "while_statement",
                    "except_clause",
                    "conditional_expression",
                    "boolean_operator",
                    "for_in_clause",
                    "if_clause",
                    "case_clause",
                ],
            ),
            (LESS_ONE, &["match_statement"]),
            (PROSE, &["expression_statement"]),
        ],
    )
});

static JAVASCRIPT: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(tree_sitter_javascript::LANGUAGE.into(), SCRIPT));
static TYPESCRIPT: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), SCRIPT));
static TSX: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(tree_sitter_typescript::LANGUAGE_TSX.into(), SCRIPT));

static GO: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::new(
        tree_sitter_go::LANGUAGE.into(),
        &[
            (COMMENT, &["comment"]),
            (FUNCTION, &["function_declaration", "method_declaration"]),
            (
                BRANCH,
                &[
                    "if_statement",
                    "for_statement",
                    "expression_case",
                    "type_case",
                    "communication_case",
                ],
            ),
            (OPERATION, &["binary_expression"]),
            (OPERATOR, &["&&", "||"]),
        ],
    )
});

static JAVA: LazyLock<Grammar> = LazyLock::new(|| {
    Grammar::new(
        tree_sitter_java::LANGUAGE.into(),
        &[
            (COMMENT, &["line_comment", "block_comment"]),
            (
                FUNCTION,
                &[
                    "method_declaration",
                    "constructor_declaration",
                    "compact_constructor_declaration",
                ],
            ),
            (
                CONTAINER,
                &[
                    "class_declaration",
                    "interface_declaration",
                    "enum_declaration",
                    "record_declaration",
                ],
            ),
            (
                BRANCH,
                &[
                    "if_statement",
                    "for_statement",
                    "enhanced_for_statement",
                    "while_statement",
                    "do_statement",
                    "catch_clause",
                    "ternary_expression",
                    "case",
                ],
            ),
            (OPERATION, &["binary_expression"]),
            (OPERATOR, &["&&", "||"]),
        ],
    )
});

static C: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(tree_sitter_c::LANGUAGE.into(), C_LIKE));
static CPP: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::new(tree_sitter_cpp::LANGUAGE.into(), C_LIKE));

/// The language of a path; `None` when its syntax is not read.
pub(crate) fn language_of(path: &RelPath) -> Option<Language> {
    let name = path.name().to_lowercase();
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending {
        "rs" => Language::Rust,
        "py" | "pyi" | "pyw" => Language::Python,
        "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
        "ts" | "tsx" | "mts" | "cts" => Language::TypeScript,
        "go" => Language::Go,
        "java" => Language::Java,
        "c" | "h" => Language::C,
        "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" => {
            Language::Cpp
        }
        _ => return None,
    })
}

/// The grammar for a text, and the language it turns out to be: a `.h` file may be C++.
pub(super) fn grammar(
    language: Language,
    path: &RelPath,
    text: &str,
) -> (Language, &'static Grammar) {
    let name = path.name().to_lowercase();
    match language {
        Language::Rust => (language, &RUST),
        Language::Python => (language, &PYTHON),
        Language::JavaScript => (language, &JAVASCRIPT),
        Language::TypeScript if name.split('.').next_back() == Some("tsx") => (language, &TSX),
        Language::TypeScript => (language, &TYPESCRIPT),
        Language::Go => (language, &GO),
        Language::Java => (language, &JAVA),
        Language::C if name.split('.').next_back() == Some("h") && reads_as_cpp(text) => {
            (Language::Cpp, &CPP)
        }
        Language::C => (language, &C),
        Language::Cpp => (language, &CPP),
    }
}

fn reads_as_cpp(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        ["class ", "namespace ", "template<", "template <", "using ", "public:", "private:"]
            .iter()
            .any(|start| line.starts_with(start))
    })
}
