//! Texts: what they name, and which values are put into them.

use crate::syntax::field::Field as _;
use exacta_core::judge::facts::{Language, Reach};
use tree_sitter::Node;

use super::gather::Pass;
use super::key::{between, key, without_texts};
use super::literals::{address, asks_for, listens, outside, overwrites, sink};
use super::operations::BETWEEN;
use super::reach::reach;
use super::role::Role;

impl Pass<'_> {
    pub(super) fn literal(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        let whole = self.piece(node);
        let inner = whole
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .trim_matches(['"', '\'', '`']);
        let holes = (0..u32::try_from(node.named_child_count()).unwrap_or(0).min(64))
            .filter_map(|at| node.named_child(at))
            .any(|child| self.role(child) == Role::Hole);
        if holes {
            self.template(node);
            self.filled(node);
        }
        if inner.len() <= 2048
            && let Some(asked) = asks_for(inner)
        {
            let deed = self.deed(asked, node);
            self.effects.queries.push(deed);
        }
        if inner.len() <= 2048
            && let Some(verb) = overwrites(inner)
        {
            let deed = self.deed(key(node, self.text).to_ascii_lowercase(), node);
            self.effects.reaches.push((deed, Reach::Destroys, verb.to_owned()));
        }
        self.careful(inner, node);
        if inner.len() <= 64
            && let Some(any) = listens(inner)
        {
            let deed = self.deed(inner.to_owned(), node);
            self.effects.listens.push((deed, any));
        }
        if inner.len() <= 512 {
            if outside(inner) {
                let deed = self.deed(inner.to_owned(), node);
                self.effects.reaches.push((deed, Reach::Outside, crate::excerpt::excerpt(inner)));
            } else if address(inner) {
                self.effects
                    .names
                    .push((crate::excerpt::excerpt(inner), node.start_position().row));
            }
        }
        // Modules of scripts and packages of Go are named in texts.
        let brings = parent.is_some_and(|parent| {
            matches!(parent.kind(), "arguments" | "import_statement" | "import_spec")
        });
        if brings && matches!(self.language, Language::JavaScript | Language::TypeScript) {
            let module = inner.strip_prefix("node:").unwrap_or(inner);
            if let Some(reach) = reach(self.language, module, "").filter(|_| is_module(module)) {
                let deed = self.deed(inner.to_owned(), node);
                self.effects.reaches.push((deed, reach, module.to_owned()));
            }
        }
    }

    /// Several values that make one text together, such as a key.
    fn filled(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let holes = node.named_children(&mut cursor).filter(|part| self.role(*part) == Role::Hole);
        let holes: Vec<String> = holes.take(16).map(|hole| key(hole, self.text)).collect();
        let deed = self.deed(holes.join(&BETWEEN.to_string()), node);
        self.effects.holes.push(deed);
    }

    /// A text with values inside.
    pub(super) fn template(&mut self, node: Node<'_>) {
        let whole = between(node.start_byte(), node.end_byte(), self.text);
        let raw = self.piece(node);
        let raw = raw.get(..raw.len().min(4096)).unwrap_or(raw);
        let Some(sink) = sink(raw) else { return };
        let mut holes = String::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if self.role(child) == Role::Hole {
                holes.push_str(&key(child, self.text));
            }
        }
        let mark = if holes.is_empty() { whole } else { holes };
        let deed = self.deed(mark, node);
        self.effects.built.push((deed, sink));
    }

    pub(super) fn built(&mut self, node: Node<'_>, whole: &str) {
        let raw = self.piece(node);
        let raw = raw.get(..raw.len().min(4096)).unwrap_or(raw);
        if let Some(sink) = sink(raw) {
            let deed = self.deed(without_texts(whole), node);
            self.effects.built.push((deed, sink));
        }
    }

    /// Texts and values put together; a chain of them is one text.
    pub(super) fn pair(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        if parent.is_some_and(|parent| self.role(parent) == Role::Pair) {
            return;
        }
        let sign = node.field("operator").map(|sign| self.piece(sign)).unwrap_or_default();
        if !matches!(sign, "+" | "%" | "..") {
            return;
        }
        let whole = key(node, self.text);
        if !whole.contains(['"', '\'', '`']) {
            return;
        }
        let bare = without_texts(&whole);
        let values = bare.chars().any(char::is_alphabetic);
        if values {
            self.built(node, &whole);
        }
    }
}

fn is_module(name: &str) -> bool {
    matches!(
        name,
        "child_process"
            | "net"
            | "tls"
            | "dgram"
            | "http"
            | "https"
            | "http2"
            | "vm"
            | "worker_threads"
            | "undici"
            | "axios"
            | "execa"
            | "rimraf"
    )
}
