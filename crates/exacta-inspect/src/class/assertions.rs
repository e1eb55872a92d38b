//! Statements that only assert: more of them in a test take nothing away from it.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

/// Parts of an assertion that do more than look.
const CHANGES: &[&str] =
    &["assignment", "update_expression", "named_expression", "short_var", "inc_", "dec_", "yield"];

/// Whether a statement of a test asserts something and does nothing else.
pub(super) fn only_asserts(language: Language, node: Node<'_>, text: &str) -> bool {
    let Some(words) = text.get(node.byte_range()) else { return false };
    let begins = |starts: &[&str]| starts.iter().any(|start| words.starts_with(start));
    let asserts = match (language, node.kind()) {
        (Language::Python, "assert_statement") => true,
        (Language::Python, "expression_statement") => begins(&["self.assert"]),
        (Language::Rust, "expression_statement" | "macro_invocation") => {
            begins(&["assert!(", "assert_eq!(", "assert_ne!(", "prop_assert"])
        }
        (Language::JavaScript | Language::TypeScript, "expression_statement") => {
            begins(&["expect(", "await expect(", "assert(", "assert.", "t.is(", "t.deepEqual("])
        }
        (Language::Java, "expression_statement") => {
            begins(&["assert", "Assertions.assert", "Assert.assert"])
        }
        (Language::Go, "expression_statement") => begins(&["assert.", "require."]),
        (Language::Go, "if_statement") => only_reports(node, text),
        (Language::C | Language::Cpp, "expression_statement") => {
            begins(&["assert(", "EXPECT_", "ASSERT_", "CHECK(", "REQUIRE(", "CHECK_", "REQUIRE_"])
                || calls_a_test(words)
        }
        _ => false,
    };
    let asserts = asserts || node.kind() == "expression_statement" && says_that_it_asserts(words);
    // What macros do with their words is not in the tree.
    let worded = matches!(language, Language::Rust | Language::C | Language::Cpp);
    let reports = node.kind() == "if_statement";
    asserts
        && !changes(node)
        && (reports || only_looks(node, text))
        && !(worded && (sets(words) || does_more(words)))
}

/// Parts of an expression that hold statements, or leave the test.
const STATEMENTS: &[&str] = &[
    "block",
    "statement_block",
    "compound_statement",
    "return_statement",
    "return_expression",
    "break_expression",
    "continue_expression",
    "await_block",
    "unsafe_block",
    "func_literal",
    "class",
    "class_body",
    "lambda",
    "delete_expression",
];

/// How names begin of what does more than look.
const DOES: &[&str] = &[
    "abort",
    "add",
    "append",
    "apply",
    "assign",
    "clear",
    "create",
    "define",
    "del",
    "delattr",
    "delete",
    "disable",
    "enable",
    "end",
    "eval",
    "exec",
    "exit",
    "extend",
    "fail",
    "freeze",
    "hook",
    "importorskip",
    "inject",
    "insert",
    "install",
    "kill",
    "mock",
    "monkeypatch",
    "override",
    "patch",
    "pop",
    "push",
    "put",
    "quit",
    "register",
    "reload",
    "remove",
    "replace_",
    "reset",
    "restore",
    "run",
    "set",
    "shift",
    "skip",
    "spy",
    "splice",
    "start",
    "stop",
    "stub",
    "store",
    "swap",
    "throw",
    "todo",
    "update",
    "unshift",
    "unset",
    "write",
    "xfail",
];

/// Names that begin like those and only look.
const LOOKS: &[&str] = &[
    "address",
    "added",
    "additional",
    "addr",
    "endpoint",
    "ends",
    "endswith",
    "endsWith",
    "ends_with",
    "executable",
    "existing",
    "exists",
    "failed",
    "failure",
    "failures",
    "settings",
    "setting",
    "starts",
    "startswith",
    "startsWith",
    "starts_with",
    "status",
    "stored",
    "popped",
    "created",
    "deleted",
    "removed",
    "updated",
    "enabled",
    "disabled",
    "running",
    "runtime",
];

