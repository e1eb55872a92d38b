//! Every rule of the strict diff, and the hostile cases about diffs, as tables.

use alloc::string::{String, ToString as _};
use core::fmt::Write as _;
use std::time::{Duration, Instant};

use super::*;
use crate::model::code::Code;
use crate::read::diff::FileSide;

fn target() -> RelPath {
    RelPath::parse("src/x").unwrap()
}

fn modify(hunks: &str) -> Result<StrictDiff, DiffFault> {
    StrictDiff::parse(&format!("--- a/src/x\n+++ b/src/x\n{hunks}"), &target(), DiffKind::Modify)
}

fn create(hunks: &str) -> Result<StrictDiff, DiffFault> {
    StrictDiff::parse(&format!("--- /dev/null\n+++ b/src/x\n{hunks}"), &target(), DiffKind::Create)
}

/// The image after, or the place and name of the fault.
fn outcome(before: &[u8], hunks: &str) -> Result<String, (u32, u32, String)> {
    modify(hunks)
        .and_then(|diff| diff.apply(before))
        .map(|after| String::from_utf8(after).unwrap())
        .map_err(|fault| (fault.line(), fault.column(), name(fault.problem())))
}

fn name(problem: &DiffProblem) -> String {
    let debug = format!("{problem:?}");
    debug.split([' ', '(']).next().unwrap().to_string()
}

