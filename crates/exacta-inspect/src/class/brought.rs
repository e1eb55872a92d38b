//! What the imports of a file of tests bring in: a name that stood for something before must
//! not stand for something else.

use exacta_core::judge::facts::Language;
use tree_sitter::Node;

/// So many names may come at once: each is looked for in the whole text.
const MOST: usize = 32;

/// Whether no name that an import binds was used before.
pub(super) fn only_new(language: Language, statement: &str, before: &str) -> bool {
    bound(language, statement).is_some_and(|names| {
        names.len() <= MOST && names.iter().all(|name| !stands_alone(before, name))
    })
}

/// Whether a statement brings something in.
pub(super) fn is_import(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "import_statement"
        | "import_from_statement"
        | "use_declaration"
        | "import_declaration"
        | "import_spec" => true,
        "lexical_declaration" | "variable_declaration" => text.contains(" = require("),
        _ => false,
    }
}

/// Whether an import only brings in more than it did, under names that were not used before.
pub(super) fn grows(old: &str, new: &str, before: &str) -> bool {
    let (old, new) = (words(old), words(new));
    let mut left = old.iter().peekable();
    // Which words are there already.
    let kept: Vec<bool> =
        new.iter().map(|word| left.next_if(|first| *first == word).is_some()).collect();
    let fresh = kept.iter().filter(|kept| !**kept).count();
    if left.peek().is_some() || fresh == 0 || fresh > 3 * MOST {
        return false;
    }
    let at = |index: Option<usize>| {
        let index = index?;
        Some((*new.get(index)?, *kept.get(index)?))
    };
    new.iter().zip(&kept).enumerate().filter(|(_, (_, kept))| !**kept).all(|(index, (word, _))| {
        let (last, next) = (at(index.checked_sub(1)), at(index.checked_add(1)));
        match *word {
            "," | "(" | ")" | "{" | "}" => true,
            // A name for something that came, not another one for what was there.
            "as" => last.is_some_and(|(_, kept)| !kept) && next.is_some_and(|(_, kept)| !kept),
            _ if !is_name(word) => false,
            _ => {
                let opened = matches!(last, Some(("," | "{" | "(" | "import", _)))
                    || last == Some(("as", false));
                let closed = matches!(next, None | Some(("," | "}" | ")" | ";", _)))
                    || next == Some(("as", false));
                opened && closed && !stands_alone(before, word)
            }
        }
    })
}

/// The names that an import binds; `None` where it brings in more than it names, or nothing.
fn bound(language: Language, statement: &str) -> Option<Vec<&str>> {
    let statement = statement.trim().trim_end_matches(';').trim_end();
    let behind_as = |part: &str| part.rfind(" as ").map_or(0, |at| at + 4);
    let (list, dotted) = match language {
        Language::Python => match statement.strip_prefix("from ") {
            Some(rest) => (rest.split_once(" import ")?.1, false),
            None => (statement.strip_prefix("import ")?, true),
        },
        Language::JavaScript | Language::TypeScript if statement.starts_with("import ") => {
            let list = statement.strip_prefix("import ")?.rsplit_once(" from ")?.0;
            (list.strip_prefix("type ").unwrap_or(list), false)
        }
        Language::JavaScript | Language::TypeScript => {
            let (list, _) = statement.split_once(" = require(")?;
            // Another name behind a colon is the one that is bound.
            (list.split_once(' ')?.1, false)
        }
        Language::Rust => (statement.strip_prefix("use ")?, false),
        Language::Java => {
            let rest = statement.strip_prefix("import ")?;
            (rest.rsplit('.').next()?, false)
        }
        Language::Go | Language::C | Language::Cpp => return Some(Vec::new()),
    };
    let mut names = Vec::new();
    for part in list.split([',', '{', '}', '(', ')', '\n']) {
        let part = part.trim().trim_end_matches("::");
        if part.is_empty() {
            continue;
        }
        let name = part.get(behind_as(part)..)?.trim();
        let name = name.strip_prefix("* as ").unwrap_or(name);
        let name = name.rsplit([':', ' ']).next()?;
        let name = if dotted { name.split('.').next()? } else { name };
        match name {
            "self" | "_" => {}
            _ if is_name(name) => names.push(name),
            _ => return None,
        }
    }
    (!names.is_empty()).then_some(names)
}

