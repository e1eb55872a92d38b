//! What is called, asked and asserted, and what is brought in.

use crate::syntax::field::Field as _;
use exacta_core::judge::facts::{Language, Reach, Sink};
use tree_sitter::Node;

use super::gather::{Deed, Pass};
use super::imports::imported;
use super::key::{key, without_texts};
use super::reach::checks;
use super::role::Role;
use super::upkeep::makes_pattern;

impl Pass<'_> {
    /// The last word of what is called.
    pub(super) fn called(&self, node: Node<'_>) -> String {
        let callee = ["function", "name", "constructor", "macro", "type"]
            .iter()
            .find_map(|field| node.field(field));
        let Some(callee) = callee else { return String::new() };
        let text = self.piece(callee);
        // What stands between angle brackets at the end are types.
        let end = text.find('<').filter(|_| text.ends_with('>')).unwrap_or(text.len());
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
        if let Some(callee) = node.field("function") {
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
            // A test of each row of a table.
            let inline =
                inline || callee.kind() == "call_expression" && self.called(callee) == "each";
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
            let parts = node.field("arguments");
            let part = |at| parts.and_then(|list| list.named_child(at)).map(|one| self.piece(one));
            let same = part(0).is_some() && part(0) == part(1);
            let weak = same || is_weak(&deed.key);
            self.effects.assertions.push((deed, weak));
        }
        if name.is_empty() {
            return;
        }
        let list = node.field("arguments");
        self.handed_numbers(node, &name, list);
        self.made(node, &name, list);
        self.unit_of_call(node, &name, list);
        if let Some(list) = list
            && list.named_child_count() >= 2
            && node.end_byte() - node.start_byte() <= 240
        {
            let deed = self.deed(format!("{name}{}", key(list, self.text)), node);
            self.effects.handed.push(deed);
        }
        if matches!(
            name.as_str(),
            "mock" | "doMock" | "unstable_mockModule" | "patch" | "stub" | "spy"
        ) && node.end_byte() - node.start_byte() <= 400
        {
            let deed = self.deed(key(node, self.text), node);
            if deed.function.is_empty() {
                self.effects.stubbed.push(deed);
            }
        }
        let callee = node.field("function").or_else(|| {
            let alone = node.field("object").is_none();
            node.field("name").filter(|_| alone)
        });
        let callee = callee.or_else(|| node.field("macro"));
        if callee.is_some_and(|callee| callee.kind() == "identifier") {
            self.effects.bare.insert(name.clone());
        }
        if is_asked(&name)
            && let Some(list) = callee.map(|callee| self.piece(callee))
            && let Some((list, _)) = list.rsplit_once('.')
        {
            let list = list.rsplit(['.', '>', ':']).next().unwrap_or(list);
            self.effects.guarding.insert(list.to_owned());
        }
        if matches!(self.language, Language::C | Language::Cpp)
            && node.end_byte() - node.start_byte() <= 240
            && (matches!(name.as_str(), "malloc" | "calloc" | "realloc" | "alloca")
                || self.piece(node).contains("sizeof"))
        {
            let deed = self.deed(key(node, self.text), node);
            self.effects.room.push(deed);
        }
        if is_asked(&name)
            && let Some(list) = node.field("object")
            && self.role(list) == Role::Name
        {
            self.effects.guarding.insert(self.piece(list).to_owned());
        }
        if is_bounding(&name)
            && let Some(list) = node.field("arguments")
        {
            for at in 0..u32::try_from(list.named_child_count()).unwrap_or(0).min(4) {
                if let Some(argument) =
                    list.named_child(at).filter(|one| self.role(*one) == Role::Name)
                {
                    self.effects.guarding.insert(self.piece(argument).to_owned());
                }
            }
        }
        if makes_pattern(&name)
            && let Some(list) = node.field("arguments")
            && let Some(first) = list.named_child(0)
            && self.role(first) == Role::Text
        {
            self.pattern(first);
        }
        let cleans = name.to_ascii_lowercase().starts_with("replace")
            && list.is_some_and(|list| takes_signs(self.piece(list)));
        if checks(&name) || name == "filter" || cleans {
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
        if reads_back(&name) && list.is_some_and(|list| self.hides(list)) {
            let deed = self.deed(key(node, self.text), node);
            self.effects.reaches.push((deed, Reach::Indirect, name.clone()));
        }
        if matches!(name.as_str(), "setTimeout" | "setInterval")
            && node
                .field("arguments")
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

    /// Whether the first of some values is a written text that says nothing to a reader.
    fn hides(&self, list: Node<'_>) -> bool {
        let Some(first) = list.named_child(0).filter(|one| self.role(*one) == Role::Text) else {
            return false;
        };
        let text = self.piece(first);
        let inside = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let inside = inside.trim_matches(['"', '\'', '`']);
        let base = |byte: u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
        };
        let buffer = self.piece(list).contains("base64") || self.piece(list).contains("hex");
        inside.len() >= 12
            && inside.bytes().all(base)
            && (buffer || list.named_child_count() == 1 || self.language == Language::Java)
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
    let Some(list) = node.field("arguments") else { return true };
    list.named_child(at).is_none_or(|argument| {
        pass.role(argument) == Role::Text
            && !(0..8)
                .filter_map(|at| argument.named_child(at))
                .any(|part| pass.role(part) == Role::Hole)
    })
}

/// Whether a text is taken out of another that means something to whoever reads that one: a
/// page, a query, a path, the lines of an answer.
fn takes_signs(list: &str) -> bool {
    if list.len() > 200 {
        return false;
    }
    let first = list.trim_start_matches('(').trim_start();
    let Some(quote) = first.chars().next().filter(|c| matches!(c, '"' | '\'' | '`' | '/')) else {
        return false;
    };
    let inside = first.get(1..).unwrap_or_default();
    let end = inside.find(quote).unwrap_or(inside.len());
    let taken = inside.get(..end).unwrap_or_default();
    quote == '/' && taken.contains("[^")
        || ["<", ">", "&", "..", "\\r", "\\n", "\\0", "\\x00", "\\\\", "//", ";", "$("]
            .iter()
            .any(|sign| taken.contains(sign))
        || matches!(taken, "\"" | "'" | "/" | "\\'" | "\\\"")
}

/// Whether a function makes a text or bytes of what was written in another alphabet.
fn reads_back(name: &str) -> bool {
    matches!(
        name,
        "atob"
            | "b64decode"
            | "urlsafe_b64decode"
            | "standard_b64decode"
            | "a2b_base64"
            | "unhexlify"
            | "fromhex"
            | "DecodeString"
            | "decode"
            | "from"
            | "parseHexBinary"
            | "decodeBase64"
            | "parseBase64Binary"
    )
}

/// Whether a function keeps a value within bounds.
fn is_bounding(name: &str) -> bool {
    matches!(name, "min" | "max" | "clamp" | "take" | "truncate" | "limit")
}

/// Whether a function looks for something in a list.
fn is_asked(name: &str) -> bool {
    matches!(
        name,
        "has"
            | "includes"
            | "contains"
            | "containsKey"
            | "contains_key"
            | "get"
            | "count"
            | "find"
            | "indexOf"
    )
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
        "assertthrows(throwable.class",
        "assertthrows(exception.class",
        "raises(exception)",
        "raises(baseexception",
        "raises((exception",
        "assertraises(exception",
    ]
    .iter()
    .any(|weak| lower.contains(weak))
        && !lower.contains("asserttrue(")
        || lower == "assert true"
        || lower.ends_with("asserttrue")
        || lower.contains("asserttrue(true")
}
