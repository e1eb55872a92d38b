//! What users of a package can name: gone, changed, renamed.

use exacta_core::judge::facts::{Fact, FactKind};

use crate::one;

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
