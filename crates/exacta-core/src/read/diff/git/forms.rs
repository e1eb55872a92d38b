//! The forms a patch comes in: mails, commits, other prefixes, plain diffs, binary sections,
//! copies, series. Agreement with git itself is tested in `tests/`.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::*;
use crate::model::code::Code;

const HEX: &str = "0123456789abcdef0123456789abcdef01234567";

fn edit(names: &str, from: &str, to: &str) -> String {
    let (old, new) = names.split_once(' ').unwrap();
    format!(
        "diff --git {names}\nindex 1111111..2222222 100644\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-{from}\n+{to}\n"
    )
}

fn mail(subject: &str, diff: &str) -> String {
    format!(
        "From {HEX} Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\
         Subject: [PATCH] {subject}\n\nwhy\n---\n x | 2 +-\n 1 file changed\n\n{diff}-- \n2.47.3\n\n"
    )
}

fn parse(text: &str) -> Result<GitPatch, Vec<PatchFault>> {
    GitPatch::parse(text.as_bytes())
}

fn told(text: &str) -> Vec<String> {
    match parse(text) {
        Ok(patch) => {
            patch.files.iter().map(|file| format!("{:?} {}", file.op, file.path)).collect()
        }
        Err(faults) => {
            let words = |fault: &PatchFault| {
                let debug = format!("{:?}", fault.problem());
                format!("{} {}", fault.line(), debug.split(['(', ' ']).next().unwrap())
            };
            faults.iter().map(words).collect()
        }
    }
}

#[test]
fn a_mail_or_a_commit_around_a_diff_is_skipped_and_its_subject_kept() {
    let x = edit("a/x b/x", "a", "b");
    for text in [
        mail("say it", &x),
        mail("say it", &x).replace("-- \n", "\nbase-commit: 1234\n-- \n"),
        format!("commit {HEX}\nAuthor: A <a@b>\nDate:   now\n\n    say it\n    \n    why\n\n{x}"),
        format!("commit 0123456 (HEAD -> main)\nAuthor: A <a@b>\n\n    say it\n\n{x}\n"),
    ] {
        let patch = parse(&text).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        assert_eq!(
            (patch.files.len(), patch.subjects.as_slice()),
            (1, &["say it".to_string()][..])
        );
        assert_eq!(patch.files[0].apply(Some(b"a\n")).unwrap().unwrap(), b"b\n");
    }
}

#[test]
fn what_looks_like_a_diff_is_never_skipped() {
    let x = edit("a/x b/x", "a", "b");
    for (text, fault) in [
        (mail("s", &x).replace("why\n", "@@ -1 +1 @@\n"), "6 InMessage"),
        (mail("s", &x).replace("why\n", "--- a/y\n+++ b/y\n"), "6 InMessage"),
        (mail("s", &x).replace("why\n", "Index: y\n"), "6 InMessage"),
        (mail("s", &x).replace("2.47.3\n", "+more\n"), "19 Garbage"),
        (mail("s", &x).replace("2.47.3\n", " more\n"), "19 Garbage"),
        (mail("s", &x).replace("-- \n", "more\n-- \n"), "18 Garbage"),
        (
            mail("s", &x)
                .replace("Subject", "Content-Transfer-Encoding: quoted-printable\nSubject"),
            "4 Encoded",
        ),
        (mail("s", &x).replace("Subject", "Content-Type: multipart/mixed\nSubject"), "4 Encoded"),
        (mail("s", ""), "1 NoFiles"),
        (format!("{x}\ncommit {HEX}\n\n    s\n"), "8 Hunk"),
    ] {
        assert_eq!(told(&text).first().map(String::as_str), Some(fault), "{text}");
    }
}

#[test]
fn a_summary_of_git_before_the_first_section_is_skipped() {
    let x = edit("a/x b/x", "a", "b");
    let total = " 1 file changed, 1 insertion(+), 1 deletion(-)\n";
    for summary in [
        format!(" x | 2 +-\n{total}\n"),
        "1\t1\tx\n\n".into(),
        ":100644 100644 1111111 2222222 M\tx\n\n".into(),
        "  50.0% d/\n".into(),
        format!("{total} mode change 100644 => 100755 x\n\n"),
    ] {
        assert_eq!(told(&format!("{summary}{x}")), ["Modify x"], "{summary}");
        // Lines in between, or after it, are still refused, and so are such lines further down.
        assert_eq!(told(&format!("{summary}why\n{x}")), ["1 Prose"], "{summary}");
        let behind = told(&format!("{x}{summary}{}", edit("a/y b/y", "a", "b")));
        assert_ne!(behind, ["Modify x", "Modify y"], "{summary}");
    }
    assert_eq!(told(" x | 2 +-\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"), ["1 Prose"]);
}

