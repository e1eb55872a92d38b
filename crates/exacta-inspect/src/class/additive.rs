//! Whether a change only adds: every part of the text before is still there, in the same
//! order, and what came is of a kind that nothing existing uses.

use exacta_core::judge::facts::{Language, Proof};
use exacta_core::model::path::RelPath;
use tree_sitter::Node;

use super::added_tests::{self, Came};
use super::assertions::only_asserts;
use super::beyond::stays_within;
use super::blocks::obeyed_lines;
use super::brought;
use super::discovered::{HOOKS, is_discovered};
use super::inserted::{is_fresh_value, may_follow, repeats};
use super::names::{is_taken, occurrences};
use super::tables::only_grows;
use super::trees::Compared;
use super::unreached;

/// The mark of what is compiled for tests alone.
const TESTS_ONLY: &str = "#[cfg(test)]";

/// So many parts may come at once.
const MOST: usize = 100;
/// And so many in a new file, where no name was.
const MOST_OF_A_FILE: usize = 2_000;
/// And so many marks and modules of tests.
const MOST_MODULES: usize = 8;
/// Containers are looked into up to this depth.
const DEEPEST: usize = 6;

/// What is only added to a file.
pub(super) fn additive(
    language: Language,
    path: &RelPath,
    is_test: bool,
    before: &Compared<'_>,
    after: &Compared<'_>,
) -> Proof {
    let compare = Compare { language, path, is_test, is_new: false, before, after };
    let (old, new) = (before.tree.root_node(), after.tree.root_node());
    let within = if is_test { Within::Tests } else { Within::Code };
    match compare.parts(old, new, within, 0) {
        None => Proof::Read,
        Some(_) if is_test => Proof::Tests,
        // Everything that came stands in a module of tests.
        Some(0) => Proof::Tests,
        Some(_) if is_discovered(path) => Proof::Read,
        Some(_) => Proof::Items,
    }
}

/// Whether a new file holds nothing but tests and what they need. `nothing` is an empty text.
pub(super) fn only_tests(
    language: Language,
    path: &RelPath,
    nothing: &Compared<'_>,
    new: &Compared<'_>,
) -> bool {
    // Each file of tests of Rust is a program of its own.
    let alone = language == Language::Rust;
    let compare =
        Compare { language, path, is_test: true, is_new: true, before: nothing, after: new };
    let (old, root) = (nothing.tree.root_node(), new.tree.root_node());
    !root.has_error() && (alone || compare.parts(old, root, Within::Tests, 0).is_some())
}

/// What parts stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within<'a> {
    /// The program.
    Code,
    /// A file, module or class of tests.
    Tests,
    /// One test, as it was.
    Test(&'a str),
    /// A part of it that more of it follows.
    Inside(&'a str),
}

impl<'a> Within<'a> {
    /// The test that this is, or is a part of.
    const fn test(self) -> Option<&'a str> {
        match self {
            Self::Test(test) | Self::Inside(test) => Some(test),
            Self::Code | Self::Tests => None,
        }
    }
}

struct Compare<'a> {
    language: Language,
    path: &'a RelPath,
    is_test: bool,
    /// Whether nothing was there before.
    is_new: bool,
    before: &'a Compared<'a>,
    after: &'a Compared<'a>,
}

impl<'a> Compare<'a> {
    /// How many parts of `new` came outside of tests, if all of `old` stays and all may come.
    fn parts(
        &self,
        old: Node<'a>,
        new: Node<'a>,
        within: Within<'a>,
        depth: usize,
    ) -> Option<usize> {
        let (old, new) = (self.kept(old, self.before), self.kept(new, self.after));
        let mut left = old.iter().peekable();
        let mut last: Option<Node<'a>> = None;
        let (mut added, mut inside, mut modules) = (0, 0, 0);
        // Whether the part before is a mark that came.
        let mut marked = false;
        for node in &new {
            if let Some(first) = left.peek()
                && text_of(**first, self.before) == text_of(*node, self.after)
                && self.marks_the_same(**first, *node)
            {
                if marked {
                    return None;
                }
                last = left.next().copied();
                continue;
            }
            let is_mark = node.kind() == "attribute_item";
            let was_marked = std::mem::replace(&mut marked, is_mark);
            if was_marked
                && let Some(first) = left.peek()
                && name_of(**first, self.before).is_some()
                && name_of(**first, self.before) == name_of(*node, self.after)
            {
                return None;
            }
            if let Some(first) = left.peek()
                && let Some(items) = self.container(**first, *node, within, depth)
            {
                inside += 1;
                added += items;
                last = left.next().copied();
                continue;
            }
            if within == Within::Tests
                && let Some(first) = left.peek()
                && self.brings_more(**first, *node)
            {
                inside += 1;
                last = left.next().copied();
                continue;
            }
            if within != Within::Code
                && let Some(first) = left.peek()
                && only_grows(**first, *node, self.before, self.after)
            {
                inside += 1;
                last = left.next().copied();
                continue;
            }
            if within == Within::Code && modules < MOST_MODULES && self.begins_tests(*node) {
                modules += 1;
                continue;
            }
            if !self.may_come(*node, within, depth)
                && !self.may_come_beside(*node, within, last, left.peek().map(|next| **next))
            {
                return None;
            }
            added += 1;
            // Each new name is looked for in the whole text.
            if added > if self.is_new { MOST_OF_A_FILE } else { MOST } {
                return None;
            }
        }
        (left.next().is_none() && added + inside + modules > 0).then_some(added)
    }

