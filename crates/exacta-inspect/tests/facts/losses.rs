//! Tests and text that a change takes away.

use exacta_core::model::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

use crate::{has, lines, one};

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
fn tests_beside_their_code_are_seen_when_they_are_touched() {
    let code = "pub fn f() -> u8 { 1 }\n";
    let tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {\n        assert_eq!(super::f(), 1);\n    }\n}\n";
    let whole = format!("{code}{tests}");
    let touched = |before: &str, after: &str| {
        has(&one("src/a.rs", Some(before), Some(after)), "tests_touched")
    };
    assert!(touched(code, &whole));
    assert!(touched(&whole, &whole.replace("f(), 1", "f(), 2")));
    assert!(!touched(&whole, &whole.replace("{ 1 }", "{ 2 }")));
    // Comments, and modules that open or close, are no tests.
    assert!(!touched(&whole, &whole.replace("    fn works", "    // It does.\n    fn works")));
    assert!(!touched(code, &format!("{code}#[cfg(test)]\nmod tests;\n")));
    assert!(!touched(&whole, code));
    // Where the whole file is tests, its path tells.
    assert!(!has(&one("tests/a.rs", Some(code), Some(&whole)), "tests_touched"));
}

#[test]
fn next_to_nothing_left_of_a_short_file_is_a_large_removal() {
    let short = lines("line", 99);
    assert!(has(&one("a.ini", Some(&short), Some("# moved\n")), "large_removal"));
    assert!(has(&one("a.ini", Some(&lines("line", 20)), Some("x\n")), "large_removal"));
    assert!(!has(&one("a.ini", Some(&lines("line", 19)), Some("x\n")), "large_removal"));
    assert!(!has(&one("a.ini", Some(&short), Some(&lines("line", 20))), "large_removal"));
}
