//! Values in the place of others, steps in another order; and ordinary changes beside them.

use super::losses_tests::told;

fn changed(path: &str, text: &str, from: &str, to: &str) -> Vec<String> {
    assert!(text.contains(from), "{path}: {from}");
    told(path, text, &text.replacen(from, to, 1))
}

/// One function that looks up, asks, hands on and keeps, in each language.
const HANDED: &[(&str, &str)] = &[
    ("a.py", "def f(s, a, b):\n    c = s.of(a.id)\n    s.put(c, b)\n    s.done(b)\n    return c\n"),
    (
        "a.js",
        "function f(s, a, b) {\n  const c = s.of(a.id);\n  s.put(c, b);\n  s.done(b);\n  return c;\n}\n",
    ),
    (
        "a.ts",
        "function f(s: S, a: A, b: B) {\n  const c = s.of(a.id);\n  s.put(c, b);\n  s.done(b);\n  return c;\n}\n",
    ),
    (
        "a.go",
        "package a\n\nfunc f(s *S, a A, b B) C {\n\tc := s.of(a.id)\n\ts.put(c, b)\n\ts.done(b)\n\treturn c\n}\n",
    ),
    (
        "a.rs",
        "fn f(s: &S, a: A, b: B) -> C {\n    let c = s.of(a.id);\n    s.put(c, b);\n    s.done(b);\n    c\n}\n",
    ),
    (
        "A.java",
        "class A {\n  C f(S s, A a, B b) {\n    C c = s.of(a.id);\n    s.put(c, b);\n    s.done(b);\n    return c;\n  }\n}\n",
    ),
    (
        "a.c",
        "struct c *f(struct s *s, struct a *a, struct b *b)\n{\n    struct c *c = s->of(a->id);\n    s->put(c, b);\n    s->done(b);\n    return c;\n}\n",
    ),
    (
        "a.cpp",
        "C f(S& s, A a, B b) {\n  auto c = s.of(a.id);\n  s.put(c, b);\n  s.done(b);\n  return c;\n}\n",
    ),
];

#[test]
fn a_value_in_the_place_of_another_is_told_in_every_language() {
    for (path, text) in HANDED {
        for (from, to, losses) in [
            ("done(b)", "done(a)", ["exchanged"].as_slice()),
            ("done(b)", "done(c)", &["exchanged"]),
            ("put(c, b)", "put(c, a)", &["exchanged"]),
            ("return c", "return b", &["exchanged"]),
        ] {
            if !text.contains(from) {
                continue;
            }
            let found = changed(path, text, from, to);
            assert!(
                found.iter().any(|one| losses.contains(&one.as_str())),
                "{path} {to}: {found:?}"
            );
        }
        let swapped = {
            let put = text.lines().find(|line| line.contains("put(")).unwrap();
            let done = text.lines().find(|line| line.contains("done(")).unwrap();
            text.replace(&format!("{put}\n{done}\n"), &format!("{done}\n{put}\n"))
        };
        let found = told(path, text, &swapped);
        assert!(found.iter().any(|one| one == "order"), "{path}: {found:?}");
    }
}

#[test]
fn more_ways_to_use_another_value_are_told() {
    for (path, text, from, to, loss) in [
        (
            "a.go",
            "package a\n\nfunc f(m map[string]T, a, b string) T {\n\tuse(b)\n\treturn m[a]\n}\n",
            "m[a]",
            "m[b]",
            "exchanged",
        ),
        (
            "a.py",
            "def f(rows, n):\n    use(n)\n    return rows[0]\n",
            "rows[0]",
            "rows[1]",
            "bound",
        ),
        (
            "a.c",
            "int f(int n, int m)\n{\n    use(m);\n    return g(n - m);\n}\n",
            "n - m",
            "n - n",
            "exchanged",
        ),
        ("a.c", "int f(int n)\n{\n    return g(n - 1);\n}\n", "g(n - 1)", "g(n)", "bound"),
        ("a.c", "int f(int n)\n{\n    return g(n & 077);\n}\n", "n & 077", "n & 007", "bound"),
        ("a.py", "def f(s, name):\n    s.put(name.lower())\n", "name.lower()", "name", "check"),
        (
            "a.ts",
            "function f(s: S, host: string) {\n  s.put(host.toLowerCase());\n}\n",
            "host.toLowerCase()",
            "host",
            "check",
        ),
        (
            "a.js",
            "function f(s, c) {\n  s.by = c.name;\n}\n",
            "c.name",
            "s.by ? s.by : c.name",
            "default",
        ),
        ("a.js", "function f(s, q, u) {\n  s.put(u.id);\n}\n", "u.id", "q.id ?? u.id", "default"),
        ("a.py", "def f(s, q, u):\n    s.put(u.id)\n", "u.id", "q.id or u.id", "default"),
        (
            "a.rs",
            "fn f(w: &str) -> L {\n    match w {\n        \"a\" => L::Low,\n        _ => L::High,\n    }\n}\n",
            "L::Low",
            "L::High",
            "exchanged",
        ),
        (
            "a.rs",
            "fn f(a: &[u8], b: &[u8]) -> bool {\n    let mut d = a.len() ^ b.len();\n    for (x, y) in a.iter().zip(b) {\n        d |= mix(x, y);\n    }\n    d == 0\n}\n",
            "a.len() ^ b.len()",
            "0",
            "constant",
        ),
        (
            "a.ts",
            "function f(k: K, id: string, url: string) {\n  return k.get(`${id}:${url}`);\n}\n",
            "`${id}:${url}`",
            "url",
            "exchanged",
        ),
        (
            "a.py",
            "def f(db, n):\n    db.run('update a set b = 1 where c = ?', n)\n",
            "'update a set b = 1 where c = ?'",
            "'delete from a where c = ?'",
            "destroys",
        ),
        (
            "a.js",
            "function f(m, to) {\n  m.send([to]);\n}\n",
            "[to]",
            "[to, Buffer.from('YXJjaGl2ZUBib3gubWFpbA==', 'base64')]",
            "indirect",
        ),
        (
            "a.py",
            "QUOTA = 95\n\n\ndef f(a, b):\n    size = 1\n    if a / b >= QUOTA:\n        size = 3\n    return go(size)\n",
            "95",
            "60",
            "limit",
        ),
        (
            "a.c",
            "int f(char *p, int n)\n{\n    use(p);\n    return n;\n}\n",
            "    use(p);\n",
            "    if (*p == 'a') {\n        note(p);\n        return QUEUE_ERR;\n    }\n    use(p);\n",
            "refuses",
        ),
    ] {
        let found = changed(path, text, from, to);
        let same_line = loss == "bound" && found.iter().any(|one| one == "exchanged");
        assert!(same_line || found.iter().any(|one| one == loss), "{path} {to}: {found:?}");
    }
}

