//! One pass over a tree that notes what the code does.

use crate::syntax::field::Field as _;
use exacta_core::judge::facts::{Language, Reach, Sink};
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;
use tree_sitter::Node;

use super::exits::Exit;
use super::key::key;
use super::made::Made;
use super::operations::Operation;
use super::reach::checks;
use super::role::Role;
use super::units::Unit;
use super::values::{Value, Width};
use crate::syntax::grammar::Grammar;
use crate::syntax::names::function_name;

/// Something that the code does.
#[derive(Clone, Debug)]
pub(super) struct Deed {
    /// In which function.
    pub(super) function: Rc<str>,
    /// What it is.
    pub(super) key: String,
    /// The line from 0.
    pub(super) line: usize,
    /// Which conditions of its function it stands under; 0 for none.
    pub(super) under: u64,
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
    /// Whether memory is counted by hand in its language.
    pub(super) by_hand: bool,
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
    /// Two values and the sign between them.
    pub(super) operations: Vec<Operation>,
    /// Names that lock, close, limit or draw lots.
    pub(super) upkeep: Vec<Deed>,
    /// Errors that are raised.
    pub(super) errors: Vec<Deed>,
    /// Calls that are waited for.
    pub(super) awaited: Vec<Deed>,
    /// Plain values behind names.
    pub(super) values: Vec<Value>,
    /// A yes or no with a name; the name stands behind the function.
    pub(super) settled: Vec<Deed>,
    /// Numbers and the types that they are kept in.
    pub(super) widths: Vec<Width>,
    /// How much room is asked for, and how much of it is filled.
    pub(super) room: Vec<Deed>,
    /// What queries ask for.
    pub(super) queries: Vec<Deed>,
    /// Conditions of branches.
    pub(super) conditions: Vec<Deed>,
    /// Calls with several short values.
    pub(super) handed: Vec<Deed>,
    /// Calls by what is called, all but plain ones.
    pub(super) calls: Vec<Made>,
    /// Calls that look something up.
    pub(super) lookups: Vec<Made>,
    /// Parts of values up to a fixed place.
    pub(super) parts: Vec<Deed>,
    /// Values that are put into one text, several at once.
    pub(super) holes: Vec<Deed>,
    /// Which errors are caught.
    pub(super) catches: Vec<Deed>,
    /// Whole values that are shown or written down.
    pub(super) shown: Vec<Deed>,
    /// Answers, and whether their fields were picked one by one.
    pub(super) replies: Vec<(Deed, bool)>,
    /// Code under test that gets other code.
    pub(super) stubbed: Vec<Deed>,
    /// Places that are listened at, and whether others reach them.
    pub(super) listens: Vec<(Deed, bool)>,
    /// Patterns that texts are held against.
    pub(super) patterns: Vec<Deed>,
    /// Functions that are called by their plain names.
    pub(super) bare: HashSet<String>,
    /// Functions that are defined or declared, each with its place.
    pub(super) declares: Vec<Deed>,
    /// Where functions stand, each from its first byte to its last.
    pub(super) spans: Vec<(Rc<str>, usize, usize)>,
    /// Branches that refuse, checks, and calls that stand by themselves, in their order.
    pub(super) sequence: Vec<Deed>,
    /// What is done with which values.
    pub(super) units: Vec<Unit>,
    /// Names called or brought in, and addresses.
    pub(crate) names: Vec<(String, usize)>,
    /// Names of functions and types that the image defines.
    pub(crate) defines: Vec<String>,
}

/// One look at each node of a tree, in the order of the text.
pub(crate) struct Pass<'a> {
    grammar: &'a Grammar,
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) functions: Vec<(usize, Rc<str>)>,
    /// What the nodes around do, the outermost first, and what the present one does.
    pub(super) around: Vec<Role>,
    now: Role,
    /// Conditions around: how deep each is, and what stands under it.
    under: Vec<(usize, u64)>,
    /// Names that were looked at, and whether they keep order.
    pub(super) known: HashMap<&'a str, bool>,
    /// Types that the file declares.
    pub(super) own: HashSet<&'a str>,
    pub(super) effects: Effects,
}