    /// If both are the same container in which something was added, how many parts of it
    /// are outside of tests.
    fn container(
        &self,
        old: Node<'a>,
        new: Node<'a>,
        within: Within<'a>,
        depth: usize,
    ) -> Option<usize> {
        let tests = within == Within::Tests;
        let whole = text_of(old, self.before)?;
        let inner = match old.kind() {
            // Whatever stands in a test is a part of it.
            "with_statement"
            | "for_statement"
            | "for_in_statement"
            | "enhanced_for_statement"
            | "expression_statement"
                if within.test().is_some() =>
            {
                Within::Inside(within.test()?)
            }
            "class_definition" | "class_declaration" if tests => Within::Tests,
            "import_declaration" if tests && self.is_test => Within::Tests,
            // The module of tests inside a file of code.
            "mod_item" if tests || Self::follows(old, self.before, TESTS_ONLY) => Within::Tests,
            "function_definition"
            | "decorated_definition"
            | "function_item"
            | "function_declaration"
            | "method_declaration"
                if tests =>
            {
                Within::Test(whole)
            }
            "expression_statement" if tests => match called_with_a_body(old, self.before)? {
                "describe" | "suite" | "context" | "describe.each" => Within::Tests,
                // What stands around tests is no test.
                hook if ["before", "after", "setup", "teardown", "suite"]
                    .iter()
                    .any(|word| hook.to_ascii_lowercase().contains(word)) =>
                {
                    return None;
                }
                _ => Within::Test(whole),
            },
            "namespace_definition" if within.test().is_none() => within,
            _ => return None,
        };
        if old.kind() != new.kind() || depth > DEEPEST {
            return None;
        }
        let (inner_old, inner_new) = (body(old)?, body(new)?);
        let head = |node: Node<'_>, inner: Node<'_>, side: &Compared<'a>| {
            side.text.get(node.start_byte()..inner.start_byte())
        };
        let tail = |node: Node<'_>, inner: Node<'_>, side: &Compared<'a>| {
            side.text.get(inner.end_byte()..node.end_byte())
        };
        if head(old, inner_old, self.before) != head(new, inner_new, self.after)
            || tail(old, inner_old, self.before) != tail(new, inner_new, self.after)
        {
            return None;
        }
        let came = self.parts(inner_old, inner_new, inner, depth + 1)?;
        Some(if inner == Within::Code { came } else { 0 })
    }

    /// The parts that count: all but comments that are prose.
    fn kept(&self, node: Node<'a>, side: &Compared<'_>) -> Vec<Node<'a>> {
        let mut cursor = node.walk();
        let prose = |child: &Node<'_>| {
            (side.is_comment)(child.kind_id())
                && text_of(*child, side)
                    .is_some_and(|text| obeyed_lines(self.language, text).is_empty())
        };
        node.children(&mut cursor).filter(|child| !prose(child)).collect()
    }

    /// Whether two equal marks stand on the same thing, if these are marks.
    fn marks_the_same(&self, mut old: Node<'a>, mut new: Node<'a>) -> bool {
        while old.kind() == "attribute_item" {
            let (Some(next_old), Some(next_new)) =
                (old.next_named_sibling(), new.next_named_sibling())
            else {
                return false;
            };
            let same = text_of(next_old, self.before) == text_of(next_new, self.after);
            let named = name_of(next_old, self.before);
            if !same && (named.is_none() || named != name_of(next_new, self.after)) {
                return false;
            }
            (old, new) = (next_old, next_new);
        }
        true
    }

    /// Whether the sibling before a node reads so.
    fn follows(node: Node<'a>, side: &Compared<'a>, text: &str) -> bool {
        node.prev_named_sibling().and_then(|before| text_of(before, side)) == Some(text)
    }

    /// Whether a part may be new.
    fn may_come(&self, node: Node<'a>, within: Within<'a>, depth: usize) -> bool {
        let Some(text) = text_of(node, self.after) else { return false };
        if !node.is_named() {
            // Signs between parts.
            return matches!(text.trim(), "" | ";" | ",");
        }
        if node.has_error() {
            return false;
        }
        match within {
            Within::Code => self.may_come_as_item(node),
            Within::Tests if self.is_new && self.opens(node, text, depth) => true,
            Within::Tests => {
                self.may_come_as_test(node, text)
                    && stays_within(self.language, node, self.after.text)
            }
            Within::Test(around) | Within::Inside(around) => {
                only_asserts(self.language, node, self.after.text)
                    || is_fresh_value(self.language, node, self.after.text, around)
                        && stays_within(self.language, node, self.after.text)
            }
        }
    }

    /// Whether a part may be new in a test where it stands.
    fn may_come_beside(
        &self,
        node: Node<'a>,
        within: Within<'a>,
        last: Option<Node<'a>>,
        next: Option<Node<'a>>,
    ) -> bool {
        let Some(around) = within.test() else { return false };
        let last_of_all = matches!(within, Within::Test(_)) && next.is_none();
        let text = self.after.text;
        let alike = [last, next].into_iter().any(|one| repeats(node, one, text, self.before.text));
        !node.has_error()
            && stays_within(self.language, node, text)
            && (alike || last_of_all && may_follow(self.language, node, text, around))
    }

    /// Whether a part of a new file is what such files begin or end with, or holds tests.
    fn opens(&self, node: Node<'a>, text: &str, depth: usize) -> bool {
        let acts = ["go:linkname", "go:generate", "go:embed", "//export", "cgo"];
        let is = |start: &str| text.starts_with(start);
        match (self.language, node.kind()) {
            (_, "comment" | "line_comment" | "block_comment") => {
                !acts.iter().any(|word| text.contains(word))
            }
            (Language::Go, "package_clause")
            | (Language::Java, "package_declaration")
            | (Language::Python, "future_import_statement")
            | (Language::TypeScript, "interface_declaration" | "type_alias_declaration")
            | (Language::C | Language::Cpp, "preproc_include")
            | (Language::Cpp, "using_declaration") => true,
            (
                Language::Python | Language::JavaScript | Language::TypeScript,
                "expression_statement",
            ) => {
                node.named_child(0).is_some_and(|one| one.kind() == "string")
                    && node.named_child_count() == 1
            }
            (Language::Python, "if_statement") => {
                is("if __name__ == \"__main__\":\n    unittest.main()")
                    || is("if __name__ == '__main__':\n    unittest.main()")
            }
            (Language::JavaScript | Language::TypeScript, "lexical_declaration") => {
                text.contains(" = require(")
                    && brought::only_new(self.language, text, "")
                    && text.matches('(').count() == 1
            }
            (Language::Cpp, "namespace_definition") if depth < DEEPEST => {
                body(node).is_some_and(|inner| {
                    self.kept(inner, self.after)
                        .iter()
                        .filter(|one| one.is_named())
                        .all(|one| self.may_come(*one, Within::Tests, depth + 1))
                })
            }
            (Language::C | Language::Cpp, "function_definition") => {
                is("int main(") && stays_within(self.language, node, self.after.text)
            }
            _ => false,
        }
    }

    /// A name that nothing had before.
    fn is_new_name(&self, node: Node<'a>) -> Option<&'a str> {
        // A declaration of Go holds what it declares.
        let node = match node.kind() {
            "type_declaration" if node.named_child_count() == 1 => node.named_child(0)?,
            _ => node,
        };
        let name = node
            .child_by_field_name("name")
            .or_else(|| node.child_by_field_name("left"))
            .or_else(|| node.child_by_field_name("declarator").map(declared))?;
        let name = text_of(name, self.after)?;
        let dunder = name.starts_with("__");
        let word = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        let plain = word
            && !is_taken(self.language, name)
            && !HOOKS.contains(&name)
            && !["pytest_", "setup_", "teardown_", "on_", "handle_"]
                .iter()
                .any(|start| name.starts_with(start));
        (plain && !dunder && occurrences(self.before.text, name) == 0).then_some(name)
    }

    fn may_come_as_test(&self, node: Node<'a>, text: &str) -> bool {
        match added_tests::kind_of(self.language, node, text) {
            Came::Nothing => true,
            // It may stand in the place of one that tests here are handed.
            Came::Named(_) if !self.is_new && text.contains("pytest.fixture") => false,
            Came::Named(declared) => self.is_new_name(declared).is_some(),
            Came::Brought => brought::only_new(self.language, text, self.before.text),
            Came::Macro(name) => calls_macro(self.before, name),
            Came::Unknown => false,
        }
    }

    /// Whether both are imports, and the new one only brings in more.
    fn brings_more(&self, old: Node<'a>, new: Node<'a>) -> bool {
        let (Some(was), Some(is)) = (text_of(old, self.before), text_of(new, self.after)) else {
            return false;
        };
        old.kind() == new.kind()
            && brought::is_import(old, was)
            && brought::grows(was, is, self.before.text)
    }

    /// Whether a part is the mark of a new module of tests, or such a module.
    fn begins_tests(&self, node: Node<'a>) -> bool {
        if self.language != Language::Rust || node.has_error() {
            return false;
        }
        if node.kind() == "attribute_item" {
            let next = node.next_named_sibling();
            return text_of(node, self.after) == Some(TESTS_ONLY)
                && next.is_some_and(|next| next.kind() == "mod_item" && self.begins_tests(next));
        }
        let Some(body) = body(node).filter(|_| node.kind() == "mod_item") else { return false };
        // What a module of its own brings in is nobody else's.
        let may_come = |part: &Node<'a>| {
            let brings = text_of(*part, self.after).is_some_and(|text| text.starts_with("use "));
            brings || self.may_come(*part, Within::Tests, 0)
        };
        let mut parts = self.kept(body, self.after).into_iter().filter(Node::is_named);
        Self::follows(node, self.after, TESTS_ONLY) && parts.all(|part| may_come(&part))
    }

    /// Whether a new item is out of reach of everything that exists: no other file can name
    /// it, nothing in this one does, and nothing in it takes effect by being there.
    fn may_come_as_item(&self, node: Node<'a>) -> bool {
        let text = self.after.text;
        let attributed = node.prev_named_sibling().is_some_and(|before| {
            before.kind() == "attribute_item" && self.language == Language::Rust
        });
        !attributed
            && unreached::is_out_of_reach(self.language, self.path, node, text)
            && self.is_new_name(node).is_some()
    }
}