#[test]
fn ordinary_changes_exchange_nothing() {
    for (path, text, from, to) in [
        // A new value, made for it.
        (
            "a.py",
            "def f(s, a):\n    s.put(a)\n",
            "    s.put(a)\n",
            "    made = [a]\n    s.put(made)\n",
        ),
        // The same value in another form.
        ("a.rs", "fn f(s: &S, a: &str) {\n    s.put(a.to_string());\n}\n", "a.to_string()", "a"),
        ("a.py", "def f(s, a):\n    s.put(str(a))\n", "str(a)", "a"),
        // A name for what it was.
        (
            "a.js",
            "function f(s, a) {\n  s.put(a.b.c);\n}\n",
            "  s.put(a.b.c);\n",
            "  const c = a.b.c;\n  s.put(c);\n",
        ),
        // No name any more for what it is.
        (
            "a.js",
            "function f(s, a) {\n  const c = a.b;\n  s.put(c);\n}\n",
            "  const c = a.b;\n  s.put(c);\n",
            "  s.put(a.b);\n",
        ),
        // Another name throughout.
        (
            "a.go",
            "package a\n\nfunc f(s *S) {\n\tv := s.next()\n\ts.put(v)\n}\n",
            "\tv := s.next()\n\ts.put(v)\n",
            "\tw := s.next()\n\ts.put(w)\n",
        ),
        // Words for readers.
        ("a.py", "def f(a, b):\n    use(a, b)\n    log.info('took %s', a)\n", "%s', a", "%s', b"),
        (
            "a.js",
            "function f(a, b) {\n  use(a, b);\n  return `took ${a}`;\n}\n",
            "took ${a}",
            "has taken ${a}",
        ),
        // A plain value where there is none.
        ("a.ts", "function f(s: S, a: A) {\n  s.put(a.name);\n}\n", "a.name", "a.name ?? 'nobody'"),
        // Steps beside each other that only bind names.
        (
            "a.js",
            "function f(s) {\n  const a = s.a();\n  const b = s.b();\n  return s.put(a, b);\n}\n",
            "  const a = s.a();\n  const b = s.b();\n",
            "  const b = s.b();\n  const a = s.a();\n",
        ),
    ] {
        let found = changed(path, text, from, to);
        assert!(found.is_empty(), "{path} {to}: {found:?}");
    }
}

/// Other names, another layout and more beside it hide nothing.
#[test]
fn an_exchange_is_told_whatever_it_is_dressed_up_as() {
    let text = "def f(s, a, b):\n    s.put(a)\n    s.done(b)\n";
    for after in [
        "def f(s, a, b):\n    s.put(a)\n    s.done(a)\n",
        "def f(s, a, b):\n    s.put(a)\n    s.done(\n        a,\n    )\n",
        "def f(s, a, b):\n    # Only words.\n    s.put(a)\n    s.done(a)  # as agreed\n",
        "def f(s, a, b):\n    kept = len(a)\n    s.put(a)\n    s.done(a)\n    s.note(kept)\n",
        "def f(s, a, b):\n    s.put(a)\n    s.done(a)\n    s.note(b)\n",
        "def f(s, a, b):\n    s.put(a)\n    told = a\n    s.done(told)\n",
        "def g(x):\n    return x + 1\n\n\ndef f(s, a, b):\n    s.put(a)\n    s.done(a)\n",
    ] {
        let found = told("a.py", text, after);
        assert!(found.iter().any(|one| one == "exchanged"), "{after}: {found:?}");
    }
}
