//! Any text as a strict diff, applied to any bytes.
#![no_main]

use exacta_core::read::diff::{DiffKind, StrictDiff};
use exacta_core::model::path::RelPath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8], bool)| {
    let (text, before, create) = input;
    let target = RelPath::parse("a").expect("a sound path");
    let kind = if create { DiffKind::Create } else { DiffKind::Modify };
    let header = if create { "--- /dev/null\n+++ b/a\n" } else { "--- a/a\n+++ b/a\n" };
    for text in [text, &format!("{header}{text}")] {
        if let Ok(diff) = StrictDiff::parse(text, &target, kind) {
            let before = if create { &[] } else { before };
            if let Ok(after) = diff.apply(before) {
                assert_ne!(after, before, "a diff that applies changes something");
            }
        }
    }
});
