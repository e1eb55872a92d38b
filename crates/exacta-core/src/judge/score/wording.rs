//! What a step's text tells: anything at all, what, and where.
//!
//! Used by specificity and clarity only. The words are untrusted and judged by the
//! little that can be judged without believing them.

use alloc::string::String;

use super::intent;
use crate::model::path::fold_key;
use crate::model::plan::{Action, Step};

/// Words that fit every change and so say nothing about this one.
const VAGUE: &[&str] = &[
    "a",
    "add",
    "adjust",
    "all",
    "an",
    "and",
    "any",
    "apply",
    "as",
    "asked",
    "better",
    "bug",
    "bugs",
    "change",
    "changes",
    "clean",
    "cleanup",
    "code",
    "do",
    "edit",
    "edits",
    "etc",
    "file",
    "files",
    "final",
    "first",
    "fix",
    "fixes",
    "for",
    "general",
    "handle",
    "implement",
    "improve",
    "improvements",
    "in",
    "is",
    "issue",
    "issues",
    "it",
    "last",
    "logic",
    "make",
    "minor",
    "misc",
    "modify",
    "necessary",
    "needed",
    "next",
    "of",
    "on",
    "or",
    "project",
    "proper",
    "properly",
    "refactor",
    "relevant",
    "required",
    "several",
    "small",
    "some",
    "something",
    "step",
    "stuff",
    "task",
    "that",
    "the",
    "them",
    "these",
    "thing",
    "things",
    "this",
    "tidy",
    "to",
    "tweak",
    "tweaks",
    "up",
    "update",
    "updates",
    "various",
    "we",
    "with",
    "work",
    "write",
];

/// What a step's text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wording {
    /// There is a title or a description.
    pub(super) present: bool,
    concrete: usize,
    place: bool,
}

impl Wording {
    /// There is text, and it fits every change.
    pub(super) fn is_vague(self) -> bool {
        self.present && self.concrete == 0 && !self.place
    }

    /// There is text, and it says neither what nor where.
    pub(super) fn is_unclear(self) -> bool {
        self.present && self.concrete < 2 && !self.place
    }
}

/// Reads title and description together.
pub(super) fn of(step: &Step) -> Wording {
    let texts = [step.title.as_deref(), step.description.as_deref()];
    let mut text = String::new();
    for part in texts.into_iter().flatten() {
        text.push_str(part.trim());
        text.push('\n');
    }
    if text.trim().is_empty() {
        return Wording { present: false, concrete: 0, place: false };
    }
    let folded = fold_key(&text);
    let concrete = concrete(&folded);
    // Whoever says what need not say where.
    let place = concrete < 2 && (names_target(&folded, step) || !intent::names(&text).is_empty());
    Wording { present: true, concrete, place }
}

/// Words that say something, counted up to two. Scripts without spaces make one long
/// word, which is taken for two.
fn concrete(folded: &str) -> usize {
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| {
        word.chars().any(char::is_alphabetic)
            && word.chars().nth(1).is_some()
            && VAGUE.binary_search(word).is_err()
    });
    telling
        .map(|word| if !word.is_ascii() && word.chars().count() > 3 { 2 } else { 1 })
        .take(2)
        .sum()
}

/// Whether the text names the file, its stem, or the tool.
fn names_target(folded: &str, step: &Step) -> bool {
    let key = match &step.action {
        Action::File(file) => fold_key(file.target.rsplit('/').next().unwrap_or_default()),
        Action::Tool(call) => fold_key(&call.name),
    };
    let trunk = key.split('.').find(|part| !part.is_empty()).unwrap_or_default();
    (!key.is_empty() && folded.contains(&*key)) || (trunk.len() > 2 && folded.contains(trunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_its_search() {
        assert!(VAGUE.is_sorted());
    }

    #[test]
    fn words_that_fit_every_change_do_not_count() {
        for (text, count) in [
            ("update the code", 0),
            ("fix 42 bugs", 0),
            ("fix parser", 1),
            ("retry counter overflows", 2),
            ("исправить счётчик", 2),
            ("修正重试计数器", 2),
        ] {
            assert_eq!(concrete(&fold_key(text)).min(2), count, "{text}");
        }
    }
}
