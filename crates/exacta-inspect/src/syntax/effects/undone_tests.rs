//! What functions that stay no longer do, look at in part, hand out or hold otherwise.

use super::losses_tests::told;

fn changed(path: &str, text: &str, from: &str, to: &str) -> Vec<String> {
    assert!(text.contains(from), "{path}: {from}");
    told(path, text, &text.replacen(from, to, 1))
}

#[test]
fn what_is_no_longer_done_is_told_without_words_that_say_so() {
    for (path, text, from, to, loss) in [
        ("a.py", "def f(s, n):\n    s.note(n)\n    s.put(n)\n", "    s.note(n)\n", "", "dropped"),
        (
            "a.js",
            "function f(s, n) {\n  s.trail(n);\n  s.put(n);\n}\n",
            "  s.trail(n);\n",
            "",
            "dropped",
        ),
        (
            "a.ts",
            "function f(r: R, s: S) {\n  return s.redirect(next(r.to));\n}\n\nfunction next(to: string) {\n  return to;\n}\n",
            "next(r.to)",
            "String(r.to)",
            "dropped",
        ),
        (
            "a.go",
            "package a\n\nfunc f(s *S, n int) {\n\ts.trail(n)\n\ts.put(n)\n}\n",
            "\ts.trail(n)\n",
            "",
            "dropped",
        ),
        (
            "a.rs",
            "fn f(s: &S, n: u8) {\n    s.note(n);\n    s.put(n);\n}\n",
            "    s.note(n);\n",
            "",
            "dropped",
        ),
        (
            "A.java",
            "class A {\n  void f(S s, int n) {\n    s.trail(n);\n    s.put(n);\n  }\n}\n",
            "    s.trail(n);\n",
            "",
            "dropped",
        ),
        (
            "a.c",
            "void f(char *s)\n{\n    memset(s, 0, 8);\n    put(s);\n}\n",
            "    memset(s, 0, 8);\n",
            "",
            "dropped",
        ),
        (
            "a.cpp",
            "void A::f(int n) {\n  Trail(n);\n  Put(n);\n}\n",
            "  Trail(n);\n",
            "",
            "dropped",
        ),
        (
            "a.py",
            "def f(a, b):\n    for x, y in zip(a, b):\n        g(x, y)\n    return a == b\n",
            "zip(a, b)",
            "zip(a[:4], b[:4])",
            "part",
        ),
        (
            "a.go",
            "package a\n\nfunc f(b []byte) bool {\n\tc := sum(b)\n\treturn c == d\n}\n",
            "sum(b)",
            "sum(b[:4])",
            "part",
        ),
        (
            "a.js",
            "function f(a) {\n  const b = sum(a);\n  return a.b === b;\n}\n",
            "sum(a)",
            "sum(a).slice(0, 2)",
            "part",
        ),
        (
            "a.js",
            "function f(a) {\n  for (let i = 0; i < a.length; i++) g(a[i]);\n}\n",
            "i < a.length",
            "i < Math.min(a.length, 4)",
            "bound",
        ),
        (
            "a.py",
            "def f(s, n):\n    s.log.info('got %s', n)\n    return n\n",
            "'got %s', n",
            "'got %s', vars(s)",
            "exposed",
        ),
        (
            "a.ts",
            "function f(o: O, s: S) {\n  return s.json({ id: o.id });\n}\n",
            "{ id: o.id }",
            "o",
            "exposed",
        ),
        (
            "a.ts",
            "function f(o: O) {\n  const { owner, ...rest } = o;\n  return rest;\n}\n",
            "const { owner, ...rest } = o;\n  return rest;",
            "return { ...o };",
            "check",
        ),
        ("a.py", "def f(s, n):\n    return s.seen.get(n)\n", "get(n)", "get(n, s)", "default"),
        (
            "a.js",
            "function f(s, n) {\n  return s.of(n) ?? null;\n}\n",
            "null",
            "s.first",
            "default",
        ),
        ("a.py", "def f(s, n):\n    s.seen[n] = n.of\n", "n.of", "None", "constant"),
        ("a.py", "SPAN = 900\n", "900", "90000", "limit"),
        ("a.go", "package a\n\nconst span = 10 * time.Minute\n", "Minute", "Hour", "limit"),
        (
            "A.java",
            "class A {\n  static final Duration SPAN = Duration.ofMinutes(20);\n}\n",
            "ofMinutes",
            "ofDays",
            "limit",
        ),
        (
            "a.cpp",
            "bool f(long at, long now) {\n  return now - at > 3600;\n}\n",
            "3600",
            "3600000",
            "verdict",
        ),
        (
            "a.cpp",
            "int f(int n) {\n  switch (n) {\n    case 1: return 3;\n    default: return 0;\n  }\n}\n",
            "return 0",
            "return 1",
            "verdict",
        ),
        (
            "a.go",
            "package a\n\nfunc f(c C) error {\n\tif c.Done() {\n\t\treturn c.Err()\n\t}\n\treturn nil\n}\n",
            "return c.Err()",
            "return nil",
            "verdict",
        ),
        (
            "a.go",
            "package a\n\nfunc f(at T) bool {\n\treturn Since(at) > span\n}\n",
            "Since",
            "Until",
            "verdict",
        ),
        (
            "a.rs",
            "fn f(e: Option<&E>, n: u8) -> u8 {\n    match e {\n        Some(e) if e.n == n => 1,\n        _ => 0,\n    }\n}\n",
            "Some(e) if e.n == n",
            "Some(_)",
            "removed",
        ),
        (
            "a.c",
            "int f(const char *p)\n{\n    return open(p, O_RDWR, 0600);\n}\n",
            "0600",
            "0666",
            "limit",
        ),
        (
            "a.go",
            "package a\n\nfunc f(w W) {\n\tw.Header().Set(\"X-Content-Type-Options\", \"nosniff\")\n\tw.Done()\n}\n",
            "\tw.Header().Set(\"X-Content-Type-Options\", \"nosniff\")\n",
            "",
            "upkeep",
        ),
        (
            "a.py",
            "def f(s):\n    with s.guard:\n        s.n += 1\n",
            "with s.guard:",
            "if True:",
            "upkeep",
        ),
        ("a.h", "#define PATH_LEN 32\n", "32", "64", "limit"),
    ] {
        let found = changed(path, text, from, to);
        assert!(found.iter().any(|one| one == loss), "{path} {loss}: {found:?}\n{from} -> {to}");
    }
}

