//! Whether two trees are the same program: the same nodes, the same words, and the same
//! line breaks where these matter. Plain comments do not count.

use exacta_core::judge::facts::{Language, Proof, is_test};
use exacta_core::model::path::RelPath;
use tree_sitter::{Node, Tree, TreeCursor};

use super::additive::additive;
use super::comments::is_prose;
use super::doubts;

/// A text, its tree and which nodes are comments.
pub(crate) struct Compared<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) text: &'a str,
    pub(crate) is_comment: &'a dyn Fn(u16) -> bool,
}

/// What two trees of one language prove.
pub(crate) fn compare_trees(
    language: Language,
    path: &RelPath,
    before: &Compared<'_>,
    after: &Compared<'_>,
) -> Proof {
    match equal(language, before, after) {
        Some(Proof::Read) => additive(language, path, is_test(path), before, after),
        Some(proof) => proof,
        None => Proof::Read,
    }
}

/// How far both trees are the same program; `None` where a parser cannot tell.
fn equal(language: Language, before: &Compared<'_>, after: &Compared<'_>) -> Option<Proof> {
    if before.tree.root_node().has_error()
        || after.tree.root_node().has_error()
        || [before.text, after.text].into_iter().any(|text| doubts::in_source(language, text))
        || doubts::ends_differ(before.text, after.text)
    {
        return None;
    }
    let mut old = Walk::new(language, before);
    let mut new = Walk::new(language, after);
    loop {
        match (old.next(), new.next()) {
            (Some(Step::Doubt), _) | (_, Some(Step::Doubt)) => return None,
            (None, None) => return Some(Proof::Layout),
            (Some(one), Some(other)) if one == other => {}
            _ => return Some(Proof::Read),
        }
    }
}

/// One thing that counts.
#[derive(PartialEq, Eq, Debug)]
enum Step<'t> {
    /// A node with parts, and how deep it is.
    Node { kind: u16, field: u16, depth: u32 },
    /// A word, or a comment that is more than prose.
    Word { kind: u16, field: u16, depth: u32, text: &'t str, place: Place<'t> },
    /// Something that this reading cannot answer for.
    Doubt,
}

/// What of a word's place counts.
#[derive(PartialEq, Eq, Debug, Default)]
struct Place<'t> {
    /// On another line than the word before, where that may end a statement.
    apart: bool,
    /// Its indentation, where that is part of the syntax.
    column: Option<usize>,
    /// What stands before it, where that may be shown.
    gap: &'t str,
    /// White space before it, where that may become part of a text.
    spaced: bool,
    /// Its column, and the rows to its neighbours, for comments that tools obey.
    exact: Option<(usize, usize)>,
}

struct Walk<'t> {
    language: Language,
    text: &'t str,
    is_comment: &'t dyn Fn(u16) -> bool,
    cursor: TreeCursor<'t>,
    depth: u32,
    /// How deep the list of arguments is that the walk is in, if it is in one.
    arguments: Option<u32>,
    /// How deep the element is whose text is shown as it stands, if the walk is in one.
    shown: Option<u32>,
    /// Whether the line of the last word is one of the preprocessor.
    directive: bool,
    /// End of the last word: byte, row.
    last: (usize, usize),
    /// The last word.
    word: &'t str,
    /// Where comments were since then.
    commented: bool,
    stage: Stage,
}

/// How far a walk is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Within,
    Done,
}

impl<'t> Walk<'t> {
    fn new(language: Language, side: &'t Compared<'t>) -> Self {
        Self {
            language,
            text: side.text,
            is_comment: side.is_comment,
            cursor: side.tree.walk(),
            depth: 0,
            arguments: None,
            shown: None,
            directive: false,
            last: (0, 0),
            word: "",
            commented: false,
            stage: Stage::Before,
        }
    }

