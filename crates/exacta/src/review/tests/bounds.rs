//! Time grows with the size of a plan, whatever its content.

use std::time::Duration;

use exacta_core::review::{Syntax, compose};
use exacta_inspect::tokens;
use exacta_testkit::Rng;
use rustix::time::{ClockId, clock_gettime};

use super::sample::Sample;
use crate::paint::Look;
use crate::review::document::Document;
use crate::review::pager::Pager;
use crate::review::{diff, show};

/// Far more than any of these takes, far less than a quadratic way would.
const MOST: Duration = Duration::from_secs(10);

/// Processor time of this thread, which other work on the machine does not add to.
fn clock() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

fn reviewed(old: Vec<u8>, new: Vec<u8>, coloured: bool) {
    let started = clock();
    let sample = Sample::of_changes([("src/a.rs", Some((old, 0o644)), Some((new, 0o644)))]);
    let look = Look { colour: false, utf8: true, width: Some(80) };
    sample.with(|plan| {
        let mut out = Vec::new();
        show(plan, look, &mut out).unwrap();
        diff(plan, Look::PLAIN, &mut out).unwrap();
        let syntax = Syntax::read(plan, |images| {
            let words = |path, bytes: &[u8]| if coloured { tokens(path, bytes) } else { None };
            Some(images.iter().map(|(path, bytes)| words(path, bytes)).collect())
        });
        let document = Document::of_review(&compose(plan, &syntax), look);
        let mut pager = Pager::new(document, look);
        for _ in 0..20 {
            pager.page(100);
            pager.scroll(100, 100);
        }
        pager.go_to_end(true, 100);
        pager.page(100);
    });
    let took = clock().saturating_sub(started);
    assert!(took < MOST, "{took:?}");
}

#[test]
fn adversarial_lines_take_no_longer_than_their_size_tells() {
    let lines = |seed: u64, words: &[&str]| {
        let mut rng = Rng::new(seed);
        let mut text = String::new();
        while text.len() < 320_000 {
            text.push_str(rng.pick::<&str>(words));
        }
        text.into_bytes()
    };
    // Two lines in random order, the worst for a comparison of lines.
    reviewed(lines(1, &["a\n", "b\n"]), lines(2, &["a\n", "b\n"]), false);
    // Many pairs of lines of small words, the worst for a comparison of words.
    let words = |n: u64| lines(n, &["a ", "b ", "( ", ") ", "\n"]);
    reviewed(words(3), words(4), false);
    // Nothing but line feeds, and one repeated line moved by one.
    reviewed(vec![b'\n'; 320_000], vec![b'\n'; 319_999], false);
    reviewed(b"ab\n".repeat(100_000), b"ba\n".repeat(100_000), false);
}

#[test]
fn one_long_line_takes_no_longer_than_its_size_tells() {
    let mut new = b"x".repeat(5 << 20);
    new[2 << 20] = b'y';
    reviewed(b"x".repeat(5 << 20), new, false);
}

#[test]
fn brackets_without_end_cost_colours_and_nothing_else() {
    reviewed(b"fn f() {".repeat(20_000), b"((((".repeat(40_000), true);
}
