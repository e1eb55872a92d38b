//! One pass over a tree: broken parts, lines of code, functions and their complexity, and what
//! the code does.

use std::rc::Rc;

use exacta_core::judge::facts::{Language, Proof};
use tree_sitter::Node;

use super::conditions::Conditions;
use super::effects::{self, Effects};
use super::grammar::{
    BRANCH, COMMENT, CONTAINER, FUNCTION, Grammar, LESS_ONE, OPERATION, OPERATOR, PROSE,
};
use super::names::{container_name, function_name};
use super::read::{Lines, Reading, Word};
use super::share::{Share, Surroundings, is_part};

/// A named function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its name with the names of what it is in.
    pub(crate) name: String,
    /// The line it starts on, from 0.
    pub(crate) line: usize,
    /// Where its text is.
    pub(crate) bytes: (usize, usize),
    /// Ways through it: one and one more for each branch.
    pub(crate) complexity: i64,
}

/// Names of so many containers around a function are part of its name.
const SCOPE: usize = 16;

/// What the pass is inside of.
struct Frame {
    depth: usize,
    /// The innermost function.
    function: Option<usize>,
    container: bool,
}

/// Reads the whole tree with one cursor. What the tree shares with a tree that was read
/// before is not read again.
pub(super) fn walk<'s>(
    grammar: &'s Grammar,
    language: Language,
    root: Node<'_>,
    text: &'s str,
    share: Share<'s>,
) -> (Reading, Share<'s>) {
    let mut pass = Pass {
        grammar,
        language,
        text,
        frames: Vec::new(),
        scope: Vec::new(),
        last_row: None,
        within: Rc::default(),
        share,
        reading: Reading {
            language,
            sound: !root.has_error(),
            broken_bytes: 0,
            broken_line: None,
            functions: Vec::new(),
            lines: Lines {
                code: vec![false; root.end_position().row + 1],
                tests: Vec::new(),
                words: Vec::new(),
                conditions: Conditions::default(),
            },
            items: Vec::new(),
            package: None,
            open: Vec::new(),
            effects: Effects::default(),
            proof: Proof::Read,
        },
    };
    let mut effects = effects::Pass::new(grammar, language, text);
    // How deep the node is below which effects do not matter.
    let mut shut: Option<usize> = None;
    let mut cursor = root.walk();
    let mut parents: Vec<Node<'_>> = Vec::new();
    loop {
        let node = cursor.node();
        let kind = node.kind_id();
        let open = shut.is_none() && effects.enter(node, kind, &parents);
        let known = pass.take_over(node, kind, &parents);
        let inside = !known && pass.enter(node, kind, &parents);
        if inside && cursor.goto_first_child() {
            if !open {
                shut.get_or_insert(parents.len());
            }
            parents.push(node);
            effects.descend();
            continue;
        }
        if inside {
            pass.leaf(node);
        } else if open {
            effects.below(node, &mut parents);
        }
        loop {
            pass.leave(parents.len());
            effects.leave(parents.len());
            shut = shut.filter(|depth| *depth < parents.len());
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                pass.reading.effects = effects.done();
                return (pass.reading, pass.share);
            }
            parents.pop();
            effects.ascend();
        }
    }
}

struct Pass<'a> {
    grammar: &'a Grammar,
    language: Language,
    text: &'a str,
    frames: Vec<Frame>,
    scope: Vec<String>,
    /// The row on which the last word ended.
    last_row: Option<usize>,
    /// The scope as one name.
    within: Rc<str>,
    share: Share<'a>,
    reading: Reading,
}

