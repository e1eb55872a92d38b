//! Tests that were removed or switched off.

use std::cell::Cell;
use std::sync::LazyLock;

use exacta_core::judge::facts::{FactKind, Language, TestLoss};

use super::book::{Book, Rule, anywhere};
use super::line::Line;
use super::scan::Found;
use super::subject::Subject;

/// Names of the tests that a set of lines opens.
#[derive(Default)]
pub(crate) struct TestMarks {
    /// One entry a test; empty where the name is not on the line or just below.
    pub(crate) names: Vec<(usize, String)>,
}

impl TestMarks {
    /// Looks at one changed line.
    pub(crate) fn add(&mut self, subject: &Subject<'_>, line: &Line<'_>) {
        if let Some(name) = opens_test(subject, line) {
            self.names.push((line.index, name));
        }
    }
}

fn opens_test(subject: &Subject<'_>, line: &Line<'_>) -> Option<String> {
    let text = line.raw.trim();
    match subject.language {
        Some(Language::Rust) => {
            let inner = text.strip_prefix("#[")?;
            let path = inner.split(['(', ']', ' ']).next()?;
            let last = path.rsplit("::").next()?;
            matches!(last, "test" | "rstest" | "test_case" | "quickcheck" | "bench")
                .then(|| name_below(line, "fn "))
        }
        Some(Language::Python) => {
            let rest = text.strip_prefix("async ").unwrap_or(text).strip_prefix("def ")?;
            (rest.starts_with("test") && may_hold_tests(subject, line)).then(|| up_to_paren(rest))
        }
        Some(Language::Go) => {
            let rest = text.strip_prefix("func ")?;
            ["Test", "Benchmark", "Fuzz", "Example"]
                .iter()
                .any(|start| rest.starts_with(start))
                .then(|| up_to_paren(rest))
        }
        Some(Language::JavaScript | Language::TypeScript) => {
            let call = text.split(['(', '`', '.']).next()?;
            (matches!(call, "it" | "test" | "xit" | "fit" | "xtest")
                && text.contains(['\'', '"', '`']))
            .then(|| title(text))
        }
        Some(Language::Java) => ["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory"]
            .iter()
            .any(|mark| {
                text == *mark
                    || text.starts_with(&format!("{mark}("))
                    || text.starts_with(&format!("{mark} "))
            })
            .then(|| name_below(line, "")),
        Some(Language::C | Language::Cpp) => {
            let call = text.split('(').next()?.trim();
            matches!(
                call,
                "TEST"
                    | "TEST_F"
                    | "TEST_P"
                    | "TYPED_TEST"
                    | "TEST_CASE"
                    | "BOOST_AUTO_TEST_CASE"
                    | "SCENARIO"
            )
            .then(|| {
                text.split_once('(')
                    .map(|(_, rest)| rest.trim_end_matches(['{', ' ', ')']).to_owned())
                    .unwrap_or_default()
            })
        }
        None => {
            let ruby = subject.ends_in(&["rb"])
                && (text.starts_with("it \"")
                    || text.starts_with("it '")
                    || text.starts_with("test \"")
                    || text.starts_with("def test_"));
            let sharp = subject.ends_in(&["cs"])
                && ["[Fact", "[Test]", "[Theory", "[TestMethod"]
                    .iter()
                    .any(|mark| text.starts_with(mark));
            if ruby {
                Some(title(text))
            } else if sharp {
                Some(name_below(line, ""))
            } else {
                None
            }
        }
    }
}

/// Whether what is called a test in a Python file can be one: runners look into files of tests,
/// and elsewhere a test needs its library. A method `test_client` of an application is none.
fn may_hold_tests(subject: &Subject<'_>, line: &Line<'_>) -> bool {
    /// Imports stand at the top; looking further would make a long file slow.
    const TOP: usize = 100;
    let imports = |text: &&str| {
        let mut words = text.split([' ', ',', '.']).filter(|word| !word.is_empty());
        matches!(words.next(), Some("import" | "from"))
            && words.take(8).any(|word| matches!(word, "pytest" | "unittest" | "nose" | "test"))
    };
    subject.test || line.image.iter().take(TOP).any(imports)
}

