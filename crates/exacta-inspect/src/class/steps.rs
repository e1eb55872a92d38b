//! A tree as the things that count, one after the other.

use std::collections::BTreeSet;

use exacta_core::judge::facts::Language;
use tree_sitter::{Node, TreeCursor};

use super::blocks::obeyed_lines;
use super::comments::one_name;
use super::kinds::{functions_of_c, in_directive, is_rust_doc, is_whole, makes_text};
use super::names::occurrences;
use super::rust_docs::{self, Doc};
use super::trees::Compared;
use super::{layout, rust_macros};

/// One thing that counts.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Step<'t> {
    /// A node with parts, and how deep it is.
    Node { kind: u16, field: u16, depth: u32 },
    /// A word.
    Word { kind: u16, field: u16, depth: u32, at: At, text: Text<'t>, place: Place<'t> },
    /// What of a comment is more than prose.
    Obeyed { lines: Vec<&'t str>, stands: Stands, order: usize, apart: bool },
    /// What of a block of doc comments of Rust is more than prose.
    Docs(Vec<&'t str>),
    /// Something that this reading cannot answer for.
    Doubt,
}

/// Where a word begins: its byte, its row and its column. It says nothing about what counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct At(pub(super) usize, pub(super) (usize, usize));

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for At {}

/// A word, or what a text between quotes holds where either kind of quote does.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Text<'t> {
    Word(&'t str),
    Name(&'t str),
    Quoted {
        prefix: &'t str,
        inside: &'t str,
    },
    /// What a macro is handed that never shows it.
    Handed(Vec<&'t str>),
}

/// What of a word's place counts.
#[derive(PartialEq, Eq, Debug, Default)]
pub(super) struct Place<'t> {
    /// On another line than the word before, where that may end a statement.
    apart: bool,
    /// Its indentation, where that is part of the syntax.
    column: Option<usize>,
    /// What stands before it, where that may be shown.
    gap: &'t str,
    /// White space before it, where that may become part of a text.
    spaced: bool,
    /// How far below a comment that tools obey it stands, if one stands before it.
    order: usize,
}

/// Where a comment that tools obey stands.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Stands {
    /// On one of the first lines.
    First { row: usize, column: usize },
    /// Behind code: with a space between both, or not.
    Behind { apart: bool },
    /// On a line of its own: at its start, or not.
    Own { begins: bool },
}

impl<'t> Step<'t> {
    /// Whether both are the same word in places that differ by line breaks only.
    pub(super) fn same_but_place(&self, other: &Self) -> bool {
        match (self.word(), other.word()) {
            (Some((shape, text, place)), Some((other_shape, other_text, other_place))) => {
                shape == other_shape && text == other_text && place.same_but_breaks(other_place)
            }
            _ => false,
        }
    }

    /// On which row and in which column a word begins.
    pub(super) const fn spot(&self) -> Option<(usize, usize)> {
        match self {
            Self::Word { at, .. } => Some(at.1),
            _ => None,
        }
    }

    /// What a word is and where in the tree, how it reads, and where it stands.
    fn word(&self) -> Option<((u16, u16, u32), &Text<'t>, &Place<'t>)> {
        match self {
            Self::Word { kind, field, depth, text, place, .. } => {
                Some(((*kind, *field, *depth), text, place))
            }
            _ => None,
        }
    }

    /// Whether it is a sign that may stand or not.
    pub(super) fn may_be_left_out(&self) -> bool {
        matches!(self, Self::Word { text: Text::Word("," | ";"), .. })
    }

    /// Whether it is a block of doc comments that may come where none was.
    pub(super) fn only_documents(&self) -> bool {
        matches!(self, Self::Docs(lines) if lines.is_empty())
    }

    /// Where this name is and what it is in the other tree, if nothing but the name differs.
    pub(super) fn renamed(&self, other: &Self, free: bool) -> Option<(usize, &'t str)> {
        let Self::Word { at, .. } = self else { return None };
        let (shape, Text::Name(_), place) = self.word()? else { return None };
        let (other_shape, Text::Name(new), other_place) = other.word()? else { return None };
        let placed = place == other_place || free && place.same_but_breaks(other_place);
        (shape == other_shape && placed).then_some((at.0, new))
    }
}

impl Place<'_> {
    fn same_but_breaks(&self, other: &Self) -> bool {
        (self.gap, self.spaced, self.order) == (other.gap, other.spaced, other.order)
    }
}

/// So many comments that are one name are looked at.
const MOST_NAMES: usize = 16;

