//! Every rule of the importer as tables; agreement with git itself is tested in `tests/`.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::*;
use crate::model::code::Code;
use crate::read::diff::DiffProblem;

const EDIT: &str = "index 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";

fn edit(names: &str) -> String {
    let (old, new) = names.split_once(' ').unwrap();
    format!(
        "diff --git {names}\nindex 1111111..2222222 100644\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n"
    )
}

/// A file, or its absence.
type Image = Option<&'static [u8]>;

fn parse(text: &str) -> Result<GitPatch, Vec<PatchFault>> {
    GitPatch::parse(text.as_bytes())
}

fn name(problem: &PatchProblem) -> String {
    let debug = format!("{problem:?}");
    let mut words = debug.split([' ', '(', ')']);
    let first = words.next().unwrap();
    match first {
        "Hunk" | "Unsupported" => format!("{first} {}", words.next().unwrap()),
        _ => first.to_string(),
    }
}

fn faults(text: &str) -> Vec<(u32, u32, String)> {
    match parse(text) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.iter().map(|f| (f.line(), f.column(), name(f.problem()))).collect(),
    }
}

#[test]
fn reads_every_kind_of_section() {
    let patch = parse(concat!(
        "diff --git a/made.sh b/made.sh\n",
        "new file mode 100755\n",
        "index 0000000..2222222\n",
        "--- /dev/null\n",
        "+++ b/made.sh\n",
        "@@ -0,0 +1,2 @@\n",
        "+one\n",
        "+two\n",
        "diff --git a/empty file b/empty file\n",
        "new file mode 100644\n",
        "index 0000000..e69de29\n",
        "diff --git a/gone b/gone\n",
        "deleted file mode 100644\n",
        "index 1111111..0000000\n",
        "--- a/gone\n",
        "+++ /dev/null\n",
        "@@ -1 +0,0 @@\n",
        "-bye\n",
        "diff --git a/gone-empty b/gone-empty\n",
        "deleted file mode 100755\n",
        "index e69de29..0000000\n",
        "diff --git a/with space b/with space\n",
        "index 1111111..2222222 100644\n",
        "--- a/with space\t\n",
        "+++ b/with space\t\n",
        "@@ -1,2 +1,2 @@ section\n",
        " a\n",
        "-b\n",
        "+c\n",
        "diff --git \"a/na\\303\\257ve\" \"b/na\\303\\257ve\"\n",
        "old mode 100644\n",
        "new mode 100755\n",
        "index 1111111..2222222\n",
        "--- \"a/na\\303\\257ve\"\n",
        "+++ \"b/na\\303\\257ve\"\n",
        "@@ -1 +1 @@\n",
        "-a\n",
        "\\ No newline at end of file\n",
        "+b\n",
        "\\ No newline at end of file\n",
        "diff --git a/mode b/mode\n",
        "old mode 100755\n",
        "new mode 100644\n",
        "diff --git a/old b/n b/new\n",
        "similarity index 100%\n",
        "rename from old b/n\n",
        "rename to new\n",
        "diff --git a/p \"b/q\\303\\266\"\n",
        "old mode 100644\n",
        "new mode 100755\n",
        "similarity index 66%\n",
        "rename from p\n",
        "rename to \"q\\303\\266\"\n",
        "index 1111111..2222222\n",
        "--- a/p\n",
        "+++ \"b/q\\303\\266\"\n",
        "@@ -1 +1 @@\n",
        "-a\n",
        "+b\n",
        "diff --git a/rewritten b/rewritten\n",
        "dissimilarity index 98%\n",
        "index 1111111..2222222 100755\n",
        "--- a/rewritten\n",
        "+++ b/rewritten\n",
        "@@ -1 +1 @@\n",
        "-a\n",
        "+b\n",
    ))
    .unwrap();
    let shown: Vec<String> = patch
        .files
        .iter()
        .map(|f| {
            let op = match &f.op {
                FileOp::Rename { from } => format!("Rename {from}"),
                other => format!("{other:?}"),
            };
            let modes = [f.old_mode, f.new_mode]
                .map(|mode| mode.map_or_else(|| "-".into(), |m| m.file_mode().to_string()));
            format!("{op} {} {} {}", f.path, modes.join(">"), f.line())
        })
        .collect();
    assert_eq!(
        shown,
        [
            "Create made.sh ->0755 1",
            "Create empty file ->0644 9",
            "Delete gone 0644>- 12",
            "Delete gone-empty 0755>- 19",
            "Modify with space 0644>- 22",
            "Modify naïve 0644>0755 30",
            "Modify mode 0755>0644 41",
            "Rename old b/n new ->- 44",
            "Rename p qö 0644>0755 48",
            "Modify rewritten 0755>- 60",
        ]
    );
    let images: [(Image, Image); 10] = [
        (None, Some(b"one\ntwo\n")),
        (None, Some(b"")),
        (Some(b"bye\n"), None),
        (Some(b""), None),
        (Some(b"a\nb\n"), Some(b"a\nc\n")),
        (Some(b"a"), Some(b"b")),
        (Some(b"\xff"), Some(b"\xff")),
        (Some(b"moved"), Some(b"moved")),
        (Some(b"a\n"), Some(b"b\n")),
        (Some(b"a\n"), Some(b"b\n")),
    ];
    for (file, (before, after)) in patch.files.iter().zip(images) {
        assert_eq!(file.apply(before).unwrap().as_deref(), after, "{}", file.path);
    }
}