#[test]
fn prefixes_are_those_that_git_writes_or_none() {
    for names in
        ["a/x b/x", "b/x a/x", "i/x w/x", "c/x i/x", "c/x w/x", "o/x w/x", "1/x 2/x", "x x"]
    {
        assert_eq!(told(&edit(names, "a", "b")), ["Modify x"], "{names}");
    }
    // Without prefixes a folder called `a` is a folder.
    assert_eq!(told(&edit("a/x a/x", "a", "b")), ["Modify a/x"]);
    let moved = "similarity index 100%\nrename from a/x\nrename to b/x\n";
    assert!(told(&format!("diff --git a/x b/x\n{moved}"))[0].ends_with(" b/x"));
    assert!(told(&format!("diff --git a/a/x b/b/x\n{moved}"))[0].ends_with(" b/x"));
    assert_eq!(told(&edit("a/x c/x", "a", "b")), ["1 Prefix"]);
}

#[test]
fn plain_diffs_name_one_file_and_say_what_is_not_there() {
    let body = "@@ -1 +1 @@\n-a\n+b\n";
    let made = "@@ -0,0 +1 @@\n+b\n";
    let none = "1970-01-01 01:00:00.000000000 +0100";
    let some = "2026-01-01 01:00:00.000000000 +0100";
    for (text, wanted) in [
        (format!("--- a/x\n+++ b/x\n{body}"), "Modify x"),
        (format!("--- x\t{some}\n+++ x\t{some}\n{body}"), "Modify x"),
        (
            format!("diff -ru old/d/x new/d/x\n--- old/d/x\t{some}\n+++ new/d/x\t{some}\n{body}"),
            "Modify d/x",
        ),
        (format!("--- old/x\t{none}\n+++ new/x\t{some}\n{made}"), "Create x"),
        (format!("--- old/x\t{some}\n+++ new/x\t{none}\n@@ -1 +0,0 @@\n-b\n"), "Delete x"),
        (format!("--- old/x\t{some}\n+++ new/x\t{some}\n{made}"), "Modify x"),
        (format!("--- /dev/null\n+++ b/x\n{made}"), "Create x"),
        (format!("--- /dev/null\n+++ d/x\n{made}"), "Create d/x"),
        (format!("--- x.orig\n+++ x\n{body}"), "2 TwoNames"),
        (format!("--- old/x\n+++ new/y\n{body}"), "2 TwoNames"),
        (format!("--- /x\n+++ /x\n{body}"), "2 Path"),
        (format!("--- /dev/null\n+++ /dev/null\n{body}"), "2 Names"),
        (format!("--- a/x\t(draft)\n+++ b/x\n{body}"), "1 Stamp"),
        (format!("--- a/x\n+++ b/x\n{body}Only in b: y\n"), "6 OnlyIn"),
        ("Only in b: y\n".into(), "1 OnlyIn"),
        (format!("--- a/x\n+++ b/x\n{body}Binary files a/y and b/y differ\n"), "6 Unsupported"),
        (format!("--- a/x\n+++ b/x\n{body}\n"), "6 Hunk"),
        (format!("--- a/x\r\n+++ b/x\r\n{body}"), "1 Converted"),
        (format!("--- /dev/null\n+++ b/y\n{made}--- x\n+++ x\n{body}"), "1 MixedNames"),
        (format!("--- a/x\n+++ b/x\n{body}{}", edit("a/y b/y", "a", "b")), "6 OutOfPlace"),
        (format!("{}--- a/x\n+++ b/x\n{body}", edit("a/y b/y", "a", "b")), "8 Plain"),
    ] {
        assert_eq!(told(&text), [wanted], "{text}");
    }
}

/// What `git diff --binary` writes for a file that gets two bytes more.
const BINARY: &str = concat!(
    "diff --git a/x b/x\n",
    "index f76dd238ade08917e6712764a16a22005a50573d..4227ca4e8736af63036e7457e2db376ddf7e5795 100644\n",
    "GIT binary patch\n",
    "literal 3\nKcmZQzU;qFB0{{U4\n\n",
    "literal 1\nIcmZPo000310RR91\n\n",
);

#[test]
fn a_binary_section_gives_the_bytes_and_is_held_to_those_before() {
    let patch = parse(BINARY).unwrap();
    let file = &patch.files[0];
    assert!(file.is_binary() && file.changes_content());
    assert_eq!(file.apply(Some(b"\0")).unwrap().unwrap(), b"\0\0\0");
    for before in [&b""[..], b"\x01", b"\0\0"] {
        let fault = file.apply(Some(before)).unwrap_err();
        assert_eq!(fault.code(), Code::DiffMismatch, "{before:?}");
    }
}

