//! What others may use of a file: what goes, what changes, and what only moves.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use exacta_core::judge::facts::{Fact, FactKind};
use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

/// A file with its text before and after.
type File<'t> = (&'t str, Option<&'t str>, Option<&'t str>);

fn plan(files: &[File<'_>], moved: bool) -> Vec<Fact> {
    let steps = files.iter().map(|(path, before, after)| StepInput {
        step: "step",
        path: RelPath::parse(path).unwrap(),
        before: before.map(str::as_bytes),
        after: after.map(str::as_bytes),
        moved,
    });
    inspect(&Request { steps: steps.collect(), ..Request::default() }).facts
}

/// What is said about public items: `-name` is gone, `~name` has another signature, `=name`
/// has one that every use still fits.
fn told(facts: &[Fact]) -> Vec<String> {
    let mut told: Vec<String> = facts
        .iter()
        .filter_map(|fact| match &fact.kind {
            FactKind::PublicRemoved { name, .. } => Some(format!("-{name}")),
            FactKind::PublicSignature { name, compatible: true, .. } => Some(format!("={name}")),
            FactKind::PublicSignature { name, .. } => Some(format!("~{name}")),
            _ => None,
        })
        .collect();
    told.sort();
    told
}

fn change(path: &str, before: &str, after: &str) -> Vec<String> {
    told(&plan(&[(path, Some(before), Some(after))], false))
}

type Case<'t> = (&'t str, &'t str, &'t str, &'t [&'t str]);

