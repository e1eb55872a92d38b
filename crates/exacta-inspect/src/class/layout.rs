//! Where a language lets people set a program as they like: line breaks, the comma at the end
//! of a list, the semicolon that a line break stands for, the kind of a quote.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

/// After these a line of JavaScript may break anywhere.
const OPENS: &[&str] = &[
    "(", "[", "{", ",", ";", "=", "=>", "&&", "||", "??", "?", ":", "+", "*", "===", "!==", "==",
    "!=", "<=", ">=", "...", "",
];
/// Before these too.
const CLOSES: &[&str] = &[")", "]", "}", ".", "?.", ",", ";", "&&", "||", "??", "?", ":", "==="];

/// Whether a line break between two words of JavaScript never ends a statement.
pub(super) fn goes_on_in_javascript(word: &str, next: &str) -> bool {
    OPENS.contains(&word) || CLOSES.contains(&next)
}

/// Whether a line break after this word of Go puts a semicolon there.
pub(super) fn may_end_a_statement_of_go(word: &str) -> bool {
    let last = word.chars().next_back();
    matches!(word, "++" | "--")
        || last.is_none_or(|c| c.is_alphanumeric() || "_\"'`)]}".contains(c) || !c.is_ascii())
}

/// Brackets of Python within which lines break as people like.
const BRACKETS: &[&str] = &["argument_list", "dictionary", "list", "parameters", "set", "tuple"];

/// What may stand between such brackets and their statement. Whatever branches is not here:
/// the compiler keeps or drops jumps by the lines on which they stand.
const STRAIGHT: &[&str] = &[
    "assignment",
    "attribute",
    "augmented_assignment",
    "binary_operator",
    "call",
    "decorator",
    "dictionary_splat",
    "expression_list",
    "keyword_argument",
    "list_splat",
    "pair",
    "subscript",
    "unary_operator",
];

const STATEMENTS: &[&str] = &[
    "class_definition",
    "expression_statement",
    "function_definition",
    "raise_statement",
    "return_statement",
];