#[test]
fn refuses_what_is_there_and_should_not_be_and_the_other_way_round() {
    let patch = parse(concat!(
        "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n",
        "diff --git a/g b/g\ndeleted file mode 100644\nindex 1111111..0000000\n",
        "--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
        "diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n",
        "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n",
    ))
    .unwrap();
    let codes: [(usize, Image, Code, u32); 6] = [
        (0, Some(b""), Code::FileExists, 1),
        (1, None, Code::FileMissing, 4),
        (1, Some(b"a\nb\n"), Code::DiffMismatch, 4),
        (1, Some(b"b\n"), Code::DiffMismatch, 10),
        (2, Some(b"x"), Code::DiffMismatch, 11),
        (3, None, Code::FileMissing, 14),
    ];
    for (file, before, code, line) in codes {
        let fault = patch.files[file].apply(before).unwrap_err();
        assert_eq!((fault.code(), fault.line()), (code, line), "{fault}");
    }
}

#[test]
fn only_a_patch_without_any_context_may_end_a_hunk_in_the_middle() {
    let bare = "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n\
        @@ -0,0 +1 @@\n+top\n@@ -2 +3 @@\n-b\n+B\n@@ -3,0 +5 @@\n+in\n@@ -5 +6,0 @@\n-e\n";
    let before = Some(&b"a\nb\nc\nd\ne\nf\n"[..]);
    let after = parse(bare).unwrap().files[0].apply(before).unwrap().unwrap();
    assert_eq!(after, b"top\na\nB\nc\nin\nd\nf\n");

    let mixed = format!("{bare}diff --git a/y b/y\n{}", EDIT.replace("/x", "/y"));
    let more = mixed.replace("@@ -1 +1 @@\n-a\n+b\n", "@@ -1,2 +1,2 @@\n-a\n+b\n c\n");
    assert!(parse(&mixed).unwrap().files[0].apply(before).is_ok());
    let fault = parse(&more).unwrap().files[0].apply(before).unwrap_err();
    assert!(matches!(fault.problem(), DiffProblem::NotAtEnd(1)), "{fault}");
}

