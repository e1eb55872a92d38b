//! The proof for one change of one file.

use exacta_core::judge::facts::{Proof, is_test_data, lock_file};
use exacta_core::model::path::RelPath;

use super::{data, document_lines, documents, doubts, scripts};
use crate::diff::LineDiff;

/// What is known of a change when its proof is asked for.
pub(crate) struct Looked<'a> {
    pub(crate) path: &'a RelPath,
    /// The bytes as they are; a stray byte proves nothing.
    pub(crate) before: Option<&'a [u8]>,
    pub(crate) after: Option<&'a [u8]>,
    pub(crate) before_text: &'a str,
    pub(crate) after_text: &'a str,
    pub(crate) old: &'a [&'a str],
    pub(crate) lines: &'a [&'a str],
    pub(crate) diff: &'a LineDiff,
    /// What trees prove; nothing where the syntax is not read.
    pub(crate) trees: Option<Proof>,
    /// Whether something else reads the file, such as a manifest's reader.
    pub(crate) read: bool,
    /// Whether the image after is sound in its language.
    pub(crate) sound: bool,
    /// Whether it came here from another place.
    pub(crate) moved: bool,
}

/// The most harmless thing that is certain.
pub(crate) fn proof(looked: &Looked<'_>) -> Proof {
    let read = looked.trees.is_some() || looked.read || lock_file(looked.path).is_some();
    let nothing = if read { Proof::Read } else { Proof::Unread };
    let Some(after) = looked.after else { return Proof::Read };
    if looked.before == looked.after {
        return if looked.moved { nothing } else { Proof::Same };
    }
    let doubtful = |bytes: Option<&[u8]>| bytes.is_some_and(doubts::in_text);
    let is_document = documents::is_document(looked.path);
    let format = data::format(looked.path);
    let known = is_document || format.is_some();
    let nothing = if known { Proof::Read } else { nothing };
    if looked.moved || doubtful(looked.before) || doubts::in_text(after) {
        return nothing;
    }
    let starts = |bytes: Option<&[u8]>| bytes.is_some_and(|bytes| bytes.starts_with(b"#!"));
    if is_document && (starts(looked.before) || starts(looked.after)) {
        return Proof::Read;
    }
    if is_document {
        let added = looked.diff.added.iter().filter_map(|line| looked.lines.get(*line).copied());
        let added: Vec<&str> = added.collect();
        let plain = document_lines::is_plain(
            document_lines::Markup::of(looked.path.name()),
            looked.before_text,
            looked.after_text,
            &added,
        );
        return if plain { Proof::Document } else { Proof::Followed };
    }
    let come = looked.diff.added.iter().filter_map(|line| looked.lines.get(*line));
    if come.clone().any(|line| reorders(line)) {
        return Proof::Read;
    }
    if looked.before.is_none() {
        let fixture = format.is_some() || documents::is_fixture(looked.path);
        let data = fixture
            && !looked.read
            && looked.trees.is_none()
            && is_test_data(looked.path)
            && !is_deployed(looked.after_text);
        let tests = looked.sound && looked.trees == Some(Proof::Tests);
        return if tests || data { Proof::Tests } else { nothing };
    }
    if let Some(format) = format {
        let gone = looked.diff.removed.iter().filter_map(|line| looked.old.get(*line).copied());
        let come = looked.diff.added.iter().filter_map(|line| looked.lines.get(*line).copied());
        let changed: Vec<&str> = gone.chain(come).collect();
        let (before, after) = (looked.before_text, looked.after_text);
        let same = !doubts::ends_differ(before, after)
            && data::same_values(format, before, after, &changed);
        return if same { Proof::Values } else { Proof::Read };
    }
    if looked.trees.is_none()
        && let Some(script) = scripts::script(looked.path, looked.after_text)
        && !doubts::ends_differ(looked.before_text, looked.after_text)
        && scripts::same_but_prose(
            script,
            looked.path.name(),
            looked.before_text,
            looked.after_text,
        )
    {
        return Proof::Layout;
    }
    looked.trees.unwrap_or(nothing)
}

/// Whether a line of code has letters that are written from right to left: screens show the
/// signs between two of them in another order than programs read them.
fn reorders(line: &str) -> bool {
    let remark = ["#", "//", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    !remark
        && line.chars().any(|c| {
            matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
                | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        })
}

/// Whether a text reads like what servers, clusters and workflows are told.
fn is_deployed(text: &str) -> bool {
    const KEYS: &[&str] = &[
        "apiVersion",
        "kind",
        "services",
        "jobs",
        "Resources",
        "AWSTemplateFormatVersion",
        "resources",
        "spring",
        "hosts",
        "stages",
        "on",
        "openapi",
        "swagger",
    ];
    text.lines().any(|line| {
        let line = line.trim_start_matches(['"', '{', ' ', '-']);
        KEYS.iter().any(|key| {
            let rest = line.strip_prefix(key).map(|rest| rest.trim_start_matches('"'));
            rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_from_right_to_left_beside_code_reorder_it() {
        assert!(reorders("if level == \"א\": x = 2 # \"ב\" == 3"));
        assert!(reorders("a = 1  # ابجد"));
        assert!(!reorders("    # מילים של אדם"));
        assert!(!reorders("if level == \"ä\": x = 2"));
    }
}
