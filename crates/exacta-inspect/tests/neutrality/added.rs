//! What comes beside what is there, and what only looks as if it did.

use exacta_core::judge::facts::Proof;

/// Path, before, after, what is proven.
pub(crate) const CASES: &[(&str, &str, &str, Proof)] = &[
    // A module of tests in a file of code.
    (
        "src/a.rs",
        "fn f() -> u8 { 1 }\n",
        "fn f() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(f(), 1);\n    }\n}\n",
        Proof::Tests,
    ),
    (
        "src/a.rs",
        "fn f() -> u8 { 1 }\n",
        "fn f() -> u8 { 1 }\n\n#[cfg(not(test))]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn one() {\n        assert_eq!(f(), 1);\n    }\n}\n",
        Proof::Read,
    ),
    (
        "src/a.rs",
        "fn f() -> u8 { 1 }\n",
        "fn f() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[no_mangle]\n    fn one() {}\n}\n",
        Proof::Read,
    ),
    (
        "src/a.rs",
        "fn f() -> u8 { g() }\n",
        "fn f() -> u8 { g() }\n\n#[cfg(test)]\nmod tests {\n    impl super::G for u8 {}\n}\n",
        Proof::Read,
    ),
    // Tests that macros make, with a sign behind them.
    (
        "src/a.rs",
        "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    cases!(one, \"a\");\n}\n",
        "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    cases!(one, \"a\");\n    cases!(\n        two,\n        \"b\");\n}\n",
        Proof::Tests,
    ),
    // Names that are brought in.
    (
        "tests/test_a.py",
        "from a import f\n\n\ndef test_a():\n    assert f() == 1\n",
        "from a import f, g\n\n\ndef test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert g() == 1\n",
        Proof::Tests,
    ),
    (
        "tests/test_a.py",
        "from a import f\n\n\ndef test_a():\n    assert f() == 1\n",
        "from a import f\nfrom fake import f\n\n\ndef test_a():\n    assert f() == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "from a import f\n\n\ndef test_a():\n    assert f() == 1\n",
        "from fake.a import f\n\n\ndef test_a():\n    assert f() == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "from a import f\n\n\ndef test_a():\n    assert f() == 1\n",
        "from a import f\nimport fake as a\n\n\ndef test_a():\n    assert f() == 1\n",
        Proof::Read,
    ),
    (
        "test/a.test.js",
        "const { f } = require('../a');\nit('a', () => { f(); });\n",
        "const { f, g } = require('../a');\nit('a', () => { f(); });\nit('b', () => { g(); });\n",
        Proof::Tests,
    ),
    (
        "test/a.test.js",
        "const { f } = require('../a');\nit('a', () => { f(); });\n",
        "const { g: f } = require('../a');\nit('a', () => { f(); });\n",
        Proof::Read,
    ),
    (
        "test/a.test.js",
        "import { f } from '../a';\nit('a', () => { f(); });\n",
        "import { f } from '../a';\nimport './setup';\nit('a', () => { f(); });\n",
        Proof::Read,
    ),
    (
        "tests/a.rs",
        "use a::*;\n\n#[test]\nfn one() {\n    assert!(check());\n}\n",
        "use a::*;\nuse fake::check;\n\n#[test]\nfn one() {\n    assert!(check());\n}\n",
        Proof::Read,
    ),
    // Data with a name.
    (
        "tests/test_a.py",
        "def test_a():\n    assert f() == 1\n",
        "CASES = [(1, \"a\"), (2, \"b\")]\n\n\ndef test_a():\n    assert f() == 1\n",
        Proof::Tests,
    ),
    (
        "tests/test_a.py",
        "class TestA:\n    def test_a(self):\n        assert f() == 1\n",
        "class TestA:\n    skip = \"later\"\n\n    def test_a(self):\n        assert f() == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    assert f() == 1\n",
        "CASES = [g()]\n\n\ndef test_a():\n    assert f() == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    assert LIMIT == 1\n",
        "LIMIT = 1\n\n\ndef test_a():\n    assert LIMIT == 1\n",
        Proof::Read,
    ),
    // A table of tests.
    (
        "test/a.test.js",
        "it('a', () => { f(); });\n",
        "it('a', () => { f(); });\n\nit.each([1, 2])('%s', (one) => { f(one); });\n",
        Proof::Tests,
    ),
    (
        "test/a.test.js",
        "it('a', () => { f(); });\n",
        "it('a', () => { f(); });\n\nit.skip.each([1, 2])('%s', (one) => { f(one); });\n",
        Proof::Read,
    ),
    // What a program shows of itself says nothing about tests that come.
    (
        "test/a.test.js",
        "it('a', () => { f().toString('hex'); });\n",
        "it('a', () => { f().toString('hex'); });\n\nit('b', () => { g(); });\n",
        Proof::Tests,
    ),
    (
        "src/a.js",
        "export function f() { return f.toString(); }\n",
        "export function f() { return f.toString(); }\n\nexport function g() { return 1; }\n",
        Proof::Read,
    ),
    // Tests in namespaces, and beside what no grammar understands.
    (
        "tests/a_test.cpp",
        "namespace a {\nnamespace {\nTEST(A, One) {\n  EXPECT_EQ(f(), 1);\n}\n}\n}\n",
        "namespace a {\nnamespace {\nTEST(A, One) {\n  EXPECT_EQ(f(), 1);\n}\n\nTEST(A, Two) {\n  EXPECT_EQ(f(), 1);\n}\n}\n}\n",
        Proof::Tests,
    ),
    (
        "tests/a_test.cpp",
        "TEST_CASE(\"a\")\n{\n  CHECK(f() == 1);\n}\n",
        "TEST_CASE(\"a\")\n{\n  CHECK(f() == 1);\n}\n\nTEST_CASE(\"b\")\n{\n  SECTION(\"c\")\n  {\n    CHECK(f() == 1);\n  }\n}\n",
        Proof::Tests,
    ),
    (
        "tests/a_test.cpp",
        "TEST_CASE(\"a\")\n{\n  CHECK(f() == 1);\n}\n",
        "TEST_CASE(\"a\")\n{\n  return;\n  CHECK(f() == 1);\n}\n",
        Proof::Read,
    ),
    (
        "src/a.cpp",
        "namespace a {\nnamespace {\nint one() { return 1; }\n}\n\nint f() { return one(); }\n}\n",
        "namespace a {\nnamespace {\nint one() { return 1; }\n\nint two() { return 2; }\n}\n\nint f() { return one(); }\n}\n",
        Proof::Items,
    ),
    (
        "src/a.cpp",
        "namespace a {\nint f() { return 1; }\n}\n",
        "namespace a {\nint f() { return 1; }\n\nint two() { return 2; }\n}\n",
        Proof::Read,
    ),
    // A kind of error.
    (
        "src/lib/a.py",
        "class A(Exception):\n    pass\n",
        "class A(Exception):\n    pass\n\n\nclass B(ValueError):\n    \"\"\"A value is not one.\"\"\"\n",
        Proof::Read,
    ),
    (
        "src/lib/a.py",
        "class A(Exception):\n    pass\n",
        "class A(Exception):\n    pass\n\n\nclass B(A):\n    pass\n",
        Proof::Read,
    ),
    (
        "src/lib/a.py",
        "class A(Exception):\n    pass\n",
        "class A(Exception):\n    pass\n\n\nclass B(ValueError):\n    run()\n",
        Proof::Read,
    ),
    (
        "src/lib/a.py",
        "from other import *\n\nx = 1\n",
        "from other import *\n\nx = 1\n\n\nclass B(ValueError):\n    pass\n",
        Proof::Read,
    ),
    // Into a test that stays: values under fresh names, more of the same, and what comes last.
    (
        "tests/test_a.py",
        "def test_a():\n    assert f() == 1\n",
        "def test_a():\n    more = g()\n    assert more == 2\n    assert f() == 1\n",
        Proof::Tests,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    got = f()\n    assert got == 1\n",
        "def test_a():\n    got = f()\n    got = 1\n    assert got == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    got = f()\n    assert got == 1\n",
        "def test_a():\n    stub = patch(f)\n    got = f()\n    assert got == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    got = f()\n    assert got == 1\n",
        "def test_a():\n    got = f()\n    assert got == 1\n    got = g()\n    h(got)\n    assert got == 2\n",
        Proof::Tests,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    got = f()\n    assert got == 1\n",
        "def test_a():\n    got = f()\n    h(got)\n    assert got == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    with g():\n        got = f()\n    assert got == 1\n",
        "def test_a():\n    with g():\n        got = f()\n        got.reset()\n    assert got == 1\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    assert f() == 1\n",
        "def test_a():\n    assert f() == 1\n    a.check = None\n",
        Proof::Read,
    ),
    (
        "test/a.test.js",
        "it('a', (done) => {\n  f(() => { assert(g()); done(); });\n});\n",
        "it('a', (done) => {\n  f(() => { assert(g()); done(); });\n  h();\n});\n",
        Proof::Read,
    ),
    (
        "test/a.test.js",
        "it('a', () => {\n  assert(g());\n});\n",
        "it('a', () => {\n  if (x) return;\n  assert(g());\n});\n",
        Proof::Read,
    ),
    (
        "test/a.test.js",
        "beforeEach(() => {\n  f();\n});\nit('a', () => { assert(g()); });\n",
        "beforeEach(() => {\n  f();\n  h();\n});\nit('a', () => { assert(g()); });\n",
        Proof::Read,
    ),
    (
        "tests/a.c",
        "static void a(void) {}\nint main(void) {\n  RUN_TEST(a);\n  return 0;\n}\n",
        "static void a(void) {}\nstatic void b(void) {}\nint main(void) {\n  RUN_TEST(a);\n  RUN_TEST(b);\n  return 0;\n}\n",
        Proof::Tests,
    ),
    (
        "tests/a.c",
        "static void a(void) {}\nint main(void) {\n  set(1);\n  RUN_TEST(a);\n  return 0;\n}\n",
        "static void a(void) {}\nint main(void) {\n  set(1);\n  set(2);\n  RUN_TEST(a);\n  return 0;\n}\n",
        Proof::Read,
    ),
    // Rows of a table.
    (
        "a_test.go",
        "package a\n\nfunc TestA(t *testing.T) {\n\tcases := []one{\n\t\t{1, 2},\n\t\t{3, 4},\n\t}\n\tfor _, c := range cases {\n\t\tcheck(t, c)\n\t}\n}\n",
        "package a\n\nfunc TestA(t *testing.T) {\n\tcases := []one{\n\t\t{1, 2},\n\t\t{5, 6},\n\t\t{3, 4},\n\t}\n\tfor _, c := range cases {\n\t\tcheck(t, c)\n\t}\n}\n",
        Proof::Tests,
    ),
    (
        "a_test.go",
        "package a\n\nfunc TestA(t *testing.T) {\n\tcases := []one{\n\t\t{1, 2},\n\t\t{3, 4},\n\t}\n\tcheck(t, cases)\n}\n",
        "package a\n\nfunc TestA(t *testing.T) {\n\tcases := []one{\n\t\t{1, 2},\n\t\t{3, 5},\n\t\t{3, 4},\n\t}[:1]\n\tcheck(t, cases)\n}\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "@pytest.mark.parametrize(\"a\", [1, 2])\ndef test_a(a):\n    assert f(a)\n",
        "@pytest.mark.parametrize(\"a\", [1, 2, 3])\ndef test_a(a):\n    assert f(a)\n",
        Proof::Tests,
    ),
    (
        "tests/test_a.py",
        "collect_ignore = [\"a\", \"b\"]\n\n\ndef test_a():\n    assert f()\n",
        "collect_ignore = [\"a\", \"b\", \"c\"]\n\n\ndef test_a():\n    assert f()\n",
        Proof::Read,
    ),
    (
        "tests/test_a.py",
        "def test_a():\n    run([\"a\", \"b\"])\n    assert f()\n",
        "def test_a():\n    run([\"a\", \"b\", \"c\"])\n    assert f()\n",
        Proof::Read,
    ),
    // Marks on a new test are about that test; what runs around others is not one.
    (
        "src/test/java/ATest.java",
        "class ATest {\n  @Test\n  void a() {\n    assertTrue(f());\n  }\n}\n",
        "class ATest {\n  @Test\n  void a() {\n    assertTrue(f());\n  }\n\n  @Test\n  @Slow(2)\n  void b() {\n    assertTrue(g());\n  }\n}\n",
        Proof::Tests,
    ),
    (
        "src/test/java/ATest.java",
        "class ATest {\n  @Test\n  void a() {\n    assertTrue(f());\n  }\n}\n",
        "class ATest {\n  @Test\n  void a() {\n    assertTrue(f());\n  }\n\n  @Test\n  @BeforeEach\n  void b() {\n    assertTrue(g());\n  }\n}\n",
        Proof::Read,
    ),
    // Words about code, where macros see them and where they do not.
    (
        "src/a.rs",
        "#[derive(Parser)]\nstruct A {\n    b: u8,\n}\n\n/// Adds one.\nfn f() {}\n",
        "#[derive(Parser)]\nstruct A {\n    b: u8,\n}\n\n/// Adds one to it.\nfn f() {}\n",
        Proof::Layout,
    ),
    (
        "src/a.rs",
        "#[derive(Parser)]\nstruct A {\n    /// The one.\n    b: u8,\n}\n",
        "#[derive(Parser)]\nstruct A {\n    /// The other one.\n    b: u8,\n}\n",
        Proof::Read,
    ),
    (
        "src/a.rs",
        "/// Adds one.\n#[command]\nfn f() {}\n",
        "/// Adds one to it.\n#[command]\nfn f() {}\n",
        Proof::Read,
    ),
    (
        "src/a.rs",
        "/// Adds one.\n///\n/// ```\n/// f();\n/// ```\nfn f() {}\n",
        "/// Adds one to it.\n///\n/// ```\n/// g();\n/// ```\nfn f() {}\n",
        Proof::Read,
    ),
    (
        "a.c",
        "int a; /* one of tehm */\nint b = __LINE__;\n",
        "int a; /* one of them */\nint b = __LINE__;\n",
        Proof::Layout,
    ),
    (
        "a.c",
        "int a;\nint b = __LINE__;\n",
        "int a;\n// One more of them.\nint b = __LINE__;\n",
        Proof::Read,
    ),
    (
        "a.c",
        "static int f(int a) { return a; }\nint g(void) { return f(1); }\n",
        "static int f(int a) { return a; }\nint g(void) { return f( 1 ); }\n",
        Proof::Layout,
    ),
    ("a.c", "int g(void) { return f(1); }\n", "int g(void) { return f( 1 ); }\n", Proof::Read),
];

/// Files of tests that are new.
pub(crate) const NEW: &[(&str, &str, Proof)] = &[
    ("tests/ui/a.stderr", "error: no comma\n", Proof::Tests),
    ("testdata/a.golden", "a\n", Proof::Tests),
    ("tests/run", "rm -r a\n", Proof::Unread),
    ("tests/requirements.txt", "a==1\n", Proof::Read),
    ("tests/CMakeLists.txt", "add_executable(a a.c)\n", Proof::Unread),
];

/// Path, before, after: words that no program sees, and names and lines that say nothing.
pub(crate) const NEUTRAL: &[(&str, &str, &str)] = &[
    (
        "src/a.rs",
        "use b::c;\n\n/// Counts what is set.\n#[inline]\npub fn f() {}\n",
        "use b::c;\n\n/// Counts what is set, once for each\n/// of the lists.\n#[inline]\npub fn f() {}\n",
    ),
    (
        "src/a.rs",
        "use b::c;\n\npub struct A {\n    b: u8,\n}\n",
        "use b::c;\n\n/// Two of them are one.\npub struct A {\n    /// Counts what is set.\n    b: u8,\n}\n",
    ),
    (
        "src/a.rs",
        "fn f() {\n    println!(\"{} of {}\", g(1, 2), h);\n}\n",
        "fn f() {\n    println!(\n        \"{} of {}\",\n        g(1, 2),\n        h,\n    );\n}\n",
    ),
    (
        "src/a.go",
        "package a\n\nfunc f() int {\n\tvar total int\n\ttotal += 1\n\treturn total\n}\n",
        "package a\n\nfunc f() int {\n\tvar all int\n\tall += 1\n\treturn all\n}\n",
    ),
    (
        "src/a.ts",
        "function f(a: number) {\n  const low = a;\n  return low;\n}\n",
        "function f(a: number) {\n  const small = a;\n  return small;\n}\n",
    ),
    (
        "src/a.cpp",
        "int f(int a) {\n  int best = 0;\n  best = std::max(best, a);\n  return best;\n}\n",
        "int f(int a) {\n  int top = 0;\n  top = std::max(top, a);\n  return top;\n}\n",
    ),
    (
        "src/a.py",
        "def f(db):\n    amount = 1\n    db.query(\"select id from orders\")\n    return amount\n",
        "def f(db):\n    subtotal = 1\n    db.query(\"select id from orders\")\n    return subtotal\n",
    ),
    (
        "src/a.js",
        "f();\ng();\n\n// getThings\nfunction getThings() {}\n",
        "f();\ng();\n\nfunction getThings() {}\n",
    ),
    ("config/a.yaml", "# what it shows\na: 1\n", "# the words and numbers\na: 1\n"),
    ("Makefile", "# builds the shop\nrun:\n\t./run\n", "# how to run the shop\nrun:\n\t./run\n"),
    ("README.md", "See http://a.example/x.\n", "See https://a.example/x.\n"),
];

/// The same with something that a program sees.
pub(crate) const SEEN: &[(&str, &str, &str)] = &[
    // A macro, a sample, the end of a block, a statement, and words that are gone.
    (
        "src/a.rs",
        "use b::c;\n\n/// Counts what is set.\n#[derive(Parser)]\npub struct A {}\n",
        "use b::c;\n\n/// Counts what is lost.\n#[derive(Parser)]\npub struct A {}\n",
    ),
    (
        "src/a.rs",
        "use b::c;\n\n/// Counts what is set.\n#[tool]\npub fn f() {}\n",
        "use b::c;\n\n/// Counts what is lost.\n#[tool]\npub fn f() {}\n",
    ),
    (
        "src/a.rs",
        "use b::c;\n\n/// Counts what is set.\npub fn f() {}\n",
        "use b::c;\n\n/// Counts what is set.\n///\n///     evil();\npub fn f() {}\n",
    ),
    (
        "src/a.rs",
        "use b::c;\n\n/// Counts what is set.\n///\n/// ```\n/// let one = f();\n/// ```\npub fn f() {}\n",
        "use b::c;\n\n/// Counts what is set.\n///\n/// ```\n/// let two = g();\n/// ```\npub fn f() {}\n",
    ),
    (
        "src/a.rs",
        "use b::c;\n\npub struct A {\n    b: u8,\n}\n",
        "use b::c;\n\npub struct A {\n    b: u8,\n    /// Counts what is set.\n}\n",
    ),
    (
        "src/a.rs",
        "use b::c;\n\npub fn f() {\n    g();\n}\n",
        "use b::c;\n\npub fn f() {\n    /// Counts what is set.\n    g();\n}\n",
    ),
    (
        "src/a.rs",
        "use b::c;\n\n/// Counts what is set.\npub fn f() {}\n",
        "use b::c;\n\npub fn f() {}\n",
    ),
    (
        "src/a.rs",
        "fn f() {\n    assert!(a, b);\n}\n",
        "fn f() {\n    assert!(\n        a,\n        b\n    );\n}\n",
    ),
    (
        "src/a.rs",
        "use other::println;\n\nfn f() {\n    println!(a, b);\n}\n",
        "use other::println;\n\nfn f() {\n    println!(\n        a,\n        b\n    );\n}\n",
    ),
    (
        "src/a.rs",
        "fn f() {\n    println!(\"{}\", \"a b\");\n}\n",
        "fn f() {\n    println!(\"{}\", \"a  b\");\n}\n",
    ),
    (
        "src/a.py",
        "def f(db):\n    amount = 1\n    db.query(\"id == @amount\")\n    return amount\n",
        "def f(db):\n    subtotal = 1\n    db.query(\"id == @amount\")\n    return subtotal\n",
    ),
    (
        "src/a.py",
        "def f(db):\n    amount = g()\n    return db.sql(\"select * from amount\"), amount\n",
        "def f(db):\n    subtotal = g()\n    return db.sql(\"select * from amount\"), subtotal\n",
    ),
    (
        "src/a.cpp",
        "int f(int a) {\n  int best = 0;\n  best = other::max(best, a);\n  return best;\n}\n",
        "int f(int a) {\n  int top = 0;\n  top = other::max(top, a);\n  return top;\n}\n",
    ),
    (
        "src/a.js",
        "f();\ng();\n\nfunction h(a) {\n  return /* GraphQL */ `a`;\n}\n",
        "f();\ng();\n\nfunction h(a) {\n  return `a`;\n}\n",
    ),
    ("config/a.yaml", "#cloud-config\na: 1\n", "# what it shows\n#cloud-config\na: 1\n"),
    ("tools/a.sh", "#!/bin/sh\nset -e\n", "# Copies what is there.\n#!/bin/sh\nset -e\n"),
    ("README.md", "See https://a.example/x.\n", "See http://a.example/x.\n"),
];
