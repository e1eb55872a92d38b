//! What is called, asked and asserted, and what is brought in.

use exacta_core::judge::facts::{Language, Reach, Sink};
use tree_sitter::Node;

use super::gather::{Deed, Pass};
use super::imports::imported;
use super::key::{key, without_texts};
use super::reach::checks;
use super::role::Role;

impl Pass<'_> {
    /// The last word of what is called.
    pub(super) fn called(&self, node: Node<'_>) -> String {
        let callee = ["function", "name", "constructor", "macro", "type"]
            .iter()
            .find_map(|field| node.child_by_field_name(field));
        let Some(callee) = callee else { return String::new() };
        let text = self.piece(callee);
        let end = text.find('<').filter(|_| callee.kind() != "identifier").unwrap_or(text.len());
        let text = text.get(..end).unwrap_or(text).trim_end_matches("::");
        let start = text
            .char_indices()
            .rev()
            .find(|(_, c)| !(c.is_alphanumeric() || *c == '_'))
            .map_or(0, |(at, c)| at + c.len_utf8());
        text.get(start..).unwrap_or_default().to_owned()
    }

    pub(super) fn call(&mut self, node: Node<'_>) {
        let name = self.called(node);
        let line = node.start_position().row;
        if let Some(callee) = node.child_by_field_name("function") {
            let indirect = matches!(
                callee.kind(),
                "subscript_expression"
                    | "subscript"
                    | "index_expression"
                    | "call"
                    | "call_expression"
                    | "parenthesized_expression"
                    | "cast_expression"
                    | "string"
                    | "pointer_expression"
                    | "new_expression"
            );
            let inline = callee.kind() == "parenthesized_expression"
                && callee.named_child(0).is_some_and(|inner| {
                    self.role(inner) == Role::Function || inner.kind() == "identifier"
                });
            if indirect && !inline {
                let deed = self.deed(key(node, self.text), node);
                self.effects.reaches.push((
                    deed,
                    Reach::Indirect,
                    crate::excerpt::excerpt(self.piece(callee)),
                ));
            }
        }
        if is_assertion(&name) {
            let deed = self.deed(key(node, self.text), node);
            self.assertion(deed);
        }
        if name.is_empty() {
            return;
        }
        if checks(&name) || name == "filter" {
            let deed = self.deed(key(node, self.text), node);
            self.effects.checks.push(deed);
        }
        // A module that is named in full is an import by another word.
        let script = matches!(self.language, Language::JavaScript | Language::TypeScript);
        if script && name == "require" && plain_argument(self, node, &name) {
            self.import(node);
        } else {
            self.effects.names.push((name.clone(), line));
        }
        if matches!(
            name.as_str(),
            "getattr" | "setattr" | "delattr" | "__getattribute__" | "require" | "import"
        ) && !plain_argument(self, node, name.as_str())
        {
            let deed = self.deed(key(node, self.text), node);
            self.effects.reaches.push((deed, Reach::Indirect, name.clone()));
        }
        if matches!(name.as_str(), "setTimeout" | "setInterval")
            && node
                .child_by_field_name("arguments")
                .and_then(|list| list.named_child(0))
                .is_some_and(|first| self.role(first) == Role::Text)
        {
            let deed = self.deed(key(node, self.text), node);
            self.effects.reaches.push((deed, Reach::EvaluatesText, name.clone()));
        }
        let sends = is_sender(&name);
        if !(sends || is_formatter(&name) || is_join(&name)) {
            return;
        }
        let whole = key(node, self.text);
        if is_formatter(&name) {
            self.built(node, &whole);
        }
        if is_join(&name)
            && (whole.to_ascii_lowercase().contains("path")
                || whole.contains("folder")
                || whole.contains("root")
                || whole.contains("dir"))
        {
            let deed = self.deed(without_texts(&whole), node);
            self.effects.built.push((deed, Sink::Path));
        }
        if sends && whole.contains('<') && whole.contains(['+', '$', '%']) {
            let deed = self.deed(without_texts(&whole), node);
            self.effects.built.push((deed, Sink::Page));
        }
    }

    pub(super) fn assertion(&mut self, deed: Deed) {
        let weak = is_weak(&deed.key);
        self.effects.assertions.push((deed, weak));
    }

    pub(super) fn import(&mut self, node: Node<'_>) {
        if let Some(name) = imported(self.language, self.piece(node)) {
            self.effects.names.push((name, node.start_position().row));
        }
    }
}

/// Whether the argument that names what is wanted is one plain text.
fn plain_argument(pass: &Pass<'_>, node: Node<'_>, name: &str) -> bool {
    let at = u32::from(!matches!(name, "require" | "import"));
    let Some(list) = node.child_by_field_name("arguments") else { return true };
    list.named_child(at).is_none_or(|argument| {
        pass.role(argument) == Role::Text
            && !(0..8)
                .filter_map(|at| argument.named_child(at))
                .any(|part| pass.role(part) == Role::Hole)
    })
}

fn is_formatter(name: &str) -> bool {
    matches!(
        name,
        "format"
            | "Sprintf"
            | "sprintf"
            | "snprintf"
            | "Fprintf"
            | "printf"
            | "concat"
            | "formatted"
            | "write"
            | "Errorf"
            | "println"
            | "query"
            | "execute"
            | "prepareStatement"
            | "raw"
    )
}

fn is_sender(name: &str) -> bool {
    matches!(
        name,
        "send"
            | "write"
            | "end"
            | "html"
            | "render_template_string"
            | "raw"
            | "mark_safe"
            | "Markup"
    )
}

fn is_join(name: &str) -> bool {
    matches!(name, "join" | "joinpath" | "resolve" | "Join" | "push" | "append_path")
}

fn is_assertion(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.starts_with("assert")
        || lower.starts_with("expect")
        || matches!(
            name,
            "should"
                | "Error"
                | "Errorf"
                | "Fatal"
                | "Fatalf"
                | "FailNow"
                | "fail"
                | "raises"
                | "strictEqual"
                | "deepStrictEqual"
                | "equal"
                | "deepEqual"
                | "ok"
                | "throws"
                | "rejects"
                | "notEqual"
                | "toBe"
                | "toEqual"
                | "toThrow"
                | "NoError"
                | "Equal"
                | "NotNil"
        )
}

/// Whether an assertion holds whatever happens, or nearly.
fn is_weak(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    [
        "asserttrue",
        "assert(true",
        "expect(true",
        "||true",
        "ortrue",
        "tobedefined(",
        "tobetruthy(",
        "isnotnull(",
        "assertnotnull(",
        "assertisnotnone(",
        "anything(",
    ]
    .iter()
    .any(|weak| lower.contains(weak))
        && !lower.contains("asserttrue(")
        || lower == "assert true"
        || lower.ends_with("asserttrue")
        || lower.contains("asserttrue(true")
}