pub(super) struct Walk<'t> {
    language: Language,
    text: &'t str,
    is_comment: &'t dyn Fn(u16) -> bool,
    cursor: TreeCursor<'t>,
    /// What the walk is in, outermost first.
    parents: Vec<Node<'t>>,
    /// Of each of them in Rust: whether a macro may see what is in it.
    seen: Vec<bool>,
    /// Whether a macro may see what stands here, by its marks.
    marked: bool,
    /// How deep the list of arguments is that the walk is in, if it is in one.
    arguments: Option<usize>,
    /// How deep the element is whose text is shown as it stands, if the walk is in one.
    shown: Option<usize>,
    /// Whether the line of the last word is one of the preprocessor.
    directive: bool,
    /// End of the last word: byte, row.
    last: (usize, usize),
    /// The last byte of code.
    code: usize,
    /// The last word, and the one before it.
    word: &'t str,
    before: &'t str,
    /// Whether comments were since then.
    commented: bool,
    /// The row on which the last comment that tools obey ended, until a word follows.
    order: Option<usize>,
    /// Blocks of doc comments of Rust.
    docs: rust_docs::Blocks,
    /// Macros of the language's own library, once they were asked for.
    macros: Option<Vec<&'static str>>,
    /// Functions of C that the text defines, once they were asked for.
    functions: Option<BTreeSet<&'t str>>,
    /// How many comments were held against the names of the code.
    names: usize,
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
    pub(super) fn new(language: Language, side: &'t Compared<'t>) -> Self {
        Self {
            language,
            text: side.text,
            is_comment: side.is_comment,
            cursor: side.tree.walk(),
            parents: Vec::new(),
            seen: Vec::new(),
            marked: false,
            arguments: None,
            shown: None,
            directive: false,
            last: (0, 0),
            code: 0,
            word: "",
            before: "",
            commented: false,
            order: None,
            docs: rust_docs::Blocks::default(),
            macros: None,
            functions: None,
            names: 0,
            stage: Stage::Before,
        }
    }

    /// The next thing that counts.
    pub(super) fn next(&mut self) -> Option<Step<'t>> {
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

    /// Whether a line may break before the last word as anybody likes.
    pub(super) fn breaks_freely(&self) -> bool {
        self.language == Language::Python && layout::in_brackets_of_python(&self.parents)
    }

    /// Whether the last word is a sign that may stand or not; the walk goes on as if it did
    /// not stand there.
    pub(super) fn leaves_out(&mut self) -> bool {
        if self.shown.is_some() || self.arguments.is_some() {
            return false;
        }
        let sign = self.cursor.node();
        let free = match self.word {
            "," => layout::is_last_comma(self.language, sign, &self.parents, self.text),
            ";" => {
                let ends = layout::ends_anyway(self.language, sign, &self.parents, self.text);
                ends && !layout::is_contextual(self.before)
            }
            _ => false,
        };
        if free && self.word == ";" {
            self.word = self.before;
        }
        free
    }

    /// To the next node that is not part of a word.
    fn forward(&mut self) -> bool {
        let node = self.cursor.node();
        let whole = is_whole(self.language, node) || (self.is_comment)(node.kind_id());
        if !whole && self.cursor.goto_first_child() {
            self.parents.push(node);
            self.seen.push(self.is_seen());
            self.marked = false;
            return true;
        }
        loop {
            if self.cursor.goto_next_sibling() {
                return true;
            }
            if !self.cursor.goto_parent() {
                return false;
            }
            self.parents.pop();
            self.seen.pop();
            if self.arguments.is_some_and(|depth| depth >= self.parents.len()) {
                self.arguments = None;
            }
            if self.shown.is_some_and(|depth| depth >= self.parents.len()) {
                self.shown = None;
            }
        }
    }

    /// Whether a macro of Rust may see what stands here.
    fn is_seen(&self) -> bool {
        self.marked || self.seen.last().is_some_and(|seen| *seen)
    }

    /// Whether anything but white space stands between the last word and `to`.
    fn gap(&self, to: usize) -> bool {
        let between = self.text.get(self.last.0..to);
        between.is_none_or(|text| !text.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | '\r')))
    }

    fn here(&mut self) -> Step<'t> {
        let node = self.cursor.node();
        let level = self.parents.len();
        let (kind, depth) = (node.kind_id(), u32::try_from(level).unwrap_or(u32::MAX));
        let field = self.cursor.field_id().map_or(0, std::num::NonZeroU16::get);
        if node.child_count() > 0 && !is_whole(self.language, node) {
            if self.arguments.is_none()
                && makes_text(self.language, node.kind())
                && !self.is_of_a_function(node)
            {
                self.arguments = Some(level);
            }
            if self.shown.is_none() && node.kind().starts_with("jsx_") {
                self.shown = Some(level);
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
        if self.language == Language::Rust {
            // Marks are there for what follows them.
            let mark = node.kind() == "attribute_item";
            self.marked = mark && (self.marked || !rust_docs::is_inert(text));
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
            order: self.below_order(start.row),
        };
        if !text.is_empty() {
            if apart || text.starts_with('#') {
                self.directive = text.starts_with('#');
            }
            let ends = text.len() - text.trim_end_matches(['\n', '\r']).len();
            let ends = text.get(text.len() - ends..).unwrap_or_default().matches('\n').count();
            self.last = (node.end_byte(), node.end_position().row.saturating_sub(ends));
            self.code = node.end_byte();
            self.before = self.word;
            self.word = text;
            self.commented = false;
            self.order = None;
        }
        let text = if text.trim().is_empty() && text.contains('\n') {
            // A line end that is a word says no more than that it is there.
            Text::Word("\n")
        } else if node.kind() == "identifier" {
            Text::Name(text)
        } else if self.shown.is_none()
            && let Some((prefix, inside)) = layout::quoted(self.language, node.kind(), text)
        {
            Text::Quoted { prefix, inside }
        } else if let Some(words) = self.handed(node, text) {
            Text::Handed(words)
        } else {
            Text::Word(text)
        };
        Step::Word {
            kind,
            field,
            depth,
            at: At(node.start_byte(), (start.row, start.column)),
            text,
            place,
        }
    }

    /// Whether arguments are those of a function that the file defines, which is not a macro.
    fn is_of_a_function(&mut self, arguments: Node<'t>) -> bool {
        let Some(call) = self.parents.last().filter(|_| arguments.kind() == "argument_list") else {
            return false;
        };
        let Some(called) = call.child_by_field_name("function") else { return false };
        let Some(name) = self.text.get(called.byte_range()) else { return false };
        let (text, tree) = (self.text, self.cursor.clone());
        let known = self.functions.get_or_insert_with(|| functions_of_c(text, tree));
        called.kind() == "identifier" && known.contains(name)
    }

    /// The words that a macro is handed, if it is one that never shows them.
    fn handed(&mut self, node: Node<'t>, text: &'t str) -> Option<Vec<&'t str>> {
        let called = self.parents.last().filter(|_| node.kind() == "token_tree")?;
        let name = called.child_by_field_name("macro")?;
        let name = self.text.get(name.byte_range())?;
        let whole = self.text;
        let known = self.macros.get_or_insert_with(|| rust_macros::known(whole));
        known.contains(&name).then(|| rust_macros::words(text)).flatten()
    }

    /// Whether a comment is the name of something in the code.
    fn is_named(&mut self, comment: &str) -> bool {
        let name = one_name(comment).filter(|_| self.names < MOST_NAMES);
        // Each is looked for in the whole text.
        self.names += usize::from(name.is_some());
        name.is_some_and(|name| occurrences(self.text, name) > 1)
    }

    /// How far below the last comment that tools obey a row is, if no word is between them.
    fn below_order(&self, row: usize) -> usize {
        self.order.map_or(0, |order| row.saturating_sub(order).min(2) + 1)
    }

    /// Whether a line break before `next` may mean something.
    fn breaks(&self, next: &str) -> bool {
        match self.language {
            // A compiler puts blocks by lines, or keeps them in its code.
            Language::Python => true,
            Language::Go => layout::may_end_a_statement_of_go(self.word),
            Language::JavaScript | Language::TypeScript => {
                !layout::goes_on_in_javascript(self.word, next)
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

    /// Passes a comment that is prose; what tools obey of any other counts with its place.
    fn comment(&mut self, node: Node<'t>) -> Option<Step<'t>> {
        let Some(text) = self.text.get(node.byte_range()) else { return Some(Step::Doubt) };
        if self.gap(node.start_byte()) || self.continued() {
            return Some(Step::Doubt);
        }
        let start = node.start_position();
        let line_start = node.start_byte() - start.column;
        let before = self.text.get(line_start..node.start_byte()).unwrap_or_default();
        let directive = matches!(self.language, Language::C | Language::Cpp)
            && (before.trim_start().starts_with('#') || in_directive(self.parents.last()));
        let runs = self.language == Language::Rust && is_rust_doc(text);
        // Inside of something else such a comment is about that.
        let top = text.starts_with("//!") && self.parents.len() == 1;
        if runs && (top || text.starts_with("///")) && before.trim_start().is_empty() {
            let doc = self.docs.enter(self.text, node, &self.cursor, self.is_seen());
            if !matches!(doc, Doc::More) {
                self.last.0 = node.end_byte();
                self.commented = true;
            }
            match doc {
                Doc::Begins(lines) => return Some(Step::Docs(lines)),
                Doc::Within => return None,
                Doc::More => {}
            }
        }
        let behind = self.code > line_start;
        self.last.0 = node.end_byte();
        self.commented = true;
        let lines = if directive || runs || self.shown.is_some() {
            vec![text]
        } else {
            obeyed_lines(self.language, text)
        };
        if lines.is_empty() || !behind && start.row > 1 && self.is_named(text) {
            return None;
        }
        let order = self.below_order(start.row);
        self.order = Some(node.end_position().row);
        let stands = if start.row < 2 {
            Stands::First { row: start.row, column: start.column }
        } else if behind {
            Stands::Behind { apart: node.start_byte() > self.code }
        } else {
            Stands::Own { begins: start.column == 0 }
        };
        let mut below = self.text.get(node.end_byte()..).unwrap_or_default().lines().skip(1);
        let apart = below.next().is_none_or(|line| line.trim().is_empty());
        Some(Step::Obeyed { lines, stands, order, apart })
    }
}
