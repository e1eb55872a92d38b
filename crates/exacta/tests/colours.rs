//! The child that tells words apart for colours, as the program starts it.
#![expect(clippy::expect_used, reason = "test code reports by panicking")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use exacta_core::model::path::RelPath;
use exacta_core::review::TokenKind;
use exacta_inspect::{colours, tokens};

fn child(question: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_exacta"))
        .arg("__colours")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the child starts");
    // A child that ends early closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(question);
    child.wait_with_output().expect("the child ends")
}

#[test]
fn the_confined_child_tells_the_same_words() {
    let (code, prose) = (RelPath::parse("a.rs").unwrap(), RelPath::parse("a.txt").unwrap());
    let images: [(&RelPath, &[u8]); 3] =
        [(&code, b"fn go() {}\n"), (&prose, b"fn go() {}\n"), (&code, b"\xff")];
    let mut question = Vec::new();
    colours::write_question(&images, &mut question).unwrap();
    let output = child(&question);
    assert!(output.status.success(), "{output:?}");
    let words = colours::read_answer(&mut output.stdout.as_slice()).unwrap();
    assert_eq!(words, [tokens(&code, b"fn go() {}\n"), None, None]);
    assert_eq!(words[0], Some(vec![(0, 2, TokenKind::Keyword), (3, 5, TokenKind::Function)]));
}

#[test]
fn a_question_that_is_none_gets_no_answer() {
    for question in [&b""[..], b"\0\0\0\0\0\0\0\x02{}", &[0xff; 64]] {
        let output = child(question);
        assert!(!output.status.success());
        assert!(output.stdout.is_empty());
    }
}
