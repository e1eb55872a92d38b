//! Parses one image within its budget and reads the tree.

use exacta_core::facts::Language;
use exacta_core::path::RelPath;

use super::grammar::grammar;
use super::item::Item;
use super::meter::{Allowance, metered};
use super::walk::{Function, walk};
use super::{c, go, java, javascript, python, rust};

/// What a tree tells.
pub(crate) struct Reading {
    /// The language it was read as.
    pub(crate) language: Language,
    /// Whether the whole text is well formed.
    pub(crate) sound: bool,
    /// Bytes inside parts that are not.
    pub(crate) broken_bytes: usize,
    /// Named functions in the order of the text.
    pub(crate) functions: Vec<Function>,
    /// What the lines are.
    pub(crate) lines: Lines,
    /// What others may use.
    pub(crate) items: Vec<Item>,
}

/// What a tree tells about lines.
pub(crate) struct Lines {
    /// Whether each line holds more than comments.
    pub(crate) code: Vec<bool>,
    /// First and last line of parts that only tests use, in the order of the text.
    pub(crate) tests: Vec<(usize, usize)>,
    /// Where each word of the code is: its bytes, and its column when it begins a line
    /// of a language in which that matters.
    pub(crate) words: Vec<(u32, u32, u32)>,
}

impl Lines {
    /// Whether both are the same code, whatever their comments and layout.
    pub(crate) fn same_code(&self, text: &str, other: &Self, other_text: &str) -> bool {
        fn word<'t>(text: &'t str, place: &(u32, u32, u32)) -> Option<&'t str> {
            text.get(place.0 as usize..place.1 as usize)
        }
        self.words.len() == other.words.len()
            && self.words.iter().zip(&other.words).all(|(mine, theirs)| {
                mine.2 == theirs.2 && word(text, mine) == word(other_text, theirs)
            })
    }

    /// Whether only tests use the line.
    pub(crate) fn is_test(&self, index: usize) -> bool {
        let before = self.tests.partition_point(|(first, _)| *first <= index);
        self.tests.get(..before).and_then(<[_]>::last).is_some_and(|(_, last)| index <= *last)
    }
}

/// The parser took more than it may.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread;

/// Reads `text` as `language`.
pub(crate) fn read(
    language: Language,
    path: &RelPath,
    text: &str,
    allowance: &Allowance,
) -> Result<Reading, Unread> {
    let (language, grammar) = grammar(language, path, text);
    let tree = metered(&grammar.parser, text, allowance).ok_or(Unread)?;
    let root = tree.root_node();
    let mut reading = walk(grammar, language, root, text);
    if language == Language::Rust {
        reading.lines.tests = rust::test_modules(root, text);
    }
    reading.items = match language {
        Language::Rust => rust::items(root, text),
        Language::Python => python::items(root, text, path),
        Language::JavaScript | Language::TypeScript => javascript::items(root, text),
        Language::Go => go::items(root, text, path),
        Language::Java => java::items(root, text),
        Language::C | Language::Cpp => c::items(root, text, path),
    };
    Ok(reading)
}
