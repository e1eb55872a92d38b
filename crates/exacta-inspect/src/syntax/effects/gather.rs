//! One pass over a tree that notes what the code does.

use exacta_core::judge::facts::{Language, Reach, Sink};
use hashbrown::HashSet;
use tree_sitter::Node;

use super::exits::{Exit, exit};
use super::imports::imported;
use super::key::{between, key, without_texts, words};
use super::literals::{address, outside, says_who, sink};
use super::reach::{checks, reach};
use super::role::Role;
use crate::syntax::grammar::Grammar;
use crate::syntax::names::function_name;

/// Something that the code does.
#[derive(Clone, Debug)]
pub(super) struct Deed {
    /// In which function.
    pub(super) function: String,
    /// What it is.
    pub(super) key: String,
    /// The line from 0.
    pub(super) line: usize,
}

/// A branch that leaves.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub(super) deed: Deed,
    pub(super) exit: Exit,
    /// Whether the condition compares who somebody is with a text.
    pub(super) singles_out: bool,
}

/// What a function hands back.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    pub(super) deed: Deed,
    /// Whether it is a yes or no that was worked out.
    pub(super) verdict: bool,
    /// Whether it is a yes or no, always.
    pub(super) constant: bool,
}

/// What the code of one image does.
#[derive(Default)]
pub(crate) struct Effects {
    pub(super) functions: HashSet<String>,
    pub(super) guards: Vec<Guard>,
    /// Names that conditions of guards use.
    pub(super) guarding: HashSet<String>,
    pub(super) checks: Vec<Deed>,
    pub(super) marks: Vec<Deed>,
    pub(super) returns: Vec<Returned>,
    /// Yes or no in some place, with the place as key.
    pub(super) truths: Vec<(Deed, bool)>,
    /// Errors that nothing comes of.
    pub(super) swallowed: Vec<Deed>,
    pub(super) constants: Vec<Deed>,
    pub(super) reaches: Vec<(Deed, Reach, String)>,
    pub(super) built: Vec<(Deed, Sink)>,
    /// Assertions of tests, and whether one says next to nothing.
    pub(super) assertions: Vec<(Deed, bool)>,
    /// Names called or brought in, and addresses.
    pub(crate) names: Vec<(String, usize)>,
    /// Names of functions and types that the image defines.
    pub(crate) defines: Vec<String>,
}

/// The pass.
pub(super) struct Pass<'a> {
    grammar: &'a Grammar,
    pub(super) language: Language,
    pub(super) text: &'a str,
    functions: Vec<(usize, String)>,
    effects: Effects,
}

/// Looks at the whole tree once.
pub(crate) fn gather(grammar: &Grammar, language: Language, root: Node<'_>, text: &str) -> Effects {
    let mut pass =
        Pass { grammar, language, text, functions: Vec::new(), effects: Effects::default() };
    let mut cursor = root.walk();
    let mut parents: Vec<Node<'_>> = Vec::new();
    loop {
        let node = cursor.node();
        let inside = pass.enter(node, &parents);
        if inside && cursor.goto_first_child() {
            parents.push(node);
            continue;
        }
        loop {
            pass.leave(parents.len());
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return pass.effects;
            }
            parents.pop();
        }
    }
}

impl<'a> Pass<'a> {
    pub(super) fn role(&self, node: Node<'_>) -> Role {
        self.grammar.role(node.kind_id())
    }

    fn function(&self) -> String {
        self.functions.last().map(|(_, name)| name.clone()).unwrap_or_default()
    }

    fn deed(&self, key: String, node: Node<'_>) -> Deed {
        Deed { function: self.function(), key, line: node.start_position().row }
    }

