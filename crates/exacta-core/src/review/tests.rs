//! What the model promises: hunks are exact, and different contents have different spans.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

fn spans(line: &[u8]) -> Vec<(Role, String)> {
    let row = Row::content(0).show(Role::Plain, line);
    row.spans.into_iter().map(|span| (span.role, span.text)).collect()
}

fn shown(line: &[u8]) -> String {
    let sign = |(role, text): (Role, String)| match role {
        Role::Tab => "[tab]".into(),
        Role::LastSpace => "·".repeat(text.len()),
        _ => text,
    };
    spans(line).into_iter().map(sign).collect()
}

#[test]
fn what_does_not_show_is_spelled_out_and_nothing_can_pass_for_a_spelling() {
    let cases: &[(&[u8], &str)] = &[
        (b"plain <tag> text", "plain <tag> text"),
        (b"a\tb", "a[tab]b"),
        ("a→  b".as_bytes(), "a<U+2192>  b"),
        (b"end  ", "end··"),
        ("end··".as_bytes(), "end<U+00B7><U+00B7>"),
        ("a · b".as_bytes(), "a · b"),
        ("\u{202e}x".as_bytes(), "<U+202E>x"),
        (b"<U+202E>x", "<U+003C>U+202E>x"),
        (b"\xff<0xFF>", "<0xFF><U+003C>0xFF>"),
        ("a\u{a0}b\u{3000}".as_bytes(), "a<U+00A0>b<U+3000>"),
        (b"x \r", "x·<U+000D>"),
        ("e\u{301}\u{302}\u{303}".as_bytes(), "e\u{301}\u{302}<U+0303>"),
        (b"\x1b[2J\x08\x7f", "<U+001B>[2J<U+0008><U+007F>"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected);
    }
    assert_eq!(
        spans("a\u{202e}\t".as_bytes()),
        [(Role::Plain, "a".into()), (Role::Hidden, "<U+202E>".into()), (Role::Tab, "\t".into())]
    );
}

fn part(bytes: &'static [u8]) -> Just<&'static [u8]> {
    Just(bytes)
}

/// Every line of up to four of these parts: each has its own spans, and its own signs at a
/// painter that has no colours.
#[test]
fn two_different_lines_never_look_the_same() {
    let parts: [&[u8]; 11] = [
        b"a",
        b" ",
        b"\t",
        b"\r",
        b"<U+0020>",
        b"<",
        b"\xff",
        b"\xc2\xb7",
        b"\xe2\x86\x92",
        b"\xcc\x81",
        b"\xe2\x80\xae",
    ];
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut longest = lines.clone();
    for _ in 0..4 {
        let longer = |line: &Vec<u8>| parts.map(|part| [line, part].concat());
        longest = longest.iter().flat_map(longer).collect();
        lines.extend(longest.iter().cloned());
    }
    let mut seen = BTreeMap::new();
    for line in lines {
        if let Some(other) = seen.insert(shown(&line), line.clone()) {
            assert_eq!(other, line, "{}", shown(&line));
        }
    }
    assert_eq!(seen.len(), 1 + 11 + 121 + 1_331 + 14_641);
}

/// Files of every kind of line end, with text that is not UTF-8 and lines that repeat.
fn image() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => part(b"same\n"),
        1 => part(b"a\n"),
        1 => part(b"b\r\n"),
        1 => part(b"c\r"),
        1 => part(b"\xff\xfe\n"),
        1 => part(b"\n"),
        1 => part(b"no end"),
    ];
    prop::collection::vec(line, 0..60).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn all_hunks_are_the_image_after_and_none_the_image_before(
        before in image(),
        after in image(),
        keep in any::<u64>(),
    ) {
        let hunks = hunks(&before, &after);
        let numbers: Vec<u32> = hunks.iter().map(|hunk| hunk.number).collect();
        prop_assert_eq!(&numbers, &(1..).take(hunks.len()).collect::<Vec<u32>>());
        let all: BTreeSet<u32> = numbers.iter().copied().collect();
        prop_assert_eq!(apply_hunks(&before, &after, &all).unwrap(), after.clone());
        prop_assert_eq!(apply_hunks(&before, &after, &BTreeSet::new()).unwrap(), before.clone());
        // Some of them first and the others after: the same, whatever comes first.
        let chosen = |wanted: bool| -> BTreeSet<u32> {
            all.iter().copied().filter(|number| (keep >> (number % 64) & 1 == 1) == wanted).collect()
        };
        let some = apply_hunks(&before, &after, &chosen(true)).unwrap();
        let others = apply_hunks(&before, &after, &chosen(false)).unwrap();
        prop_assert_eq!(some.len() + others.len(), before.len() + after.len());
        // What a hunk shows before and after is what it replaces and what it puts there.
        let lines = |image: &[u8]| crate::text::lines::lines(image).iter().map(|l| l.to_vec()).collect::<Vec<_>>();
        let (old, new) = (lines(&before), lines(&after));
        let mut rebuilt: Vec<Vec<u8>> = Vec::new();
        let mut at = 0;
        for hunk in hunks.iter().filter(|hunk| chosen(true).contains(&hunk.number)) {
            rebuilt.extend_from_slice(&old[at..hunk.before.start]);
            rebuilt.extend_from_slice(&new[hunk.after.clone()]);
            at = hunk.before.end;
        }
        rebuilt.extend_from_slice(&old[at..]);
        prop_assert_eq!(rebuilt.concat(), some);
    }
}

#[test]
fn a_hunk_that_there_is_not_is_refused() {
    let fault = apply_hunks(b"a\n", b"b\n", &BTreeSet::from([1, 2])).unwrap_err();
    assert_eq!((fault.number, fault.count), (2, 1));
}

#[test]
fn numbers_count_the_hunks_of_a_file() {
    let before = (0..40).map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    let after = before.replace("5\n", "five\n").replace("30\n", "thirty\n");
    let found = hunks(before.as_bytes(), after.as_bytes());
    let headers: BTreeMap<u32, String> = found.iter().map(|h| (h.number, h.header())).collect();
    assert_eq!(headers.len(), found.len());
    let last = *headers.keys().last().unwrap();
    let only_last = apply_hunks(before.as_bytes(), after.as_bytes(), &BTreeSet::from([last]));
    assert!(String::from_utf8(only_last.unwrap()).unwrap().starts_with("0\n1\n2\n3\n4\n5\n"));
}

#[test]
fn a_dump_holds_every_byte() {
    let blob = crate::model::digest::Blob::new(b"GIF89a\x00\x01 and more bytes".to_vec());
    let dump = Dump { side: Side::After, blob };
    let rows: Vec<String> = (0..dump.len()).map(|row| dump.row(row).text()).collect();
    assert_eq!(
        rows,
        [
            "+ 00000000  47 49 46 38 39 61 00 01 20 61 6e 64 20 6d 6f 72  |GIF89a.. and mor|",
            "+ 00000010  65 20 62 79 74 65 73                             |e bytes|",
        ]
    );
}