#[test]
fn refuses_by_name_what_it_does_not_import() {
    let head = "diff --git a/x b/x\n";
    for (text, line, problem) in [
        ("index 1111111..2222222\nBinary files a/x and b/x differ\n", 3, "Binary"),
        ("new file mode 120000\nindex 0000000..1111111\n", 2, "Symlink"),
        ("deleted file mode 120000\nindex 1111111..0000000\n", 2, "Symlink"),
        ("old mode 100644\nnew mode 120000\n", 3, "Symlink"),
        ("index 1111111..2222222 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 2, "Symlink"),
        ("new file mode 160000\nindex 0000000..1111111\n", 2, "Gitlink"),
        ("index 1111111..2222222 160000\n", 2, "Gitlink"),
        ("index 1111111..2222222\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n++b\n", 5, "Combined"),
    ] {
        let found = parse(&format!("{head}{text}")).expect_err(text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].code(), Code::PatchUnsupported, "{text}");
        assert_eq!(
            (found[0].line(), name(found[0].problem())),
            (line, format!("Unsupported {problem}")),
            "{text}"
        );
        assert!(found[0].to_string().ends_with(": `x`"), "{}", found[0]);
    }
    for text in ["diff --cc x\nindex 1,2..3\n", "diff --combined x\nindex 1,2..3\n"] {
        assert_eq!(faults(text), [(1, 1, "Unsupported Combined".into())]);
    }
    // E02
    for mode in ["104755", "100600", "100664", "040000", "0100644", "100644 ", "644", ""] {
        let text = format!("{head}new file mode {mode}\nindex 0000000..e69de29\n");
        assert_eq!(faults(&text), [(2, 15, "Mode".into())], "{mode}");
        assert_eq!(parse(&text).unwrap_err()[0].code(), Code::PatchUnsupported);
    }
}

#[test]
fn header_lines_must_agree() {
    let x = "diff --git a/x b/x\n";
    let tail = "@@ -1 +1 @@\n-a\n+b\n";
    let index = "index 1111111..2222222 100644\n";
    let cases: [(String, u32, u32, &str); 42] = [
        (format!("diff --git a/x b/y\n{EDIT}"), 1, 12, "Names"),
        (format!("diff --git a/x  b/x\n{EDIT}"), 1, 12, "Path"),
        (format!("diff --git a/x b/x \n{EDIT}"), 1, 12, "Names"),
        (format!("diff --git \n{EDIT}"), 1, 12, "Names"),
        (format!("diff --git a/x\n{EDIT}"), 1, 12, "Names"),
        (format!("diff --git \"a/x\" b/x\n{EDIT}"), 1, 12, "Names"),
        (format!("diff --git \"a/x b/x\n{EDIT}"), 1, 12, "Names"),
        (format!("diff --git x x\n{EDIT}"), 3, 5, "OtherName"),
        (format!("diff --git i/x w/x\n{EDIT}"), 3, 5, "OtherName"),
        (format!("diff --git q/x r/x\n{EDIT}"), 1, 12, "Prefix"),
        (format!("{x}{index}--- a/y\n+++ b/x\n{tail}"), 3, 5, "OtherName"),
        (format!("{x}{index}--- a/x\n+++ b/y\n{tail}"), 4, 5, "OtherName"),
        (format!("{x}{index}--- a/x\n+++ /dev/null\n{tail}"), 4, 5, "OtherName"),
        (format!("{x}{index}--- /dev/null\n+++ b/x\n{tail}"), 3, 5, "OtherName"),
        (format!("{x}{index}--- a/x\t2020-01-01\n+++ b/x\n{tail}"), 3, 5, "OtherName"),
        (format!("{x}{index}--- a/x\t\t\n+++ b/x\n{tail}"), 3, 5, "OtherName"),
        (format!("{x}{index}--- a/x\r\n+++ b/x\r\n{tail}"), 3, 5, "OtherName"),
        (format!("{x}{index}--- \"a/\\170\n+++ b/x\n{tail}"), 3, 5, "Quote"),
        (format!("{x}{index}--- \"a/\\999\"\n+++ b/x\n{tail}"), 3, 5, "Quote"),
        (format!("{x}{index}--- \"a/\\x78\"\n+++ b/x\n{tail}"), 3, 5, "Quote"),
        (format!("{x}{index}--- \"a/x\"y\n+++ b/x\n{tail}"), 3, 5, "Quote"),
        (format!("{x}{index}--- a/x\n{tail}"), 4, 1, "Expected"),
        (format!("{x}{index}+++ b/x\n{tail}"), 3, 1, "OutOfPlace"),
        (format!("{x}{index}{tail}"), 3, 1, "OutOfPlace"),
        (format!("{x}{index}{EDIT}"), 3, 1, "OutOfPlace"),
        (format!("{x}{index}--- a/x\n+++ b/x\n"), 5, 1, "CutOff"),
        (format!("{x}{index}"), 1, 1, "CutOff"),
        (format!("{x}old mode 100644\n{EDIT}"), 3, 1, "Expected"),
        (format!("{x}new mode 100644\n{EDIT}"), 2, 1, "OutOfPlace"),
        (format!("{x}old mode 100644\nnew mode 100644\n"), 3, 1, "ModeChange"),
        (format!("{x}old mode 100644\nnew mode 100755\n{EDIT}"), 4, 7, "Index"),
        (format!("{x}new file mode 100644\n{EDIT}"), 4, 5, "OtherName"),
        (format!("{x}new file mode 100644\n"), 1, 1, "CutOff"),
        (format!("{x}new file mode 100644\nindex 0000000..1111111\n"), 1, 1, "CutOff"),
        (format!("{x}deleted file mode 100644\nindex 1111111..0000000\n"), 1, 1, "CutOff"),
        (format!("{x}deleted file mode 100644\nindex 0000000..1111111\n"), 3, 7, "Index"),
        (format!("{x}index 111..222 100644\n--- a/x\n+++ b/x\n{tail}"), 2, 7, "Index"),
        (format!("{x}index 1111111.2222222\n--- a/x\n+++ b/x\n{tail}"), 2, 7, "Index"),
        (format!("{x}index 0000000..2222222\n--- a/x\n+++ b/x\n{tail}"), 2, 7, "Index"),
        (x.into(), 1, 1, "ChangesNothing"),
        (
            format!(
                "{x}new file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/x\n{tail}"
            ),
            6,
            1,
            "Hunk CreationHunk",
        ),
        (
            format!(
                "{x}deleted file mode 100644\nindex 2222222..0000000\n--- a/x\n+++ /dev/null\n{tail}"
            ),
            6,
            1,
            "Hunk DeletionHunk",
        ),
    ];
    for (text, line, column, problem) in cases {
        assert_eq!(faults(&text), [(line, column, problem.into())], "{text}");
    }
}

