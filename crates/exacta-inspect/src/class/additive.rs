//! Whether a change only adds: every part of the text before is still there, in the same
//! order, and what came is of a kind that nothing existing uses.

use exacta_core::judge::facts::{Language, Proof};
use exacta_core::model::path::RelPath;
use tree_sitter::Node;

use super::added_tests::{self, Came};
use super::assertions::only_asserts;
use super::blocks::obeyed_lines;
use super::brought;
use super::discovered::{HOOKS, is_discovered};
use super::inserted::{is_fresh_value, may_follow, repeats};
use super::names::{is_taken, occurrences};
use super::python_errors::is_plain_error;
use super::tables::only_grows;
use super::trees::Compared;

/// The mark of what is compiled for tests alone.
const TESTS_ONLY: &str = "#[cfg(test)]";

/// So many parts may come at once.
const MOST: usize = 100;
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
    let compare = Compare { language, is_test, before, after };
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
    is_test: bool,
    before: &'a Compared<'a>,
    after: &'a Compared<'a>,
}

impl<'a> Compare<'a> {
    /// How many parts of `new` came outside of tests, if all parts of `old` are still there
    /// and everything new may be added.
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
        for node in &new {
            if let Some(first) = left.peek()
                && text_of(**first, self.before) == text_of(*node, self.after)
            {
                last = left.next().copied();
                continue;
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
            if !self.may_come(*node, within)
                && !self.may_come_beside(*node, within, last, left.peek().map(|next| **next))
            {
                return None;
            }
            added += 1;
            // Each new name is looked for in the whole text.
            if added > MOST {
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

    /// Whether the sibling before a node reads so.
    fn follows(node: Node<'a>, side: &Compared<'a>, text: &str) -> bool {
        node.prev_named_sibling().and_then(|before| text_of(before, side)) == Some(text)
    }

    /// Whether a part may be new.
    fn may_come(&self, node: Node<'a>, within: Within<'a>) -> bool {
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
            Within::Tests => self.may_come_as_test(node, text),
            Within::Test(around) | Within::Inside(around) => {
                only_asserts(self.language, node, self.after.text)
                    || is_fresh_value(self.language, node, self.after.text, around)
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
        !node.has_error() && (alike || last_of_all && may_follow(self.language, node, text, around))
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
            brings || self.may_come(*part, Within::Tests)
        };
        let mut parts = self.kept(body, self.after).into_iter().filter(Node::is_named);
        Self::follows(node, self.after, TESTS_ONLY) && parts.all(|part| may_come(&part))
    }

    /// Whether no other file can name a function of C or C++.
    fn is_of_the_file_alone(&self, node: Node<'a>) -> bool {
        let unnamed = |space: Node<'a>| {
            space.kind() == "namespace_definition" && space.child_by_field_name("name").is_none()
        };
        text_of(node, self.after).is_some_and(|text| text.starts_with("static "))
            || self.language == Language::Cpp
                && node.parent().and_then(|list| list.parent()).is_some_and(unnamed)
    }

    fn may_come_as_item(&self, node: Node<'a>) -> bool {
        let function = match (self.language, node.kind()) {
            (Language::Rust, "function_item" | "struct_item" | "enum_item")
            | (Language::Python, "function_definition")
            | (
                Language::Go | Language::JavaScript | Language::TypeScript,
                "function_declaration",
            )
            | (Language::Go, "type_declaration")
            // Types are gone before anything runs.
            | (Language::TypeScript, "interface_declaration" | "type_alias_declaration") => node,
            (Language::JavaScript | Language::TypeScript, "export_statement") => {
                let plain = text_of(node, self.after)
                    .is_some_and(|text| !text.starts_with("export default"));
                match node.child_by_field_name("declaration") {
                    Some(inner)
                        if plain
                            && matches!(
                                inner.kind(),
                                "function_declaration"
                                    | "interface_declaration"
                                    | "type_alias_declaration"
                            ) =>
                    {
                        inner
                    }
                    _ => return false,
                }
            }
            (Language::C | Language::Cpp, "function_definition")
                if self.is_of_the_file_alone(node) =>
            {
                node
            }
            (Language::Python, "class_definition") if is_plain_error(node, self.after.text) => node,
            _ => return false,
        };
        let text = text_of(function, self.after).unwrap_or_default();
        if matches!(self.language, Language::C | Language::Cpp) && told_to_run(text) {
            return false;
        }
        // Functions of a script are everybody's.
        let script = matches!(self.language, Language::JavaScript)
            && !["import ", "export ", "require(", "module.exports"]
                .iter()
                .any(|word| self.before.text.contains(word));
        if script {
            return false;
        }
        // What is worked out when the function is defined runs at once.
        let parameters = function.child_by_field_name("parameters");
        let parameters = parameters.and_then(|list| text_of(list, self.after)).unwrap_or_default();
        let at_once = match self.language {
            Language::Python => {
                parameters.contains(['=', ':'])
                    || function.child_by_field_name("return_type").is_some()
            }
            Language::JavaScript | Language::TypeScript => parameters.contains('='),
            _ => false,
        };
        let attributed = node.prev_named_sibling().is_some_and(|before| {
            before.kind() == "attribute_item" && self.language == Language::Rust
        });
        !at_once && !attributed && self.is_new_name(function).is_some()
    }
}

/// Whether tests of a text are made by a macro of this name already.
fn calls_macro(side: &Compared<'_>, name: &str) -> bool {
    let call = format!("{name}!");
    side.text.lines().any(|line| line.trim_start().starts_with(&call))
}

/// Whether a compiler may be told to run a function before everything else.
pub(super) fn told_to_run(text: &str) -> bool {
    ["__attribute__", "[[", "_Pragma", "__declspec"].iter().any(|word| text.contains(word))
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
