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
    asserts && !changes(node) && !(worded && sets(words))
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
    let Some(body) = node.child_by_field_name("consequence") else { return false };
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
