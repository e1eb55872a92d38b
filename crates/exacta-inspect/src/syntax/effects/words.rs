//! Names and values by themselves: what a name reaches, what is always true, what a file
//! sets for all of its code.

use crate::syntax::field::Field as _;
use exacta_core::judge::facts::Reach;
use tree_sitter::Node;

use super::gather::{Deed, Pass};
use super::key::{between, key, without_texts};
use super::reach::reach;
use super::role::Role;

/// Whether what stands before a name may end in the dot that makes it a member, also with a
/// comment between: one ends in a slash or with its line.
fn may_be_held(before: &str) -> bool {
    let text = before.trim_end();
    let gap = before.get(text.len()..).unwrap_or_default();
    text.is_empty() || gap.contains('\n') || text.ends_with(['.', ':', '>', '/'])
}

impl Pass<'_> {
    pub(super) fn truth(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        let Some(parent) = parent else { return };
        let value = matches!(self.piece(node), "true" | "True");
        let start = parent.start_byte().max(node.start_byte().saturating_sub(200));
        let place = between(start, node.start_byte(), self.text);
        let deed = self.deed(format!("{} {place}", parent.kind()), node);
        self.effects.truths.push((deed, value));
    }

    /// The value that a name is a member of, with its dot, whatever comments stand between;
    /// nothing where it is not a member. Members have few parts.
    pub(super) fn held(&self, parent: Node<'_>, node: Node<'_>) -> String {
        let mut parts: Vec<Node<'_>> = Vec::new();
        for index in 0..parent.child_count().min(64) {
            let Some(child) = parent.child(index) else { break };
            if child.start_byte() >= node.start_byte() {
                break;
            }
            if !child.kind().contains("comment") {
                parts.push(child);
            }
        }
        let dot = parts.pop().map(|dot| self.piece(dot)).unwrap_or_default();
        let value = parts.pop().map(|value| self.piece(value)).unwrap_or_default();
        if matches!(dot, "." | "?." | "::" | "->") {
            format!("{value}{dot}")
        } else {
            String::new()
        }
    }

    pub(super) fn name(&mut self, node: Node<'_>, parents: &[Node<'_>]) {
        let name = self.piece(node);
        let mut from = node.start_byte().saturating_sub(64);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let before = self.text.get(from..node.start_byte()).unwrap_or_default();
        let parent = parents.last().copied();
        let found = reach(self.language, name, before).or_else(|| {
            let parent = parent.filter(|_| may_be_held(before));
            let held = parent.map(|parent| self.held(parent, node)).unwrap_or_default();
            reach(self.language, name, &held)
        });
        let Some(reach) = found else { return };
        let is_name = parent.is_some_and(|parent| {
            self.role(parent) == Role::Function
                && parent.field("name").is_some_and(|own| own.id() == node.id())
        });
        if is_name {
            return;
        }
        if parents.iter().rev().take(4).any(|parent| self.role(*parent) == Role::Import) {
            let deed = Deed { function: "".into(), ..self.deed(format!("import {name}"), node) };
            self.effects.reaches.push((deed, reach, name.to_owned()));
            return;
        }
        let call = parents
            .iter()
            .rev()
            .take(3)
            .find(|parent| matches!(self.role(**parent), Role::Call | Role::Macro));
        let whole = call.copied().or(parent).map(|node| key(node, self.text)).unwrap_or_default();
        // A file that is opened for reading is not overwritten.
        if reach == Reach::Destroys && matches!(name, "open" | "fopen") && only_reads(&whole) {
            return;
        }
        let whole = if reach == Reach::Memory { without_texts(&whole) } else { whole };
        let deed = self.deed(whole, node);
        self.effects.reaches.push((deed, reach, name.to_owned()));
    }

    /// A value of the whole file that conditions may use.
    pub(super) fn binding(&mut self, node: Node<'_>) {
        if !self.functions.is_empty() {
            return;
        }
        let name = ["name", "left", "declarator"].iter().find_map(|field| node.field(field));
        let value = ["value", "right"].iter().find_map(|field| node.field(field));
        if let (Some(name), Some(value)) = (name, value)
            && self.role(value) != Role::Function
        {
            let deed = Deed {
                function: key(name, self.text).into(),
                ..self.deed(key(value, self.text), node)
            };
            self.effects.constants.push(deed);
        }
    }
}

impl Pass<'_> {
    /// A yes or no that is worked out, gets a name and may be asked for later.
    pub(super) fn settled(&mut self, node: Node<'_>) {
        let name =
            ["name", "left", "declarator", "pattern"].iter().find_map(|field| node.field(field));
        let value = ["value", "right"].iter().find_map(|field| node.field(field));
        let (Some(name), Some(value)) = (name, value) else { return };
        if self.is_verdict(value) {
            let function = format!("{} {}", self.function(), key(name, self.text));
            let deed = Deed { function: function.into(), ..self.deed(key(value, self.text), node) };
            self.effects.settled.push(deed);
        }
    }

    /// Parts of an object that are named so as to leave them out.
    pub(super) fn left_out(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        if let Some(object) = parent.filter(|parent| parent.kind() == "object_pattern")
            && object.named_child_count() > 1
        {
            let deed = self.deed(key(object, self.text), node);
            self.effects.checks.push(deed);
        }
    }

    /// A list that something is looked for in decides as a guard does.
    pub(super) fn asked_in(&mut self, node: Node<'_>) {
        if node.kind() != "comparison_operator" || node.named_child_count() != 2 {
            return;
        }
        let (Some(left), Some(right)) = (node.named_child(0), node.named_child(1)) else { return };
        let sign = between(left.end_byte(), right.start_byte(), self.text);
        if matches!(sign.as_str(), "in" | "notin") && self.role(right) == Role::Name {
            self.effects.guarding.insert(self.piece(right).to_owned());
        }
    }

    /// Marks before the name of a function that say how it keeps order.
    pub(super) fn header(&mut self, node: Node<'_>, name: &str) {
        let Some(body) = node.field("body") else { return };
        let end = body.start_byte().min(node.start_byte() + 300);
        let head = self.text.get(node.start_byte()..end).unwrap_or_default();
        if head.split(|c: char| !c.is_alphanumeric()).any(|word| word == "synchronized") {
            let deed = self.deed("synchronized".to_owned(), node);
            self.effects.upkeep.push(Deed { function: name.into(), ..deed });
        }
    }

    /// A function that a class says it has.
    pub(super) fn declared(&mut self, node: Node<'_>) {
        let Some(declarator) = node.field("declarator") else { return };
        // A lock without a name is given back at once.
        if let Some(kind) = node.field("type").map(|kind| self.piece(kind))
            && kind.len() < 80
            && kind.contains("lock")
        {
            let deed = self.deed(format!("{kind} kept"), node);
            self.effects.upkeep.push(deed);
        }
        if declarator.kind() == "function_declarator"
            && let Some(name) = declarator.field("declarator")
        {
            let name = self.piece(name).rsplit("::").next().unwrap_or_default().to_owned();
            let deed = self.deed(name, node);
            self.effects.declares.push(deed);
        }
    }
}

fn only_reads(call: &str) -> bool {
    let mode = call.rsplit_once(',').map(|(_, mode)| mode);
    let write = ["\"w", "'w", "\"a", "'a", "\"x", "'x", "+\"", "+'"];
    match mode {
        None => true,
        Some(_) => {
            !write.iter().any(|sign| call.contains(sign)) && call.contains(['"', '\''])
                || call.contains("encoding=") && !write.iter().any(|sign| call.contains(sign))
        }
    }
}