/// The first argument, where it is a name: with the parenthesis before it.
fn named(text: &str) -> Option<String> {
    let (_, arguments) = text.split_once('(')?;
    let name = arguments.split([',', ')']).next()?.trim();
    let plain =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    (plain && !name.is_empty()).then(|| format!("({name}"))
}

fn up_to_paren(rest: &str) -> String {
    rest.split('(').next().unwrap_or_default().trim().to_owned()
}

/// The first quoted text of a line.
fn title(text: &str) -> String {
    let Some(at) = text.find(['"', '\'', '`']) else { return text.to_owned() };
    let quote = text.get(at..=at).unwrap_or("\"");
    let rest = text.get(at + 1..).unwrap_or_default();
    rest.split(quote).next().unwrap_or_default().to_owned()
}

/// The name that one of the next lines declares.
fn name_below(line: &Line<'_>, keyword: &str) -> String {
    line.lines_below(6)
        .find_map(|(_, below)| {
            if below.trim_start().starts_with(['#', '@', '[', '/', '*']) {
                return None;
            }
            let rest = below.split_once(keyword).map(|(_, rest)| rest)?;
            let head = rest.split_once('(')?.0;
            head.split_whitespace().next_back().map(str::to_owned)
        })
        .unwrap_or_default()
}

/// How a line switches tests off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    /// Every test of a file or a class.
    All,
    /// The test below or on the line.
    Below,
    /// It is a test and its switch at once.
    Itself,
    /// Inside a test, which it ends at once.
    Around,
}

/// In the order in which they are asked.
static RULES: &[Rule<Switch>] = &[
    Rule {
        triggers: &["pytestmark", "__test__", "collect_ignore"],
        pattern: r"^\s*(?:pytestmark\s*=\s*[\[(]?\s*pytest\.mark\.skip(?:\b\s*(?:[(\]),]|$)|if\s*\(\s*(?:True|1)\b)|__test__\s*=\s*False\b|collect_ignore(?:_glob)?\s*=\s*\[\s*['\x22]\*)",
        cased: true,
        applies: anywhere,
        kind: Switch::All,
    },
    Rule {
        triggers: &["ignore", "cfg", "skip", "disabled", "enabled", "xfail"],
        pattern: r"^\s*(?:#\[ignore\b|#\[cfg_attr\s*\(\s*(?:all\(\s*\)|not\s*\(\s*any\(\s*\)\s*\))\s*,\s*ignore|#\[cfg\s*\(\s*(?:any\(\s*\)|not\s*\(\s*all\(\s*\)\s*\))\s*\)|@(?:pytest\.mark\.|unittest\.|mark\.)?skip(?:\b(?:\(|\s*$)|[iI]f\s*\(\s*(?:True|1)\b)|@(?:[\w.]+\.)?(?:Disabled|Ignore)\b|@(?:[\w.]+\.)?Test\s*\([^)]*\benabled\s*=\s*false|\[(?:Ignore|Fact\(Skip)|@pytest\.mark\.xfail\s*$)",
        cased: true,
        applies: anywhere,
        kind: Switch::Below,
    },
    Rule {
        triggers: &[
            "skip",
            "todo",
            "only",
            "failing",
            "fixme",
            "runif",
            "xit",
            "xtest",
            "xdescribe",
            "xcontext",
            "fit",
            "fdescribe",
            "disabled_",
        ],
        pattern: r"^\s*(?:(?:it|test|describe|context|suite)(?:\.describe)?\.(?:(?:skip|todo|only|failing|fixme)(?:\.each)?\s*[(`]|skipIf\s*\(\s*true|runIf\s*\(\s*false)|x(?:it|test|describe|context)\s*\(|f(?:it|describe)\s*\(|(?:TEST|TEST_F|TEST_P)\s*\([^,]*,\s*DISABLED_)",
        cased: true,
        applies: anywhere,
        kind: Switch::Itself,
    },
    Rule {
        triggers: &["skip"],
        pattern: r"^\s*(?:t\.Skip(?:f|Now)?\(|b\.Skip\(|pytest\.skip\(|self\.skipTest\(|GTEST_SKIP\(|this\.skip\(\))",
        cased: true,
        applies: anywhere,
        kind: Switch::Around,
    },
];

