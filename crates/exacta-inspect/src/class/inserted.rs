//! Statements that may come into a test that stays: what was asserted is asserted as before.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

use super::added_tests::acts_on_others;
use super::assertions::changes;
use super::names::{is_taken, occurrences};

/// Words in a test of a script behind which something of it runs later: what comes last in
/// its text does not run last.
const LATER: &[&str] = &["done", ".then(", "setTimeout", "setImmediate", ".on(", ".once(", ".end("];
const LATER_IN_GO: &[&str] = &["defer ", "t.Cleanup(", "go func"];
const LATER_IN_PYTHON: &[&str] = &["addCleanup", "yield", "callback"];

/// Words that end a test before its time, or leave it out.
const ENDS: &[&str] = &[
    "done", "plan(", "t.end(", "skip", "Skip", "xfail", "exit", "abort", "longjmp", "assume",
    "Assume",
];

/// Words that put something in the place of what is tested.
const STANDS_IN: &[&str] = &[
    "spy", "Spy", "mock", "Mock", "stub", "Stub", "patch", "fake", "Fake", "setattr", "override",
    "Override", "inject", "replace",
];

/// A value that gets a name which the test does not use: nothing that was there can tell.
pub(super) fn is_fresh_value(language: Language, node: Node<'_>, text: &str, around: &str) -> bool {
    let Some(words) = text.get(node.byte_range()) else { return false };
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    if acts_on_others(words) || says(ENDS) || says(STANDS_IN) {
        return false;
    }
    let mut names = Vec::new();
    let mut values = Vec::new();
    if !bound(language, node, &mut names, &mut values) || names.is_empty() {
        return false;
    }
    let fresh = |name: &Node<'_>| {
        text.get(name.byte_range()).is_some_and(|name| {
            name == "_" || !is_taken(language, name) && occurrences(around, name) == 0
        })
    };
    names.iter().all(fresh) && !values.into_iter().any(changes)
}

/// What a declaration binds and to what; false where it does anything else.
fn bound<'t>(
    language: Language,
    node: Node<'t>,
    names: &mut Vec<Node<'t>>,
    values: &mut Vec<Node<'t>>,
) -> bool {
    let pairs: Vec<Node<'t>> = match (language, node.kind()) {
        (Language::Python, "expression_statement") => {
            let inner = node.named_child(0).filter(|one| one.kind() == "assignment");
            inner.filter(|_| node.named_child_count() == 1).into_iter().collect()
        }
        (
            Language::JavaScript | Language::TypeScript,
            "lexical_declaration" | "variable_declaration",
        )
        | (Language::Java, "local_variable_declaration") => children(node, "variable_declarator"),
        (Language::Go, "short_var_declaration") | (Language::Rust, "let_declaration") => vec![node],
        (Language::C | Language::Cpp, "declaration") => {
            let mut cursor = node.walk();
            node.children_by_field_name("declarator", &mut cursor).collect()
        }
        _ => return false,
    };
    !pairs.is_empty()
        && pairs.into_iter().all(|pair| {
            let name = ["left", "name", "pattern", "declarator"]
                .iter()
                .find_map(|field| pair.child_by_field_name(field));
            let name = name.unwrap_or(pair);
            values.extend(
                ["right", "value"].iter().filter_map(|field| pair.child_by_field_name(field)),
            );
            gather_names(name, names)
        })
}

fn children<'t>(node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|one| one.kind() == kind).collect()
}

/// The names of a pattern; false where it holds anything but names.
fn gather_names<'t>(pattern: Node<'t>, names: &mut Vec<Node<'t>>) -> bool {
    let mut below = vec![pattern];
    let mut cursor = pattern.walk();
    while let Some(node) = below.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.push(node),
            "expression_list"
            | "pattern_list"
            | "tuple_pattern"
            | "object_pattern"
            | "array_pattern"
            | "pointer_declarator"
            | "reference_declarator"
            | "mut_pattern"
            | "array_declarator" => below.extend(node.named_children(&mut cursor)),
            "number_literal" | "mutable_specifier" => {}
            _ => return false,
        }
        if names.len() > 16 {
            return false;
        }
    }
    true
}

/// Whether a statement may follow everything that a test does. It has run by then.
pub(super) fn may_follow(language: Language, node: Node<'_>, text: &str, around: &str) -> bool {
    let Some(words) = text.get(node.byte_range()) else { return false };
    let later: &[&str] = match language {
        Language::JavaScript | Language::TypeScript => LATER,
        Language::Go => LATER_IN_GO,
        Language::Python => LATER_IN_PYTHON,
        Language::Rust | Language::Java | Language::C | Language::Cpp => &[],
    };
    // The value of a block, and what is cleaned up by its own kind.
    let known = match language {
        Language::Rust => matches!(node.kind(), "let_declaration" | "expression_statement"),
        Language::Go => !matches!(node.kind(), "defer_statement" | "go_statement" | "go"),
        _ => true,
    };
    known
        && !later.iter().any(|word| around.contains(word))
        && !acts_on_others(words)
        && !ENDS.iter().any(|word| words.contains(word))
        && only_plain_statements(language, node, text, around)
}