/// Whether a place is between brackets of Python in a statement that does not branch.
pub(super) fn in_brackets_of_python(parents: &[Node<'_>]) -> bool {
    let mut inside = false;
    for node in parents.iter().rev() {
        let kind = node.kind();
        // A list of names breaks only between brackets.
        if kind == "import_from_statement" {
            return true;
        }
        if BRACKETS.contains(&kind) {
            // Defaults and annotations that are constants leave marks of their lines.
            let mut cursor = node.walk();
            let plain = |child: Node<'_>| child.kind() == "identifier";
            if kind == "parameters" && !node.named_children(&mut cursor).all(plain) {
                return false;
            }
            inside = true;
        } else if STATEMENTS.contains(&kind) {
            return inside;
        } else if kind == "decorated_definition" || !STRAIGHT.contains(&kind) {
            // A decorator has ended by itself.
            return inside && kind == "decorated_definition";
        }
    }
    false
}

/// Whether a comma is the last in a list, where it says nothing.
pub(super) fn is_last_comma(
    language: Language,
    comma: Node<'_>,
    parents: &[Node<'_>],
    text: &str,
) -> bool {
    let Some(parent) = parents.last() else { return false };
    let named = |node: &Node<'_>| node.is_named() && !node.kind().contains("comment");
    let mut cursor = parent.walk();
    let parts: Vec<Node<'_>> = parent.children(&mut cursor).collect();
    let Some(at) = parts.iter().position(|part| *part == comma) else { return false };
    let (before, after) = parts.split_at(at);
    let comment = |part: &&Node<'_>| part.kind().contains("comment");
    let Some(last) = before.iter().rev().find(|part| !comment(part)) else { return false };
    let rest: Vec<&Node<'_>> = after.iter().skip(1).filter(|part| !comment(part)).collect();
    if !named(last) {
        return false;
    }
    let count = before.iter().filter(|part| named(part)).count();
    let kind = parent.kind();
    // An arm of a match holds its own comma.
    if language == Language::Rust && kind == "match_arm" {
        let block = matches!(
            last.kind(),
            "block"
                | "if_expression"
                | "match_expression"
                | "while_expression"
                | "loop_expression"
                | "for_expression"
                | "unsafe_block"
        );
        return rest.is_empty() && (block || next_sign(text, parent.end_byte()) == Some('}'));
    }
    let [close] = rest.as_slice() else { return false };
    if !matches!(close.kind(), ")" | "]" | "}") {
        return false;
    }
    match language {
        Language::Python => match kind {
            // As a statement of an older Python, `print (a,)` prints a tuple.
            "argument_list" => parents
                .len()
                .checked_sub(2)
                .and_then(|at| parents.get(at))
                .is_some_and(|call| is_called_plainly(*call, text)),
            "tuple" => count > 1,
            "list" | "dictionary" | "set" | "import_from_statement" => true,
            _ => false,
        },
        Language::JavaScript | Language::TypeScript => match kind {
            "array" | "object" | "named_imports" | "export_clause" => true,
            "arguments" => parents
                .len()
                .checked_sub(2)
                .and_then(|at| parents.get(at))
                .and_then(|call| call.child_by_field_name("function"))
                .is_none_or(|called| called.kind() != "import"),
            _ => false,
        },
        Language::Go => matches!(kind, "argument_list" | "literal_value" | "parameter_list"),
        Language::Java => kind == "array_initializer",
        Language::Rust => match kind {
            "arguments" | "array_expression" | "parameters" | "use_list" => true,
            "field_initializer_list" => last.kind() != "base_field_initializer",
            "tuple_expression" | "tuple_pattern" | "tuple_type" => count > 1,
            _ => false,
        },
        Language::C | Language::Cpp => matches!(kind, "initializer_list" | "enumerator_list"),
    }
}

fn is_called_plainly(call: Node<'_>, text: &str) -> bool {
    let called = call.child_by_field_name("function");
    let called = called.and_then(|called| text.get(called.byte_range()));
    call.kind() == "call" && called.is_some_and(|name| !matches!(name, "print" | "exec"))
}

/// Statements of JavaScript that a line break may end.
const ENDED: &[&str] = &[
    "break_statement",
    "continue_statement",
    "debugger_statement",
    "export_statement",
    "expression_statement",
    "import_statement",
    "lexical_declaration",
    "return_statement",
    "throw_statement",
    "type_alias_declaration",
    "variable_declaration",
];

/// Whether a statement ends where this semicolon stands even without it.
pub(super) fn ends_anyway(
    language: Language,
    sign: Node<'_>,
    parents: &[Node<'_>],
    text: &str,
) -> bool {
    let script = matches!(language, Language::JavaScript | Language::TypeScript);
    let ended = parents
        .last()
        .is_some_and(|node| ENDED.contains(&node.kind()) && node.end_byte() == sign.end_byte());
    let within = parents.len().checked_sub(2).and_then(|at| parents.get(at));
    let head = within.is_some_and(|node| node.kind().starts_with("for_"));
    if !script || !ended || head {
        return false;
    }
    let rest = text.get(sign.end_byte()..).unwrap_or_default();
    let broken = |before: &str| before.contains('\n');
    let (blank, next) = rest.split_at(rest.len() - after_comments(rest).len());
    match next.chars().next() {
        None | Some('}') => true,
        Some(c)
            if broken(blank) && (c.is_alphanumeric() || matches!(c, '_' | '$' | '\'' | '"')) =>
        {
            let end = next.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
            let word = next.get(..end.unwrap_or(next.len())).unwrap_or_default();
            !["in", "instanceof", "of", "as", "satisfies", "is", "else", "while", "extends"]
                .contains(&word)
        }
        Some(_) => false,
    }
}

/// Words that go on in the next line, or mean something else at the end of one.
pub(super) fn is_contextual(word: &str) -> bool {
    [
        "let",
        "async",
        "get",
        "set",
        "static",
        "type",
        "yield",
        "await",
        "abstract",
        "declare",
        "namespace",
        "module",
        "interface",
        "of",
        "accessor",
        "using",
        "++",
        "--",
        "enum",
        "return",
        "throw",
        "break",
        "continue",
        "",
    ]
    .contains(&word)
}

/// The text behind white space and comments of JavaScript.
fn after_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        rest = if let Some(line) = rest.strip_prefix("//") {
            line.find('\n').and_then(|end| line.get(end..)).unwrap_or_default()
        } else if let Some(block) = rest.strip_prefix("/*") {
            block.find("*/").and_then(|end| block.get(end + 2..)).unwrap_or_default()
        } else {
            return rest;
        };
        rest = rest.trim_start();
    }
}

/// The first sign behind a byte, comments left out.
fn next_sign(text: &str, from: usize) -> Option<char> {
    after_comments(text.get(from..)?).chars().next()
}

/// What stands before the quotes of a text and between them, where either kind of quote says
/// the same.
pub(super) fn quoted<'t>(
    language: Language,
    kind: &str,
    text: &'t str,
) -> Option<(&'t str, &'t str)> {
    let either = matches!(language, Language::Python | Language::JavaScript | Language::TypeScript);
    if !either || kind != "string" {
        return None;
    }
    let (prefix, rest) = text.split_at(text.find(['"', '\''])?);
    let inside = rest
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .or_else(|| rest.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')))?;
    (!inside.contains(['"', '\'', '\\', '\n', '\r'])).then_some((prefix, inside))
}
