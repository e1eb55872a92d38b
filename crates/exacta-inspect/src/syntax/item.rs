//! A public item and the parts that its users depend on.

use crate::syntax::field::Field as _;
use std::collections::BTreeSet;

use tree_sitter::Node;

/// One parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// What a caller must agree with: a name, a type, or nothing.
    pub(crate) shape: String,
    /// Whether a caller may leave it out.
    pub(crate) optional: bool,
}

/// Something that others may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// What it is, in a word.
    pub(crate) sort: &'static str,
    /// Its name with the names of what it is in.
    pub(crate) name: String,
    /// Everything of its shape but the parameters.
    pub(crate) shape: String,
    /// Its parameters, when they are compared one by one.
    pub(crate) parameters: Vec<Parameter>,
    /// The line it starts on, from 0.
    pub(crate) line: usize,
    /// Its first byte and the one after its last; equal where that is not known.
    pub(crate) bytes: (usize, usize),
    /// What it also is. Its users miss one that goes.
    pub(crate) bases: Vec<String>,
    /// What whoever implements it must provide. They lack one that comes, unless it has a
    /// `?` behind it: that one may be left out.
    pub(crate) asks: Vec<String>,
    /// Its members, where compiled users know them by their order.
    pub(crate) order: Vec<String>,
    /// Whether nobody misses it: it only keeps a name that was defined here.
    pub(crate) quiet: bool,
}

impl Item {
    pub(super) fn new(sort: &'static str, name: String, node: Node<'_>) -> Self {
        let bytes = (node.start_byte(), node.end_byte());
        Self { bytes, ..Self::on_line(sort, name, node.start_position().row) }
    }

    pub(super) fn on_line(sort: &'static str, name: String, line: usize) -> Self {
        Self {
            sort,
            name,
            shape: String::new(),
            parameters: Vec::new(),
            line,
            bytes: (0, 0),
            bases: Vec::new(),
            asks: Vec::new(),
            order: Vec::new(),
            quiet: false,
        }
    }

    pub(super) fn shaped(mut self, shape: String) -> Self {
        self.shape = shape;
        self
    }

    /// Whether only the name is known here, because the thing itself is elsewhere.
    pub(crate) fn handed_on(&self) -> bool {
        matches!(self.sort, "export" | "re-export")
    }

    /// The signature in one line.
    pub(crate) fn signature(&self) -> String {
        if self.parameters.is_empty() {
            return self.shape.clone();
        }
        let list: Vec<String> = self
            .parameters
            .iter()
            .map(|one| format!("{}{}", one.shape, if one.optional { "?" } else { "" }))
            .collect();
        format!("({}) {}", list.join(", "), self.shape).trim_end().to_owned()
    }

    /// What it is bound to beside its shape, in one line.
    pub(crate) fn bonds(&self) -> String {
        let parts = [("is", &self.bases), ("asks for", &self.asks), ("holds", &self.order)];
        let told: Vec<String> = parts
            .iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(verb, names)| format!("{verb} {}", names.join(", ")))
            .collect();
        told.join("; ")
    }

    /// Whether nothing changed that users can see.
    pub(crate) fn same(&self, after: &Self) -> bool {
        self.sort == after.sort
            && self.shape == after.shape
            && self.parameters == after.parameters
            && self.stays_bound(after)
    }

    /// Whether no base went, nothing more is asked for, and members kept their order.
    fn stays_bound(&self, after: &Self) -> bool {
        fn lacks<'i>(have: &'i [String], wanted: &'i [String]) -> bool {
            let have: BTreeSet<&String> = have.iter().collect();
            wanted.iter().any(|one| !have.contains(one))
        }
        fn both<'i>(mine: &'i [String], theirs: &'i [String]) -> Vec<&'i String> {
            let theirs: BTreeSet<&String> = theirs.iter().collect();
            mine.iter().filter(|one| theirs.contains(one)).collect()
        }
        !lacks(&after.bases, &self.bases)
            && !self.lacks_what(after)
            && both(&self.order, &after.order) == both(&after.order, &self.order)
    }

    /// Whether more must be provided for `after`. That a part may be left out no longer is
    /// told of the part itself.
    fn lacks_what(&self, after: &Self) -> bool {
        let known: BTreeSet<&str> = self.asks.iter().map(|one| one.trim_end_matches('?')).collect();
        let must = after.asks.iter().filter(|one| !one.ends_with('?'));
        must.map(String::as_str).any(|one| !known.contains(one))
    }

    /// Whether every use of `self` still fits `after`: parameters were only added at the
    /// end, and may be left out. A function that can now also be called at compile time
    /// fits too, and so does a member that may now be left out.
    pub(crate) fn fits(&self, after: &Self) -> bool {
        self.sort == after.sort
            && self.stays_bound(after)
            && (self.shape == after.shape
                || self.sort == "function"
                    && after.shape.strip_prefix("const ") == Some(&self.shape)
                || matches!(self.sort, "field" | "method")
                    && after.shape.strip_prefix('?') == Some(&self.shape))
            && after.parameters.len() >= self.parameters.len()
            && self
                .parameters
                .iter()
                .zip(&after.parameters)
                .all(|(old, new)| old.shape == new.shape && (new.optional || !old.optional))
            && after.parameters.iter().skip(self.parameters.len()).all(|new| new.optional)
    }
}

/// What a file says about who may use it.
#[derive(Default)]
pub(super) struct Public {
    /// What others may use.
    pub(super) items: Vec<Item>,
    /// The package it says it belongs to, and the line on which it does.
    pub(super) package: Option<(String, usize)>,
    /// Modules of which it hands everything on.
    pub(super) open: Vec<String>,
    /// First and last line of parts that only tests use.
    pub(super) tests: Vec<(usize, usize)>,
    /// First and last line of parts that are never compiled.
    pub(super) never: Vec<(usize, usize)>,
}

/// The text of a node.
pub(super) fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The children of a node that are neither comments nor punctuation.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// All children of a node.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Whether a child is of this kind.
pub(super) fn has_child(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == kind)
}

/// The tokens of a node with one space between them, whatever the layout: comments and
/// whatever `skip` names are left out, and so is a comma before a closing bracket.
pub(super) fn tokens(node: Node<'_>, text: &str, skip: &dyn Fn(Node<'_>) -> bool) -> String {
    let mut words: Vec<&str> = Vec::new();
    if skip(node) {
        return String::new();
    }
    let mut cursor = node.walk();
    let mut depth = 0_usize;
    loop {
        let current = cursor.node();
        let inside = current == node || !(current.is_extra() || skip(current));
        if inside && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        if inside {
            let word = text_of(current, text);
            if matches!(word, ")" | "]" | "}" | ">") && words.last() == Some(&",") {
                words.pop();
            }
            words.push(word);
        }
        loop {
            if depth == 0 {
                return words.join(" ");
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            depth -= 1;
        }
    }
}

/// Leaves nothing out.
pub(super) fn whole(_: Node<'_>) -> bool {
    false
}

/// The tokens of a field, or nothing.
pub(super) fn field(node: Node<'_>, name: &'static str, text: &str) -> String {
    node.field(name).map(|child| tokens(child, text, &whole)).unwrap_or_default()
}
