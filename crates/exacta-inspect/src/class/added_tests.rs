//! What a new part of a file of tests is: a test that a runner finds, something that it needs,
//! or something that acts on tests beside it.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

use super::additive::callback;
use super::literal;

/// What came.
pub(super) enum Came<'a> {
    /// Something that says nothing new by itself.
    Nothing,
    /// A declaration, which may not have the name of another.
    Named(Node<'a>),
    /// Something that is brought in.
    Brought,
    /// Tests that a macro of this name makes.
    Macro(&'a str),
    /// Anything else.
    Unknown,
}

/// What acts on other tests wherever it stands: it leaves them out, ends their run, or puts
/// something else in the place of what they use.
const BEYOND: &[&str] = &[
    ".only(",
    "sys.exit",
    "os._exit",
    "process.exit",
    "os.Exit(",
    "System.exit",
    "process::exit",
    "sys.modules",
    "autouse",
    "jest.mock(",
    "jest.unmock(",
    "jest.setMock(",
    "vi.mock(",
    "vi.unmock(",
    "mock.module(",
    "pytest_",
    "load_tests",
    "pytestmark",
];

/// Marks on tests of Java that take nothing out of a run.
const JAVA_MARKS: &[&str] = &[
    "Test",
    "Nested",
    "Tag",
    "Timeout",
    "CsvFileSource",
    "ParameterizedTest",
    "RepeatedTest",
    "ValueSource",
    "CsvSource",
    "EnumSource",
    "MethodSource",
    "NullSource",
    "EmptySource",
    "NullAndEmptySource",
    "DisplayName",
    "SuppressWarnings",
    "SafeVarargs",
];

const PYTHON_MARKS: &[&str] = &[
    "@pytest.mark.parametrize(",
    "@pytest.mark.asyncio",
    "@pytest.mark.anyio",
    "@pytest.fixture",
    "@staticmethod",
    "@classmethod",
    "@property",
    "@mock.patch",
    "@patch(",
    "@patch.object(",
];

/// Marks on tests of Rust, and on what they need.
const RUST_MARKS: &[&str] = &[
    "#[test]",
    "#[should_panic",
    "#[tokio::test",
    "#[async_std::test]",
    "#[rstest]",
    "#[case(",
    "#[case::",
    "#[test_case(",
    "#[derive(",
    "#[allow(",
    "#[track_caller]",
];

/// Macros of C++ that begin a test.
const CPP_TESTS: &[&str] = &[
    "TEST(",
    "TEST_F(",
    "TEST_P(",
    "TYPED_TEST(",
    "TEST_CASE(",
    "TEST_CASE_FIXTURE(",
    "TEST_CASE_TEMPLATE(",
    "TEST_CASE_METHOD(",
    "SCENARIO(",
];

/// What a part of a file of tests is.
pub(super) fn kind_of<'a>(language: Language, node: Node<'a>, text: &'a str) -> Came<'a> {
    if acts_on_others(text) {
        return Came::Unknown;
    }
    let nothing = |fits: bool| if fits { Came::Nothing } else { Came::Unknown };
    match (language, node.kind()) {
        (Language::Go, "import_spec" | "import_declaration" | "interpreted_string_literal") => {
            nothing(![".", "_"].iter().any(|all| text.contains(&format!("{all} \""))))
        }
        (_, "import_statement" | "import_from_statement" | "use_declaration")
        | (Language::Java, "import_declaration") => Came::Brought,
        (Language::Python, "function_definition" | "class_definition")
        | (Language::Go, "type_declaration" | "method_declaration")
        | (
            Language::Rust,
            "function_item" | "struct_item" | "enum_item" | "type_item" | "const_item",
        )
        | (
            Language::JavaScript | Language::TypeScript,
            "function_declaration" | "class_declaration",
        ) => Came::Named(node),
        // It runs around all tests of its package.
        (Language::Go, "function_declaration") if !text.starts_with("func TestMain(") => {
            Came::Named(node)
        }
        (Language::Java, "method_declaration" | "class_declaration") if plain_marks(node, text) => {
            Came::Named(node)
        }
        (Language::Python, "decorated_definition") => {
            let inner = node.child_by_field_name("definition");
            let at = inner.map_or(0, |inner| inner.start_byte() - node.start_byte());
            let known = |line: &str| {
                !line.trim_start().starts_with('@')
                    || PYTHON_MARKS.iter().any(|mark| line.trim_start().starts_with(mark))
            };
            match inner {
                Some(inner) if text.get(..at).is_some_and(|marks| marks.lines().all(known)) => {
                    Came::Named(inner)
                }
                _ => Came::Unknown,
            }
        }
        (Language::Go, "const_declaration" | "var_declaration")
        | (Language::Java, "field_declaration")
        | (Language::Python, "expression_statement")
        | (Language::JavaScript | Language::TypeScript, "lexical_declaration") => {
            literal::declared(language, node, text).map_or(Came::Unknown, Came::Named)
        }
        (Language::Rust, "attribute_item") => {
            let known = RUST_MARKS.iter().any(|mark| text.starts_with(mark));
            nothing(known && text.ends_with(']') && !text.contains("cfg"))
        }
        // A header of the language or of a library; what it is, is asked about.
        (Language::C | Language::Cpp, "preproc_include") => nothing(text.contains('<')),
        (Language::Rust, "empty_statement") => Came::Nothing,
        (Language::Rust, "macro_invocation" | "expression_statement") => {
            match text.split_once('!') {
                Some((name, _)) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                    Came::Macro(name)
                }
                _ => Came::Unknown,
            }
        }
        (Language::JavaScript | Language::TypeScript, "expression_statement") => {
            nothing(is_test_of_script(node, text))
        }
        (Language::C | Language::Cpp, _) if CPP_TESTS.iter().any(|open| text.starts_with(open)) => {
            nothing(matches!(node.kind(), "function_definition"))
        }
        (Language::C | Language::Cpp, "function_definition") => {
            let own = text.starts_with("static ") && !super::unreached::told_to_run(text);
            if own { Came::Named(node) } else { Came::Unknown }
        }
        _ => Came::Unknown,
    }
}

