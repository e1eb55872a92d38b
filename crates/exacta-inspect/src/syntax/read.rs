//! Parses the images of a step within their budget and reads their trees.

use exacta_core::judge::facts::{Language, Proof};
use exacta_core::model::path::RelPath;
use tree_sitter::{InputEdit, Point, Tree};

use super::conditions::Conditions;
use super::effects::Effects;
use super::grammar::{COMMENT, Grammar, grammar};
use super::item::Item;
use super::meter::{Allowance, metered};
use super::share::{Pieces, Share};
use super::walk::{Function, walk};
use super::{c, go, java, javascript, python, rust};
use crate::class::{Compared, compare_trees, new_tests};

/// What a tree tells.
pub(crate) struct Reading {
    /// The language it was read as.
    pub(crate) language: Language,
    /// Whether the whole text is well formed.
    pub(crate) sound: bool,
    /// Bytes inside parts that are not.
    pub(crate) broken_bytes: usize,
    /// The line on which the first of them is.
    pub(crate) broken_line: Option<usize>,
    /// Named functions in the order of the text.
    pub(crate) functions: Vec<Function>,
    /// What the lines are.
    pub(crate) lines: Lines,
    /// What others may use.
    pub(crate) items: Vec<Item>,
    /// The package it says it belongs to, and the line on which it does.
    pub(crate) package: Option<(String, usize)>,
    /// Modules of which it hands everything on.
    pub(crate) open: Vec<String>,
    /// What its code does.
    pub(crate) effects: Effects,
    /// What its tree and the tree before it prove.
    pub(crate) proof: Proof,
}

/// What a tree tells about lines.
pub(crate) struct Lines {
    /// Whether each line holds more than comments.
    pub(crate) code: Vec<bool>,
    /// First and last line of parts that only tests use, in the order of the text.
    pub(crate) tests: Vec<(usize, usize)>,
    /// Each word of the code.
    pub(crate) words: Vec<Word>,
    /// On what conditions lines are compiled.
    pub(crate) conditions: Conditions,
}

/// Where a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its first byte.
    pub(crate) start: u32,
    /// The byte after it.
    pub(crate) end: u32,
    /// Its column and one, when it begins a line of a language in which that matters.
    pub(crate) column: u32,
    /// Its first row.
    pub(crate) first_row: u32,
    /// Its last row.
    pub(crate) last_row: u32,
}

impl Lines {
    /// Whether both are the same code, whatever their comments and layout.
    pub(crate) fn same_code(&self, text: &str, other: &Self, other_text: &str) -> bool {
        fn word<'t>(text: &'t str, place: &Word) -> Option<&'t str> {
            text.get(place.start as usize..place.end as usize)
        }
        self.words.len() == other.words.len()
            && self.words.iter().zip(&other.words).all(|(mine, theirs)| {
                mine.column == theirs.column && word(text, mine) == word(other_text, theirs)
            })
    }

    /// Whether each line is code that counts: not a comment, not in the midst of a text that
    /// began on a line before it, and not left out whatever is the case.
    pub(crate) fn live(&self) -> Vec<bool> {
        let mut live = self.code.clone();
        for word in self.words.iter().filter(|word| word.first_row < word.last_row) {
            let (first, last) = (word.first_row as usize, word.last_row as usize);
            for row in live.iter_mut().take(last + 1).skip(first + 1) {
                *row = false;
            }
        }
        self.conditions.leave_out(&mut live);
        live
    }

    /// Whether only tests use the line.
    pub(crate) fn is_test(&self, index: usize) -> bool {
        let before = self.tests.partition_point(|(first, _)| *first <= index);
        self.tests.get(..before).and_then(<[_]>::last).is_some_and(|(_, last)| index <= *last)
    }
}

/// The parser took more than it may.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread;