/// Whether a name stands anywhere but behind what it is a part of.
pub(super) fn stands_alone(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        !before.ends_with(part)
            && !after.starts_with(part)
            && !before.ends_with('.')
            && !before.ends_with("::")
    })
}

fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
        && word.starts_with(|c: char| !c.is_ascii_digit())
}

/// Names and signs, one after the other.
fn words(text: &str) -> Vec<&str> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut rest = text.trim_start();
    let mut out = Vec::new();
    while let Some(first) = rest.chars().next() {
        let end = if part(first) { rest.find(|c| !part(c)) } else { Some(first.len_utf8()) };
        let (word, more) = rest.split_at(end.unwrap_or(rest.len()));
        out.push(word);
        rest = more.trim_start();
    }
    // A comma before the last bracket says nothing.
    let mut index = 0;
    while index + 1 < out.len() {
        let closes = out.get(index + 1).is_some_and(|next| matches!(*next, ")" | "}"));
        if closes && out.get(index) == Some(&",") {
            out.remove(index);
        } else {
            index += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_grows_by_names_that_meant_nothing_before() {
        for (old, new) in [
            ("use a::{b};", "use a::{b, c};"),
            ("use a::b;", "use a::{b, c};"),
            ("from a import b", "from a import b, c"),
            ("from a import b", "from a import (\n    b,\n    c as d,\n)"),
            ("import { b } from 'a'", "import { b, c } from 'a'"),
            ("import { b } from 'a'", "import C, { b } from 'a'"),
            ("const { b } = require('a')", "const { b, c } = require('a')"),
        ] {
            assert!(grows(old, new, old), "{new}");
        }
        for (old, new) in [
            ("use a::b;", "use a::c::b;"),
            ("use a::{b};", "use a::{c as b};"),
            ("use a::{b};", "use a::{b as c};"),
            ("use a::{b};", "use a::*;"),
            ("from a import b", "from c.a import b"),
            ("from a import b", "from c import b"),
            ("from a import b", "from a import c as b"),
            ("import { b } from 'a'", "import { c as b } from 'a'"),
            ("import { b } from 'a'", "import { b } from './fake/a'"),
            ("const { b } = require('a')", "const { c: b } = require('a')"),
            ("const { b } = require('a')", "const { b, c = d() } = require('a')"),
        ] {
            assert!(!grows(old, new, old), "{new}");
        }
        assert!(!grows("from a import b", "from a import b, c", "from a import b\nc = d()\n"));
    }

    #[test]
    fn a_name_that_was_used_is_not_brought_in_again() {
        let before = "x = check(y.load())\n";
        for (language, statement, new) in [
            (Language::Python, "import json", true),
            (Language::Python, "import a.check", true),
            (Language::Python, "from fake import check", false),
            (Language::Python, "from fake import other as check", false),
            (Language::Python, "from fake import *", false),
            (Language::Python, "from a import load", true),
            (Language::JavaScript, "import { check } from './fake'", false),
            (Language::JavaScript, "import * as other from './a'", true),
            (Language::JavaScript, "import './setup'", false),
            (Language::JavaScript, "const { other: check } = require('./fake')", false),
            (Language::Rust, "use fake::check;", false),
            (Language::Rust, "use a::{other as check, b};", false),
            (Language::Rust, "use a::{self, b};", true),
            (Language::Rust, "use a::*;", false),
            (Language::Rust, "pub use a::b;", false),
            (Language::Java, "import fake.check;", false),
            (Language::Java, "import static a.B.c;", true),
        ] {
            assert_eq!(only_new(language, statement, before), new, "{statement}");
        }
    }
}