#[test]
fn renames_must_agree() {
    let x = "diff --git a/x b/y\n";
    for (text, line, problem) in [
        ("similarity index 100%\nrename from x\nrename to z\n", 1, "Names"),
        ("similarity index 100%\nrename from z\nrename to y\n", 1, "Names"),
        ("similarity index 100%\nrename from x\nrename to x\n", 4, "SameName"),
        ("similarity index 100%\nrename from x\n", 4, "Expected"),
        ("similarity index 100%\nrename to y\n", 3, "Expected"),
        ("similarity index 101%\nrename from x\nrename to y\n", 2, "Percent"),
        ("similarity index 05%\nrename from x\nrename to y\n", 2, "Percent"),
        ("similarity index 90\nrename from x\nrename to y\n", 2, "Percent"),
        ("similarity index 90%\nrename from x\nrename to y\n", 1, "CutOff"),
        ("similarity index 90%\nrename from x\nrename to y\nindex 1111111..2222222\n", 1, "CutOff"),
        (
            "new file mode 100644\nsimilarity index 100%\nrename from x\nrename to y\n",
            4,
            "OutOfPlace",
        ),
        ("rename from x\nrename to y\n", 1, "Names"),
        (
            "similarity index 100%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            7,
            "Stays",
        ),
        (
            "similarity index 90%\nrename from x\nrename to y\nindex 1111111..1111111 100644\n\
             --- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            8,
            "Stays",
        ),
    ] {
        let found = faults(&format!("{x}{text}"));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0, found[0].2.as_str()), (line, problem), "{text}");
    }
    // E05: a link that is renamed, then written through.
    let through = concat!(
        "diff --git a/link b/renamed\nsimilarity index 100%\nrename from link\nrename to renamed\n",
        "diff --git a/renamed/x b/renamed/x\nnew file mode 100644\nindex 0000000..039727e\n",
        "--- /dev/null\n+++ b/renamed/x\n@@ -0,0 +1,1 @@\n+busted\n",
    );
    // The text is sound; the engine refuses links and files that would be folders.
    assert_eq!(parse(through).unwrap().files.len(), 2);
}