impl Pass<'_> {
    /// Whether the children are worth looking at.
    fn enter(&mut self, node: Node<'_>, kind: u16, parents: &[Node<'_>]) -> bool {
        let meaning = self.grammar.meaning(kind);
        if !self.reading.sound {
            if node.is_error() {
                self.reading.broken_bytes += node.end_byte() - node.start_byte();
            }
            if node.is_error() || node.is_missing() {
                self.reading.broken_line.get_or_insert(node.start_position().row);
            }
        }
        if meaning == 0 {
            return true;
        }
        let (depth, parent) = (parents.len(), parents.last().copied());
        if meaning & COMMENT != 0 || (meaning & PROSE != 0 && only_a_string(node)) {
            return false;
        }
        if meaning & BRANCH != 0 {
            self.count(1);
        }
        if meaning & LESS_ONE != 0 {
            self.count(-1);
        }
        if meaning & OPERATOR != 0
            && parent.is_some_and(|node| self.grammar.meaning(node.kind_id()) & OPERATION != 0)
        {
            self.count(1);
        }
        if meaning & CONTAINER != 0
            && let Some(name) = container_name(self.language, node, self.text)
        {
            self.scope.push(name);
            self.within = self.scope.join("\n").into();
            let function = self.innermost();
            self.frames.push(Frame { depth, function, container: true });
        }
        if let Some(name) = self.function(node, parent) {
            let outermost = self.scope.len().saturating_sub(SCOPE);
            let mut full = self.scope.get(outermost..).unwrap_or_default().join(".");
            if !full.is_empty() {
                full.push('.');
            }
            full.push_str(&name);
            self.frames.push(Frame {
                depth,
                function: Some(self.reading.functions.len()),
                container: false,
            });
            self.reading.functions.push(Function {
                name: full,
                line: node.start_position().row,
                bytes: (node.start_byte(), node.end_byte()),
                complexity: 1,
            });
        }
        true
    }

    /// Its name, if it is a function that has one.
    fn function(&self, node: Node<'_>, parent: Option<Node<'_>>) -> Option<String> {
        (self.grammar.meaning(node.kind_id()) & FUNCTION != 0)
            .then(|| function_name(self.language, node, parent, self.text))
            .flatten()
    }

    fn innermost(&self) -> Option<usize> {
        self.frames.last().and_then(|frame| frame.function)
    }

    /// Adds to the innermost function.
    fn count(&mut self, ways: i64) {
        let innermost = self.innermost();
        if let Some(function) = innermost.and_then(|index| self.reading.functions.get_mut(index)) {
            function.complexity += ways;
        }
    }

    /// Everything that was entered at this depth or below is over.
    fn leave(&mut self, depth: usize) {
        while let Some(frame) = self.frames.pop_if(|frame| frame.depth >= depth) {
            if frame.container {
                self.scope.pop();
                self.within = self.scope.join("\n").into();
            }
        }
        if let Share::Note(pieces) = &mut self.share {
            pieces.leave(depth, &self.reading);
        }
    }

    fn leaf(&mut self, node: Node<'_>) {
        let (start, end) = (node.start_position(), node.end_position());
        let begins = self.language == Language::Python && self.last_row != Some(start.row);
        // A word that is the end of its line takes nothing of the next one.
        let last = if end.column == 0 { end.row.saturating_sub(1).max(start.row) } else { end.row };
        self.word(Word {
            start: number(node.start_byte()),
            end: number(node.end_byte()),
            column: if begins { number(start.column) + 1 } else { 0 },
            first_row: number(start.row),
            last_row: number(last),
        });
    }

    fn word(&mut self, word: Word) {
        let (from, to) = (word.first_row as usize, word.last_row as usize);
        self.last_row = Some(to);
        self.reading.lines.words.push(word);
        for row in self.reading.lines.code.iter_mut().take(to + 1).skip(from) {
            *row = true;
        }
    }

    /// Takes over what is known of a part that both trees share; otherwise notes that one
    /// begins, for the next tree. Inside of functions nothing is taken over: branches there
    /// count for the whole function.
    fn take_over(&mut self, node: Node<'_>, kind: u16, parents: &[Node<'_>]) -> bool {
        if matches!(self.share, Share::No) || self.innermost().is_some() || !is_part(node) {
            return false;
        }
        let start = node.start_position();
        let place = Surroundings {
            kind,
            name: self.function(node, parents.last().copied()),
            scope: Rc::clone(&self.within),
            column: start.column,
            begins: self.last_row != Some(start.row),
        };
        match &mut self.share {
            Share::No => false,
            Share::Note(pieces) => {
                pieces.begin(node, parents.len(), place, &self.reading);
                false
            }
            Share::Take(pieces, before) => {
                let Some((functions, words)) = pieces.of(node, &place, before) else {
                    return false;
                };
                self.reading.functions.extend(functions);
                for word in words {
                    self.word(word);
                }
                true
            }
        }
    }
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A Python docstring.
fn only_a_string(node: Node<'_>) -> bool {
    node.child_count() == 1 && node.child(0).is_some_and(|child| child.kind() == "string")
}
