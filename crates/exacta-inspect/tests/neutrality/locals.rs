//! Names of locals that are others: what people do, and what looks like it.

use exacta_testkit::Rng;

use crate::generate::Sample;

/// Every way in which a name may be bound, seen from another scope, or looked up as a text.
pub(crate) const PYTHON: Sample = Sample {
    path: "src/scopes.py",
    mark: "#",
    text: "import os\nimport re as again\n\nlimit = 10\ntotal = 0\n\n\ndef walk(items, most=3, *rest, **named):\n    total = 0\n    seen = {}\n    for index, (key, value) in enumerate(items):\n        if key and total < most:\n            total += len(value)\n        seen[key] = index\n    return total, seen, limit, named.get('total', total)\n\n\ndef count():\n    global limit\n    limit = 20\n    step = 1\n\n    def inner(by):\n        nonlocal step\n        step += by\n        local = step * limit\n        return lambda key: key + local + step\n\n    class Shelf:\n        step = 5\n        width = step + 1\n\n        def size(self, value):\n            width = self.width + value\n            return width\n\n    return inner, Shelf, [step for step in range(3)], step\n\n\ndef read(path):\n    with open(path) as handle, open(path) as other:\n        text = handle.read() + other.read()\n    try:\n        first, *others = text.split(sep='text')\n    except ValueError as failure:\n        raise KeyError(text) from failure\n    found = again.match('a', text)\n    shown = f'{text!r} {limit}'\n    sizes = {part: len(part) for part in others if part != first}\n    if (size := len(sizes)) > 2:\n        del sizes[first]\n    while size:\n        size -= 1\n    return os.path.join(first, *others), dict(found=found, shown=shown), sizes\n",
};

pub(crate) const JAVASCRIPT: Sample = Sample {
    path: "src/scopes.js",
    mark: "//",
    text: "import { read } from './read.js';\n\nconst limit = 10;\nlet total = 0;\n\nexport function walk(items, most = 3, ...rest) {\n  let total = 0;\n  const seen = {};\n  for (const [key, value] of items) {\n    if (key && total < most) {\n      total += value.length;\n    }\n    seen[key] = value;\n  }\n  for (let index = 0; index < rest.length; index++) {\n    const part = rest[index];\n    setTimeout(() => part.run(index), limit);\n  }\n  return { total, seen: seen, limit };\n}\n\nexport const count = (by) => {\n  hoisted(1);\n  var step = by;\n  {\n    let step = 2;\n    const inner = { step: step, by };\n    read(inner, step);\n  }\n  if (step) {\n    var late = step + total;\n  }\n  const named = () => step;\n  const { width, deep: { size = step } = {}, ...others } = read(by);\n  outer: for (const outer of others) {\n    if (outer) continue outer;\n  }\n  try {\n    read(late);\n  } catch (failure) {\n    const text = `${failure} ${width}`;\n    throw new Error(text + size);\n  }\n  switch (step) {\n    case 1: {\n      const half = step / 2;\n      return half;\n    }\n    default:\n      let rest = named.name;\n      return rest;\n  }\n  function hoisted(value) {\n    const copy = value, twice = copy * 2;\n    return [copy, twice].map((copy) => copy + step);\n  }\n};\n\nexport class Shelf {\n  static total = total;\n  size(items) {\n    const first = items[0], self = this;\n    return () => self.total + first;\n  }\n}\n",
};

pub(crate) const C: Sample = Sample {
    path: "src/scopes.c",
    mark: "//",
    text: "#include <string.h>\n\n#define TWICE(x) ((x) + (x))\n#define NEXT total + 1\n\nstruct pair {\n  int total;\n  int size;\n};\n\nstatic int limit = 10;\nint width;\n\nstatic int add(int a, int b) { return a + b; }\n\nint walk(const char *text, int most) {\n  int total = 0;\n  struct pair one = {.total = 1, .size = most};\n  for (int i = 0; text[i] && i < most; i++) {\n    char ch = text[i];\n    if (ch == 'x')\n      total += add(ch, one.total);\n    else {\n      int total = limit;\n      width = total;\n    }\n  }\n  return NEXT + (int)strlen(text);\n}\n\nint count(struct pair *p, int size) {\n  int width = size, *at = &p->size, many[3] = {size, width, 1};\n  static int calls;\n  int late;\n  calls++;\n  late = TWICE(width);\n  if (late > limit)\n    goto out;\n  for (late = 0; late < 3; late++)\n    *at += many[late] + add(width, many[late]);\nout:\n  { int out = late; width = out; }\n  return width + calls + (int)sizeof(many);\n}\n",
};