    /// The next thing that counts.
    fn next(&mut self) -> Option<Step<'t>> {
        match self.stage {
            Stage::Before => {
                self.stage = Stage::Within;
                return Some(self.here());
            }
            Stage::Within => {}
            Stage::Done => return None,
        }
        loop {
            if !self.forward() {
                self.stage = Stage::Done;
                return self.gap(self.text.len()).then_some(Step::Doubt);
            }
            let node = self.cursor.node();
            if (self.is_comment)(node.kind_id()) {
                match self.comment(node) {
                    Some(step) => return Some(step),
                    None => continue,
                }
            }
            return Some(self.here());
        }
    }

    /// To the next node that is not part of a word.
    fn forward(&mut self) -> bool {
        let node = self.cursor.node();
        let whole = is_whole(self.language, node) || (self.is_comment)(node.kind_id());
        if !whole && self.cursor.goto_first_child() {
            self.depth += 1;
            return true;
        }
        loop {
            if self.cursor.goto_next_sibling() {
                return true;
            }
            if !self.cursor.goto_parent() {
                return false;
            }
            self.depth -= 1;
            if self.arguments.is_some_and(|depth| depth >= self.depth) {
                self.arguments = None;
            }
            if self.shown.is_some_and(|depth| depth >= self.depth) {
                self.shown = None;
            }
        }
    }

    /// Whether anything but white space stands between the last word and `to`.
    fn gap(&self, to: usize) -> bool {
        let between = self.text.get(self.last.0..to);
        between.is_none_or(|text| !text.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | '\r')))
    }

    fn here(&mut self) -> Step<'t> {
        let node = self.cursor.node();
        let (kind, depth) = (node.kind_id(), self.depth);
        let field = self.cursor.field_id().map_or(0, std::num::NonZeroU16::get);
        if node.child_count() > 0 && !is_whole(self.language, node) {
            if self.arguments.is_none() && makes_text(self.language, node.kind()) {
                self.arguments = Some(depth);
            }
            if self.shown.is_none() && node.kind().starts_with("jsx_") {
                self.shown = Some(depth);
            }
            return Step::Node { kind, field, depth };
        }
        if node.is_error() || node.is_missing() {
            return Step::Doubt;
        }
        let Some(text) = self.text.get(node.byte_range()) else { return Step::Doubt };
        if self.gap(node.start_byte()) {
            return Step::Doubt;
        }
        let start = node.start_position();
        let apart = start.row != self.last.1;
        let place = Place {
            apart: apart && self.breaks(text),
            // Also of the first word, before which there is no line.
            column: ((apart || self.word.is_empty()) && self.language == Language::Python)
                .then_some(start.column),
            gap: if self.shown.is_some() || self.continued() {
                self.text.get(self.last.0..node.start_byte()).unwrap_or_default()
            } else {
                ""
            },
            spaced: (self.arguments.is_some() || self.glues(text))
                && (node.start_byte() > self.last.0 || self.commented),
            exact: None,
        };
        if !text.is_empty() {
            if apart || text.starts_with('#') {
                self.directive = text.starts_with('#');
            }
            let ends = text.len() - text.trim_end_matches(['\n', '\r']).len();
            let ends = text.get(text.len() - ends..).unwrap_or_default().matches('\n').count();
            self.last = (node.end_byte(), node.end_position().row.saturating_sub(ends));
            self.word = text;
            self.commented = false;
        }
        // A line end that is a word says no more than that it is there.
        let text = if text.trim().is_empty() && text.contains('\n') { "\n" } else { text };
        Step::Word { kind, field, depth, text, place }
    }

    /// Whether a line break before `next` may mean something.
    fn breaks(&self, next: &str) -> bool {
        match self.language {
            // A compiler puts semicolons or blocks by lines, or keeps them in its code.
            Language::Python | Language::Go => true,
            Language::JavaScript | Language::TypeScript => {
                !(OPENS.contains(&self.word) || CLOSES.contains(&next))
            }
            Language::C | Language::Cpp => self.directive || next.starts_with('#'),
            Language::Rust | Language::Java => false,
        }
    }

    /// Whether the last word is a backslash that joins two lines of Python: nothing but the
    /// rest of the statement may follow.
    fn continued(&self) -> bool {
        self.language == Language::Python && self.word.starts_with('\\')
    }

    /// Whether the last word and `next` are one word for a preprocessor when nothing stands
    /// between them.
    fn glues(&self, next: &str) -> bool {
        matches!(self.language, Language::C | Language::Cpp)
            && self.word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && self.word.ends_with(['e', 'E', 'p', 'P'])
            && next.starts_with(['+', '-'])
    }

    /// Passes a comment that is prose; any other counts with its exact place.
    fn comment(&mut self, node: Node<'t>) -> Option<Step<'t>> {
        let Some(text) = self.text.get(node.byte_range()) else { return Some(Step::Doubt) };
        if self.gap(node.start_byte()) || self.continued() {
            return Some(Step::Doubt);
        }
        let start = node.start_position();
        let line_start = node.start_byte() - start.column;
        let before = self.text.get(line_start..node.start_byte()).unwrap_or_default();
        let directive = matches!(self.language, Language::C | Language::Cpp)
            && (before.trim_start().starts_with('#') || in_directive(node));
        let first_lines = start.row < 2;
        let runs = self.language == Language::Rust && is_rust_doc(text);
        let above = start.row - self.last.1.min(start.row);
        self.last.0 = node.end_byte();
        self.commented = true;
        if !first_lines && !directive && !runs && self.shown.is_none() && is_prose(text) {
            return None;
        }
        let below = self.text.get(node.end_byte()..).unwrap_or_default();
        let rows = below.len() - below.trim_start_matches([' ', '\t', '\n', '\r']).len();
        let rows = below.get(..rows).unwrap_or_default().matches('\n').count();
        let row = if first_lines { start.row } else { usize::MAX };
        let near = above.min(2) * 3 + rows.min(2);
        Some(Step::Word {
            kind: node.kind_id(),
            field: 0,
            depth: 0,
            text,
            place: Place {
                apart: false,
                column: None,
                gap: "",
                spaced: false,
                exact: Some((start.column, near.saturating_add(row.min(2) * 9))),
            },
        })
    }
}

