//! What a new part of tests does beyond itself: a test may do as it likes, but not to what other
//! tests look at, and nothing may run or take effect because it is merely there.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

use super::methods::{
    calls_nothing_at_once, is_named_like_a_test, is_override, is_plain_member, marks_are_known,
};

/// So many names of its own are told apart.
const MOST: usize = 400;

/// Words of what lasts longer than the test in which it stands.
const LASTING: &[&str] = &[
    "pytest.exit",
    "SystemExit",
    "KeyboardInterrupt",
    "os.kill",
    "os.abort",
    "__dict__",
    "__setattr__",
    "__class__",
    "__code__",
    "__bases__",
    "globals(",
    "builtins",
    "importlib.reload",
    "sys.path",
    "sys.settrace",
    "gc.get_objects",
    "defineProperty",
    "setPrototypeOf",
    ".prototype",
    "__proto__",
    "spyOn(",
    "stubGlobal",
    "sinon.stub",
    "sinon.replace",
    "Module._",
    "require.cache",
    "link_section",
    "no_mangle",
    "export_name",
    "macro_export",
    "global_asm!",
    "syscall.Kill",
    "go:linkname",
    "setAccessible(",
    "Runtime.getRuntime",
    "Object.assign(",
    "Reflect.",
    "__attribute__",
];

/// Calls that end a run, or change what others see.
const CALLS: &[&str] = &["exit", "quit", "_exit", "abort", "setattr", "delattr", "vars"];

/// Parts that hold what they bind.
const BINDS: &[&str] = &[
    "parameters",
    "formal_parameters",
    "parameter_list",
    "lambda_parameters",
    "closure_parameters",
    "inferred_parameters",
    "catch_formal_parameter",
];

/// Parts whose left side, name or pattern is bound.
const DECLARES: &[&str] = &[
    "variable_declarator",
    "short_var_declaration",
    "range_clause",
    "var_spec",
    "let_declaration",
    "for_expression",
    "enhanced_for_statement",
    "init_declarator",
    "let_condition",
    "resource",
    "catch_clause",
    "for_in_clause",
    "named_expression",
    "arrow_function",
    "lambda_expression",
    "for_range_loop",
];

/// Declarations with a value of their own.
const GIVES: &[&str] = &[
    "assignment",
    "default_parameter",
    "init_declarator",
    "let_declaration",
    "named_expression",
    "short_var_declaration",
    "typed_default_parameter",
    "var_spec",
    "variable_declarator",
];

/// Parts that set something.
const SETS: &[&str] = &[
    "assignment",
    "augmented_assignment",
    "assignment_expression",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "update_expression",
    "assignment_statement",
    "inc_statement",
    "dec_statement",
    "delete_statement",
    "for_statement",
    "for_in_statement",
    "for_in_clause",
    "range_clause",
    "as_pattern",
];

/// Parts of something else.
const MEMBERS: &[&str] = &[
    "attribute",
    "member_expression",
    "selector_expression",
    "subscript",
    "subscript_expression",
    "index_expression",
    "field_expression",
    "field_access",
    "array_access",
    "unary_expression",
    "pointer_expression",
];

/// Lists of what is set at once.
const LISTS: &[&str] = &[
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "array_pattern",
    "object_pattern",
    "pair_pattern",
    "rest_pattern",
    "assignment_pattern",
    "object_assignment_pattern",
    "list_splat_pattern",
    "expression_list",
    "tuple",
    "list",
    "tuple_expression",
    "parenthesized_expression",
    "as_pattern_target",
];

/// Whether a new part of tests leaves everything else as it is, as far as syntax tells. `file`
/// is the whole text that it stands in.
pub(super) fn stays_within(language: Language, part: Node<'_>, file: &str) -> bool {
    let Some(text) = file.get(part.byte_range()) else { return false };
    if LASTING.iter().any(|word| text.contains(word))
        || text.contains("patch") && text.contains(".start()")
    {
        return false;
    }
    let nodes = all(part);
    let Some(own) = own_names(language, &nodes, file) else { return false };
    let of = |node: &Node<'_>| file.get(node.byte_range()).unwrap_or_default();
    nodes.iter().all(|node| match node.kind() {
        "global_statement" | "nonlocal_statement" | "static_initializer" | "macro_definition"
        | "foreign_mod_item" | "exec_statement" => false,
        "with_statement" if language == Language::JavaScript => false,
        "impl_item" => node.child_by_field_name("type").is_some_and(|of_type| {
            let name = of(&of_type).split(['<', ' ']).next().unwrap_or_default();
            own.contains(&name)
        }),
        "attribute_item" | "inner_attribute_item" => {
            ["#[test", "#[tokio::test", "#[derive(", "#[allow(", "#[should_panic", "#[rstest"]
                .iter()
                .chain(&["#[case", "#[async_std::test", "#[track_caller]", "#[ignore", "#[inline]"])
                .any(|mark| of(node).starts_with(mark))
        }
        "token_tree" => !["impl ", "#[", "extern ", "static "].iter().any(|w| of(node).contains(w)),
        "method_declaration" if language == Language::Go => received_by_own(node, file),
        "function_definition" | "method_declaration" | "method_definition" => {
            !is_override(language, *node, part, file) && calls_nothing_at_once(*node)
        }
        "class_definition" => node
            .child_by_field_name("body")
            .is_some_and(|body| kids(body).iter().all(|one| is_plain_member(*one, file))),
        "class_declaration"
        | "record_declaration"
        | "enum_declaration"
        | "interface_declaration"
            if language == Language::Java =>
        {
            is_named_like_a_test(*node, part, file) && marks_are_known(*node, file)
        }
        "call" | "call_expression" | "method_invocation" | "macro_invocation" => {
            let name = called(of(node));
            let scoped = of(node).starts_with("monkeypatch.");
            scoped || !CALLS.contains(&name)
        }
        kind if SETS.contains(&kind) => sets_its_own(*node, &own, file),
        _ => true,
    })
}

