//! What functions that stay do with other values or no longer, in every language; and what
//! is told apart from it.

use crate::request::{Limits, Request, StepInput};
use exacta_core::judge::facts::FactKind;
use exacta_core::model::path::RelPath;

/// How guards of a file were loosened, or what tests lost, or what is newly reached.
pub(super) fn told(path: &str, before: &str, after: &str) -> Vec<String> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        moved: false,
        before: Some(before.as_bytes()),
        after: Some(after.as_bytes()),
    };
    let request = Request { steps: vec![step], manifests: Vec::new(), limits: Limits::default() };
    let facts = crate::inspect(&request).facts.into_iter();
    facts
        .filter_map(|fact| match fact.kind {
            FactKind::GuardLoosened { loss, .. } => Some(loss.as_str().to_owned()),
            FactKind::TestsLost { .. } => Some("tests_lost".to_owned()),
            FactKind::Reaches { reach, .. } => Some(reach.as_str().to_owned()),
            _ => None,
        })
        .collect()
}

/// One function with a bound, a kept sum and a name that keeps order, in each language.
const KEPT: &[(&str, &str)] = &[
    ("a.py", "def f(s, n):\n    with s.lock:\n        while s.i < n:\n            s.sum += n\n"),
    ("a.js", "function f(s, n) {\n  s.lock();\n  while (s.i < n) {\n    s.sum += n;\n  }\n}\n"),
    (
        "a.ts",
        "function f(s: S, n: number) {\n  s.lock();\n  while (s.i < n) {\n    s.sum += n;\n  }\n}\n",
    ),
    (
        "a.go",
        "package a\n\nfunc f(s *S, n int) {\n\ts.lock()\n\tfor s.i < n {\n\t\ts.sum += n\n\t}\n}\n",
    ),
    (
        "a.rs",
        "fn f(s: &mut S, n: u8) {\n    s.lock();\n    while s.i < n {\n        s.sum += n;\n    }\n}\n",
    ),
    (
        "A.java",
        "class A {\n  void f(S s, int n) {\n    s.lock();\n    while (s.i < n) {\n      s.sum += n;\n    }\n  }\n}\n",
    ),
    (
        "a.c",
        "void f(struct s *s, int n)\n{\n    lock(s);\n    while (s->i < n) {\n        s->sum += n;\n    }\n}\n",
    ),
    ("a.cpp", "void f(S& s, int n) {\n  s.lock();\n  while (s.i < n) {\n    s.sum += n;\n  }\n}\n"),
];

#[test]
fn bounds_sums_and_upkeep_are_told_in_every_language() {
    for (path, text) in KEPT {
        for (from, to, loss) in [
            (" < n", " <= n", "bound"),
            ("sum += n", "sum += n - 1", "sum"),
            ("lock", "look", "upkeep"),
        ] {
            assert!(text.contains(from), "{path}: {from}");
            let found = told(path, text, &text.replacen(from, to, 1));
            assert!(found.iter().any(|one| one == loss), "{path} {loss}: {found:?}");
        }
        let laid_out = text.replace(" < ", "  <  ");
        assert!(told(path, text, &laid_out).is_empty(), "{path}");
    }
}

#[test]
fn a_check_under_a_further_condition_is_told() {
    for (path, before, after) in [
        (
            "a.ts",
            "async function f(w: W) {\n  await requireAccess(w);\n  return w.rows;\n}\n",
            "async function f(w: W) {\n  if (!w.roles) {\n    await requireAccess(w);\n  }\n  return w.rows;\n}\n",
        ),
        (
            "a.cpp",
            "bool f(int n) {\n  if (n > 9) return false;\n  return g(n);\n}\n",
            "bool f(int n) {\n  if constexpr (sizeof(n) < 2) {\n    if (n > 9) return false;\n  }\n  return g(n);\n}\n",
        ),
        (
            "a.py",
            "def f(w):\n    check_access(w)\n    return w.rows\n",
            "def f(w):\n    if w.late:\n        check_access(w)\n    return w.rows\n",
        ),
    ] {
        assert!(told(path, before, after).contains(&"around".to_owned()), "{path}");
    }
}

