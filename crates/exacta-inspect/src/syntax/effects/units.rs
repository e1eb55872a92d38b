//! Calls, places, answers and choices with the values that they are made of, one by one.

use std::rc::Rc;

use tree_sitter::Node;

use super::gather::Pass;
use super::key::squeeze;
use super::made::is_log;
use super::operations::BETWEEN;
use super::role::Role;
use crate::syntax::field::Field as _;

/// Longer values are not told apart.
const MOST: usize = 160;
/// Stands for a value that is too long.
pub(super) const LONG: &str = "…";
/// The most values of one unit.
const PARTS: usize = 12;

/// Something done with one or more values.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// In which function.
    pub(super) function: Rc<str>,
    /// What is done and then each value, with [`BETWEEN`] between them.
    pub(super) key: String,
    /// The line from 0.
    pub(super) line: usize,
}

impl Unit {
    /// What is done.
    pub(super) fn head(&self) -> &str {
        self.key.split(BETWEEN).next().unwrap_or_default()
    }

    /// The values.
    pub(super) fn slots(&self) -> Vec<&str> {
        self.key.split(BETWEEN).skip(1).collect()
    }
}

impl Pass<'_> {
    fn put(&mut self, node: Node<'_>, mut key: String, slots: &[Option<Node<'_>>]) {
        for slot in slots {
            key.push(BETWEEN);
            match slot {
                Some(one) if one.end_byte() - one.start_byte() > MOST => key.push_str(LONG),
                Some(one) => squeeze(&mut key, one.start_byte(), one.end_byte(), self.text),
                None => {}
            }
        }
        let (function, line) = (self.function(), node.start_position().row);
        self.effects.units.push(Unit { function, key, line });
    }

    /// Whether a value is written out, so that it says all there is to say about it.
    fn is_written(&self, value: Node<'_>) -> bool {
        matches!(self.role(value), Role::Text | Role::Truth | Role::Function)
            || matches!(value.kind(), "integer" | "float" | "number" | "number_literal")
            || value.kind().ends_with("_literal") && value.named_child_count() == 0
    }

    /// A call: what it is made on, and what it is handed.
    pub(super) fn unit_of_call(&mut self, node: Node<'_>, name: &str, list: Option<Node<'_>>) {
        if is_log(name) || only_says(name) || self.around.contains(&Role::Throw) {
            return;
        }
        let callee = node.field("function");
        let held = node.field("object").or_else(|| {
            let callee = callee.filter(|callee| callee.named_child_count() >= 2)?;
            callee.named_child(0)
        });
        let mut slots = vec![held];
        if let Some(list) = list {
            let mut cursor = list.walk();
            slots.extend(list.named_children(&mut cursor).take(PARTS).map(Some));
        }
        if slots.len() > 1 || held.is_some() {
            self.put(node, name.to_owned(), &slots);
        }
    }

    /// A value that gets a name or is put into something.
    pub(super) fn unit_of_place(&mut self, node: Node<'_>, mark: char) {
        let field = |names: &[&'static str]| names.iter().find_map(|name| node.field(name));
        let name = field(&["left", "name", "key", "pattern", "declarator", "field"]);
        let value = field(&["right", "value"]);
        let (name, value) = match (name, value) {
            (Some(name), Some(value)) => (name, value),
            _ if matches!(node.kind(), "keyed_element" | "initializer_pair") => {
                let last = u32::try_from(node.named_child_count()).unwrap_or(0).saturating_sub(1);
                match (node.named_child(0), node.named_child(last)) {
                    (Some(name), Some(value)) if last > 0 => (name, value),
                    _ => return,
                }
            }
            _ => return,
        };
        let mut value = value;
        if value.kind() == "expression_list" && value.named_child_count() == 1 {
            value = value.named_child(0).unwrap_or(value);
        }
        if name.end_byte() - name.start_byte() > MOST {
            return;
        }
        let mut head = String::new();
        head.push(mark);
        squeeze(&mut head, name.start_byte(), name.end_byte(), self.text);
        let written = self.is_written(value);
        if !written || mark == '=' {
            self.put(node, head, &[Some(value)]);
        }
    }

    /// What is handed back.
    pub(super) fn unit_of_answer(&mut self, value: Node<'_>) {
        if !self.is_written(value) && !self.around.contains(&Role::Throw) {
            let mut cursor = value.walk();
            let parts: Vec<Option<Node<'_>>> = if value.kind() == "expression_list" {
                value.named_children(&mut cursor).take(PARTS).map(Some).collect()
            } else {
                vec![Some(value)]
            };
            self.put(value, "return".to_owned(), &parts);
        }
    }

    /// An entry that is looked up by its place or name.
    pub(super) fn unit_of_index(&mut self, node: Node<'_>) {
        let (Some(whole), Some(place)) = (node.named_child(0), node.named_child(1)) else { return };
        if self.role(place) != Role::Cut && self.role(place) != Role::Text {
            self.put(node, "[]".to_owned(), &[Some(whole), Some(place)]);
        }
    }

    /// One of two values, by a condition.
    pub(super) fn unit_of_choice(&mut self, node: Node<'_>) {
        let parts: Vec<Option<Node<'_>>> = (0..3).map(|at| node.named_child(at)).collect();
        self.put(node, "?".to_owned(), &parts);
    }

    /// What a branch asks.
    pub(super) fn unit_of_condition(&mut self, condition: Node<'_>) {
        let mut asked = condition;
        while asked.kind() == "parenthesized_expression" || asked.kind() == "condition_clause" {
            let Some(inner) = asked.named_child(0) else { break };
            asked = inner;
        }
        if self.role(asked) != Role::Pair {
            self.put(condition, "if".to_owned(), &[Some(asked)]);
        }
    }

    /// Whether a loop ends or goes on.
    pub(super) fn unit_of_jump(&mut self, node: Node<'_>) {
        let word = node.kind().split('_').next().unwrap_or_default();
        if matches!(word, "break" | "continue") {
            let (function, line) = (self.function(), node.start_position().row);
            let key = format!("jump{BETWEEN}{word}");
            self.effects.units.push(Unit { function, key, line });
        }
    }

    /// Values one behind the other.
    pub(super) fn unit_of_row(&mut self, node: Node<'_>) {
        let count = node.named_child_count();
        if !(2..=PARTS).contains(&count) {
            return;
        }
        let mut cursor = node.walk();
        let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        if parts.iter().any(|part| !self.is_written(*part)) {
            let parts: Vec<Option<Node<'_>>> = parts.into_iter().map(Some).collect();
            self.put(node, "{}".to_owned(), &parts);
        }
    }

    /// A part of something, from one place to another.
    pub(super) fn unit_of_part(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let parts: Vec<Option<Node<'_>>> =
            node.named_children(&mut cursor).take(4).map(Some).collect();
        self.put(node, "[:]".to_owned(), &parts);
    }

    /// What stands behind the label of a case.
    pub(super) fn unit_of_arm(&mut self, node: Node<'_>) {
        let label = node.field("pattern").or_else(|| node.named_child(0));
        let last = u32::try_from(node.named_child_count()).unwrap_or(0).saturating_sub(1);
        let value = node.field("value").or_else(|| node.named_child(last));
        let (Some(label), Some(value)) = (label, value) else { return };
        if label.id() == value.id()
            || label.end_byte() - label.start_byte() > MOST
            || self.is_written(value)
        {
            return;
        }
        let mut head = "case ".to_owned();
        squeeze(&mut head, label.start_byte(), label.end_byte(), self.text);
        self.put(node, head, &[Some(value)]);
    }
}

/// Functions that only make words or errors for readers.
fn only_says(name: &str) -> bool {
    name.ends_with("Error")
        || name.ends_with("Exception")
        || name.starts_with("assert")
        || matches!(
            name,
            "format" | "Sprintf" | "sprintf" | "Errorf" | "expect" | "Error" | "require" | "import"
        )
}