#[test]
fn applies_exactly() {
    let long = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    for (before, hunks, after) in [
        ("a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "@@ -1,3 +1,3 @@ fn main() {\n a\n-b\n+B\n c\n", "a\nB\nc\n"),
        ("a\nb\n", "@@ -1,2 +1,3 @@\n+0\n a\n b\n", "0\na\nb\n"),
        ("a\nb\n", "@@ -2 +2,2 @@\n b\n+c\n", "a\nb\nc\n"),
        ("a\nb\n", "@@ -2,0 +3 @@\n+c\n", "a\nb\nc\n"),
        (
            long,
            "@@ -1,2 +1,3 @@\n 1\n+x\n 2\n@@ -5,2 +6 @@\n-5\n 6\n@@ -8,2 +8,2 @@\n 8\n-9\n+y\n",
            "1\nx\n2\n3\n4\n6\n7\n8\ny\n",
        ),
        (long, "@@ -1,2 +1,1 @@\n-1\n 2\n@@ -3,2 +2 @@\n-3\n 4\n", "2\n4\n5\n6\n7\n8\n9\n"),
        ("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"),
        ("a\n", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "a"),
        ("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n", "A\nb"),
        (
            "a",
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
            "b",
        ),
        ("", "@@ -0,0 +1 @@\n+a\n", "a\n"),
        ("a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n", ""),
        // E19: everything but LF is content.
        ("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\r\n", "A\r\nb\r\n"),
        ("a\rb\nc\n", "@@ -1,2 +1,2 @@\n-a\rb\n+a\rB\n c\n", "a\rB\nc\n"),
        (
            "a\u{2028}b\u{85}c\u{b}d\u{c}e\nz\n",
            "@@ -1,2 +1,2 @@\n-a\u{2028}b\u{85}c\u{b}d\u{c}e\n+q\u{2029}\n z\n",
            "q\u{2029}\nz\n",
        ),
        // Lines that look like headers are content where the counts say so.
        ("-- a\n", "@@ -1 +1 @@\n--- a\n+++ b\n", "++ b\n"),
        ("@@ -1 +1 @@\nx\n", "@@ -1,2 +1 @@\n-@@ -1 +1 @@\n x\n", "x\n"),
        ("\n\n", "@@ -1,2 +1,2 @@\n \n-\n+x\n", "\nx\n"),
    ] {
        assert_eq!(outcome(before.as_bytes(), hunks), Ok(after.into()), "{hunks}");
    }
}

#[test]
fn a_creation_is_one_hunk_on_nothing() {
    let diff = create("@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n").unwrap();
    assert_eq!(diff.apply(b"").unwrap(), b"a\nb");
    assert_eq!(diff.apply(b"x\n").unwrap_err().code(), Code::FileExists);
    for (bad, problem) in [
        ("@@ -1 +1 @@\n-a\n+b\n", "CreationHunk"),
        ("@@ -0,0 +1 @@\n+a\n@@ -0,0 +2 @@\n+b\n", "Order"),
        ("@@ -0,0 +1 @@\n+a\n@@ -1,0 +3 @@\n+b\n", "CreationHunk"),
        ("@@ -0,0 +0,0 @@\n", "ChangesNothing"),
        ("", "NoHunk"),
    ] {
        assert_eq!(name(create(bad).unwrap_err().problem()), problem, "{bad}");
    }
}

#[test]
fn header_lines_are_byte_exact() {
    let body = "@@ -1 +1 @@\n-a\n+b\n";
    for (header, kind, line, column, problem) in [
        ("", DiffKind::Modify, 1, 1, "Header"),
        ("--- a/src/x\n", DiffKind::Modify, 2, 1, "Header"),
        // E17
        ("--- a/src/x\n+++ b/src/x\t2020-01-01\n", DiffKind::Modify, 2, 12, "Header"),
        ("--- a/src/x\n+++ b/src/x\t\n", DiffKind::Modify, 2, 12, "Header"),
        ("--- a/src/x\n+++ b/src/x \n", DiffKind::Modify, 2, 12, "Header"),
        ("--- a/src/x\n+++ b/src/x\r\n", DiffKind::Modify, 2, 12, "Header"),
        ("--- a/src/x\n+++ b/src/y\n", DiffKind::Modify, 2, 11, "Header"),
        ("--- a/src/y\n+++ b/src/x\n", DiffKind::Modify, 1, 11, "Header"),
        ("--- src/x\n+++ src/x\n", DiffKind::Modify, 1, 5, "Header"),
        ("--- b/src/x\n+++ a/src/x\n", DiffKind::Modify, 1, 5, "Header"),
        ("--- a/src/../src/x\n+++ b/src/x\n", DiffKind::Modify, 1, 11, "Header"),
        ("---  a/src/x\n+++ b/src/x\n", DiffKind::Modify, 1, 5, "Header"),
        ("\u{feff}--- a/src/x\n+++ b/src/x\n", DiffKind::Modify, 1, 1, "Header"),
        ("\n--- a/src/x\n+++ b/src/x\n", DiffKind::Modify, 1, 1, "Header"),
        // E16
        ("--- \"a/src/x\"\n+++ \"b/src/x\"\n", DiffKind::Modify, 1, 5, "Header"),
        ("--- a/src/x\n+++ \"b/\\056\\056/x\"\n", DiffKind::Modify, 2, 5, "Header"),
        // E08
        ("--- a/src/x\n+++ /dev/null\n", DiffKind::Modify, 2, 5, "DevNull"),
        ("--- /dev/null\n+++ b/src/x\n", DiffKind::Modify, 1, 5, "DevNull"),
        ("--- a/src/x\n+++ b/src/x\n", DiffKind::Create, 1, 5, "Header"),
        ("--- /dev/null\n+++ /dev/null\n", DiffKind::Create, 2, 5, "DevNull"),
        // E01, E02, E04 and every other git line
        ("diff --git a/src/x b/src/x\n", DiffKind::Modify, 1, 1, "GitHeader"),
        ("new file mode 120000\n", DiffKind::Create, 1, 1, "GitHeader"),
        ("new file mode 160000\n", DiffKind::Create, 1, 1, "GitHeader"),
        ("old mode 104755\n", DiffKind::Modify, 1, 1, "GitHeader"),
        ("index 1234567..89abcde 100644\n", DiffKind::Modify, 1, 1, "GitHeader"),
        ("rename from src/x\n", DiffKind::Modify, 1, 1, "GitHeader"),
        ("copy from src/x\n", DiffKind::Modify, 1, 1, "GitHeader"),
        ("GIT binary patch\n", DiffKind::Modify, 1, 1, "GitHeader"),
        ("Binary files a/src/x and b/src/x differ\n", DiffKind::Modify, 1, 1, "GitHeader"),
        ("--- a/src/x\n+++ b/src/x\nrename to y\n", DiffKind::Modify, 3, 1, "GitHeader"),
        ("--- a/src/x\n+++ b/src/x\nnew mode 100755\n", DiffKind::Modify, 3, 1, "GitHeader"),
        ("--- a/src/x\n+++ b/src/x\n\n", DiffKind::Modify, 3, 1, "NotAHunk"),
        ("```diff\n", DiffKind::Modify, 1, 1, "Header"),
    ] {
        let fault =
            StrictDiff::parse(&format!("{header}{body}"), &target(), kind).expect_err(header);
        let found = (fault.line(), fault.column(), name(fault.problem()));
        assert_eq!(found, (line, column, problem.into()), "{header}");
        assert_eq!(fault.code(), Code::DiffMalformed);
    }
    for (text, problem) in [
        ("", "Empty"),
        ("--- a/src/x", "HeaderMissing"),
        ("--- a/src/x\n", "HeaderMissing"),
        ("--- a/src/x\n+++ b/src/x\n", "NoHunk"),
        ("--- a/src/x\n+++ b/src/x", "NoHunk"),
        ("--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b", "Unterminated"),
    ] {
        let fault = StrictDiff::parse(text, &target(), DiffKind::Modify).expect_err(text);
        assert_eq!(name(fault.problem()), problem, "{text}");
    }
}

#[test]
fn hunk_headers_are_plain_numbers_in_the_one_form() {
    for bad in [
        "@@",
        "@@ ",
        "@@ -1 +1",
        "@@ -1 +1 @",
        "@@ -1 +1 @@x",
        "@@ -1 +1@@",
        "@@ -01 +1 @@",
        "@@ -1 +01 @@",
        "@@ -1,01 +1 @@",
        "@@ -+1 +1 @@",
        "@@ --1 +1 @@",
        "@@ -1, +1 @@",
        "@@ -1,1 ++1 @@",
        "@@ -1  +1 @@",
        "@@ +1 -1 @@",
        "@@ -1;1 +1 @@",
        "@@ -0x1 +1 @@",
        "@@ -１ +1 @@",
        "@@ -1,1,1 +1 @@",
        "@@ - +1 @@",
        "@@ -1 +1 @@\t",
        // E10
        "@@ -1,3 +1,99999999999 @@",
        "@@ -4294967296 +1 @@",
        "@@ -0 @@",
        "@@@ -1 -1 +1 @@@",
        "@@ -1 +18446744073709551616 @@",
        "@@ … @@",
        "@@ @@",
    ] {
        let fault = modify(&format!("{bad}\n-a\n+b\n")).expect_err(bad);
        assert_eq!(name(fault.problem()), "HunkHeader", "{bad}");
        assert_eq!(fault.line(), 3);
    }
    let fault = modify("@@ -1,3 +1,x @@\n-a\n+b\n").unwrap_err();
    assert_eq!(fault.column(), 12);
    for (bad, problem) in [
        ("@@ -0 +1 @@\n-a\n+b\n", "ZeroStart"),
        ("@@ -1 +0 @@\n-a\n+b\n", "ZeroStart"),
        ("@@ -1,4294967295 +1,4294967295 @@\n-a\n+b\n", "TooFewLines"),
    ] {
        assert_eq!(name(modify(bad).unwrap_err().problem()), problem, "{bad}");
    }
}

#[test]
fn bodies_have_exactly_the_lines_of_their_header() {
    for (bad, line, problem) in [
        ("@@ -1,2 +1,2 @@\n-a\n+b\n", 6, "TooFewLines"),
        ("@@ -1,2 +1,2 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n", 6, "TooFewLines"),
        ("@@ -1 +1,2 @@\n-a\n-b\n+b\n+c\n", 5, "TooFewLines"),
        ("@@ -1 +1 @@\n-a\n+b\n c\n", 6, "TooManyLines"),
        ("@@ -1 +1 @@\n-a\n+b\n+c\n", 6, "TooManyLines"),
        ("@@ -1 +1 @@\n-a\n+b\n-c\n", 6, "TooManyLines"),
        ("@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", 5, "EmptyLine"),
        ("@@ -1 +1 @@\n-a\n+b\n\n", 6, "EmptyLine"),
        ("@@ -1 +1 @@\n-a\nb\n", 5, "Sign"),
        ("@@ -1 +1 @@\n-a\n\u{a0}b\n", 5, "Sign"),
        ("@@ -1 +1 @@\n-a\n\tb\n", 5, "Sign"),
        ("@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n", 4, "StrayMarker"),
        ("@@ -1 +1 @@\n-a\n\\ no newline at end of file\n+b\n", 5, "Marker"),
        ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\r\n+b\n", 5, "Marker"),
        ("@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch\n+b\n", 5, "Marker"),
        ("@@ -1 +1 @@\n-a\n\\\n+b\n", 5, "Marker"),
        (
            "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n\\ No newline at end of file\n",
            7,
            "StrayMarker",
        ),
        ("@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+b\n", 6, "AfterEnd"),
        ("@@ -1 +1,2 @@\n-a\n+a\n\\ No newline at end of file\n+b\n", 7, "AfterEnd"),
        ("@@ -1 +1,2 @@\n a\n\\ No newline at end of file\n+b\n", 6, "AfterEnd"),
        ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -3 +3 @@\n-c\n+d\n", 9, "AfterEnd"),
        // E25
        ("@@ -1,2 +1,2 @@\n a\n b\n", 3, "ChangesNothing"),
        ("@@ -1,2 +1,2 @@\n-a\n+a\n b\n", 3, "ChangesNothing"),
        ("@@ -1,2 +1,2 @@\n-a\n-b\n+a\n+b\n", 3, "ChangesNothing"),
        ("@@ -1,0 +1,0 @@\n", 3, "ChangesNothing"),
        ("@@ -1,0 +1,0 @@\n+a\n", 4, "TooManyLines"),
        // E11
        ("@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2,2 +2,2 @@\n b\n-c\n+C\n", 7, "Order"),
        ("@@ -5 +5 @@\n-e\n+E\n@@ -1 +1 @@\n-a\n+A\n", 6, "Order"),
        ("@@ -1 +1 @@\n-a\n+A\n@@ -1 +1 @@\n-a\n+A\n", 6, "Order"),
        ("@@ -2,0 +3 @@\n+A\n@@ -2,0 +4 @@\n+A\n", 5, "Order"),
        ("@@ -2 +3 @@\n-b\n+B\n", 3, "NewStart"),
        ("@@ -1 +1,2 @@\n-a\n+A\n+B\n@@ -5 +5 @@\n-e\n+E\n", 7, "NewStart"),
        ("@@ -2,0 +2 @@\n+B\n", 3, "NewStart"),
        ("@@ -2 +2,0 @@\n-B\n", 3, "NewStart"),
        // E07
        ("@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", 6, "SecondFile"),
        ("@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\n", 6, "GitHeader"),
        ("@@ -1 +1 @@\n-a\n+b\nThat is all.\n", 6, "Trailing"),
        ("@@ -1 +1 @@\n-a\n+b\n```\n", 6, "Trailing"),
        ("@@ -1 +1 @@\n-a\n+b\n-- \n2.47.3\n", 6, "Trailing"),
    ] {
        let fault = modify(bad).expect_err(bad);
        assert_eq!((fault.line(), name(fault.problem())), (line, problem.into()), "{bad}");
        assert_eq!(fault.code(), Code::DiffMalformed);
        assert!(!fault.help().is_empty());
    }
    let fault = modify("@@ -1 +1,2 @@\n a\n\\ No newline at end of file\n+b\n").unwrap_err();
    assert_eq!(fault.problem(), &DiffProblem::AfterEnd(FileSide::New));
}

#[test]
fn nothing_is_applied_beside_its_exact_place() {
    let five = "a\nb\nc\nd\ne\n";
    for (before, hunks, line, column, problem) in [
        (five, "@@ -1,2 +1,2 @@\n b\n-c\n+C\n", 4, 2, "LineDiffers"),
        (five, "@@ -3,2 +3,2 @@\n b\n-c\n+C\n", 4, 2, "LineDiffers"),
        (five, "@@ -2,3 +2,3 @@\n b\n-c\n+C\n x\n", 7, 2, "LineDiffers"),
        (five, "@@ -6 +6 @@\n-e\n+E\n", 4, 1, "PastEnd"),
        (five, "@@ -9,2 +9,2 @@\n-e\n+E\n x\n", 3, 1, "PastEnd"),
        (five, "@@ -4,2 +4,3 @@\n-d\n+D\n+x\n e\n@@ -6 +7 @@\n-f\n+F\n", 9, 1, "PastEnd"),
        // No context behind the change and yet not at the end.
        (five, "@@ -2,2 +2,2 @@\n b\n-c\n+C\n", 3, 1, "NotAtEnd"),
        (five, "@@ -2,0 +3 @@\n+x\n", 3, 1, "NotAtEnd"),
        ("a\n", "@@ -1,0 +2 @@\n+x\n", 3, 1, "NotAtStart"),
        // E13
        ("a\n  b\n", "@@ -1,2 +1,2 @@\n-a\n+A\n \tb\n", 6, 2, "LineDiffers"),
        ("a\nb \n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", 6, 3, "LineDiffers"),
        // E14
        (five, "@@ -0,0 +1 @@\n+x\n", 3, 1, "NotAtEnd"),
        // E19
        ("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", 4, 3, "LineDiffers"),
        ("a\nb\n", "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\r\n", 4, 3, "LineDiffers"),
        ("a\u{2028}b\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", 4, 3, "LineDiffers"),
        ("äö\n", "@@ -1 +1 @@\n-äü\n+x\n", 4, 3, "LineDiffers"),
        // The newline at the end counts.
        ("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", 6, 1, "LacksNewline"),
        (
            "a\nb\n",
            "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n",
            6,
            1,
            "HasNewline",
        ),
        (
            "a\nb\nc\n",
            "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n",
            6,
            1,
            "HasNewline",
        ),
        ("a\nb", "@@ -2,0 +3 @@\n+c\n", 3, 1, "OpenLine"),
        ("", "@@ -1 +1 @@\n-a\n+b\n", 4, 1, "PastEnd"),
    ] {
        assert_eq!(
            outcome(before.as_bytes(), hunks),
            Err((line, column, problem.into())),
            "{before:?} {hunks}"
        );
    }
    let early = "@@ -1,2 +1,2 @@\n-a\n+A\n\\ No newline at end of file\n b\n";
    assert_eq!(outcome(b"a\nb\n", early), Err((7, 1, "AfterEnd".into())));
}

#[test]
fn bytes_that_are_not_utf8_pass_through() {
    let diff = modify("@@ -2 +2 @@\n-b\n+c\n").unwrap();
    assert_eq!(diff.apply(b"\xff\xfe\0\nb\n").unwrap(), b"\xff\xfe\0\nc\n");
    let fault = diff.apply(b"a\nb\xff\n").unwrap_err();
    assert_eq!(fault.to_string(), "line 2 of the file is `b<0xFF>`, not `b`");
    assert_eq!((fault.line(), fault.column(), fault.code()), (4, 3, Code::DiffMismatch));
}

#[test]
fn messages_make_hidden_characters_visible_and_give_advice() {
    let fault = modify("@@ -1 +1 @@\n-a\n\u{202e}b\n").unwrap_err();
    assert_eq!(fault.to_string(), r"`<U+202E>b` starts with none of space, `+`, `-`, `\`");
    let fault = modify("@@ -1,2 +1,2 @@\n-a\n+A\n b\n").unwrap().apply(b"a\r\nb\r\n").unwrap_err();
    assert_eq!(fault.to_string(), "line 1 of the file is `a<U+000D>`, not `a`");
    assert!(fault.help().contains("CR LF"));
    let fault = modify("@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n").unwrap_err();
    assert!(fault.help().contains("single space"));
}

#[test]
fn a_million_hunks_are_refused_early() {
    let mut text = String::from("--- a/src/x\n+++ b/src/x\n");
    for line in 1..=1_000_000 {
        writeln!(text, "@@ -{line} +{line} @@\n-a\n+b").unwrap();
    }
    let start = Instant::now();
    let fault = StrictDiff::parse(&text, &target(), DiffKind::Modify).unwrap_err();
    assert_eq!(fault.problem(), &DiffProblem::TooManyHunks);
    assert_eq!(fault.line(), 300_003);
    std::println!("refused after {:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(10));
    // What is kept of a hunk is small, so that the cap bounds memory as well.
    assert!(size_of::<Hunk>() * MAX_HUNKS < 8 << 20);
}

#[test]
fn as_many_hunks_as_allowed_take_linear_time() {
    let mut text = String::from("--- a/src/x\n+++ b/src/x\n");
    let mut before = String::new();
    let mut after = String::new();
    for hunk in 0..MAX_HUNKS {
        let line = hunk * 2 + 1;
        writeln!(text, "@@ -{line},2 +{line},2 @@\n-a\n+b\n c").unwrap();
        before.push_str("a\nc\n");
        after.push_str("b\nc\n");
    }
    let start = Instant::now();
    let diff = StrictDiff::parse(&text, &target(), DiffKind::Modify).unwrap();
    assert_eq!(diff.apply(before.as_bytes()).unwrap(), after.as_bytes());
    std::println!("read and applied in {:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(10));
}
