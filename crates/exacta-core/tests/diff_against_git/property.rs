//! Diffs between random texts apply to exactly the text they were made from, and no
//! bytes make a reader panic.

use exacta_core::model::path::RelPath;
use exacta_core::read::diff::{DiffKind, FilePatch, GitPatch, StrictDiff};
use proptest::prelude::*;

use crate::damage::damage;
use crate::random::{Budget, Random, edit, seed, text};
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
}

#[test]
fn no_bytes_make_a_reader_panic() {
    let budget = Budget::new(20_000);
    let target = RelPath::parse("x").unwrap();
    let (mut case, mut diffs, mut patches) = (0, 0, 0);
    while budget.goes_on(case) {
        let random = &mut Random::of_case(seed(), case);
        let old = text(random, false);
        let mut new = old.clone();
        edit(random, &mut new, false);
        let mut diff = b"--- a/x\n+++ b/x\n".to_vec();
        let context = random.below(4);
        diff.extend(hunks(&old, &new, context));
        let mut patch = b"diff --git a/x b/x\nindex 1111111..2222222 100644\n".to_vec();
        patch.extend(&diff);
        for bytes in [&mut diff, &mut patch] {
            (0..random.below(4)).for_each(|_| damage(random, bytes));
            for _ in 0..random.below(4) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.pick(b"\0\n\r\\ +-@0199,\"/\xff\xc3");
                }
            }
        }
        let before = old.concat();
        if let Ok(diff) =
            StrictDiff::parse(&String::from_utf8_lossy(&diff), &target, DiffKind::Modify)
        {
            diffs += usize::from(diff.apply(&before).is_ok());
        }
        if let Ok(patch) = GitPatch::parse(&patch) {
            let fits = |file: &FilePatch| file.apply(Some(&before)).is_ok();
            patches += usize::from(patch.files.iter().all(fits));
        }
        case += 1;
    }
    println!("{case} cases ({}): {diffs} diffs and {patches} patches fit", budget.spent());
}