/// Whether an assertion calls nothing but what looks, as far as names and syntax tell.
fn only_looks(statement: Node<'_>, text: &str) -> bool {
    let mut cursor = statement.walk();
    let mut below = vec![statement];
    while let Some(node) = below.pop() {
        if STATEMENTS.contains(&node.kind()) {
            return false;
        }
        let words = text.get(node.byte_range()).unwrap_or_default();
        let callee = node.child_by_field_name("function");
        let callee = callee
            .or_else(|| node.child_by_field_name("name"))
            .filter(|_| matches!(node.kind(), "call" | "call_expression" | "method_invocation"));
        let spelled = callee.and_then(|callee| text.get(callee.byte_range()));
        let name = spelled.map(last_name).unwrap_or_default();
        // A set of Python is made by its plain name.
        let makes_a_set = matches!(spelled, Some("set" | "frozenset" | "Set::new"));
        if does(name) && !makes_a_set || node.kind() == "identifier" && words.contains("__") {
            return false;
        }
        below.extend(node.named_children(&mut cursor));
    }
    true
}

/// The last name of what is called.
fn last_name(callee: &str) -> &str {
    callee.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(callee)
}

/// Whether a name says that calling it does more than look.
fn does(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    if LOOKS.contains(&name) {
        return false;
    }
    DOES.iter().any(|word| {
        name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            && name.get(word.len()..).is_none_or(|rest| {
                // `setUp`, `set_up`, `set`: another word begins, or none.
                !rest.starts_with(|c: char| c.is_ascii_lowercase())
            })
    })
}

/// Whether the words of a macro hold statements, or call what does more than look.
fn does_more(words: &str) -> bool {
    let mut bare = String::with_capacity(words.len());
    let (mut inside, mut escaped) = (false, false);
    for c in words.chars() {
        if inside {
            (inside, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c == '"' {
            inside = true;
        } else {
            bare.push(c);
        }
    }
    let bare = bare.trim_end().trim_end_matches(';');
    let calls = bare.match_indices('(').any(|(at, _)| {
        does(last_name(bare.get(..at).unwrap_or_default().trim_end_matches('!').trim_end()))
    });
    bare.contains(['{', '}', ';', '#', '?'])
        || calls
        || bare
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| ["return", "break", "continue", "goto", "throw", "unsafe"].contains(&word))
}

/// A call of something whose name says that it asserts.
fn says_that_it_asserts(words: &str) -> bool {
    let Some((callee, _)) = words.split_once('(') else { return false };
    let callee = callee.trim_start_matches("await ");
    let plain = callee.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!'));
    let name = callee.rsplit(['.', ':']).next().unwrap_or(callee).to_ascii_lowercase();
    plain
        && ["assert", "expect", "check_", "verify", "test_assert", "ensure_"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// A branch of Go that reports a failure and has nothing else to it.
fn only_reports(node: Node<'_>, text: &str) -> bool {
    if node.child_by_field_name("alternative").is_some()
        || node.child_by_field_name("initializer").is_some()
    {
        return false;
    }
    let looks = node.child_by_field_name("condition").is_some_and(|one| only_looks(one, text));
    let Some(body) = node.child_by_field_name("consequence").filter(|_| looks) else {
        return false;
    };
    let Some(inner) = text.get(body.byte_range()) else { return false };
    let lines = inner.trim_start_matches('{').trim_end_matches('}').trim();
    let reports = ["t.Error(", "t.Errorf(", "t.Fatal(", "t.Fatalf("];
    let reports = |line: &str| reports.iter().any(|word| line.starts_with(word));
    // Once it has failed, the test may go on where it likes.
    let lines: Vec<&str> =
        lines.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
    let Some((last, mut before)) = lines.split_last().map(|(last, rest)| (*last, rest.iter()))
    else {
        return false;
    };
    let leaves = matches!(last, "continue" | "return") && lines.len() > 1;
    (reports(last) || leaves) && before.all(|line| reports(line))
}

/// One more test that a program of tests calls by its name.
fn calls_a_test(words: &str) -> bool {
    let name = words.trim_end_matches("();");
    name.len() < words.len()
        && name.starts_with("test")
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether the words set something, however they are read.
fn sets(words: &str) -> bool {
    let compared = ["==", "!=", "<=", ">=", "=>"];
    let rest = compared.iter().fold(words.to_owned(), |rest, sign| rest.replace(sign, " "));
    rest.contains('=') || rest.contains("++") || rest.contains("--")
}

/// Whether a part of the statement sets something.
pub(super) fn changes(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut below = vec![node];
    while let Some(next) = below.pop() {
        if CHANGES.iter().any(|kind| next.kind().contains(kind)) {
            return true;
        }
        below.extend(next.children(&mut cursor));
    }
    false
}
