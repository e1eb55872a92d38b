//! E: diffs that say more, or something else, than one exact change of one file.

use exacta_core::text::shown::visible;
use exacta_testkit::Check;
use serde_json::json;

use super::{Case, Expect, Refused, Sound, case, modifies, on, patched, steps};

const MALFORMED: Expect = Refused(&[("DIFF_MALFORMED", "diff")]);
const MISMATCH: Expect = Refused(&[("DIFF_MISMATCH", "diff")]);
const UNSUPPORTED: Expect = Refused(&[("PATCH_UNSUPPORTED", "patch")]);
const PAYLOAD: Expect = Refused(&[("PLAN_SCHEMA_INVALID", "payload")]);

fn project() -> Check {
    Check::on([("x", "1\n2\n3\n4\n5\n6\n7\n8\n"), ("y", "1\n")])
}

/// A modification of `x` with this body behind the two header lines.
fn body(hunks: &str) -> String {
    modifies("x", &format!("--- a/x\n+++ b/x\n{hunks}"))
}

const GOOD: &str = "@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n";

fn malformed(id: &'static str, diff: &str) -> Case {
    on(id, project(), modifies("x", diff), MALFORMED)
}

pub(super) fn cases() -> Vec<Case> {
    let link = "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n";
    let module = "diff --git a/m b/m\nnew file mode 160000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+Subproject commit 1de565933b05f74c75ff9a6520af5f9f8a5a2f1d\n";
    let setuid = "diff --git a/s b/s\nnew file mode 104755\nindex 0000000..1de5659\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x\n";
    // A link that is moved, then written through; and the two halves by themselves.
    let moved = "diff --git a/y b/k\nsimilarity index 100%\nrename from y\nrename to k\ndiff --git a/k/f b/k/f\nnew file mode 100644\n--- /dev/null\n+++ b/k/f\n@@ -0,0 +1 @@\n+x\n";
    let written = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+..\n\\ No newline at end of file\ndiff --git a/l/f b/l/f\nnew file mode 100644\n--- /dev/null\n+++ b/l/f\n@@ -0,0 +1 @@\n+x\n";
    let replaced = "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-..\n\\ No newline at end of file\n";
    let headed = format!("--- a/x\n+++ b/x\n{GOOD}");
    let mut cases = vec![
        on("E07", project(), body(GOOD), Sound),
        patched("E01", project(), link, UNSUPPORTED),
        malformed("E01", &format!("new file mode 120000\n{headed}")),
        on(
            "E01",
            project(),
            steps(
                json!([{"type": "file_create", "target": "l", "content": "/etc", "mode": "120000"}]),
            ),
            Refused(&[("PLAN_SCHEMA_INVALID", "value")]),
        ),
        patched("E02", project(), module, UNSUPPORTED),
        patched("E02", project(), setuid, UNSUPPORTED),
        malformed("E02", &format!("old mode 100644\nnew mode 104755\n{headed}")),
        malformed("E04", &format!("rename from x\nrename to z\n{headed}")),
        malformed("E04", &format!("copy from y\ncopy to x\n{headed}")),
        malformed("E04", &format!("diff --git a/x b/x\nsimilarity index 90%\n{headed}")),
        // git shows no mode for a mere rename; the engine refuses where it meets the link.
        patched("E05", project(), moved, Refused(&[("PLAN_CONFLICT", "PS-2")])),
        patched("E05", project(), written, UNSUPPORTED),
        patched("E05", project(), replaced, UNSUPPORTED),
        malformed("E07", &format!("{headed}--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n")),
        malformed("E08", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"),
        malformed("E08", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n"),
        on(
            "E08",
            project(),
            steps(
                json!([{"type": "file_delete", "target": "y", "diff": "--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+1\n"}]),
            ),
            PAYLOAD,
        ),
        on(
            "E13",
            Check::on([("x", "1\n\t2\n3\n")]),
            body("@@ -1,3 +1,3 @@\n-1\n+one\n     2\n 3\n"),
            MISMATCH,
        ),
        on(
            "E13",
            Check::on([("x", "1\n2 \n3\n")]),
            body("@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n"),
            MISMATCH,
        ),
        on("E14", project(), body("@@ -0,0 +1 @@\n+0\n"), MISMATCH),
        malformed("E16", "--- a/x\n+++ \"b/\\056\\056/x\"\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n"),
        malformed("E16", "--- \"a/x\"\n+++ \"b/x\"\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n"),
        patched(
            "E16",
            project(),
            "diff --git \"a/\\056\\056/x\" \"b/\\056\\056/x\"\n--- \"a/\\056\\056/x\"\n+++ \"b/\\056\\056/x\"\n@@ -1 +1 @@\n-1\n+2\n",
            Refused(&[("PLAN_PATH_INVALID", "patch")]),
        ),
        // The text to change has CR LF, the diff LF only, and the other way round.
        on("E19", Check::on([("x", "1\r\n2\r\n3\r\n")]), body(GOOD), MISMATCH),
        on("E19", project(), body("@@ -1,3 +1,3 @@\r\n-1\r\n+one\r\n 2\r\n 3\r\n"), MALFORMED),
        on("E19", project(), body("@@ -1,3 +1,3 @@\n-1\r\n+one\r\n 2\r\n 3\r\n"), MISMATCH),
        case(
            "E20",
            steps(json!([{"type": "file_modify", "target": "absent", "content": "x"}])),
            Refused(&[("FILE_MISSING", "exists")]),
        ),
        case(
            "E20",
            steps(json!([{"type": "file_delete", "target": "absent"}])),
            Refused(&[("FILE_MISSING", "exists")]),
        ),
        on(
            "E20",
            project(),
            steps(json!([{"type": "file_create", "target": "x", "content": "x"}])),
            Refused(&[("FILE_EXISTS", "create")]),
        ),
        on(
            "E20",
            project(),
            steps(
                json!([{"type": "file_create", "target": "x", "diff": "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+1\n"}]),
            ),
            Refused(&[("FILE_EXISTS", "create")]),
        ),
        patched(
            "E20",
            project(),
            "diff --git a/y b/y\ndeleted file mode 100644\nindex 0000001..0000000\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n",
            MISMATCH,
        ),
        malformed("E25", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-1\n+1\n 2\n 3\n"),
        malformed("E25", "--- a/x\n+++ b/x\n"),
        malformed("E25", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n 1\n 2\n"),
        on(
            "E25",
            project(),
            steps(json!([{"type": "file_modify", "target": "y", "content": "1\n"}])),
            Refused(&[("STEP_NO_EFFECT", "effect")]),
        ),
        on(
            "E25",
            project(),
            steps(json!([
                {"type": "file_modify", "target": "y", "content": "2\n"},
                {"type": "file_modify", "target": "y", "content": "1\n", "dependencies": ["step_1"]},
                {"type": "file_create", "target": "new", "content": "1\n"},
                {"type": "file_delete", "target": "new", "dependencies": ["step_3"]}
            ])),
            Refused(&[("STEP_NO_EFFECT", "plan_effect")]),
        ),
        on("E25", project(), empties(false), Sound),
        on("E25", project(), empties(true), Refused(&[("PLAN_CONSTRAINT_VIOLATED", "PS-1")])),
    ];
    for hunk in [
        "@@ -1,3 +1,99999999999 @@\n-1\n+one\n 2\n 3\n",
        "@@ -1,3 +1,4294967295 @@\n-1\n+one\n 2\n 3\n",
        "@@ -1,4 +1,3 @@\n-1\n+one\n 2\n 3\n",
        "@@ -1,3 +1,2 @@\n-1\n+one\n 2\n 3\n",
        "@@ -0 @@\n-1\n",
        "@@ -1 @@\n-1\n",
        "@@ -0,3 +1,3 @@\n-1\n+one\n 2\n 3\n",
        "@@ --1,3 +1,3 @@\n-1\n+one\n 2\n 3\n",
        "@@ -1,3 +1,3\n-1\n+one\n 2\n 3\n",
    ] {
        cases.push(malformed("E10", &format!("--- a/x\n+++ b/x\n{hunk}")));
    }
    let late = "@@ -6,3 +6,3 @@\n 6\n 7\n-8\n+eight\n";
    for hunks in [
        format!("{late}{GOOD}"),
        format!("{GOOD}{GOOD}"),
        format!("{GOOD}@@ -2,3 +2,3 @@\n 2\n 3\n-4\n+four\n"),
    ] {
        cases.push(malformed("E11", &format!("--- a/x\n+++ b/x\n{hunks}")));
    }
    for (old, new) in [
        ("a/x", "b/x\t2026-01-01"),
        ("a/x\t2026-01-01", "b/x"),
        ("a/x", "b/x "),
        ("a/x", "b/y"),
        ("a/y", "b/x"),
        ("x", "x"),
        ("a/x", "a/x"),
        ("a/./x", "b/./x"),
    ] {
        cases.push(malformed("E17", &format!("--- {old}\n+++ {new}\n{GOOD}")));
    }
    // Only LF ends a line: these stay inside theirs, and come out as they went in.
    for inside in ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}'] {
        let check = Check::on([("x", format!("1{inside}2\n3\n"))]);
        let fits = format!("@@ -1,2 +1,2 @@\n-1{inside}2\n+1{inside}two\n 3\n");
        cases.push(on("E19", check.clone(), body(&fits), Sound));
        cases.push(on("E19", check, body("@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n"), MISMATCH));
    }
    assert_eq!(visible("a\u{202e}b\u{2066}".as_bytes()), "a<U+202E>b<U+2066>", "E22");
    cases
}

/// A plan that leaves nothing of a file, with or without a promise not to delete.
fn empties(promised: bool) -> String {
    let constraints = if promised { json!([{"kind": "no_delete"}]) } else { json!([]) };
    json!({"constraints": constraints, "steps": [
        {"step_id": "step_1", "type": "file_modify", "target": "y",
         "diff": "--- a/y\n+++ b/y\n@@ -1 +0,0 @@\n-1\n"}
    ]})
    .to_string()
}