/// Whether tests of a text are made by a macro of this name already.
fn calls_macro(side: &Compared<'_>, name: &str) -> bool {
    let call = format!("{name}!");
    side.text.lines().any(|line| line.trim_start().starts_with(&call))
}

/// The name of a declaration.
fn name_of<'a>(node: Node<'_>, side: &Compared<'a>) -> Option<&'a str> {
    text_of(node.child_by_field_name("name")?, side)
}

fn text_of<'a>(node: Node<'_>, side: &Compared<'a>) -> Option<&'a str> {
    side.text.get(node.byte_range())
}

/// What holds the parts of a container.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    let node = match node.kind() {
        "decorated_definition" => node.child_by_field_name("definition")?,
        "expression_statement" => callback(node)?,
        _ => node,
    };
    let body = node.child_by_field_name("body");
    // Go keeps the statements of a block in a list of their own.
    let list = body.and_then(|body| body.named_child(0));
    if let Some(list) = list.filter(|list| list.kind() == "statement_list") {
        return Some(list);
    }
    body.or_else(|| {
        let mut cursor = node.walk();
        node.children(&mut cursor).find(|child| child.kind() == "import_spec_list")
    })
}

/// The function that a call of a script hands over last.
pub(super) fn callback(statement: Node<'_>) -> Option<Node<'_>> {
    let arguments = statement.named_child(0)?.child_by_field_name("arguments")?;
    let count = u32::try_from(arguments.named_child_count()).ok()?;
    let last = arguments.named_child(count.checked_sub(1)?)?;
    let body = last.child_by_field_name("body")?;
    (body.kind() == "statement_block").then_some(last)
}

/// What is called with a function at the end, if that is a plain name.
fn called_with_a_body<'a>(statement: Node<'_>, side: &Compared<'a>) -> Option<&'a str> {
    callback(statement)?;
    text_of(statement.named_child(0)?.child_by_field_name("function")?, side)
}

/// The name inside the declarator of a C function.
fn declared(mut node: Node<'_>) -> Node<'_> {
    while let Some(inner) = node.child_by_field_name("declarator") {
        node = inner;
    }
    node
}
