//! Facts about whole files: complexity, dependencies, disguises, secrets, bounds.

use exacta_core::facts::FactKind;
use exacta_core::path::RelPath;
use exacta_inspect::{Request, StepInput, inspect};

use crate::{has, names, one};

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
fn a_reference_tells_where_it_leads() {
    let facts = one("src/a.ts", Some("\n"), Some("import { b } from './b';\n"));
    let at = facts.iter().find_map(|fact| match &fact.kind {
        FactKind::MissingReference { at, .. } => Some(at.clone()),
        _ => None,
    });
    assert_eq!(at, Some(vec!["src/b".to_owned()]));
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
fn a_comment_is_no_place_for_look_alikes() {
    let named = |line: &str| one("a.py", Some("c = 1\n"), Some(&format!("c = 1\n{line}\n")));
    for line in ["# работа с файлом", "x = 1  # р\u{430}ssword и с", "\"\"\"с\"\"\""]
    {
        assert!(!has(&named(line), "look_alike_identifier"), "{line}");
    }
    assert!(has(&named("x = p\u{430}ssword"), "look_alike_identifier"));
}
