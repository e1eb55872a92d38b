//! What the pass notes and what two images are told apart by, in every language.

use exacta_core::judge::facts::FactKind;
use exacta_core::model::path::RelPath;

use crate::request::{Limits, Request, StepInput};

fn facts(path: &str, before: &str, after: &str) -> Vec<FactKind> {
    let step = StepInput {
        step: "step_1",
        path: RelPath::parse(path).unwrap(),
        moved: false,
        before: Some(before.as_bytes()),
        after: Some(after.as_bytes()),
    };
    let request = Request { steps: vec![step], manifests: Vec::new(), limits: Limits::default() };
    crate::inspect(&request).facts.into_iter().map(|fact| fact.kind).collect()
}

fn told(path: &str, before: &str, after: &str, name: &str) -> bool {
    facts(path, before, after).iter().any(|kind| kind.name() == name)
}

/// One function that refuses, in each language.
const GUARDED: &[(&str, &str, &str)] = &[
    ("a.py", "def f(a, b):\n    if a != b:\n        raise ValueError()\n    return b\n", "a != b"),
    (
        "a.js",
        "function f(a, b) {\n  if (a !== b) {\n    throw new Error();\n  }\n  return b;\n}\n",
        "a !== b",
    ),
    (
        "a.ts",
        "function f(a: number, b: number) {\n  if (a !== b) return null;\n  return b;\n}\n",
        "a !== b",
    ),
    (
        "a.go",
        "package a\n\nfunc f(a, b int) error {\n\tif a != b {\n\t\treturn errNo\n\t}\n\treturn nil\n}\n",
        "a != b",
    ),
    (
        "a.rs",
        "fn f(a: u8, b: u8) -> Option<u8> {\n    if a != b {\n        return None;\n    }\n    Some(b)\n}\n",
        "a != b",
    ),
    (
        "A.java",
        "class A {\n  int f(int a, int b) {\n    if (a != b) {\n      throw new E();\n    }\n    return b;\n  }\n}\n",
        "a != b",
    ),
    (
        "a.c",
        "int f(int a, int b)\n{\n    if (a != b)\n        return -1;\n    return b;\n}\n",
        "a != b",
    ),
    (
        "a.cpp",
        "int f(int a, int b) {\n  if (a != b) {\n    throw 1;\n  }\n  return b;\n}\n",
        "a != b",
    ),
];

#[test]
fn a_guard_whose_condition_changes_is_told_in_every_language() {
    for (path, text, condition) in GUARDED {
        let turned = text.replace(condition, "a == 7");
        assert!(told(path, text, &turned, "guard_loosened"), "{path}");
        let laid_out = text.replace(condition, &condition.replace(' ', "  "));
        assert!(!told(path, text, &laid_out, "guard_loosened"), "{path}");
    }
}

#[test]
fn a_guard_that_no_longer_leaves_is_told() {
    let before = "function f(req, res, next) {\n  if (!req.a) {\n    res.status(401).end();\n    return;\n  }\n  next();\n}\n";
    let after = before.replace("    return;\n", "");
    assert!(told("a.js", before, &after, "guard_loosened"));
}

#[test]
fn verdicts_that_become_constant_or_wider_are_told() {
    for (path, before, after) in [
        (
            "a.rs",
            "pub fn ok(a: &[u8], b: &[u8]) -> bool {\n    a == b\n}\n",
            "pub fn ok(a: &[u8], b: &[u8]) -> bool {\n    true\n}\n",
        ),
        (
            "A.java",
            "class A { boolean ok(int a) { return a == 1; } }\n",
            "class A { boolean ok(int a) { return a == 1 || a == 2; } }\n",
        ),
        ("a.py", "def ok(a):\n    return a.good()\n", "def ok(a):\n    return True\n"),
        (
            "a.c",
            "int ok(int a)\n{\n    return a == 3;\n}\n",
            "int ok(int a)\n{\n    return a == 3 || 1;\n}\n",
        ),
    ] {
        assert!(told(path, before, after, "guard_loosened"), "{path}");
    }
    let number = "def dark(a):\n    return a < 128\n";
    assert!(!told("a.py", number, &number.replace("128", "130"), "guard_loosened"));
}

#[test]
fn limits_that_guards_use_are_told_and_others_are_not() {
    let before = "LIMIT = 10\nWIDTH = 20\n\ndef f(a):\n    if a > LIMIT:\n        raise ValueError()\n    return WIDTH\n";
    assert!(told("a.py", before, &before.replace("= 10", "= 99"), "guard_loosened"));
    assert!(!told("a.py", before, &before.replace("= 20", "= 99"), "guard_loosened"));
}

#[test]
fn dangerous_reach_is_told_also_by_another_name_or_argument() {
    for (path, before, after) in [
        ("a.py", "x = 1\n", "import subprocess\n"),
        ("a.py", "x = 1\n", "from builtins import eval as plain\n"),
        ("a.py", "import os\nos.system('a')\n", "import os\nos.system('b')\n"),
        ("a.js", "f();\n", "require('child_' + 'process');\n"),
        ("a.js", "f();\n", "x[y]();\n"),
        (
            "a.go",
            "package a\n\nfunc f() {}\n",
            "package a\n\nfunc f() { exec.Command(\"a\").Run() }\n",
        ),
        ("a.rs", "fn f() {}\n", "fn f() { let _ = std::process::Command::new(\"a\"); }\n"),
        (
            "A.java",
            "class A { void f() {} }\n",
            "class A { void f() { Runtime.getRuntime().exec(x); } }\n",
        ),
        ("a.c", "void f(void) {}\n", "void f(void) { system(\"a\"); }\n"),
        ("a.cpp", "void f() {}\n", "void f() { auto p = &popen; p(\"id\", \"r\"); }\n"),
    ] {
        assert!(told(path, before, after, "reaches"), "{path}: {after}");
    }
    assert!(!told("a.js", "f();\n", "f(/a/.exec(b));\n", "reaches"));
    assert!(!told("a.py", "x = 1\n", "x = open('a').read()\n", "reaches"));
}

#[test]
fn values_put_into_texts_that_others_obey_are_told() {
    for (path, before, after) in [
        (
            "a.py",
            "q('select a from b where c = ?', (x,))\n",
            "q(f\"select a from b where c = '{x}'\")\n",
        ),
        (
            "a.ts",
            "q('select a from b where c = $1', [x]);\n",
            "q('select a from b where c = \\'' + x + '\\'');\n",
        ),
        (
            "a.go",
            "package a\n\nfunc f() { q(\"select a from b\") }\n",
            "package a\n\nfunc f() { q(fmt.Sprintf(\"select a from b where c = '%s'\", x)) }\n",
        ),
        ("a.js", "s(a);\n", "s(`<p>${x}</p>`);\n"),
    ] {
        assert!(told(path, before, after, "text_built"), "{path}");
    }
    // Other words around the same values are not new values.
    assert!(!told("a.js", "s(`<p>${x}</p>`);\n", "s(`<b>${x}</b>`);\n", "text_built"));
}

#[test]
fn assertions_that_go_are_told_and_new_ones_are_not() {
    let before = "def test_a():\n    assert f(1) == 2\n    assert f(2) == 3\n";
    assert!(told(
        "tests/test_a.py",
        before,
        &before.replace("    assert f(2) == 3\n", ""),
        "tests_lost"
    ));
    assert!(!told(
        "tests/test_a.py",
        before,
        &format!("{before}    assert f(3) == 4\n"),
        "tests_lost"
    ));
}