const NEW: &[&str] = &["fresh", "other_name", "another", "temp", "k"];

/// The sample with other names: everywhere, in one place, or in some lines; the new name is
/// fresh, or one that means something already.
pub(crate) fn renamed(sample: &Sample, rng: &mut Rng) -> String {
    let mut text = sample.text.to_owned();
    for round in 0..=rng.below(2) {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let mut names: Vec<(usize, usize)> = Vec::new();
        let mut start = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            match (part(c), start) {
                (true, None) => start = Some(at),
                (false, Some(first)) => {
                    names.push((first, at));
                    start = None;
                }
                _ => {}
            }
        }
        let (first, end) = *rng.pick(&names);
        let old = text[first..end].to_owned();
        let (other, other_end) = *rng.pick(&names);
        let new = match rng.below(4) {
            0 => text[other..other_end].to_owned(),
            1 => "len".to_owned(),
            _ => format!("{}{round}", rng.pick(NEW)),
        };

        let places: Vec<(usize, usize)> =
            names.iter().copied().filter(|(a, b)| text[*a..*b] == old).collect();
        let (from, to) = match rng.below(6) {
            0 => (first, end),
            1 => (first, text.len()),
            2 => (0, end),
            // The function around it.
            _ => {
                let begin = text[..first].rfind("\n\n").map_or(0, |at| at + 2);
                let close = text[first..].find("\n\n").map_or(text.len(), |at| first + at);
                (begin, close)
            }
        };
        for (a, b) in places.into_iter().rev() {
            if a >= from && b <= to {
                text.replace_range(a..b, &new);
            }
        }
    }
    text
}