/// After these a line may break anywhere.
const OPENS: &[&str] = &[
    "(", "[", "{", ",", ";", "=", "=>", "&&", "||", "??", "?", ":", "+", "*", "===", "!==", "==",
    "!=", "<=", ">=", "...", "",
];
/// Before these too.
const CLOSES: &[&str] = &[")", "]", "}", ".", "?.", ",", ";", "&&", "||", "??", "?", ":", "==="];

/// Whether white space between words may become part of a text: arguments of what may be a
/// macro.
fn makes_text(language: Language, kind: &str) -> bool {
    matches!(language, Language::C | Language::Cpp)
        && matches!(kind, "argument_list" | "preproc_call" | "preproc_def" | "preproc_function_def")
}

fn in_directive(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind().starts_with("preproc_") && {
            !matches!(
                parent.kind(),
                "preproc_ifdef" | "preproc_if" | "preproc_else" | "preproc_elif"
            )
        }
    })
}

/// Comments that become part of the program.
fn is_rust_doc(text: &str) -> bool {
    ["///", "//!", "/**", "/*!"].iter().any(|sign| text.starts_with(sign))
}

/// Nodes whose text counts to the byte: texts, and what macros are handed.
fn is_whole(language: Language, node: Node<'_>) -> bool {
    let kind = node.kind();
    if !node.is_named() {
        return false;
    }
    match language {
        Language::Rust => {
            matches!(kind, "token_tree" | "macro_definition" | "attribute_item")
                || kind.contains("string")
                || kind.contains("literal")
        }
        Language::Python => matches!(kind, "string" | "concatenated_string" | "line_continuation"),
        Language::JavaScript | Language::TypeScript => {
            kind.contains("string")
                || kind.contains("regex")
                || kind.starts_with("jsx_text")
                || kind == "template_literal_type"
        }
        Language::Go => kind.contains("string_literal"),
        Language::Java => kind.contains("string_literal") || kind == "character_literal",
        Language::C | Language::Cpp => {
            kind.contains("string")
                || kind == "char_literal"
                || kind == "preproc_arg"
                || kind == "preproc_call"
                || kind == "preproc_include"
        }
    }
}
