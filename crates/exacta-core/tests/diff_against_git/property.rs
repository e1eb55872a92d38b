//! Diffs between random texts always apply, to exactly the text they were made from.

use exacta_core::diff::{DiffKind, StrictDiff};
use exacta_core::path::RelPath;
use proptest::prelude::*;

use crate::unified::hunks;

fn lines(text: &str) -> Vec<Vec<u8>> {
    text.as_bytes().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn a_diff_of_two_texts_leads_from_one_to_the_other(
        old in "([ab\r\u{2028}é]{0,3}\n?){0,12}",
        new in "([ab\r\u{2028}é]{0,3}\n?){0,12}",
        context in 1usize..5,
    ) {
        let hunks = hunks(&lines(&old), &lines(&new), context);
        prop_assume!(!hunks.is_empty());
        let text = String::from_utf8(hunks).unwrap();
        let target = RelPath::parse("some/file").unwrap();
        let diff = format!("--- a/some/file\n+++ b/some/file\n{text}");
        let diff = StrictDiff::parse(&diff, &target, DiffKind::Modify).unwrap();
        prop_assert_eq!(diff.apply(old.as_bytes()).unwrap(), new.as_bytes());
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "(@@ -[0-9]{1,2}(,[0-9])? \\+[0-9]{1,2}(,[0-9])? @@|[ +-]?[a-c]|\\\\ No newline at end of file|diff --git a/x b/x|--- a/x|\\+\\+\\+ b/x|\n){0,40}") {
        let target = RelPath::parse("x").unwrap();
        for text in [text.clone(), format!("--- a/x\n+++ b/x\n{text}")] {
            if let Ok(diff) = StrictDiff::parse(&text, &target, DiffKind::Modify) {
                let _ = diff.apply(b"a\nb\nc\n");
            }
            let _ = exacta_core::diff::GitPatch::parse(text.as_bytes());
        }
    }
}
