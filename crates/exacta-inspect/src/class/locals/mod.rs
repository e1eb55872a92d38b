//! Whether the names of locals are all in which two programs differ.
//!
//! Both trees are already known to be equal but for some names. A name may be another one
//! only where a declaration in the body of a function gives it, in the whole region in which
//! that declaration is in force, and nowhere else; the new name may not occur in the text
//! before. Parameters are not locals: callers may name them. Whatever this reading does not
//! know proves nothing.

mod places;
mod regions;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

use super::kinds::is_whole;
use super::names::occurrences;
use super::trees::Compared;
use regions::Region;

/// So many names may be others, in so many places.
pub(super) const MOST: usize = 400;
const MOST_REGIONS: usize = 48;
const MOST_NAMES: usize = 12;
/// So many places where an old name stays as it is are looked at.
const MOST_KEPT: usize = 2_000;

/// Where a name stands that is another one after the change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Renamed<'t> {
    /// Its first byte in the text before.
    pub(super) at: usize,
    /// The name after.
    pub(super) new: &'t str,
}

/// Whether every name that differs is that of a local.
pub(super) fn only_locals(
    language: Language,
    before: &Compared<'_>,
    renamed: &[Renamed<'_>],
) -> bool {
    if renamed.is_empty() || renamed.len() > MOST || words::in_doubt(language, before.text) {
        return false;
    }
    let mut pass = Pass {
        language,
        side: before,
        asks: words::asks(language, before.text),
        renamed: renamed.iter().map(|one| (one.at, one.new)).collect(),
        old: BTreeSet::new(),
        new: renamed.iter().map(|one| one.new).collect(),
        parents: Vec::new(),
        found: Found::default(),
    };
    for one in renamed {
        let Some(old) = places::word_at(before.text, one.at) else { return false };
        if !words::may_change(language, old) || !words::may_become(language, one.new) {
            return false;
        }
        pass.old.insert(old);
    }
    if pass.old.len() > MOST_NAMES || pass.old.iter().any(|old| pass.new.contains(old)) {
        return false;
    }
    pass.whole_tree() && pass.found.fits()
}

/// A place where a name that is changed somewhere stands.
struct Use<'a> {
    name: &'a str,
    /// The name after; none where it stays.
    new: Option<&'a str>,
    at: usize,
    /// Where the innermost part begins, around the place, that sees locals of others in
    /// another way or not at all.
    barrier: Option<usize>,
    /// What is called with it, where macros of these names would see the words.
    handed_to: Vec<&'a str>,
}

#[derive(Default)]
struct Found<'a> {
    regions: Vec<Region<'a>>,
    uses: Vec<Use<'a>>,
    /// Functions that the file itself declares.
    functions: BTreeSet<&'a str>,
    /// Where calls stand that look like macros.
    macros: Vec<usize>,
}

struct Pass<'a, 'b> {
    language: Language,
    side: &'b Compared<'a>,
    /// Whether words in a text may be looked up as names.
    asks: bool,
    renamed: BTreeMap<usize, &'a str>,
    old: BTreeSet<&'a str>,
    new: BTreeSet<&'a str>,
    /// What the walk is in, outermost first.
    parents: Vec<Node<'a>>,
    found: Found<'a>,
}