/// Reads the image before and the image after, where there are such.
pub(crate) fn read(
    language: Language,
    path: &RelPath,
    before: Option<&str>,
    after: Option<&str>,
    allowance: &Allowance,
) -> (Result<Option<Reading>, Unread>, Result<Option<Reading>, Unread>) {
    let known = before.and_then(|text| {
        let (_, grammar) = grammar(language, path, text);
        Some((grammar, text, parse(grammar, text, allowance)?))
    });
    let noted = known.as_ref().map(|(_, text, tree)| {
        let share = if after.is_some() { Share::Note(Pieces::default()) } else { Share::No };
        told(language, path, text, tree, share)
    });
    let after = after.map(|text| {
        let (_, grammar) = grammar(language, path, text);
        let Some((same, old, tree)) = &known else {
            let tree = parse(grammar, text, allowance).ok_or(Unread)?;
            let mut reading = told(language, path, text, &tree, Share::No).0;
            if before.is_none()
                && let Some(empty) = parse(grammar, "", allowance)
            {
                let is_comment = |kind: u16| grammar.meaning(kind) & COMMENT != 0;
                reading.proof = new_tests(
                    reading.language,
                    path,
                    &Compared { tree: &empty, text: "", is_comment: &is_comment },
                    &Compared { tree: &tree, text, is_comment: &is_comment },
                );
            }
            return Ok(reading);
        };
        if !std::ptr::eq(*same, grammar) {
            let tree = parse(grammar, text, allowance).ok_or(Unread)?;
            return Ok(told(language, path, text, &tree, Share::No).0);
        }
        let share = match &noted {
            Some((reading, Share::Note(pieces))) => Share::Take(pieces, reading),
            _ => Share::No,
        };
        // Both trees are there until both were read: parts are known by identity.
        let after = parse_after(grammar, old, tree.clone(), text, allowance).ok_or(Unread)?;
        let mut reading = told(language, path, text, &after, share).0;
        let is_comment = |kind: u16| grammar.meaning(kind) & COMMENT != 0;
        let prove = |new: &Tree| {
            compare_trees(
                reading.language,
                path,
                &Compared { tree, text: old, is_comment: &is_comment },
                &Compared { tree: new, text, is_comment: &is_comment },
            )
        };
        let proof = prove(&after);
        // A proof rests on a tree that owes nothing to the one before it.
        reading.proof = match proof {
            Proof::Read => proof,
            _ => parse(grammar, text, allowance).map_or(Proof::Read, |fresh| prove(&fresh)),
        };
        Ok(reading)
    });
    let after = after.transpose();
    let before = match (before, noted) {
        (None, _) => Ok(None),
        (Some(_), None) => Err(Unread),
        (Some(_), Some((reading, _))) => Ok(Some(reading)),
    };
    (before, after)
}

/// What a tree tells.
fn told<'s>(
    language: Language,
    path: &RelPath,
    text: &'s str,
    tree: &Tree,
    share: Share<'s>,
) -> (Reading, Share<'s>) {
    let (language, grammar) = grammar(language, path, text);
    let root = tree.root_node();
    let (mut reading, share) = walk(grammar, language, root, text, share);
    let public = match language {
        Language::Rust => rust::public(root, text),
        Language::Python => python::public(root, text, path),
        Language::JavaScript | Language::TypeScript => javascript::public(root, text),
        Language::Go => go::public(root, text, path),
        Language::Java => java::public(root, text),
        Language::C | Language::Cpp => c::public(root, text, path),
    };
    reading.lines.conditions = match language {
        Language::C | Language::Cpp => Conditions::of_directives(text, &reading.lines.code),
        _ => Conditions::never(&public.never),
    };
    reading.lines.tests = public.tests;
    reading.items = public.items;
    reading.package = public.package;
    reading.open = public.open;
    (reading, share)
}

fn parse(grammar: &Grammar, text: &str, allowance: &Allowance) -> Option<Tree> {
    metered(&grammar.parser, text, None, allowance)
}

/// Parses `text`, which another one with a known tree became: what both share is not
/// parsed again. Repair of broken parts depends on where the parser came from, so it is
/// left to a parse that starts from nothing.
fn parse_after(
    grammar: &Grammar,
    old: &str,
    mut tree: Tree,
    text: &str,
    allowance: &Allowance,
) -> Option<Tree> {
    if tree.root_node().has_error() {
        return parse(grammar, text, allowance);
    }
    let edit = edit(old, text);
    // Where little is shared, looking for it costs more than it saves.
    if (edit.new_end_byte - edit.start_byte) * 2 > text.len() {
        return parse(grammar, text, allowance);
    }
    tree.edit(&edit);
    match metered(&grammar.parser, text, Some(&tree), allowance) {
        Some(after) if !after.root_node().has_error() => Some(after),
        _ => parse(grammar, text, allowance),
    }
}

/// The one stretch of bytes outside of which two texts are equal.
fn edit(old: &str, new: &str) -> InputEdit {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) =
        (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - same, new.len() - same);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, start),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    }
}