#[test]
fn a_binary_section_is_whole_and_bounded() {
    let huge = format!("literal {}", 65 << 20);
    for (from, to, fault) in [
        ("literal 3", "literal 2", "4 Packed"),
        ("literal 3", "literal 4", "4 Packed"),
        ("literal 3", "literal 03", "4 Packed"),
        ("literal 3", "literal x", "4 Packed"),
        ("literal 3", huge.as_str(), "4 TooMuchBinary"),
        ("literal 3", "letter 3", "4 Expected"),
        ("KcmZ", "JcmZ", "4 Packed"),
        ("KcmZ", "Kcm", "5 Packed"),
        ("KcmZ", "Kc Z", "5 Packed"),
        ("KcmZQz", "K~~~~~", "5 Packed"),
        ("literal 1\nIcmZPo000310RR91\n\n", "", "7 Expected"),
        ("91\n\n", "91\n", "9 CutOff"),
        (
            "index f76dd238ade08917e6712764a16a22005a50573d..4227ca4e8736af63036e7457e2db376ddf7e5795 100644\n",
            "",
            "2 Expected",
        ),
    ] {
        assert_eq!(told(&BINARY.replacen(from, to, 1)), [fault], "{from} {to}");
    }
}

#[test]
fn a_series_is_bounded() {
    let text: String = (0..2_000).map(|_| mail("s", "")).collect();
    assert_eq!(told(&text).len(), 1);
    assert!(told(&text)[0].ends_with("TooManyPatches"));
}

#[test]
fn a_copy_is_a_new_file_made_from_another() {
    let whole = "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n";
    let patch = parse(&format!("{whole}{}", edit("a/x b/x", "a", "b"))).unwrap();
    let copy = &patch.files[0];
    assert_eq!((copy.copied_from().unwrap().as_str(), copy.step_type()), ("x", "file_create"));
    assert_eq!(copy.apply(Some(b"a\n")).unwrap().unwrap(), b"a\n");
    assert_eq!(told("diff --git a/x b/y\ncopy from x\ncopy to y\n"), ["1 Names"]);
}

fn renamed(from: &str, to: &str) -> String {
    format!(
        "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
    )
}

fn made(name: &str, text: &str) -> String {
    format!(
        "diff --git a/{name} b/{name}\nnew file mode 100755\nindex 0000000..2222222\n--- /dev/null\n\
         +++ b/{name}\n@@ -0,0 +1 @@\n+{text}\n"
    )
}

fn deleted(name: &str, text: &str) -> String {
    format!(
        "diff --git a/{name} b/{name}\ndeleted file mode 100644\nindex 2222222..0000000\n--- a/{name}\n\
         +++ /dev/null\n@@ -1 +0,0 @@\n-{text}\n"
    )
}

#[test]
fn a_series_is_one_change_for_each_file() {
    type Row = (Vec<String>, &'static str, Option<&'static str>, Option<&'static str>);
    let x = |from: &str, to: &str| edit("a/x b/x", from, to);
    let y = |from: &str, to: &str| edit("a/y b/y", from, to);
    let series =
        |diffs: &[String]| -> String { diffs.iter().map(|diff| mail("s", diff)).collect() };
    let rows: [Row; 9] = [
        (vec![x("a", "b"), x("b", "c")], "Modify x", Some("a\n"), Some("c\n")),
        (vec![made("x", "a"), x("a", "b")], "Create x", None, Some("b\n")),
        (vec![x("a", "b"), deleted("x", "b")], "Delete x", Some("a\n"), None),
        (vec![deleted("x", "a"), made("x", "b")], "Modify x", Some("a\n"), Some("b\n")),
        (vec![renamed("x", "y"), y("a", "b")], "Rename { from: x } y", Some("a\n"), Some("b\n")),
        (
            vec![renamed("x", "z"), renamed("z", "y")],
            "Rename { from: x } y",
            Some("a\n"),
            Some("a\n"),
        ),
        (vec![renamed("x", "y"), deleted("y", "a")], "Delete x", Some("a\n"), None),
        (
            vec![renamed("x", "y"), renamed("y", "x"), x("a", "b")],
            "Modify x",
            Some("a\n"),
            Some("b\n"),
        ),
        (
            vec![x("a", "b"), made("z", "q"), deleted("z", "q")],
            "Modify x",
            Some("a\n"),
            Some("b\n"),
        ),
    ];
    for (diffs, wanted, before, after) in rows {
        let text = series(&diffs);
        let found: Vec<String> = told(&text)
            .iter()
            .map(|row| row.replace("RelPath(\"", "").replace("\")", "").replace('"', ""))
            .collect();
        assert_eq!(found, [wanted], "{text}");
        let patch = parse(&text).unwrap();
        let made = patch.files[0].apply(before.map(str::as_bytes)).unwrap();
        assert_eq!(made.as_deref(), after.map(str::as_bytes), "{text}");
        assert_eq!(patch.subjects.len(), diffs.len());
    }
    for (diffs, fault) in [
        (vec![made("x", "a"), made("x", "a")], "StillThere"),
        (vec![deleted("x", "a"), x("a", "b")], "NotThere"),
        (vec![renamed("x", "y"), x("a", "b")], "NotThere"),
        (vec![renamed("x", "y"), made("x", "q")], "NotThere"),
        (vec![renamed("x", "z"), renamed("y", "x"), renamed("z", "y")], "NotThere"),
        (vec![made("z", "q"), deleted("z", "r")], "Hunk"),
    ] {
        let found = told(&series(&diffs));
        assert!(found[0].ends_with(fault), "{found:?} {fault}");
    }
}
