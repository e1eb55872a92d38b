//! Lists of dependencies whose grammar is not read.
//!
//! Each line that is no comment is taken for a dependency: its words are the name, its
//! numbers the version. So nothing in such a list changes unseen.

use super::model::{Dependency, Manifest};

/// Signs that begin a comment in one of the lists.
const COMMENTS: &[&str] = &["#", "//", ";", "--", "%"];

/// Reads a list; every text is one.
pub(super) fn read(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if COMMENTS.iter().any(|sign| line.starts_with(sign)) {
            continue;
        }
        let apart = |c: char| c.is_whitespace() || "\"'(){}[],;".contains(c);
        let (mut name, mut version) = (Vec::new(), Vec::new());
        for word in line.split(apart).filter(|word| !word.is_empty()) {
            let number = word.trim_start_matches(['v', '=', '<', '>', '~', '^', '!']);
            if number.starts_with(|c: char| c.is_ascii_digit()) || number.is_empty() {
                version.push(word);
            } else {
                name.push(word);
            }
        }
        // Brackets and end words say nothing by themselves.
        if !name.is_empty() && name != ["end"] {
            let version = version.join(" ");
            manifest.require(
                &name.join(" "),
                Dependency { version, line: Some(number), ..Dependency::default() },
            );
        }
    }
    manifest
}