impl<'a> Pass<'a> {
    /// Before the first node.
    pub(crate) fn new(grammar: &'a Grammar, language: Language, text: &'a str) -> Self {
        Self {
            grammar,
            language,
            text,
            functions: Vec::new(),
            around: Vec::new(),
            now: Role::Plain,
            under: Vec::new(),
            known: HashMap::new(),
            own: HashSet::new(),
            effects: Effects {
                by_hand: matches!(language, Language::C | Language::Cpp),
                ..Effects::default()
            },
        }
    }

    /// What was found, after the last node.
    pub(crate) fn done(self) -> Effects {
        self.effects
    }

    /// Goes from the present node to its children.
    pub(crate) fn descend(&mut self) {
        self.around.push(self.now);
    }

    /// Goes back to what the present node is in.
    pub(crate) fn ascend(&mut self) {
        self.around.pop();
    }

    /// Looks at everything below the present node, where nobody else does.
    pub(crate) fn below<'t>(&mut self, node: Node<'t>, parents: &mut Vec<Node<'t>>) {
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return;
        }
        let outside = parents.len();
        parents.push(node);
        self.descend();
        loop {
            let node = cursor.node();
            if self.enter(node, node.kind_id(), parents) && cursor.goto_first_child() {
                parents.push(node);
                self.descend();
                continue;
            }
            loop {
                self.leave(parents.len());
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                parents.pop();
                self.ascend();
                if parents.len() == outside {
                    return;
                }
            }
        }
    }

    #[inline]
    pub(super) fn role(&self, node: Node<'_>) -> Role {
        self.grammar.role(node.kind_id())
    }

    pub(super) fn function(&self) -> Rc<str> {
        self.functions.last().map(|(_, name)| Rc::clone(name)).unwrap_or_default()
    }

    pub(super) fn deed(&self, key: String, node: Node<'_>) -> Deed {
        // What stands around a function is not what stands around its parts.
        let within = self.functions.last().map_or(0, |(depth, _)| *depth);
        let under = self.under.last().filter(|(depth, _)| *depth > within).map_or(0, |(_, of)| *of);
        Deed { function: self.function(), key, line: node.start_position().row, under }
    }

    /// Notes that what follows stands under the condition of a branch.
    #[inline]
    fn enter_branch(&mut self, node: Node<'_>, parent: Option<Node<'_>>, depth: usize) {
        if self.around.last() == Some(&Role::If)
            && let Some(branch) = parent
        {
            self.enter_branch_of(branch, node, depth);
        }
    }

    fn enter_branch_of(&mut self, branch: Node<'_>, node: Node<'_>, depth: usize) {
        if branch.field("consequence").is_none_or(|taken| taken.id() != node.id()) {
            return;
        }
        let Some(condition) = branch.field("condition") else { return };
        let outer = self.under.last().map_or(0xcbf2_9ce4_8422_2325, |(_, of)| *of);
        let condition = key(condition, self.text);
        let of = condition
            .bytes()
            .fold(outer, |of, byte| (of ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        self.under.push((depth, of));
    }

    #[inline]
    pub(super) fn piece(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.start_byte()..node.end_byte()).unwrap_or_default()
    }

    /// Everything that was entered at this depth or below is over.
    pub(crate) fn leave(&mut self, depth: usize) {
        while self.functions.last().is_some_and(|(entered, _)| *entered >= depth) {
            self.functions.pop();
        }
        while self.under.last().is_some_and(|(entered, _)| *entered >= depth) {
            self.under.pop();
        }
    }

    /// Whether the children are worth looking at.
    pub(crate) fn enter(&mut self, node: Node<'_>, kind: u16, parents: &[Node<'_>]) -> bool {
        let parent = parents.last().copied();
        self.enter_branch(node, parent, parents.len());
        self.now = self.grammar.role(kind);
        match self.now {
            Role::Jump => self.unit_of_jump(node),
            Role::Plain | Role::Hole => {}
            Role::Comment => {
                self.directive(node);
                return false;
            }
            Role::Throw => self.error(node),
            Role::Function => self.enter_function(node, parents),
            Role::Assign => {
                self.operation(node);
                self.named_value(node);
                if let Some(left) = node.field("left") {
                    self.replaced(left, node);
                }
                self.unit_of_place(node, '=');
                self.set_before(node);
            }
            Role::Option => {
                self.named_value(node);
                self.unit_of_place(node, ':');
                self.listed_in_order(node);
            }
            Role::Index => self.unit_of_index(node),
            Role::Choice => self.unit_of_choice(node),
            Role::Row => self.unit_of_row(node),
            Role::Declared => {
                self.width(node);
                self.named_value(node);
                self.declared(node);
                if node.kind() == "let_declaration" {
                    self.unit_of_place(node, '=');
                }
            }
            Role::Cast => self.width(node),
            Role::Room => self.room(node),
            Role::Cut => {
                self.cut(node, parent);
                self.unit_of_part(node);
            }
            Role::Held => self.held_around(node),
            Role::Rest => self.left_out(node, parent),
            Role::Pattern => self.pattern(node),
            Role::Await => self.awaited(node),
            Role::Class => {
                if node.kind() == "macro_definition"
                    && let Some(name) = node.field("name")
                {
                    let deed = self.deed(self.piece(name).to_owned(), node);
                    self.effects.declares.push(deed);
                }
                if let Some(name) = node.field("name") {
                    self.own.insert(self.piece(name));
                }
            }
            Role::If => self.branch(node),
            Role::Case => self.case(node),
            Role::Catch => self.catch(node),
            Role::Return => {
                if let Some(value) = node.named_child(0) {
                    self.returned(value);
                    if says_error(self.piece(value)) {
                        self.error(node);
                    }
                }
            }
            Role::Call | Role::Macro => self.call(node),
            Role::Import => self.import(node),
            Role::Text => self.literal(node, parent),
            Role::Pair => {
                self.operation(node);
                self.pair(node, parent);
                self.asked_in(node);
            }
            Role::Truth => self.truth(node, parent),
            Role::Name => {
                self.name(node, parents);
                self.kept_in_order(node);
            }
            Role::Binding => {
                self.binding(node);
                if !self.functions.is_empty() {
                    self.named_value(node);
                    self.settled(node);
                    self.unit_of_place(node, '=');
                }
                if let Some(left) = node.field("left") {
                    self.operation(node);
                    self.replaced(left, node);
                }
            }
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

    fn enter_function(&mut self, node: Node<'_>, parents: &[Node<'_>]) {
        let (parent, depth) = (parents.last().copied(), parents.len());
        if let Some(name) = function_name(self.language, node, parent, self.text) {
            let member = self.around.iter().rev().take(4).any(|one| *one == Role::Class);
            let own = name.rsplit([':', '.']).next().unwrap_or(&name).to_owned();
            let deed = self.deed(own.clone(), node);
            if !member || checks(&own) {
                self.effects.declares.push(deed);
            }
            self.header(node, &name);
            self.effects.functions.insert(name.clone());
            self.effects.defines.push(name.clone());
            let name: Rc<str> = name.into();
            self.effects.spans.push((Rc::clone(&name), node.start_byte(), node.end_byte()));
            self.functions.push((depth, name));
        }
        let Some(body) = node.field("body") else { return };
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
}

/// Whether what is handed back is an error.
fn says_error(value: &str) -> bool {
    ["Err(", "err", "errors.", "fmt.Errorf", "Promise.reject", "Result::Err"]
        .iter()
        .any(|start| value.starts_with(start))
}