type Case = (&'static str, &'static str, &'static str);

/// Nothing but the name of a local differs.
pub(crate) const RENAMED: &[Case] = &[
    (
        "src/a.py",
        "def f(a):\n    total = 0\n    for part in a:\n        total += part\n    return g(total, key=total)\n",
        "def f(a):\n    summed = 0\n    for piece in a:\n        summed += piece\n    return g(summed, key=summed)\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    with open(a) as handle:\n        x = handle.read()\n    return lambda: x + x.x\n",
        "def f(a):\n    with open(a) as source:\n        y = source.read()\n    return lambda: y + y.x\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    try:\n        b, (c, d) = a\n    except ValueError as failure:\n        raise KeyError(failure)\n    return [b for b in c]\n",
        "def f(a):\n    try:\n        p, (q, d) = a\n    except ValueError as wrong:\n        raise KeyError(wrong)\n    return [p for p in q]\n",
    ),
    (
        "src/a.js",
        "export function f(a) {\n  const total = a.total;\n  return g(total, { total: total }, [total]);\n}\n",
        "export function f(a) {\n  const summed = a.total;\n  return g(summed, { total: summed }, [summed]);\n}\n",
    ),
    (
        "src/a.js",
        "export const f = (a) => {\n  for (let i = 0; i < a.length; i++) {\n    const b = a[i];\n    setTimeout(() => b.run(i), 1);\n  }\n};\n",
        "export const f = (a) => {\n  for (let j = 0; j < a.length; j++) {\n    const part = a[j];\n    setTimeout(() => part.run(j), 1);\n  }\n};\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  g(t);\n  if (a) { var t = 1; }\n  return t;\n}\nmodule.exports = f;\n",
        "function f(a) {\n  g(u);\n  if (a) { var u = 1; }\n  return u;\n}\nmodule.exports = f;\n",
    ),
    (
        "src/a.ts",
        "export function f(a: number[]): number {\n  let t: number = 0;\n  for (const b of a) t += b as number;\n  return t!;\n}\n",
        "export function f(a: number[]): number {\n  let u: number = 0;\n  for (const part of a) u += part as number;\n  return u!;\n}\n",
    ),
    (
        "src/a.go",
        "package a\n\nfunc F(a []int) int {\n\ttotal := 0\n\tfor _, part := range a {\n\t\ttotal += part\n\t}\n\tif x, err := g(total); err == nil {\n\t\treturn x\n\t}\n\treturn total\n}\n",
        "package a\n\nfunc F(a []int) int {\n\tsummed := 0\n\tfor _, piece := range a {\n\t\tsummed += piece\n\t}\n\tif x, failed := g(summed); failed == nil {\n\t\treturn x\n\t}\n\treturn summed\n}\n",
    ),
    (
        "src/A.java",
        "class A {\n  int f(int[] a) {\n    int total = 0;\n    for (int part : a) {\n      total += part;\n    }\n    return g(total);\n  }\n  int g(int x) { return x; }\n}\n",
        "class A {\n  int f(int[] a) {\n    int summed = 0;\n    for (int piece : a) {\n      summed += piece;\n    }\n    return g(summed);\n  }\n  int g(int x) { return x; }\n}\n",
    ),
    (
        "src/a.rs",
        "fn f(a: &[u8]) -> u8 {\n    let mut total = 0;\n    for part in a {\n        total += *part;\n    }\n    let total = g(total);\n    total\n}\n",
        "fn f(a: &[u8]) -> u8 {\n    let mut summed = 0;\n    for piece in a {\n        summed += *piece;\n    }\n    let summed = g(summed);\n    summed\n}\n",
    ),
    (
        "src/a.c",
        "static int g(int x) { return x; }\nint f(const char *a) {\n  char letter;\n  int n = 0;\n  while ((letter = *a++) != 0)\n    n += g(letter);\n  return n;\n}\n",
        "static int g(int x) { return x; }\nint f(const char *a) {\n  char ch;\n  int n = 0;\n  while ((ch = *a++) != 0)\n    n += g(ch);\n  return n;\n}\n",
    ),
    (
        "src/a.cpp",
        "int f(const int *a) {\n  int total = 0;\n  for (int i = 0; i < 3; i++) { total += a[i]; }\n  return total;\n}\n",
        "int f(const int *a) {\n  int summed = 0;\n  for (int k = 0; k < 3; k++) { summed += a[k]; }\n  return summed;\n}\n",
    ),
];

/// Each looks like a local with another name and is, or may be, more.
pub(crate) const NOT_LOCALS: &[Case] = &[
    // Parameters have names for callers.
    ("src/a.py", "def f(a):\n    return a\n", "def f(b):\n    return b\n"),
    (
        "src/a.py",
        "def f(a):\n    a = a or 1\n    return a\n",
        "def f(a):\n    b = a or 1\n    return b\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  return a;\n}\nexport { f };\n",
        "function f(b) {\n  return b;\n}\nexport { f };\n",
    ),
    // Another scope.
    ("src/a.py", "t = 1\n\n\ndef f():\n    return t\n", "u = 1\n\n\ndef f():\n    return u\n"),
    ("src/a.py", "def f():\n    global t\n    t = 1\n", "def f():\n    global u\n    u = 1\n"),
    (
        "src/a.py",
        "def f():\n    t = 1\n    def g():\n        nonlocal t\n        t = 2\n    g()\n    return t\n",
        "def f():\n    u = 1\n    def g():\n        nonlocal t\n        u = 2\n    g()\n    return u\n",
    ),
    (
        "src/a.py",
        "def f():\n    t = 1\n    class A:\n        t = 2\n    return A\n",
        "def f():\n    u = 1\n    class A:\n        u = 2\n    return A\n",
    ),
    ("src/a.py", "class A:\n    t = 1\n    u1 = t\n", "class A:\n    u = 1\n    u1 = u\n"),
    (
        "src/a.py",
        "def f(a):\n    x = [t for t in a]\n    return t\n",
        "def f(a):\n    x = [u for u in a]\n    return u\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    return t\n",
        "def f(a):\n    sum = a\n    return sum\n",
    ),
    (
        "src/a.py",
        "import u\n\n\ndef f(a):\n    t = a\n    return u.g(t)\n",
        "import u\n\n\ndef f(a):\n    u = a\n    return u.g(u)\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    s = 1\n    return t - s\n",
        "def f(a):\n    s = a\n    s = 1\n    return s - s\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    s = 1\n    return t - s\n",
        "def f(a):\n    u = a\n    u = 1\n    return u - u\n",
    ),
    // Names that are looked up while the program runs.
    (
        "src/a.py",
        "def f(a):\n    t = a\n    return locals()\n",
        "def f(a):\n    u = a\n    return locals()\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    return df.query('x > @t')\n",
        "def f(a):\n    u = a\n    return df.query('x > @t')\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    return f'{t}'\n",
        "def f(a):\n    u = a\n    return f'{t}'\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    return eval('t')\n",
        "def f(a):\n    u = a\n    return eval('t')\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    import t\n    return t.x\n",
        "def f(a):\n    import u\n    return u.x\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    def t(): pass\n    return t\n",
        "def f(a):\n    def u(): pass\n    return u\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    return g(t=t)\n",
        "def f(a):\n    u = a\n    return g(u=u)\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    t = a\n    return a.t\n",
        "def f(a):\n    u = a\n    return a.u\n",
    ),
    (
        "src/a.py",
        "def f(a):\n    match a:\n        case A(t=1):\n            t = 2\n    return t\n",
        "def f(a):\n    match a:\n        case A(u=1):\n            u = 2\n    return u\n",
    ),
    // Scripts.
    (
        "src/a.js",
        "function f() {\n  { const t = 1; }\n  return t;\n}\nexport { f };\n",
        "function f() {\n  { const u = 1; }\n  return u;\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f() {\n  const t = 1;\n  return { t };\n}\nexport { f };\n",
        "function f() {\n  const u = 1;\n  return { t };\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f() {\n  const t = () => 1;\n  return g(t);\n}\nexport { f };\n",
        "function f() {\n  const u = () => 1;\n  return g(u);\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f() {\n  let t;\n  t = function () {};\n  return g(t);\n}\nexport { f };\n",
        "function f() {\n  let u;\n  u = function () {};\n  return g(u);\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  const { t } = a;\n  return t;\n}\nexport { f };\n",
        "function f(a) {\n  const { u } = a;\n  return u;\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  const { t: t = 1 } = a;\n  return t;\n}\nexport { f };\n",
        "function f(a) {\n  const { u: u = 1 } = a;\n  return u;\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  const t = a;\n  return eval('t');\n}\nexport { f };\n",
        "function f(a) {\n  const u = a;\n  return eval('t');\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  const t = a;\n  return `${t}`;\n}\nexport { f };\n",
        "function f(a) {\n  const u = a;\n  return `${t}`;\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "const u = 1;\nfunction f(a) {\n  const t = a;\n  return () => t + u;\n}\nexport { f };\n",
        "const u = 1;\nfunction f(a) {\n  const u = a;\n  return () => u + u;\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  const t = a;\n  return a.map(t => t);\n}\nexport { f };\n",
        "function f(a) {\n  const u = a;\n  return a.map(u => u);\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  const t = a;\n  return t;\n}\nexport { f };\n",
        "function f(a) {\n  const arguments = a;\n  return arguments;\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  with (a) {\n    var t = 1;\n    g(t);\n  }\n}\nexport { f };\n",
        "function f(a) {\n  with (a) {\n    var u = 1;\n    g(u);\n  }\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f(a) {\n  t: for (;;) { const t = a; break t; }\n}\nexport { f };\n",
        "function f(a) {\n  u: for (;;) { const u = a; break u; }\n}\nexport { f };\n",
    ),
    (
        "src/a.js",
        "function f() {\n  try { g(); } catch (t) { h(t); }\n}\nexport { f };\n",
        "function f() {\n  try { g(); } catch (u) { h(u); }\n}\nexport { f };\n",
    ),
    ("src/a.js", "{ let t = 1; g(t); }\nexport {};\n", "{ let u = 1; g(u); }\nexport {};\n"),
    (
        "src/a.ts",
        "function f(a: T) {\n  const t = a;\n  let b: typeof t = a;\n  return t;\n}\nexport { f };\n",
        "function f(a: T) {\n  const u = a;\n  let b: typeof t = a;\n  return u;\n}\nexport { f };\n",
    ),
    // Go: what is declared again, keys, parameters.
    (
        "src/a.go",
        "package a\n\nfunc F() int {\n\tt, err := g()\n\tdefer func() { h(t, err) }()\n\ts, err := g()\n\treturn s + k(err)\n}\n",
        "package a\n\nfunc F() int {\n\tt, err := g()\n\tdefer func() { h(t, err) }()\n\ts, failed := g()\n\treturn s + k(failed)\n}\n",
    ),
    (
        "src/a.go",
        "package a\n\nfunc F(t int) int {\n\tt, s := g()\n\treturn t + s\n}\n",
        "package a\n\nfunc F(t int) int {\n\tu, s := g()\n\treturn u + s\n}\n",
    ),
    (
        "src/a.go",
        "package a\n\nfunc F() T {\n\tt := 1\n\treturn T{t: t}\n}\n",
        "package a\n\nfunc F() T {\n\tu := 1\n\treturn T{u: u}\n}\n",
    ),
    (
        "src/a.go",
        "package a\n\nvar t = 1\n\nfunc F() int {\n\tt := t\n\treturn t\n}\n",
        "package a\n\nvar t = 1\n\nfunc F() int {\n\tu := u\n\treturn u\n}\n",
    ),
    (
        "src/a.go",
        "package a\n\nfunc F() (t int) {\n\tt = 1\n\treturn\n}\n",
        "package a\n\nfunc F() (u int) {\n\tu = 1\n\treturn\n}\n",
    ),
    // Java: fields behind locals.
    (
        "src/A.java",
        "class A {\n  int f() {\n    g(t);\n    int t = 1;\n    return t;\n  }\n}\n",
        "class A {\n  int f() {\n    g(u);\n    int u = 1;\n    return u;\n  }\n}\n",
    ),
    (
        "src/A.java",
        "class A {\n  B f() {\n    int t = 1;\n    return new B() {\n      int g() { return t; }\n    };\n  }\n}\n",
        "class A {\n  B f() {\n    int u = 1;\n    return new B() {\n      int g() { return u; }\n    };\n  }\n}\n",
    ),
    (
        "src/A.java",
        "class A {\n  int f() {\n    for (int t : t.all()) { g(t); }\n    return 1;\n  }\n}\n",
        "class A {\n  int f() {\n    for (int u : u.all()) { g(u); }\n    return 1;\n  }\n}\n",
    ),
    (
        "src/A.java",
        "class A {\n  int t = 1;\n  int f() { return t; }\n}\n",
        "class A {\n  int u = 1;\n  int f() { return u; }\n}\n",
    ),
    // Rust: macros, shorthands, items.
    (
        "src/a.rs",
        "fn f(a: u8) {\n    let t = a;\n    println!(\"{t}\");\n}\n",
        "fn f(a: u8) {\n    let u = a;\n    println!(\"{t}\");\n}\n",
    ),
    (
        "src/a.rs",
        "fn f(a: u8) -> S {\n    let t = a;\n    S { t }\n}\n",
        "fn f(a: u8) -> S {\n    let u = a;\n    S { u }\n}\n",
    ),
    (
        "src/a.rs",
        "fn f(a: u8) -> u8 {\n    let t = t(a);\n    t\n}\n",
        "fn f(a: u8) -> u8 {\n    let u = u(a);\n    u\n}\n",
    ),
    (
        "src/a.rs",
        "fn f(a: u8) -> u8 {\n    let t = a;\n    fn g() -> u8 { t }\n    t\n}\n",
        "fn f(a: u8) -> u8 {\n    let u = a;\n    fn g() -> u8 { u }\n    u\n}\n",
    ),
    (
        "src/a.rs",
        "fn f(a: u8) -> u8 {\n    let t = a;\n    t\n}\n",
        "fn f(a: u8) -> u8 {\n    let LIMIT = a;\n    LIMIT\n}\n",
    ),
    (
        "src/a.rs",
        "fn f(a: u8) -> u8 {\n    let t = a;\n    assert!(t > 1);\n    t\n}\n",
        "fn f(a: u8) -> u8 {\n    let u = a;\n    assert!(u > 1);\n    u\n}\n",
    ),
    // C: macros see words, and some make names.
    (
        "src/a.c",
        "int f(int a) {\n  int t = a;\n  check(t > 1);\n  return t;\n}\n",
        "int f(int a) {\n  int u = a;\n  check(u > 1);\n  return u;\n}\n",
    ),
    (
        "src/a.c",
        "#define NEXT t + 1\nint f(int a) {\n  int t = a;\n  return NEXT;\n}\n",
        "#define NEXT t + 1\nint f(int a) {\n  int u = a;\n  return NEXT;\n}\n",
    ),
    (
        "src/a.c",
        "int f(int a) {\n  int t = a;\n  LOG(\"x\");\n  return t;\n}\n",
        "int f(int a) {\n  int u = a;\n  LOG(\"x\");\n  return u;\n}\n",
    ),
    (
        "src/a.c",
        "int f(int a) {\n  extern int t;\n  return t;\n}\n",
        "int f(int a) {\n  extern int u;\n  return u;\n}\n",
    ),
    (
        "src/a.c",
        "int f(int a) {\n  int t = a;\n  goto t;\nt:\n  return t;\n}\n",
        "int f(int a) {\n  int u = a;\n  goto u;\nu:\n  return u;\n}\n",
    ),
    (
        "src/a.c",
        "int f(int a) {\n  int t = a;\n  { int b = t; g(b); }\n  return t;\n}\nint g(int x);\n",
        "int f(int a) {\n  int b = a;\n  { int b = b; g(b); }\n  return b;\n}\nint g(int x);\n",
    ),
    (
        "src/a.c",
        "int f(int a) {\n  int t = a;\n  return t;\n}\n",
        "int f(int a) {\n  int errno = a;\n  return errno;\n}\n",
    ),
    (
        "tools/a.sh",
        "#!/bin/sh\nset -e\n\nt=1\necho \"$t\"\n",
        "#!/bin/sh\nset -e\n\nu=1\necho \"$u\"\n",
    ),
];

/// Layout that a formatter changes, and what looks like it.
pub(crate) const FORMATTED: &[Case] = &[
    (
        "src/a.py",
        "x = f(a, 'b')\ny = [1, 2]\n",
        "x = f(\n    a,\n    \"b\",\n)\ny = [\n    1, 2,\n]\n",
    ),
    (
        "src/a.py",
        "def f(a, b):\n    return g(a,\n             b)\n",
        "def f(\n    a,\n    b\n):\n    return g(a, b)\n",
    ),
    ("src/a.js", "const a = 'b'\nf(a)\n", "const a = \"b\";\nf(a);\n"),
    ("src/a.js", "f({ a: 1, b: [1, 2] });\n", "f({\n  a: 1,\n  b: [1, 2,],\n});\n"),
    ("src/a.go", "package a\n\nvar x = f(a, b)\n", "package a\n\nvar x = f(\n\ta,\n\tb,\n)\n"),
    (
        "src/a.rs",
        "fn f(a: u8) -> u8 {\n    match a {\n        1 => { g() },\n        _ => h(a, 2)\n    }\n}\n",
        "fn f(a: u8) -> u8 {\n    match a {\n        1 => { g() }\n        _ => h(\n            a,\n            2,\n        ),\n    }\n}\n",
    ),
    ("src/a.c", "int a[] = {1, 2};\n", "int a[] = {\n  1,\n  2,\n};\n"),
];

pub(crate) const NOT_FORMATTED: &[Case] = &[
    ("src/a.py", "x = (1)\n", "x = (1,)\n"),
    ("src/a.py", "def f(a, b=1):\n    return a\n", "def f(a,\n      b=1):\n    return a\n"),
    ("src/a.py", "x = f(a and b, c)\n", "x = f(a and\n      b, c)\n"),
    ("src/a.py", "x = a[1]\n", "x = a[1,]\n"),
    ("src/a.py", "x = 1\n", "x = 1,\n"),
    ("src/a.py", "print(a)\n", "print(a,)\n"),
    ("src/a.py", "x = 'a' 'b'\n", "x = 'a', 'b'\n"),
    ("src/a.py", "x = 'a'\n", "x = b'a'\n"),
    ("src/a.py", "x = 'a\\'b'\n", "x = \"a\\'b\"\n"),
    ("src/a.py", "x = r'a'\n", "x = 'a'\n"),
    ("src/a.py", "x = ''\n", "x = \"\"\"\"\"\"\n"),
    ("src/a.js", "x = [,]\n", "x = []\n"),
    ("src/a.js", "x = [1,,]\n", "x = [1,]\n"),
    ("src/a.js", "let a = b;\n(c)();\n", "let a = b\n(c)();\n"),
    ("src/a.js", "let a = b;\n[c].d();\n", "let a = b\n[c].d();\n"),
    ("src/a.js", "a;\n++b;\n", "a\n++b;\n"),
    ("src/a.js", "for (let i = 0; i < 1; i++) f();\n", "for (let i = 0\n i < 1; i++) f();\n"),
    ("src/a.js", "if (a) ;\nb();\n", "if (a) \nb();\n"),
    ("src/a.js", "x = 'a';\n", "x = `a`;\n"),
    ("src/a.js", "let f = async;\nfunction g() {}\n", "let f = async\nfunction g() {}\n"),
    (
        "src/a.jsx",
        "export const A = () => <p a='b' />;\n",
        "export const A = () => <p a=\"b\" />;\n",
    ),
    (
        "src/a.go",
        "package a\n\nfunc f() int {\n\treturn g()\n}\n",
        "package a\n\nfunc f() int {\n\treturn\n\tg()\n}\n",
    ),
    ("src/a.rs", "fn f() -> (u8,) { (1,) }\n", "fn f() -> (u8) { (1) }\n"),
    ("src/a.rs", "fn f() { m!(a, b) }\n", "fn f() { m!(a, b,) }\n"),
    ("src/a.c", "int f(void) { return g(a, b); }\n", "int f(void) { return g(a,b); }\n"),
];