/// Whether a text has something that acts on other tests.
pub(super) fn acts_on_others(text: &str) -> bool {
    let focused = ["fit(", "fdescribe("].iter().any(|word| {
        text.match_indices(word).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'))
        })
    });
    focused || BEYOND.iter().any(|word| text.contains(word))
}

/// Whether nothing but known marks stands on a declaration of Java.
fn plain_marks(node: Node<'_>, text: &str) -> bool {
    let mut cursor = node.walk();
    let Some(marks) = node.children(&mut cursor).find(|child| child.kind() == "modifiers") else {
        return true;
    };
    let mut inner = marks.walk();
    let words = text.get(..marks.byte_range().len()).unwrap_or_default();
    // Other marks on a test are about that test alone, if they do not say when it runs.
    let is_test = ["@Test", "@ParameterizedTest"].iter().any(|mark| words.contains(mark))
        && node.kind() == "method_declaration"
        && !["Before", "After", "Rule", "Extension", "Factory", "Order"]
            .iter()
            .any(|word| words.contains(word));
    is_test
        || marks.named_children(&mut inner).all(|mark| {
            let name = mark.child_by_field_name("name").and_then(|name| {
                let start = name.start_byte().checked_sub(node.start_byte())?;
                text.get(start..start + name.byte_range().len())
            });
            name.is_some_and(|name| JAVA_MARKS.contains(&name))
        })
}

/// How a test of a script, or a set of them, begins.
const SCRIPT_TESTS: &[&str] = &[
    "it(",
    "test(",
    "describe(",
    "context(",
    "specify(",
    "suite(",
    "it.each(",
    "test.each(",
    "describe.each(",
    "test.concurrent(",
    "Deno.test(",
    "tap.test(",
];

/// Whether a statement of a script is a test, or a set of them, with its title and body.
fn is_test_of_script(node: Node<'_>, text: &str) -> bool {
    let called = SCRIPT_TESTS.iter().any(|open| text.starts_with(open));
    let Some(body) = callback(node) else { return false };
    let Some(arguments) =
        node.named_child(0).and_then(|call| call.child_by_field_name("arguments"))
    else {
        return false;
    };
    let mut cursor = arguments.walk();
    called
        && arguments.named_children(&mut cursor).all(|one| {
            one == body || matches!(one.kind(), "string" | "template_string" | "comment")
        })
}
