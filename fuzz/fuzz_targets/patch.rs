//! Any bytes as a git patch, applied to any file.
#![no_main]

use exacta_core::read::diff::GitPatch;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &[u8])| {
    let (text, before) = input;
    let Ok(patch) = GitPatch::parse(text) else { return };
    for file in &patch.files {
        let _ = file.apply(None);
        let _ = file.apply(Some(before));
    }
});
