//! Any text as a target path.
#![no_main]

use exacta_core::model::path::RelPath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(path) = RelPath::parse(text) else { return };
    assert_eq!(path.as_str(), text);
    assert!(!text.starts_with('/') && text.len() <= 1024);
    for component in path.components() {
        assert!(!matches!(component, "" | "." | ".."));
        assert!(!component.eq_ignore_ascii_case(".git") && !component.eq_ignore_ascii_case(".exacta"));
    }
});