    fn piece(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.start_byte()..node.end_byte()).unwrap_or_default()
    }

    fn leave(&mut self, depth: usize) {
        while self.functions.last().is_some_and(|(entered, _)| *entered >= depth) {
            self.functions.pop();
        }
    }

    /// Whether the children are worth looking at.
    fn enter(&mut self, node: Node<'_>, parents: &[Node<'_>]) -> bool {
        let parent = parents.last().copied();
        match self.role(node) {
            Role::Plain | Role::Hole | Role::Throw | Role::Jump => {}
            Role::Comment => return false,
            Role::Function => self.enter_function(node, parent, parents.len()),
            Role::If => self.branch(node),
            Role::Case => self.case(node),
            Role::Catch => self.catch(node),
            Role::Return => {
                if let Some(value) = node.named_child(0) {
                    self.returned(value);
                }
            }
            Role::Call | Role::Macro => self.call(node),
            Role::Import => self.import(node),
            Role::Text => self.literal(node, parent),
            Role::Pair => self.pair(node, parent),
            Role::Truth => self.truth(node, parent),
            Role::Name => self.name(node, parents),
            Role::Binding => self.binding(node),
            Role::Mark => {
                let deed = self.deed(key(node, self.text), node);
                self.effects.marks.push(deed);
            }
            Role::Assert => {
                let deed = self.deed(format!("assert {}", key(node, self.text)), node);
                self.assertion(deed.clone());
                self.guard(deed, Exit::Refuses, node);
            }
            Role::Filter => {
                let deed = self.deed(key(node, self.text), node);
                self.guard(deed, Exit::Refuses, node);
            }
            Role::Try => {
                let asked = node.named_child(0).map(|call| self.called(call)).unwrap_or_default();
                let deed = self.deed(format!("{asked}?"), node);
                self.effects.checks.push(deed);
            }
            Role::Raw => {
                let deed = self.deed(key(node, self.text), node);
                self.effects.reaches.push((deed, Reach::LoadsCode, node.kind().replace('_', " ")));
            }
        }
        true
    }

    fn enter_function(&mut self, node: Node<'_>, parent: Option<Node<'_>>, depth: usize) {
        if let Some(name) = function_name(self.language, node, parent, self.text) {
            self.effects.functions.insert(name.clone());
            self.effects.defines.push(name.clone());
            self.functions.push((depth, name));
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        // The last expression of a block in Rust, and a body that is one, are handed back.
        let value = match body.kind() {
            "block" if self.language == Language::Rust => {
                let count = u32::try_from(body.named_child_count()).unwrap_or(0);
                body.named_child(count.saturating_sub(1))
            }
            kind if kind.contains("block") || kind == "compound_statement" => None,
            _ => Some(body),
        };
        if let Some(value) = value
            && !value.kind().ends_with("statement")
            && !value.kind().ends_with("declaration")
            && !value.kind().ends_with("item")
        {
            self.returned(value);
        }
    }

    fn guard(&mut self, deed: Deed, exit: Exit, condition: Node<'_>) {
        let mut names = Vec::new();
        let mut singles_out = false;
        let text = between(condition.start_byte(), condition.end_byte(), self.text);
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if word.len() >= 2 && !word.starts_with(|c: char| c.is_ascii_digit()) {
                singles_out |= words(word).iter().any(|word| says_who(word));
                names.push(word.to_owned());
            }
        }
        let compares = ["==", "equals(", ".is(", "strcmp", "startsWith", "startswith"]
            .iter()
            .any(|sign| text.contains(sign));
        let singles_out = singles_out && compares && text.contains(['"', '\'']);
        self.effects.guarding.extend(names);
        self.effects.guards.push(Guard { deed, exit, singles_out });
    }

    fn branch(&mut self, node: Node<'_>) {
        let Some(condition) = node.child_by_field_name("condition") else { return };
        let asked = key(condition, self.text);
        let branches = [("consequence", ""), ("alternative", "else ")];
        for (field, mark) in branches {
            let Some(branch) = node.child_by_field_name(field) else { continue };
            if let Some(exit) = exit(self, branch) {
                let deed = self.deed(format!("{mark}{asked}"), node);
                self.guard(deed, exit, condition);
            }
        }
    }

    /// A case counts by its label: whatever it is for, others do not get there.
    fn case(&mut self, node: Node<'_>) {
        let Some(left) = exit(self, node) else { return };
        let label = node
            .child_by_field_name("value")
            .or_else(|| node.child_by_field_name("pattern"))
            .map_or_else(|| "default".to_owned(), |label| key(label, self.text));
        let deed = self.deed(format!("case {label}"), node);
        self.effects.guards.push(Guard { deed, exit: left, singles_out: false });
    }

    fn catch(&mut self, node: Node<'_>) {
        let body = node.child_by_field_name("body").or_else(|| {
            let count = u32::try_from(node.named_child_count()).unwrap_or(0);
            node.named_child(count.saturating_sub(1))
        });
        let Some(body) = body else { return };
        let caught = between(node.start_byte(), body.start_byte(), self.text);
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

    fn returned(&mut self, value: Node<'_>) {
        let key = key(value, self.text);
        let mut node = value;
        while node.kind() == "parenthesized_expression" {
            let Some(inner) = node.named_child(0) else { break };
            node = inner;
        }
        let kind = node.kind();
        let operator = node.child_by_field_name("operator").map(|sign| self.piece(sign));
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
        let verdict = matches!(
            kind,
            "comparison_operator" | "boolean_operator" | "not_operator" | "instanceof_expression"
        ) || operator.is_some_and(compares)
            || kind == "unary_expression" && key.starts_with('!')
            || matches!(self.role(node), Role::Call) && asks(&self.called(node));
        let constant = matches!(key.as_str(), "true" | "false" | "True" | "False" | "1" | "0");
        let deed = self.deed(key, value);
        self.effects.returns.push(Returned { deed, verdict, constant });
    }

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

    fn call(&mut self, node: Node<'_>) {
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
        self.effects.names.push((name.clone(), line));
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

    fn assertion(&mut self, deed: Deed) {
        let weak = is_weak(&deed.key);
        self.effects.assertions.push((deed, weak));
    }

    fn import(&mut self, node: Node<'_>) {
        if let Some(name) = imported(self.language, self.piece(node)) {
            self.effects.names.push((name, node.start_position().row));
        }
    }

    fn literal(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        let whole = self.piece(node);
        let inner = whole
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .trim_matches(['"', '\'', '`']);
        let holes = (0..u32::try_from(node.named_child_count()).unwrap_or(0).min(64))
            .filter_map(|at| node.named_child(at))
            .any(|child| self.role(child) == Role::Hole);
        if holes {
            self.template(node);
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

    /// A text with values inside.
    fn template(&mut self, node: Node<'_>) {
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

    fn built(&mut self, node: Node<'_>, whole: &str) {
        let raw = self.piece(node);
        let raw = raw.get(..raw.len().min(4096)).unwrap_or(raw);
        if let Some(sink) = sink(raw) {
            let deed = self.deed(without_texts(whole), node);
            self.effects.built.push((deed, sink));
        }
    }

    /// Texts and values put together; a chain of them is one text.
    fn pair(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        if parent.is_some_and(|parent| self.role(parent) == Role::Pair) {
            return;
        }
        let sign =
            node.child_by_field_name("operator").map(|sign| self.piece(sign)).unwrap_or_default();
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

    fn truth(&mut self, node: Node<'_>, parent: Option<Node<'_>>) {
        let Some(parent) = parent else { return };
        let value = matches!(self.piece(node), "true" | "True");
        let start = parent.start_byte().max(node.start_byte().saturating_sub(200));
        let place = between(start, node.start_byte(), self.text);
        let deed = self.deed(format!("{} {place}", parent.kind()), node);
        self.effects.truths.push((deed, value));
    }

    fn name(&mut self, node: Node<'_>, parents: &[Node<'_>]) {
        let name = self.piece(node);
        let mut from = node.start_byte().saturating_sub(64);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let before = self.text.get(from..node.start_byte()).unwrap_or_default();
        let Some(reach) = reach(self.language, name, before) else { return };
        let parent = parents.last().copied();
        let is_name = parent.is_some_and(|parent| {
            self.role(parent) == Role::Function
                && parent.child_by_field_name("name").is_some_and(|own| own.id() == node.id())
        });
        if is_name {
            return;
        }
        if parents.iter().rev().take(4).any(|parent| self.role(*parent) == Role::Import) {
            let deed =
                Deed { function: String::new(), ..self.deed(format!("import {name}"), node) };
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
    fn binding(&mut self, node: Node<'_>) {
        if !self.functions.is_empty() {
            return;
        }
        let name =
            ["name", "left", "declarator"].iter().find_map(|field| node.child_by_field_name(field));
        let value = ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
        if let (Some(name), Some(value)) = (name, value)
            && self.role(value) != Role::Function
        {
            let deed =
                Deed { function: key(name, self.text), ..self.deed(key(value, self.text), node) };
            self.effects.constants.push(deed);
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
