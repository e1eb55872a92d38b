//! Parses one image within a budget of steps and reads the tree.

use std::ops::ControlFlow;

use exacta_core::facts::Language;
use exacta_core::path::RelPath;
use tree_sitter::{ParseOptions, ParseState, Parser};

use super::grammar::{Grammar, grammar};
use super::item::Item;
use super::walk::{Function, walk};
use super::{c, go, java, javascript, python, rust};

/// The parser asks after every hundred of its steps whether to go on. An ordinary
/// source needs about one such round for 130 bytes; this many are granted at once,
const ROUNDS: usize = 2_000;
/// and one more for so many bytes.
const BYTES_A_ROUND: usize = 16;

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
    /// Whether each line holds more than comments.
    pub(crate) code: Vec<bool>,
    /// What others may use.
    pub(crate) items: Vec<Item>,
}

/// The parser ran out of steps.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread;

/// Reads `text` as `language`.
pub(crate) fn read(language: Language, path: &RelPath, text: &str) -> Result<Reading, Unread> {
    let (language, grammar) = grammar(language, path, text);
    let tree = parse(grammar, text).ok_or(Unread)?;
    let root = tree.root_node();
    let mut reading = walk(grammar, language, root, text);
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

pub(super) fn parse(grammar: &Grammar, text: &str) -> Option<tree_sitter::Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.parser).ok()?;
    let bytes = text.as_bytes();
    let mut rounds = ROUNDS + bytes.len() / BYTES_A_ROUND;
    let mut progress = |_: &ParseState| match rounds.checked_sub(1) {
        Some(left) => {
            rounds = left;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut source = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut source, None, Some(options))
}