fn check(cases: &[Case<'_>]) {
    for (path, before, after, expected) in cases {
        assert_eq!(change(path, before, after), *expected, "{path}: {before} -> {after}");
        assert_eq!(change(path, before, before), [""; 0], "{path}: {before}");
    }
}

#[test]
fn scripts_hand_out_what_they_put_under_their_exports() {
    let app = "var app = exports = module.exports = {};\napp.get = function get(k) {};\napp.configure = function (fn) {};\n";
    let a = "function A() {}\nA.prototype.send = function (x) { return x }\nmodule.exports = A\n";
    let res = "var res = Object.create(base);\nmodule.exports = res;\nres.send = res.end = function (x) {};\nres._own = 1;\n";
    check(&[
        ("lib/a.js", app, &app.replace("app.configure = function (fn) {};\n", ""), &["-configure"]),
        ("lib/a.js", app, &app.replace("get(k)", "get(k, l)"), &["~get"]),
        ("lib/a.js", app, "exports.get = function (k) {};\nexports.configure = (fn) => 1;\n", &[]),
        ("lib/a.js", a, "function A() {}\nmodule.exports = A\n", &["-default.send"]),
        ("lib/a.js", a, "class A { send(x) { return x } }\nmodule.exports = A\n", &["~default"]),
        ("lib/a.js", res, &res.replace("res.end = ", "").replace("res._own = 1;\n", ""), &["-end"]),
        (
            "lib/a.js",
            "function A() {}\nA.prototype = { send() {}, take: function () {} };\nexports.A = A;\n",
            "function A() {}\nA.prototype = { send() {} };\nexports.A = A;\n",
            &["-A.take"],
        ),
        (
            "lib/a.js",
            "module.exports = { a() {}, b: 1, c };\nmodule.exports.d = 2;\nexports['e'] = 3;\n",
            "module.exports = { a() {} };\n",
            &["-b", "-c", "-d", "-e"],
        ),
        (
            "lib/a.js",
            "module.exports = { a, b };\n",
            "const api = { a, b };\nmodule.exports = api;\n",
            &[],
        ),
        (
            "lib/a.js",
            "Object.defineProperty(exports, 'a', { get() {} });\n",
            "let q = 1;\n",
            &["-a"],
        ),
        ("lib/a.js", "var local = {};\nlocal.x = function () {};\n", "var local = {};\n", &[]),
    ]);
}

#[test]
fn typescript_users_depend_on_members_and_bases() {
    check(&[
        (
            "src/a.ts",
            "export interface O {\n  retries?: number;\n}\n",
            "export interface O {\n  retries: number;\n}\n",
            &["~O.retries"],
        ),
        (
            "src/a.ts",
            "export interface O {\n  retries: number;\n}\n",
            "export interface O {\n  retries?: number;\n}\n",
            &["=O.retries"],
        ),
        (
            "src/a.ts",
            "export interface O {\n  retries: number;\n}\n",
            "export interface O {\n  retries: number;\n  limit: number;\n}\n",
            &["~O"],
        ),
        (
            "src/a.ts",
            "export interface O {\n  retries: number;\n}\n",
            "export interface O {\n  retries: number;\n  limit?: number;\n}\n",
            &[],
        ),
        (
            "src/a.ts",
            "export interface A extends B, C {}\n",
            "export interface A extends B {}\n",
            &["~A"],
        ),
        (
            "src/a.ts",
            "export interface A extends B {}\n",
            "export interface A extends B, C {}\n",
            &[],
        ),
        (
            "src/a.ts",
            "export class A implements B, C {}\n",
            "export class A implements C {}\n",
            &["~A"],
        ),
        ("src/a.ts", "export class A extends B {}\n", "export class A {}\n", &["~A"]),
        ("src/a.js", "export class A extends B {}\n", "export class A {}\n", &["~A"]),
        (
            "src/a.ts",
            "export const api = {\n  get() {},\n  del() {},\n} as const\n",
            "export const api = {\n  get() {},\n}\n",
            &["-api.del"],
        ),
        (
            "src/a.ts",
            "export const api: Api = {\n  get() {},\n  del() {},\n}\n",
            "export const api: Api = {\n  get() {},\n}\n",
            &[],
        ),
        (
            "src/a.js",
            "export default {\n  get() {},\n  'two words': 1,\n  del() {},\n}\n",
            "export default {\n  get() {},\n}\n",
            &["-default.del"],
        ),
        (
            "src/a.ts",
            "export namespace N {\n  export function a() {}\n  export function b() {}\n  function c() {}\n}\n",
            "export namespace N {\n  export function a() {}\n}\n",
            &["-N.b"],
        ),
    ]);
}

#[test]
fn python_users_depend_on_fields_lists_and_what_the_language_calls() {
    check(&[
        (
            "a.py",
            "@dataclass\nclass A:\n    name: str\n    age: int = 0\n    _own: int = 0\n",
            "@dataclass\nclass A:\n    name: str\n",
            &["-A.age"],
        ),
        (
            "a.py",
            "class A:\n    age: int\n",
            "class A:\n    @property\n    def age(self):\n        return 1\n",
            &[],
        ),
        (
            "a.py",
            "class Color(enum.IntEnum):\n    red = 1\n    BLUE = 2\n",
            "class Color(enum.IntEnum):\n    BLUE = 2\n",
            &["-Color.red"],
        ),
        (
            "a.py",
            "__all__ = ['f', 'g']\ndef f(): pass\ndef g(): pass\n",
            "__all__ = ['f']\ndef f(): pass\ndef g(): pass\n",
            &["-__all__.g"],
        ),
        (
            "a.py",
            "__all__ = ['f', 'g']\ndef f(): pass\ndef g(): pass\n",
            "__all__ = ['f']\ndef f(): pass\n",
            &["-g"],
        ),
        ("a.py", "__all__ = ['f']\ndef f(): pass\n", "def f(): pass\n", &[]),
        (
            "a.py",
            "__all__ = ['f']\ndef f(): pass\n",
            "__all__ = x.__all__ + ['h']\ndef f(): pass\n",
            &[],
        ),
        (
            "a.py",
            "class A:\n    def __enter__(self): return self\n    def __exit__(self, *a): pass\n    def __repr__(self): return ''\n    def x(self): pass\n",
            "class A:\n    def x(self): pass\n",
            &["-A.__enter__", "-A.__exit__"],
        ),
        (
            "a.py",
            "class A:\n    def __exit__(self, *a): pass\n",
            "class A:\n    def __exit__(self, kind, value, trace): pass\n",
            &[],
        ),
        (
            "pkg/__init__.py",
            "from pkg.core import Client, run\nfrom typing import Any\n",
            "from pkg.core import Client\n",
            &["-run"],
        ),
        ("pkg/__init__.py", "from . import core\n", "x = 1\n", &["-core"]),
        ("pkg/a.py", "from pkg.core import run\n", "x = 1\n", &[]),
        ("pkg/a.py", "def g(x):\n    return x\n", "from b import g\n", &[]),
        ("pkg/a.py", "class C:\n    def m(self): pass\n", "from b import D as C\n", &[]),
    ]);
}

#[test]
fn rust_users_depend_on_what_types_can_do_and_traits_ask_for() {
    check(&[
        (
            "src/lib.rs",
            "#[derive(Clone, Debug, serde::Serialize)]\npub struct A { pub x: u8 }\n",
            "#[derive(Debug)]\npub struct A { pub x: u8 }\n",
            &["-A: Clone", "-A: Serialize"],
        ),
        (
            "src/lib.rs",
            "#[derive(Debug)]\npub enum A { X }\n",
            "pub enum A { X }\nimpl std::fmt::Debug for A {}\n",
            &[],
        ),
        (
            "src/lib.rs",
            "pub struct A;\nimpl From<u8> for A {}\n",
            "pub struct A;\n",
            &["-A: From<u8>"],
        ),
        ("src/lib.rs", "struct A;\nimpl From<u8> for A {}\n", "struct A;\n", &[]),
        ("src/lib.rs", "trait T {}\npub struct A;\nimpl T for A {}\n", "pub struct A;\n", &[]),
        ("src/lib.rs", "use x::A;\nimpl From<u8> for A {}\n", "use x::A;\n", &[]),
        ("src/lib.rs", "pub struct A;\nimpl From<u8> for A {}\n", "", &["-A"]),
        (
            "src/lib.rs",
            "pub trait T {\n    fn a(&self) {}\n}\n",
            "pub trait T {\n    fn a(&self);\n}\n",
            &["~T"],
        ),
        (
            "src/lib.rs",
            "pub trait T {\n    fn a(&self);\n}\n",
            "pub trait T {\n    fn a(&self) {}\n    fn b(&self) {}\n    const C: u8 = 1;\n}\n",
            &[],
        ),
        ("src/lib.rs", "pub trait T {}\n", "pub trait T {\n    type B;\n}\n", &["~T"]),
        (
            "src/lib.rs",
            "pub trait T: Sealed {}\n",
            "pub trait T: Sealed {\n    fn b(&self);\n}\n",
            &[],
        ),
        ("src/lib.rs", "pub fn f() {}\n", "#[cfg(any())]\npub fn f() {}\n", &["-f"]),
        ("src/lib.rs", "#[repr(C)]\npub struct A;\n", "pub struct A;\n", &["~A"]),
        (
            "src/lib.rs",
            "#[repr(u8)]\npub enum A { B }\n",
            "#[repr(u16)]\npub enum A { B }\n",
            &["~A"],
        ),
        ("src/lib.rs", "pub struct A;\n", "#[repr(C)]\npub struct A;\n", &[]),
        ("src/lib.rs", "pub enum A { B }\n", "#[non_exhaustive]\npub enum A { B }\n", &["~A"]),
        ("src/lib.rs", "#[non_exhaustive]\npub enum A { B }\n", "pub enum A { B }\n", &[]),
    ]);
}

#[test]
fn go_and_java_users_depend_on_packages_and_interfaces() {
    check(&[
        (
            "a/a.go",
            "package a\n\ntype A struct {\n\tID int `json:\"id,omitempty\"`\n}\n",
            "package a\n\ntype A struct {\n\tID int `json:\"key\"`\n}\n",
            &["~A.ID"],
        ),
        (
            "a/a.go",
            "package a\n\ntype A struct {\n\tID int\n}\n",
            "package a\n\ntype A struct {\n\tID int `json:\"id\" yaml:\"id\"`\n}\n",
            &[],
        ),
        (
            "src/A.java",
            "package a;\npublic class A {\n  public void f() {}\n}\n",
            "package a;\npublic class A {\n  public void f() throws java.io.IOException {}\n}\n",
            &["~A.f"],
        ),
        (
            "src/A.java",
            "package a;\npublic class A {\n  public void f() throws E {}\n}\n",
            "package a;\npublic class A {\n  public void f() throws IllegalStateException {}\n}\n",
            &[],
        ),
        (
            "a/a.go",
            "package a\n\ntype R struct {\n\t*sync.Mutex\n\tbase\n\tX int\n}\n",
            "package a\n\ntype R struct {\n\tX int\n}\n",
            &["-R.Mutex"],
        ),
        (
            "a/a.go",
            "package a\n\ntype R interface {\n\tRead() int\n}\n",
            "package a\n\ntype R interface {\n\tRead() int\n\tio.Closer\n}\n",
            &["~R"],
        ),
        (
            "a/a.go",
            "package a\n\ntype R interface {\n\tRead() int\n\town()\n}\n",
            "package a\n\ntype R interface {\n\tRead() int\n\town()\n\tClose() error\n}\n",
            &[],
        ),
        ("a/a.go", "package a\n\nfunc F() {}\n", "package z\n\nfunc F() {}\n", &["-a"]),
        ("a/a.go", "package a\n\nfunc f() {}\n", "package z\n\nfunc f() {}\n", &[]),
        (
            "a/a.go",
            "package a\n\nfunc F() {}\n",
            "//go:build ignore\n\npackage a\n\nfunc F() {}\n",
            &["-F"],
        ),
        (
            "com/a/A.java",
            "package com.a;\npublic class A {}\n",
            "package com.b;\npublic class A {}\n",
            &["-com.a"],
        ),
        (
            "A.java",
            "public interface A {\n  void f();\n}\n",
            "public interface A {\n  void f();\n  void g();\n  default void h() {}\n  static void i() {}\n}\n",
            &["~A"],
        ),
        (
            "A.java",
            "public abstract class A {\n  public void f() {}\n}\n",
            "public abstract class A {\n  public abstract void f();\n}\n",
            &["~A"],
        ),
    ]);
}

#[test]
fn c_users_depend_on_variables_and_the_order_of_members() {
    check(&[
        (
            "a.h",
            "extern int counter;\nextern const char *names[];\nint f(void);\n",
            "int f(void);\n",
            &["-counter", "-names"],
        ),
        ("a.h", "extern int counter;\n", "extern long counter;\n", &["~counter"]),
        (
            "a.h",
            "struct a {\n  int x;\n  long y;\n};\n",
            "struct a {\n  long y;\n  int x;\n};\n",
            &["~a"],
        ),
        (
            "a.h",
            "typedef struct {\n  int x, y;\n} a;\n",
            "typedef struct {\n  int y, x;\n} a;\n",
            &["~a"],
        ),
        ("a.h", "struct a {\n  int x;\n};\n", "struct a {\n  int x;\n  int y;\n};\n", &[]),
        (
            "a.h",
            "int login(char *p);\nint b(void);\n",
            "#if 0\nint login(char *p);\n#endif\nint b(void);\n",
            &["-login"],
        ),
        ("a.h", "int login(char *p);\n", "#ifdef X\nint login(char *p);\n#endif\n", &[]),
        ("a.h", "int a(void);\n", "#if 0\nint b(void);\n#else\nint a(void);\n#endif\n", &[]),
    ]);
}

#[test]
fn a_file_of_go_that_leaves_its_folder_leaves_its_package() {
    let text = "package a\n\nfunc F() {}\n";
    assert_eq!(told(&plan(&[("b/x.go", Some(text), Some(text))], true)), ["-a"]);
    assert_eq!(told(&plan(&[("b/x.go", Some(text), Some(text))], false)), [""; 0]);
    let main = "package main\n\nfunc F() {}\n";
    assert_eq!(told(&plan(&[("b/x.go", Some(main), Some(main))], true)), [""; 0]);
}

#[test]
fn a_name_that_arrives_where_users_find_it_is_not_gone() {
    let go = |rest: &str| format!("package a\n\nfunc F() int {{ return 1 }}\n{rest}");
    let g = "\nfunc G() int { return 2 }\n";
    let both = go(g);
    let kept = go("");
    let arrives = format!("package a\n{g}");
    let other = format!("package b\n{g}");
    let wider = "package a\n\nfunc G(n int) int { return n }\n";
    let t = "package a\n\ntype T struct{}\n\nfunc (t T) M() {}\n";
    let t_alone = "package a\n\ntype T struct{}\n";
    let cases: &[(&[File<'_>], &[&str])] = &[
        (&[("p/a.go", Some(&both), Some(&kept)), ("p/b.go", None, Some(&arrives))], &[]),
        (&[("p/b.go", None, Some(&arrives)), ("p/a.go", Some(&both), Some(&kept))], &[]),
        (&[("p/a.go", Some(&both), None), ("p/b.go", None, Some(&both))], &[]),
        (&[("p/a.go", Some(&both), Some(&kept)), ("q/b.go", None, Some(&arrives))], &["-G"]),
        (&[("p/a.go", Some(&both), Some(&kept)), ("p/b.go", None, Some(&other))], &["-G"]),
        (&[("p/a.go", Some(&both), Some(&kept)), ("p/b.go", None, Some(wider))], &["~G"]),
        // What does not come along is gone, although what it was in only moved.
        (&[("p/a.go", Some(t), None), ("p/b.go", None, Some(t_alone))], &["-T.M"]),
        // One arrival stands for one departure.
        (
            &[
                ("p/b.go", None, Some(&arrives)),
                ("p/b.go", Some(&arrives), None),
                ("p/a.go", Some(&both), Some(&kept)),
            ],
            &["-G"],
        ),
        (
            &[
                ("com/A.java", Some("package com;\npublic class A {}\n"), None),
                ("gen/com/A.java", None, Some("package com;\npublic class A {}\n")),
            ],
            &[],
        ),
        (
            &[
                ("a.c", Some("int f(int x) { return x; }\n"), Some("\n")),
                ("b.c", None, Some("int f(int x) { return x; }\n")),
            ],
            &[],
        ),
        (
            &[
                ("src/a.rs", Some("pub fn g() {}\n"), Some("pub use b::*;\n")),
                ("src/b.rs", None, Some("pub fn g() {}\n")),
            ],
            &[],
        ),
        (&[("src/a.rs", Some("pub fn g() {}\n"), Some("pub use b::*;\n"))], &["-g"]),
        (
            &[
                ("src/a.rs", Some("pub fn g() {}\n"), Some("pub use b::*;\n")),
                ("src/c.rs", None, Some("pub fn g() {}\n")),
            ],
            &["-g"],
        ),
        (
            &[
                ("src/a.rs", Some("#[derive(Clone)]\npub struct A;\n"), Some("pub struct A;\n")),
                ("src/b.rs", Some("\n"), Some("impl Clone for A {}\n")),
            ],
            &[],
        ),
        (
            &[
                (
                    "src/index.ts",
                    Some("export function g() {}\n"),
                    Some("export * from './b/index.js'\n"),
                ),
                ("src/b/index.ts", None, Some("export function g() {}\n")),
            ],
            &[],
        ),
        (
            &[
                (
                    "lib/a.js",
                    Some("exports.g = () => 1\n"),
                    Some("module.exports = { ...require('./b') }\n"),
                ),
                ("lib/b.js", None, Some("exports.g = () => 1\n")),
            ],
            &[],
        ),
        (
            &[
                ("pkg/a.py", Some("def g(): pass\n"), Some("from .b import *\n")),
                ("pkg/b.py", None, Some("def g(): pass\n")),
            ],
            &[],
        ),
        (
            &[
                ("inc/a.h", Some("int f(int x);\n"), Some("#include \"b.h\"\n")),
                ("inc/b.h", None, Some("int f(int x);\n")),
            ],
            &[],
        ),
    ];
    for (files, expected) in cases {
        assert_eq!(told(&plan(files, false)), *expected, "{files:?}");
    }
}