static BOOK: LazyLock<Book<Switch>> = LazyLock::new(|| Book::new(RULES));

/// The text before, with a bound on how often it is searched.
pub(crate) struct Before<'a> {
    text: &'a str,
    searches: Cell<u32>,
}

impl<'a> Before<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, searches: Cell::new(200) }
    }

    /// Whether the text held this; yes, once too much was asked.
    fn held(&self, part: &str) -> bool {
        match self.searches.get().checked_sub(1) {
            None => true,
            Some(left) => {
                self.searches.set(left);
                self.text.contains(part)
            }
        }
    }
}

/// Whether an added line switches off a test that was there before.
pub(crate) fn disabled(
    subject: &Subject<'_>,
    line: &Line<'_>,
    before: &Before<'_>,
    is_added: &dyn Fn(usize) -> bool,
) -> Option<Found> {
    if before.text.is_empty() || subject.prose {
        return None;
    }
    let text = line.plain.as_ref();
    if !text.contains(['#', '@', '[', '(', '=']) {
        return None;
    }
    let switch = BOOK.search(subject, text, &line.lower).first().map(|hit| *hit.kind)?;
    let name = match switch {
        Switch::All => before.held("def test").then(|| text.trim().to_owned()),
        Switch::Below => {
            let (index, declaration) = line.lines_below(8).find(|(_, below)| {
                !below.trim_start().starts_with(['#', '@', '[', '/']) && below.contains('(')
            })?;
            let declaration = declaration.trim();
            (!is_added(index) || before.held(declaration)).then(|| declaration.to_owned())
        }
        Switch::Itself => {
            let title = if line.raw.contains(['"', '\'', '`']) {
                title(line.raw).replace("DISABLED_", "")
            } else {
                // A name that stands elsewhere: `describe.skip(NAME, …)`.
                named(line.raw)?
            };
            (!title.is_empty() && before.held(&title)).then_some(title)
        }
        Switch::Around => {
            let above = line.above().trim_start();
            let guarded = ["if ", "if(", "} else", "else", "except", "case", "switch"]
                .iter()
                .any(|start| above.starts_with(start));
            (!guarded && before.held(above)).then(|| above.to_owned())
        }
    }?;
    let name = crate::excerpt::shorten(&crate::excerpt::visible(&name));
    Some(Found::new(line, FactKind::TestsLost { loss: TestLoss::Disabled, name, count: 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::model::path::RelPath;

    #[test]
    fn every_pattern_compiles() {
        assert!(BOOK.sound());
    }

    #[test]
    fn tests_are_counted_in_each_language() {
        for (path, image, name) in [
            ("a.rs", &["#[test]", "fn works() {"][..], "works"),
            ("a.rs", &["#[tokio::test]", "async fn works() {"][..], "works"),
            ("tests/a.py", &["    def test_works(self):"][..], "test_works"),
            ("a_test.go", &["func TestWorks(t *testing.T) {"][..], "TestWorks"),
            ("a.test.ts", &["  it('works', () => {"][..], "works"),
            ("ATest.java", &["  @Test", "  public void works() {"][..], "works"),
            ("a.cc", &["TEST(Suite, Works) {"][..], "Suite, Works"),
        ] {
            let path = RelPath::parse(path).unwrap();
            let mut marks = TestMarks::default();
            marks.add(&Subject::new(&path), &Line::new(image, 0, false).unwrap());
            assert_eq!(marks.names, [(0, name.to_owned())], "{image:?}");
        }
    }

    #[test]
    fn a_method_of_an_application_is_no_test_whatever_it_is_called() {
        let method = "    def test_client(self, **kwargs):";
        for (path, image, counts) in [
            ("src/flask/app.py", &["import os", method][..], 0),
            ("src/app.py", &["import unittest", method], 1),
            ("src/app.py", &["from django.test import TestCase", method], 1),
            ("tests/app.py", &["import os", method], 1),
            ("test_app.py", &["import os", method], 1),
        ] {
            let path = RelPath::parse(path).unwrap();
            let mut marks = TestMarks::default();
            marks.add(&Subject::new(&path), &Line::new(image, 1, false).unwrap());
            assert_eq!(marks.names.len(), counts, "{path} {image:?}");
        }
    }

    #[test]
    fn switched_off_tests_are_found_and_new_ones_are_not() {
        for (path, image, before, expected) in [
            ("a.rs", &["#[ignore]", "fn works() {}"][..], "#[test]\nfn works() {}", true),
            ("a.rs", &["#[ignore]", "fn fresh() {}"][..], "#[test]\nfn works() {}", false),
            ("a.test.js", &["it.skip('works', () => {"][..], "it('works', () => {", true),
            ("a.test.js", &["it.skip('fresh', () => {"][..], "it('works', () => {", false),
            ("a.test.js", &["xit(\"works\", () => {"][..], "it(\"works\", () => {", true),
            (
                "a.py",
                &["@pytest.mark.skip(reason='x')", "def test_a():"][..],
                "def test_a():",
                true,
            ),
            ("a.py", &["@pytest.mark.skipif(x)", "def test_a():"][..], "def test_a():", false),
            ("A.java", &["@Disabled", "void works() {"][..], "void works() {", true),
            (
                "A.java",
                &["@org.junit.jupiter.api.Disabled", "void works() {"][..],
                "void works() {",
                true,
            ),
            ("A.java", &["@Test(enabled = false)", "void works() {"][..], "void works() {", true),
            ("A.java", &["@Test(enabled = true)", "void works() {"][..], "void works() {", false),
            ("a.py", &["@pytest.mark.skipif(True)", "def test_a():"][..], "def test_a():", true),
            ("a.py", &["pytestmark = pytest.mark.skip"][..], "def test_a():", true),
            ("a.py", &["pytestmark = pytest.mark.skip(reason='x')"][..], "def test_a():", true),
            ("a.py", &["pytestmark = pytest.mark.skipif(not x)"][..], "def test_a():", false),
            ("a.py", &["pytestmark = pytest.mark.skip"][..], "x = 1", false),
            ("a.py", &["    __test__ = False"][..], "def test_a():", true),
            ("a.test.js", &["test.fixme('works', () => {"][..], "test('works', () => {", true),
            ("a.test.js", &["it.skip.each([1])('works', x => {"][..], "it('works', () => {", true),
            ("a.test.js", &["describe.skip(NAME, () => {"][..], "describe(NAME, () => {", true),
            ("a.test.js", &["describe.skip(NAME, () => {"][..], "it('works', () => {", false),
            (
                "a.rs",
                &["#[cfg_attr(all(), ignore)]", "fn works() {}"][..],
                "#[test]\nfn works() {}",
                true,
            ),
            (
                "a.rs",
                &["#[cfg_attr(miri, ignore)]", "fn works() {}"][..],
                "#[test]\nfn works() {}",
                false,
            ),
            (
                "a_test.go",
                &["func TestA(t *testing.T) {", "\tt.Skip(\"x\")"][..],
                "func TestA(t *testing.T) {",
                true,
            ),
            (
                "a_test.go",
                &["\tif testing.Short() {", "\t\tt.Skip(\"x\")"][..],
                "func TestA(",
                false,
            ),
        ] {
            let path = RelPath::parse(path).unwrap();
            let index = usize::from(image[0].contains("func ") || image[0].contains("if "));
            let line = Line::new(image, index, false).unwrap();
            let added = |line: usize| !before.contains(image[line].trim());
            assert_eq!(
                disabled(&Subject::new(&path), &line, &Before::new(before), &added).is_some(),
                expected,
                "{image:?}"
            );
        }
    }
}