impl<'a> Pass<'a, '_> {
    /// Goes once over all words; false where one of them forbids a proof.
    fn whole_tree(&mut self) -> bool {
        let mut cursor = self.side.tree.walk();
        loop {
            let node = cursor.node();
            let comment = (self.side.is_comment)(node.kind_id());
            let leaf = comment || is_whole(self.language, node);
            if !leaf && cursor.goto_first_child() {
                self.inner(node);
                self.parents.push(node);
                continue;
            }
            if !comment && !self.word(node, cursor.field_name()) {
                return false;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return true;
                }
                self.parents.pop();
            }
        }
    }

    /// Notes what a node with parts says about names.
    fn inner(&mut self, node: Node<'a>) {
        if !matches!(self.language, Language::C | Language::Cpp) {
            return;
        }
        if let Some(name) = node.child_by_field_name("declarator")
            && node.kind() == "function_declarator"
            && let Some(name) = self.text(name.byte_range())
        {
            self.found.functions.insert(name);
        }
        if let Some(called) = node.child_by_field_name("function")
            && node.kind() == "call_expression"
            && self.text(called.byte_range()).is_some_and(words::is_shouted)
        {
            self.found.macros.push(node.start_byte());
        }
    }

    /// Looks at a word; false where it forbids a proof.
    fn word(&mut self, node: Node<'a>, field: Option<&str>) -> bool {
        let Some(text) = self.text(node.byte_range()) else { return false };
        let at = node.start_byte();
        if places::is_opaque(self.language, node, text, self.asks) {
            return self.opaque(node, text);
        }
        let parent = self.parents.last().copied();
        let renamed = self.renamed.get(&at).copied().filter(|_| node.kind() == "identifier");
        let Some(new) = renamed else {
            if !self.old.contains(text) && !self.new.contains(text) {
                return true;
            }
            if places::is_key(self.language, node, parent, field) {
                return true;
            }
            // What the new name means elsewhere in the file nobody has to know.
            let named = parent.is_some_and(|parent| parent.kind().starts_with("preproc_"));
            return !named && !self.new.contains(text) && self.keep(text, at);
        };
        let allowed = parent.is_some_and(|parent| {
            let around = self.parents.len().checked_sub(2).and_then(|at| self.parents.get(at));
            places::may_stand(self.language, node, parent, around.copied(), field)
        });
        if !allowed || places::is_key(self.language, node, parent, field) {
            return false;
        }
        let Ok(declared) = regions::declared(self.language, node, &self.parents) else {
            return false;
        };
        if let Some(region) = declared {
            if self.found.regions.len() == MOST_REGIONS {
                return false;
            }
            self.found.regions.push(Region { old: text, new, ..region });
        }
        let handed_to = self.handed_to();
        self.found.uses.push(Use {
            name: text,
            new: Some(new),
            at,
            barrier: self.barrier(),
            handed_to,
        });
        true
    }

    /// A text in which words are not told apart: an old name in it stays.
    fn opaque(&mut self, node: Node<'a>, text: &'a str) -> bool {
        let directive = node.kind().starts_with("preproc_");
        let (old, new) = (self.old.clone(), self.new.clone());
        for name in old.into_iter().chain(new) {
            if occurrences(text, name) > 0 && (directive || !self.keep(name, node.start_byte())) {
                return false;
            }
        }
        true
    }

    fn keep(&mut self, name: &'a str, at: usize) -> bool {
        let barrier = None;
        self.found.uses.push(Use { name, new: None, at, barrier, handed_to: Vec::new() });
        self.found.uses.len() < MOST_KEPT
    }

    fn text(&self, range: Range<usize>) -> Option<&'a str> {
        self.side.text.get(range)
    }

    /// Where the innermost barrier around the walk begins.
    fn barrier(&self) -> Option<usize> {
        let kinds = regions::barriers(self.language);
        self.parents.iter().rev().find(|node| kinds.contains(&node.kind())).map(Node::start_byte)
    }

    /// What may be macros that are handed the word that the walk is at.
    fn handed_to(&self) -> Vec<&'a str> {
        if !matches!(self.language, Language::C | Language::Cpp) {
            return Vec::new();
        }
        let around = self.parents.iter().zip(self.parents.iter().skip(1));
        let mut found = Vec::new();
        for (call, list) in around {
            if list.kind() != "argument_list" {
                continue;
            }
            let called = call.child_by_field_name("function");
            // What is called through a value is not a macro.
            if called.is_none_or(|called| called.kind() != "field_expression") {
                let name = called.and_then(|called| self.text(called.byte_range()));
                found.push(name.unwrap_or_default());
            }
        }
        found
    }
}

impl Found<'_> {
    /// Whether every use stands where the declaration of its name is in force.
    fn fits(&self) -> bool {
        let apart = |a: &Range<usize>, b: &Range<usize>| a.end <= b.start || b.end <= a.start;
        for (index, one) in self.regions.iter().enumerate() {
            for other in self.regions.iter().skip(index + 1) {
                let same = (one.old == other.old) == (one.new == other.new);
                if !same && !apart(&one.guard, &other.guard) {
                    return false;
                }
            }
            if self.macros.iter().any(|at| one.guard.contains(at)) {
                return false;
            }
        }
        self.uses.iter().all(|place| match place.new {
            None => self.regions.iter().all(|region| {
                (region.old != place.name && region.new != place.name)
                    || !region.guard.contains(&place.at)
            }),
            Some(new) => {
                let plain = place
                    .handed_to
                    .iter()
                    .all(|called| self.functions.contains(called) || words::is_standard(called));
                plain
                    && self.regions.iter().any(|region| {
                        region.old == place.name && region.new == new && region.holds(place)
                    })
            }
        })
    }
}

impl Region<'_> {
    fn holds(&self, place: &Use<'_>) -> bool {
        (self.name == place.at || self.force.contains(&place.at))
            && place.barrier.is_none_or(|at| at <= self.guard.start)
    }
}