#[test]
fn names_are_targets() {
    for (names, code) in [
        ("a/../x b/../x", Code::PlanPathInvalid),
        ("\"a/\\056\\056/x\" \"b/\\056\\056/x\"", Code::PlanPathInvalid),
        ("a//x b//x", Code::PlanPathInvalid),
        ("\"a/tab\\there\" \"b/tab\\there\"", Code::PlanPathInvalid),
        ("\"a/nul\\000\" \"b/nul\\000\"", Code::PlanPathInvalid),
        ("\"a/rlo\\342\\200\\256\" \"b/rlo\\342\\200\\256\"", Code::PlanPathInvalid),
        ("a/.git/config b/.git/config", Code::PlanPathReserved),
        ("a/.exacta/policy.toml b/.exacta/policy.toml", Code::PlanPathReserved),
        ("\"a/\\377\" \"b/\\377\"", Code::PatchMalformed),
    ] {
        let found = parse(&edit(names)).expect_err(names);
        assert_eq!((found.len(), found[0].code(), found[0].line()), (1, code, 1), "{names}");
    }
}

#[test]
fn nothing_stands_around_sections() {
    let x = format!("diff --git a/x b/x\n{EDIT}");
    let y = edit("a/y b/y");
    for (text, found) in [
        (String::new(), vec![(1, 1, "Empty")]),
        ("hello\n".into(), vec![(1, 1, "Prose")]),
        (EDIT.into(), vec![(1, 1, "Prose")]),
        (format!("From 1234 Mon Sep 17\nSubject: x\n\n---\n{x}"), vec![(1, 1, "Prose")]),
        (format!("\n{x}"), vec![(1, 1, "Prose")]),
        (format!("{x}-- \n2.47.3\n"), vec![(8, 1, "Garbage")]),
        (format!("{x}and then\n{y}"), vec![(8, 1, "Garbage")]),
        (format!("{x}\n{y}"), vec![(8, 1, "Hunk EmptyLine")]),
        (format!("{x}--- a/z\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n"), vec![(8, 1, "Plain")]),
        (format!("{x}garbage\n@@ -3 +3 @@\n-c\n+d\n"), vec![(8, 1, "Garbage")]),
        (format!("{x}{y}{x}"), vec![(15, 1, "Repeated")]),
        (x.trim_end().into(), vec![(7, 1, "Unterminated")]),
        (x.replace('\n', "\r\n"), vec![(1, 19, "Converted")]),
        (
            format!("prose\n{x}bad\n{y}{}diff --cc q\n", edit("a/../q b/../q")),
            vec![
                (1, 1, "Prose"),
                (9, 1, "Garbage"),
                (17, 12, "Path"),
                (24, 1, "Unsupported Combined"),
            ],
        ),
        ("diff --stat\n".into(), vec![(1, 1, "Garbage")]),
    ] {
        let expected: Vec<_> = found.into_iter().map(|(l, c, p)| (l, c, p.to_string())).collect();
        assert_eq!(faults(&text), expected, "{text}");
    }
}

#[test]
fn a_name_belongs_to_one_section() {
    let rename = |from: &str, to: &str| {
        format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        )
    };
    for (one, other) in [
        (rename("x", "y"), rename("y", "z")),
        (rename("x", "y"), rename("x", "z")),
        (rename("x", "y"), rename("z", "y")),
        (rename("x", "y"), edit("a/x b/x")),
        (edit("a/y b/y"), rename("x", "y")),
    ] {
        let found = parse(&format!("{one}{other}")).unwrap_err();
        assert!(matches!(found[0].problem(), PatchProblem::Repeated { line: 1, .. }));
    }
}

#[test]
fn faults_are_bounded() {
    let text = "diff --git \n".repeat(10_000);
    assert_eq!(parse(&text).unwrap_err().len(), 100);
}