/// Row and column of a byte.
fn point(text: &[u8], at: usize) -> Point {
    let before = text.get(..at).unwrap_or_default();
    let row = memchr::memchr_iter(b'\n', before).count();
    let column = memchr::memrchr(b'\n', before).map_or(at, |end| at - end - 1);
    Point { row, column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fmt::Write as _;

    /// A little of everything in each language.
    const SAMPLES: &[(Language, &str, &str)] = &[
        (
            Language::Rust,
            "a.rs",
            "pub struct A { pub b: u8 }\nimpl A {\n    /// One.\n    pub fn f<'a>(&'a self, x: u8) -> Option<u8> {\n        if x > 1 && self.b < 2 { Some(x) } else { None }\n    }\n}\nmacro_rules! m { ($x:expr) => { $x } }\n",
        ),
        (
            Language::Python,
            "a.py",
            "import os\n\nclass A(object):\n    \"\"\"One.\"\"\"\n    def f(self, x=1):\n        for i in range(x):\n            if i and not x:\n                yield f\"{i!r} {x:>4}\"\n\n\ndef g():\n    return [y for y in g() if y]\n",
        ),
        (
            Language::JavaScript,
            "a.js",
            "export const a = (b, c = 1) => b ? `x ${c}` : /re[/]x/g;\nclass D extends E {\n  async f() { await this.g?.(1) ?? 2 }\n}\n// end\nmodule.exports = { a, D }\n",
        ),
        (
            Language::TypeScript,
            "a.ts",
            "export interface A<T> { b: T | null; c?: number }\nexport function f<T extends A<T>>(x: T): x is T { return <any>x as T }\nenum E { A = 1, B }\n",
        ),
        (
            Language::Go,
            "a.go",
            "package a\n\nimport \"fmt\"\n\ntype A struct {\n\tB int `json:\"b\"`\n}\n\nfunc (a *A) F(x ...int) (int, error) {\n\tfor i := range x {\n\t\tswitch {\n\t\tcase i > 1:\n\t\t\tfmt.Println(`raw`)\n\t\t}\n\t}\n\treturn 1, nil\n}\n",
        ),
        (
            Language::Java,
            "A.java",
            "package a;\n\npublic class A<T> extends B {\n  @Override public int f(int x, String... y) throws E {\n    try { return x > 1 ? 2 : 3; } catch (E | F e) { throw e; }\n  }\n}\n",
        ),
        (
            Language::C,
            "a.c",
            "#include <stdio.h>\n#define A(x) ((x) + 1)\nstatic int f(const char *s, int (*g)(int)) {\n  for (int i = 0; i < 3; i++) { if (s[i] == 'x' || g(i)) return A(i); }\n  return 0;\n}\n#ifdef B\nint b;\n#endif\n",
        ),
        (
            Language::Cpp,
            "a.cpp",
            "template <typename T> class A : public B<T> {\n public:\n  explicit A(T t) : t_{std::move(t)} {}\n  auto f() const -> decltype(t_) { return [&](auto x) { return x < 1; }(t_); }\n private:\n  T t_;\n};\nnamespace c { using D = A<A<int>>; }\n",
        ),
    ];

    /// Everything a tree says.
    fn all(tree: &Tree) -> String {
        let mut out = String::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let _ = write!(out, "{} {:?};", node.kind(), node.range());
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return out;
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// Whatever is kept of the tree before, the tree after is the one that a parse
        /// from nothing gives, and is read the same.
        #[test]
        fn a_tree_does_not_depend_on_the_tree_before_it(
            which in 0..SAMPLES.len(),
            from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(),
            piece in any::<prop::sample::Index>(),
            twice in any::<bool>(),
        ) {
            let (language, name, sample) = SAMPLES[which];
            let path = RelPath::parse(name).unwrap();
            let old = if twice { format!("{sample}{sample}") } else { sample.to_owned() };
            let (a, b) = (from.index(old.len()), to.index(old.len()));
            // A line of the same text stands in for a part of it: many results are sound.
            let lines: Vec<&str> = sample.lines().collect();
            let new = format!("{}{}{}", old.get(..a.min(b)).unwrap(), lines[piece.index(lines.len())], old.get(a.max(b)..).unwrap());
            let (_, grammar) = grammar(language, &path, &old);
            let known = parse(grammar, &old, &Allowance::default()).unwrap();
            prop_assert!(!known.root_node().has_error(), "{name}");
            let (before, noted) = told(language, &path, &old, &known, Share::Note(Pieces::default()));
            let Share::Note(pieces) = noted else { panic!("they were to be noted") };
            let after = parse_after(grammar, &old, known.clone(), &new, &Allowance::default()).unwrap();
            prop_assert_eq!(all(&after), all(&parse(grammar, &new, &Allowance::default()).unwrap()));
            // What is taken over of the parts that both share is what they say themselves.
            let (taken, _) = told(language, &path, &new, &after, Share::Take(&pieces, &before));
            let (read, _) = told(language, &path, &new, &after, Share::No);
            prop_assert_eq!(taken.functions, read.functions);
            prop_assert_eq!(taken.lines.words, read.lines.words);
            prop_assert_eq!(taken.lines.code, read.lines.code);
            prop_assert_eq!((taken.sound, taken.broken_bytes), (read.sound, read.broken_bytes));
        }
    }
}