/// The name that a call ends in, before its arguments.
fn called(call: &str) -> &str {
    let head = call.split(['(', '!']).next().unwrap_or(call).trim_end();
    head.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(head)
}

pub(super) fn all(part: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = part.walk();
    let (mut below, mut out) = (vec![part], Vec::new());
    while let Some(node) = below.pop() {
        below.extend(node.named_children(&mut cursor));
        out.push(node);
    }
    out
}

pub(super) fn kids(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The parts of what is bound, without values, types and what holds when nothing is given.
fn bound(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let (mut below, mut out) = (vec![node], Vec::new());
    while let Some(next) = below.pop() {
        let given: Vec<Node<'_>> = ["value", "right", "type", "default_value", "key", "size"]
            .iter()
            .filter_map(|field| next.child_by_field_name(field))
            .collect();
        // In a pair the value is what is bound.
        let pair = next.kind() == "pair_pattern";
        below.extend(next.named_children(&mut cursor).filter(|one| {
            !given.contains(one) || pair && next.child_by_field_name("value") == Some(*one)
        }));
        out.push(next);
    }
    out
}

/// Names that the part itself binds; `None` where these are too many to tell.
fn own_names<'a>(language: Language, nodes: &[Node<'_>], file: &'a str) -> Option<Vec<&'a str>> {
    let mut out: Vec<&str> = vec!["self", "this"];
    let mut others: Vec<&str> = Vec::new();
    let add = |node: Node<'_>, out: &mut Vec<&'a str>| {
        let names = bound(node);
        if !names.iter().any(|one| MEMBERS.contains(&one.kind())) {
            out.extend(names.iter().filter_map(|one| {
                let is = ["identifier", "shorthand_property_identifier_pattern"];
                is.contains(&one.kind()).then(|| file.get(one.byte_range())).flatten()
            }));
        }
    };
    for node in nodes {
        let kind = node.kind();
        let given = ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
        if GIVES.contains(&kind) && given.is_some_and(is_another) {
            add(*node, &mut others);
            continue;
        }
        if BINDS.contains(&kind) {
            add(*node, &mut out);
        } else if matches!(kind, "struct_item" | "enum_item" | "type_spec") {
            if let Some(name) = node.child_by_field_name("name") {
                out.extend(file.get(name.byte_range()));
            }
        } else if DECLARES.contains(&kind) {
            for field in ["name", "left", "pattern", "declarator", "parameter", "parameters"] {
                if let Some(bound) = node.child_by_field_name(field) {
                    add(bound, &mut out);
                }
            }
        } else if kind == "declaration" {
            let names = node.child_by_field_name("declarator");
            names.into_iter().filter(|one| one.kind() != "init_declarator").for_each(|one| {
                add(one, &mut out);
            });
        } else if language == Language::Python
            && matches!(kind, "assignment" | "for_statement" | "as_pattern")
        {
            // A plain name is bound where it is set.
            let set = ["left", "alias"].iter().find_map(|field| node.child_by_field_name(field));
            if let Some(set) = set {
                add(set, &mut out);
            }
        } else if kind == "for_in_statement"
            && node.child_by_field_name("kind").is_some()
            && let Some(left) = node.child_by_field_name("left")
        {
            add(left, &mut out);
        }
        if out.len() > MOST {
            return None;
        }
    }
    out.retain(|name| !others.contains(name));
    Some(out)
}

/// Whether a value is nothing but another name for what was there.
pub(super) fn is_another(value: Node<'_>) -> bool {
    match value.kind() {
        "identifier" => true,
        "expression_list" | "parenthesized_expression" | "reference_expression" => {
            kids(value).into_iter().any(is_another)
        }
        kind if MEMBERS.contains(&kind) => !all(value)
            .iter()
            .any(|one| one.kind().contains("call") || one.kind().contains("invocation")),
        _ => false,
    }
}

/// Whether everything that a part sets is its own.
fn sets_its_own(node: Node<'_>, own: &[&str], file: &str) -> bool {
    let target = match node.kind() {
        // A loop over numbers sets what its other parts say.
        "for_statement" | "for_in_statement" | "for_in_clause" | "range_clause" => {
            match node.child_by_field_name("left") {
                Some(left) => left,
                None => return true,
            }
        }
        "as_pattern" => match node.child_by_field_name("alias") {
            Some(alias) => alias,
            None => return true,
        },
        "delete_statement" => node,
        _ => {
            let known = ["left", "argument", "operand"]
                .iter()
                .find_map(|field| node.child_by_field_name(field));
            match known.or_else(|| node.named_child(0)) {
                Some(target) => target,
                None => return false,
            }
        }
    };
    let mut below = vec![target];
    while let Some(next) = below.pop() {
        if LISTS.contains(&next.kind()) || next == node {
            below.extend(kids(next));
            continue;
        }
        let mut root = next;
        while let Some(first) = root.named_child(0) {
            root = first;
        }
        let name = file.get(root.byte_range()).unwrap_or_default();
        if !own.contains(&name) && !matches!(root.kind(), "self" | "this") {
            return false;
        }
    }
    true
}

/// Whether a method of Go belongs to a type that the same file defines.
fn received_by_own(method: &Node<'_>, file: &str) -> bool {
    let receiver = method.child_by_field_name("receiver");
    let Some(receiver) = receiver.and_then(|one| file.get(one.byte_range())) else { return false };
    let words: Vec<&str> = receiver
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().take(2).any(|word| {
        file.contains(&format!("\ntype {word} ")) || file.contains(&format!("\ntype {word}["))
    })
}