#[test]
fn values_types_and_patterns_are_told() {
    for (path, before, after, loss) in [
        (
            "a.py",
            "def f(a, most=5):\n    return g(a, most)\n",
            "def f(a, most=50):\n    return g(a, most)\n",
            "default",
        ),
        ("a.py", "def f():\n    return token(32)\n", "def f():\n    return token(2)\n", "limit"),
        ("a.js", "const MAX_AGE = 60;\n", "const MAX_AGE = 6000;\n", "limit"),
        ("a.js", "f({ timeout: 60 });\n", "f({ timeout: 6000 });\n", "limit"),
        (
            "a.c",
            "void f(int a)\n{\n    char b[64];\n    g(b);\n}\n",
            "void f(int a)\n{\n    char b[8];\n    g(b);\n}\n",
            "limit",
        ),
        (
            "a.c",
            "void f(void)\n{\n    uint32_t n;\n    g(&n);\n}\n",
            "void f(void)\n{\n    int16_t n;\n    g(&n);\n}\n",
            "narrowed",
        ),
        (
            "a.rs",
            "fn f(n: u64) -> usize {\n    n as usize\n}\n",
            "fn f(n: u64) -> usize {\n    n as u16 as usize\n}\n",
            "narrowed",
        ),
        ("a.js", "const P = /^a$/;\n", "const P = /^a/;\n", "pattern"),
        (
            "a.py",
            "import re\nP = re.compile('^a$')\n",
            "import re\nP = re.compile('^a')\n",
            "pattern",
        ),
        (
            "a.c",
            "void f(int n)\n{\n    p = malloc(n + 1);\n}\n",
            "void f(int n)\n{\n    p = malloc(n);\n}\n",
            "bound",
        ),
        (
            "a.go",
            "package a\n\nfunc f() { q(\"select a from b where c = ? and d = ?\") }\n",
            "package a\n\nfunc f() { q(\"select a from b where c = ?\") }\n",
            "condition",
        ),
        (
            "a.go",
            "package a\n\nfunc f() { listen(\"127.0.0.1:80\") }\n",
            "package a\n\nfunc f() { listen(\":80\") }\n",
            "limit",
        ),
        (
            "a.py",
            "def f(u):\n    return u\n",
            "def f(u):\n    u.role = pick()\n    return u\n",
            "passed_by",
        ),
        (
            "a.py",
            "def f(u):\n    return g(u, 'x', u.key)\n",
            "def f(u):\n    return g(u, 'x')\n",
            "check",
        ),
    ] {
        let found = told(path, before, after);
        assert!(found.iter().any(|one| one == loss), "{path} {loss}: {found:?}\n{after}");
    }
    // A little more, and room that only grows.
    for (path, before, after) in [
        ("a.py", "WIDTH = 5\n", "WIDTH = 50\n"),
        ("a.js", "f({ timeout: 60 });\n", "f({ timeout: 70 });\n"),
        (
            "a.c",
            "void f(int a)\n{\n    char b[64];\n    g(b);\n}\n",
            "void f(int a)\n{\n    char b[128];\n    g(b);\n}\n",
        ),
    ] {
        assert!(told(path, before, after).is_empty(), "{path}: {after}");
    }
}

#[test]
fn code_that_takes_the_place_of_known_code_is_told() {
    let before = "function f(a) {\n  return same(a);\n}\n";
    let after = format!("{before}function same(a) {{\n  return 1;\n}}\n");
    assert!(told("a.js", before, &after).contains(&"shadowed".to_owned()));
    let json = format!("{before}JSON.parse = (text) => text;\n");
    assert!(told("a.js", before, &json).contains(&"replaces_code".to_owned()));
    let made = "package a\n\n//go:generate sh -c \"fetch\"\n\nfunc f() {}\n";
    assert!(told("a.go", "package a\n\nfunc f() {}\n", made).contains(&"runs_program".to_owned()));
}

#[test]
fn tests_that_say_less_are_told() {
    let before = "def test_a():\n    x = f()\n    assert x == 1\n";
    for after in [
        before.replace("x == 1", "x != 1"),
        before.replace("    assert", "    if not x:\n        return\n    assert"),
        before.replace("    assert", "    if x:\n        assert"),
    ] {
        let found = told("tests/test_a.py", before, &after);
        assert!(found.contains(&"tests_lost".to_owned()), "{after}: {found:?}");
    }
    let java =
        "class ATest {\n  @Test\n  void a() {\n    assertThrows(E.class, () -> f());\n  }\n}\n";
    let broad = java.replace("E.class", "Throwable.class");
    assert!(told("src/test/java/ATest.java", java, &broad).contains(&"tests_lost".to_owned()));
    let script = "test('a', () => {\n  expect(f()).toBe(1);\n});\n";
    let stub = format!("lib.f = () => 1;\n{script}");
    assert!(told("test/a.test.js", script, &stub).contains(&"tests_lost".to_owned()));
    assert!(told("test/a.test.js", script, &script.replace("toBe(1)", "toBe(2)")).is_empty());
}