#[test]
fn ordinary_work_on_a_function_is_not_told() {
    for (path, text, from, to) in [
        ("a.py", "def f(s, n):\n    print('at', n)\n    s.put(n)\n", "    print('at', n)\n", ""),
        // Another call came in its place.
        ("a.py", "def f(s, n):\n    s.note(n)\n    s.put(n)\n", "s.note(n)", "s.jot(n, 1)"),
        // Plain functions of the language.
        ("a.js", "function f(n) {\n  return n.trim().toLowerCase();\n}\n", ".trim()", ""),
        // What was called went into its caller.
        (
            "a.py",
            "def g(n):\n    return n + 1\n\n\ndef f(n):\n    return g(n)\n",
            "def g(n):\n    return n + 1\n\n\ndef f(n):\n    return g(n)\n",
            "def f(n):\n    return n + 1\n",
        ),
        ("a.py", "def f(n):\n    show(n)\n", "show(n)", "show(n[:80])"),
        ("a.py", "def f(s, n):\n    s.log.info('got %s', n)\n", "'got %s', n", "'got %s', n.name"),
        ("a.py", "SPAN = 900\n", "900", "1200"),
        ("a.js", "const a = f(10, 20);\n", "20", "30"),
    ] {
        let found = changed(path, text, from, to);
        let public = |one: &String| one != "removed";
        assert!(!found.iter().any(public), "{path}: {found:?}\n{from} -> {to}");
    }
}