/// Kinds of statements that run and are over.
const PLAIN: &[&str] = &[
    "assert_statement",
    "block",
    "compound_statement",
    "declaration",
    "enhanced_for_statement",
    "expression_statement",
    "for_in_statement",
    "for_statement",
    "if_statement",
    "let_declaration",
    "lexical_declaration",
    "local_variable_declaration",
    "macro_invocation",
    "short_var_declaration",
    "try_statement",
    "variable_declaration",
    "with_statement",
];

/// Parts that leave the test, or that set something: neither may be outside of a function.
const LEAVES: &[&str] = &[
    "return_statement",
    "return_expression",
    "break_statement",
    "continue_statement",
    "goto_statement",
    "raise_statement",
    "throw_statement",
    "yield",
    "delete_statement",
    "global_statement",
    "nonlocal_statement",
];

/// Whether a statement leaves nothing and sets no name that the test has.
fn only_plain_statements(language: Language, node: Node<'_>, text: &str, around: &str) -> bool {
    if !PLAIN.contains(&node.kind()) {
        return false;
    }
    let mut cursor = node.walk();
    let mut below = vec![node];
    while let Some(next) = below.pop() {
        let kind = next.kind();
        let inner =
            kind.contains("function") || kind.contains("closure") || kind.contains("lambda");
        if inner || kind == "func_literal" {
            // What it sets is not set before it is called; that much is looked for in words.
            if sets_known(language, next, text, around) {
                return false;
            }
            continue;
        }
        if LEAVES.contains(&kind) || sets(language, next, text, around) {
            return false;
        }
        below.extend(next.children(&mut cursor));
    }
    true
}

fn sets_known(language: Language, function: Node<'_>, text: &str, around: &str) -> bool {
    let mut cursor = function.walk();
    let mut below = vec![function];
    while let Some(next) = below.pop() {
        if sets(language, next, text, around) {
            return true;
        }
        below.extend(next.children(&mut cursor));
    }
    false
}

/// Whether a part sets a name that the test has, or a part of something.
fn sets(language: Language, node: Node<'_>, text: &str, around: &str) -> bool {
    let assigns = node.kind().contains("assignment")
        || node.kind().contains("update_expression")
        || matches!(node.kind(), "inc_statement" | "dec_statement" | "named_expression");
    if !assigns {
        return false;
    }
    let target = ["left", "name", "argument"]
        .iter()
        .find_map(|field| node.child_by_field_name(field))
        .or_else(|| node.named_child(0));
    let target = target.and_then(|target| text.get(target.byte_range())).unwrap_or_default();
    let name = target.chars().all(|c| c.is_alphanumeric() || c == '_');
    !name || occurrences(around, target) > 0 && !is_local(language, target, around)
}

/// Whether a test has a name for itself alone.
fn is_local(language: Language, name: &str, around: &str) -> bool {
    let has = |sign: String| around.contains(&sign);
    match language {
        // What a function sets is its own.
        Language::Python => !["global ", "nonlocal "].iter().any(|word| around.contains(word)),
        Language::Go => has(format!(" {name} := ")) || has(format!("\t{name} := ")),
        Language::JavaScript | Language::TypeScript => {
            has(format!("let {name} ")) || has(format!("var {name} "))
        }
        Language::Rust | Language::Java | Language::C | Language::Cpp => false,
    }
}

/// Whether a call is one more of those beside it, with other plain values or names.
pub(super) fn repeats(
    node: Node<'_>,
    beside: Option<Node<'_>>,
    text: &str,
    beside_text: &str,
) -> bool {
    let Some((callee, rest)) = called(node, text) else { return false };
    let Some((other, _)) = beside.and_then(|beside| called(beside, beside_text)) else {
        return false;
    };
    let plain = |c: char| c.is_alphanumeric() || "_.,\"'()-+ &:;\\/*%".contains(c);
    let lower = callee.to_ascii_lowercase();
    let tests = ["test", "case", "assert", "check", "expect", "verify"];
    let tests = tests.iter().any(|word| lower.contains(word));
    tests && callee == other && rest.len() < 400 && rest.chars().all(plain) && !rest.contains("->")
}

/// What a statement calls, if that is a name, and everything behind it.
fn called<'t>(node: Node<'_>, text: &'t str) -> Option<(&'t str, &'t str)> {
    if !matches!(node.kind(), "expression_statement" | "macro_invocation") {
        return None;
    }
    let (name, rest) = text.get(node.byte_range())?.split_once('(')?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.:!".contains(c));
    // One call, and nothing behind it.
    let single = rest.trim_end().trim_end_matches(';').ends_with(')') && !rest.contains('(');
    (plain && single).then_some((name, rest))
}
