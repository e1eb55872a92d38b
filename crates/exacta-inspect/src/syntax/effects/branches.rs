//! Branches: how each leaves, what is caught, and what functions hand back.

use tree_sitter::Node;

use super::exits::{Exit, exit};
use super::gather::{Deed, Guard, Pass, Returned};
use super::key::{between, key, words};
use super::literals::says_who;
use super::reach::checks;
use super::role::Role;
use crate::syntax::field::Field as _;

impl Pass<'_> {
    pub(super) fn guard(&mut self, deed: Deed, exit: Exit, condition: Node<'_>) {
        let text = between(condition.start_byte(), condition.end_byte(), self.text);
        let compares = text.contains(['"', '\''])
            && ["==", "equals(", ".is(", "strcmp", "startsWith", "startswith"]
                .iter()
                .any(|sign| text.contains(sign));
        let mut singles_out = false;
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if word.len() >= 2 && !word.starts_with(|c: char| c.is_ascii_digit()) {
                singles_out |= compares && words(word).iter().any(|word| says_who(word));
                if !self.effects.guarding.contains(word) {
                    self.effects.guarding.insert(word.to_owned());
                }
            }
        }
        if exit == Exit::Refuses {
            self.effects.sequence.push(deed.clone());
        }
        self.effects.guards.push(Guard { deed, exit, singles_out });
    }

    pub(super) fn branch(&mut self, node: Node<'_>) {
        let Some(condition) = node.field("condition") else { return };
        self.unit_of_condition(condition);
        let asked = key(condition, self.text);
        let deed = self.deed(asked.clone(), node);
        self.effects.conditions.push(deed);
        let branches = [("consequence", ""), ("alternative", "else ")];
        for (field, mark) in branches {
            let Some(branch) = node.field(field) else { continue };
            if let Some(exit) = exit(self, branch) {
                let deed = self.deed(format!("{mark}{asked}"), node);
                self.guard(deed, exit, condition);
            }
        }
    }

    /// A case counts by its label: whatever it is for, others do not get there.
    pub(super) fn case(&mut self, node: Node<'_>) {
        if matches!(node.kind(), "match_arm" | "switch_rule") {
            self.unit_of_arm(node);
        }
        if let Some(only) = node.field("pattern").and_then(|pattern| pattern.field("condition")) {
            let deed = self.deed(format!("if {}", key(only, self.text)), node);
            self.guard(deed, Exit::Refuses, only);
        }
        let Some(left) = exit(self, node) else { return };
        let label = node
            .field("value")
            .or_else(|| node.field("pattern"))
            .map_or_else(|| "default".to_owned(), |label| key(label, self.text));
        let deed = self.deed(format!("case {label}"), node);
        self.effects.guards.push(Guard { deed, exit: left, singles_out: false });
    }

    pub(super) fn catch(&mut self, node: Node<'_>) {
        let body = node.field("body").or_else(|| {
            let count = u32::try_from(node.named_child_count()).unwrap_or(0);
            node.named_child(count.saturating_sub(1))
        });
        let Some(body) = body else { return };
        let caught = between(node.start_byte(), body.start_byte(), self.text);
        let deed = self.deed(caught.clone(), node);
        self.effects.catches.push(deed);
        if let Some(exit) = exit(self, body) {
            let deed = self.deed(format!("catch {caught}"), node);
            self.effects.guards.push(Guard { deed, exit, singles_out: false });
            return;
        }
        let inside = key(body, self.text);
        let inside = inside.trim_matches(['{', '}', ';']);
        let quiet = inside.is_empty()
            || inside == "pass"
            || inside == "..."
            || inside == "continue"
            || body.named_child_count() == 0;
        if quiet {
            let deed = self.deed(caught, node);
            self.effects.swallowed.push(deed);
        }
    }

    pub(super) fn returned(&mut self, value: Node<'_>) {
        self.unit_of_answer(value);
        let key = key(value, self.text);
        let verdict = self.is_verdict(value);
        let constant = matches!(key.as_str(), "true" | "false" | "True" | "False" | "1" | "0");
        let deed = self.deed(key, value);
        self.effects.returns.push(Returned { deed, verdict, constant });
    }

    /// Whether a value is a yes or no that is worked out.
    pub(super) fn is_verdict(&self, value: Node<'_>) -> bool {
        let mut node = value;
        while node.kind() == "parenthesized_expression"
            || node.kind() == "expression_list" && node.named_child_count() == 1
        {
            let Some(inner) = node.named_child(0) else { break };
            node = inner;
        }
        let kind = node.kind();
        let operator = node.field("operator").map(|sign| self.piece(sign));
        let compares = |sign: &str| {
            matches!(
                sign,
                "&&" | "||" | "and" | "or" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "===" | "!=="
            )
        };
        let asks = |name: &str| {
            checks(name)
                || matches!(
                    name,
                    "all"
                        | "any"
                        | "every"
                        | "some"
                        | "includes"
                        | "contains"
                        | "has"
                        | "startsWith"
                        | "endsWith"
                        | "startswith"
                        | "endswith"
                        | "starts_with"
                        | "ends_with"
                        | "matches"
                        | "test"
                        | "is_some"
                        | "is_ok"
                        | "is_none"
                        | "is_err"
                )
        };
        matches!(
            kind,
            "comparison_operator" | "boolean_operator" | "not_operator" | "instanceof_expression"
        ) || operator.is_some_and(compares)
            || kind == "unary_expression" && self.piece(node).starts_with('!')
            || matches!(self.role(node), Role::Call) && asks(&self.called(node))
    }
}
