//! What classes of tests, and functions in them, do when they are merely defined, and whom they
//! stand in for.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

use super::beyond::{all, is_another, kids};

/// Names of bases that take nothing but tests, and the language's own.
const BASES: &[&str] = &[
    "object",
    "TestCase",
    "unittest.TestCase",
    "IsolatedAsyncioTestCase",
    "unittest.IsolatedAsyncioTestCase",
    "SimpleTestCase",
    "TransactionTestCase",
    "django.test.TestCase",
];

/// Whether a method may stand in the place of one that its class has from another.
pub(super) fn is_override(
    language: Language,
    method: Node<'_>,
    part: Node<'_>,
    file: &str,
) -> bool {
    let class = {
        let mut above = method.parent();
        while let Some(one) = above.filter(|one| one.kind() == "decorated_definition") {
            above = one.parent();
        }
        above.and_then(|body| body.parent())
    };
    let Some(class) = class.filter(|one| one.kind().starts_with("class_")) else { return false };
    let of = |node: Node<'_>| file.get(node.byte_range()).unwrap_or_default();
    let name = method.child_by_field_name("name").map(of).unwrap_or_default();
    let is_new_class = part.byte_range().contains(&class.start_byte());
    match language {
        Language::Python => {
            let bases = class.child_by_field_name("superclasses");
            let bases: Vec<&str> =
                bases.map(kids).unwrap_or_default().into_iter().map(of).collect();
            let known = bases.iter().all(|base| BASES.contains(base));
            let setting = matches!(name, "setUp" | "tearDown" | "setUpClass" | "tearDownClass");
            let test = name.starts_with("test") && name.len() > 5;
            match (bases.is_empty(), is_new_class) {
                // What a class makes of itself when a test comes is its own affair.
                (true, true) => false,
                (true, false) => name.starts_with('_'),
                (false, true) => !(test || setting || known && is_helper(name)),
                (false, false) => !(known && (test || is_helper(name))),
            }
        }
        Language::Java => {
            let extends = class.child_by_field_name("superclass").is_some();
            let marks = kids(method).into_iter().find(|one| one.kind() == "modifiers").map(of);
            let marks = marks.unwrap_or_default();
            !is_new_class && extends && !marks.contains("private")
        }
        _ => false,
    }
}

/// Whether a method of a class of tests has a name that no framework knows.
fn is_helper(name: &str) -> bool {
    const KNOWN: &[&str] = &[
        "run",
        "debug",
        "id",
        "fail",
        "assert",
        "skip",
        "subtest",
        "add",
        "do",
        "enter",
        "count",
        "default",
        "short",
        "setup",
        "teardown",
        "failure",
        "longmessage",
        "maxdiff",
        "client",
        "settings",
        "call",
    ];
    let lower = name.to_lowercase();
    !name.starts_with('_') && !KNOWN.iter().any(|known| lower.starts_with(known))
}

/// Whether nothing is called, and nothing bound under another name, when a function of Python
/// is merely defined.
pub(super) fn calls_nothing_at_once(function: Node<'_>) -> bool {
    let parameters = function.child_by_field_name("parameters").map(all).unwrap_or_default();
    !parameters.iter().any(|node| node.kind() == "call")
        && !parameters.iter().any(|node| node.child_by_field_name("value").is_some_and(is_another))
}

/// Whether a part of a class of Python runs nothing when the class is defined.
pub(super) fn is_plain_member(member: Node<'_>, file: &str) -> bool {
    const MARKS: &[&str] = &[
        "@pytest.mark.",
        "@pytest.fixture",
        "@staticmethod",
        "@classmethod",
        "@property",
        "@mock.patch",
        "@patch",
        "@unittest.",
        "@override_settings(",
        "@parameterized.expand(",
    ];
    match member.kind() {
        "function_definition" | "class_definition" | "pass_statement" | "comment" => true,
        "decorated_definition" => kids(member).iter().all(|one| {
            let text = file.get(one.byte_range()).unwrap_or_default();
            one.kind() != "decorator" || MARKS.iter().any(|mark| text.starts_with(mark))
        }),
        "expression_statement" => !all(member).iter().any(|one| {
            matches!(
                one.kind(),
                "call" | "await" | "yield" | "list_comprehension" | "named_expression"
            )
        }),
        _ => false,
    }
}

/// Whether a class of Java that others could be taken for has the name of a test.
pub(super) fn is_named_like_a_test(class: Node<'_>, part: Node<'_>, file: &str) -> bool {
    if class != part || class.parent().is_some_and(|above| above.kind() == "class_body") {
        return true;
    }
    let name = class.child_by_field_name("name").and_then(|name| file.get(name.byte_range()));
    name.is_some_and(|name| {
        name.starts_with("Test")
            || ["Test", "Tests", "TestCase", "IT"].iter().any(|end| name.ends_with(end))
    })
}

/// Whether frameworks make nothing of a class of Java that other tests would see.
pub(super) fn marks_are_known(class: Node<'_>, file: &str) -> bool {
    const MARKS: &[&str] = &[
        "Nested",
        "Tag",
        "Timeout",
        "DisplayName",
        "SuppressWarnings",
        "ExtendWith",
        "RunWith",
        "SpringBootTest",
        "WebMvcTest",
        "DataJpaTest",
        "AutoConfigureMockMvc",
        "MockitoSettings",
        "Testcontainers",
        "Transactional",
        "TestInstance",
        "FunctionalInterface",
    ];
    let marks = kids(class).into_iter().find(|one| one.kind() == "modifiers");
    marks.map(kids).unwrap_or_default().iter().all(|mark| {
        let name = mark.child_by_field_name("name").and_then(|name| file.get(name.byte_range()));
        !mark.kind().contains("annotation") || name.is_some_and(|name| MARKS.contains(&name))
    })
}
