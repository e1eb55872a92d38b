//! D: targets, as far as their spelling decides. What is on disk is the engine's part.

use exacta_core::model::path::{RelPath, auto_run, look_alike_key};

use super::{Case, Expect, Refused, Sound, case, creates};

const INVALID: Expect = Refused(&[("PLAN_PATH_INVALID", "PV-4")]);
const RESERVED: Expect = Refused(&[("PLAN_PATH_RESERVED", "PV-4")]);

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut all = |id, targets: &[&str], expect: fn() -> Expect| {
        cases.extend(targets.iter().map(|target| case(id, creates(target), expect())));
    };
    let invalid = || INVALID;
    let reserved = || RESERVED;
    let sound = || Sound;
    all("D01", &["../x", "..", "../../x"], invalid);
    all("D02", &["a/../../x", "a/../x", "a/.."], invalid);
    all("D04", &["/etc/passwd", "//etc/passwd", "~/x", "~root/x", "file:///etc/passwd"], invalid);
    all("D04", &["$HOME/x", "${HOME}/x", "%HOME%/x", "`x`"], sound);
    all("D05", &["./x", "a//b", "a/./b", "a/", "", "."], invalid);
    all("D07", &["%2e%2e%2fx", "..%c0%af", "\u{2025}/x"], sound);
    all(
        "D08",
        &["..\\x", "a\\b", "C:\\x", "C:x", "\\\\srv\\share", "\\\\?\\C:\\x", "c:/x"],
        invalid,
    );
    all("D10", &["x.", "x ", " x", "x\u{a0}", "a /b", "a./b"], invalid);
    all("D11", &["f.txt:ads", ".git::$INDEX_ALLOCATION/config"], invalid);
    all("D13", &[".git/hooks/pre-commit", "sub/.git/config", ".git"], reserved);
    all("D14", &[".GIT/config", ".giT/x", ".jJ/x", "a/.HG/x", ".SVN"], reserved);
    // Ignorable characters are refused wherever they stand, before any name is compared.
    all("D16", &[".g\u{200c}it/config", "\u{200d}.git", ".gi\u{200e}t", ".git\u{feff}"], invalid);
    all("D16", &[".g\u{131}t/x", ".\u{261}it/x", "\u{2024}git/x", ".g\u{ec}t/x"], reserved);
    all(
        "D17",
        &[".exacta/policy.json", ".EXACTA/plans/x.json", ".exacta/audit-log/y", "a/.exacta"],
        reserved,
    );
    all("D17", &["exacta~1/x", "EXACTA~1", "git~1/config", "GIT~2"], reserved);
    for target in [
        ".github/workflows/ci.yml",
        "Makefile",
        "build.rs",
        ".envrc",
        ".npmrc",
        "conftest.py",
        ".gitattributes",
    ] {
        assert!(auto_run(&RelPath::parse(target).unwrap()).is_some(), "D19 {target}");
        cases.push(case("D19", creates(target), Sound));
    }
    let name = "n".repeat(255);
    for (target, expect) in [
        (name.clone(), Sound),
        (format!("{name}n"), INVALID),
        (format!("a/{name}n/b"), INVALID),
        ("d/".repeat(2047) + "xx", INVALID),
        ("d/".repeat(511) + "xy", Sound),
        ("d/".repeat(511) + "xyz", INVALID),
        // DESIGN counts bytes, not levels.
        ("d/".repeat(200) + "x", Sound),
    ] {
        cases.push(case("D28", creates(&target), expect));
    }
    let (plain, mixed) = ("src/main.rs", "src/m\u{430}in.rs");
    assert_eq!(look_alike_key(plain), look_alike_key(mixed), "D29");
    cases.push(case("D29", creates(mixed), Sound));
    cases
}
