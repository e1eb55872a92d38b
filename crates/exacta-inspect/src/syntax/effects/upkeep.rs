//! Names through which a function locks, closes, limits, escapes or draws lots, and what else
//! it no longer does: raise errors, keep patterns, look under the same conditions.

use crate::syntax::field::Field as _;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use exacta_core::judge::facts::{Language, Reach};
use hashbrown::HashSet;
use tree_sitter::Node;

use super::gather::{Deed, Pass};
use super::key::{key, words};
use super::role::Role;

static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let list = include_str!("../../../data/upkeep.txt");
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// Finds out quickly that a name has none of the words.
static ANY: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(&*WORDS).ok());

/// Longer names are not words.
const LONGEST: usize = 80;

/// The words of a name that say so.
pub(super) fn keeping(name: &str) -> Vec<String> {
    if name.len() > LONGEST || !ANY.as_ref().is_none_or(|any| any.is_match(name)) {
        return Vec::new();
    }
    let mut found = words(name);
    found.push(name.to_ascii_lowercase());
    found.retain(|word| WORDS.contains(word.as_str()));
    found
}

/// Names of functions that make a pattern of a text, or ask one.
pub(super) fn makes_pattern(name: &str) -> bool {
    matches!(
        name,
        "compile"
            | "RegExp"
            | "MustCompile"
            | "Compile"
            | "CompilePOSIX"
            | "regex"
            | "Regex"
            | "fullmatch"
            | "matches"
            | "MatchString"
            | "regcomp"
    )
}

impl Pass<'_> {
    /// A name that says what the function keeps in order.
    pub(super) fn kept_in_order(&mut self, node: Node<'_>) {
        let name = self.piece(node);
        let known = self.known.get(name).copied();
        if known == Some(false) {
            return;
        }
        let c = matches!(self.language, Language::C | Language::Cpp);
        let found =
            known.is_some() || !keeping(name).is_empty() || c && matches!(name, "at" | "free");
        // What is brought in is not used yet.
        if self.around.iter().rev().take(4).any(|one| *one == Role::Import) {
            return;
        }
        self.known.insert(name, found);
        if found {
            let deed = self.deed(name.to_owned(), node);
            self.effects.upkeep.push(deed);
        }
    }

    /// A text or a literal that is a pattern.
    pub(super) fn pattern(&mut self, node: Node<'_>) {
        let deed = self.deed(key(node, self.text), node);
        self.effects.patterns.push(deed);
    }

    /// An error that is raised.
    pub(super) fn error(&mut self, node: Node<'_>) {
        let deed = self.deed(key(node, self.text), node);
        self.effects.errors.push(deed);
    }

    /// What is awaited: its failure is waited for.
    pub(super) fn awaited(&mut self, node: Node<'_>) {
        let Some(call) = node.named_child(0) else { return };
        if matches!(self.role(call), Role::Call) {
            let mut name = self.called(call);
            if node.kind() == "defer_statement" {
                name.insert_str(0, "defer ");
            }
            let deed = self.deed(name, node);
            self.effects.awaited.push(deed);
        }
    }

    /// A comment that a tool obeys.
    pub(super) fn directive(&mut self, node: Node<'_>) {
        let text = self.piece(node);
        let reach = if text.starts_with("//go:generate") {
            Reach::RunsProgram
        } else if text.starts_with("//go:linkname") || text.starts_with("//go:cgo") {
            Reach::LoadsCode
        } else if text.starts_with("//go:build") || text.starts_with("// +build") {
            Reach::ReplacesCode
        } else if silences(text) {
            Reach::Trust
        } else {
            return;
        };
        let deed = Deed { function: "".into(), ..self.deed(key(node, self.text), node) };
        let name = crate::excerpt::excerpt(text);
        self.effects.reaches.push((deed, reach, name));
    }

    /// Code of others, or of the language, that gets other code.
    pub(super) fn replaced(&mut self, left: Node<'_>, node: Node<'_>) {
        let place = self.piece(left);
        if place.len() > LONGEST {
            return;
        }
        let root = place.split(['.', '[']).next().unwrap_or_default();
        if root == place {
            return;
        }
        let known: &[&str] = match self.language {
            Language::JavaScript | Language::TypeScript => &[
                "Object",
                "Array",
                "String",
                "Number",
                "JSON",
                "Math",
                "Promise",
                "Function",
                "Reflect",
                "console",
                "globalThis",
                "window",
                "global",
                "RegExp",
                "Date",
                "Map",
                "Set",
                "Symbol",
                "crypto",
                "Buffer",
                "require",
            ],
            Language::Python => &[
                "builtins",
                "os",
                "sys",
                "json",
                "hashlib",
                "hmac",
                "ssl",
                "socket",
                "requests",
                "secrets",
                "random",
                "subprocess",
                "urllib",
                "logging",
                "time",
                "pickle",
            ],
            _ => return,
        };
        let prototype = self.language != Language::Python
            && place.contains(".prototype.")
            && !self.effects.functions.contains(root)
            && !self.own.contains(root);
        let put = node.field("right");
        if put.is_some_and(|put| self.role(put) == Role::Function)
            && self.functions.is_empty()
            && !matches!(root, "module" | "exports" | "this" | "self")
        {
            let deed = self.deed(key(node, self.text), node);
            self.effects.stubbed.push(deed);
        }
        if known.contains(&root) || prototype {
            let deed = self.deed(place.to_owned(), node);
            self.effects.reaches.push((deed, Reach::ReplacesCode, place.to_owned()));
        }
    }
}

/// Whether a comment tells a checker of security to look away.
fn silences(comment: &str) -> bool {
    const SIGNS: &[&str] = &[
        "nosec",
        "nosemgrep",
        "nolint:gosec",
        "noqa: S",
        "noqa:S",
        "checkov:skip",
        "tfsec:ignore",
        "trivy:ignore",
        "gitleaks:allow",
        "lgtm[",
        "codeql[",
        "snyk:ignore",
        "eslint-disable-line security",
        "pragma: allowlist secret",
        "NOSONAR",
        "ts-nocheck",
    ];
    let start = comment.get(..comment.len().min(200)).unwrap_or_default();
    SIGNS.iter().any(|sign| start.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_keep_order_are_known_by_whole_words() {
        for name in ["lock_guard", "ReadHeaderTimeout", "MAX_BODY", "OsRng", "O_NOFOLLOW", "rng"] {
            assert!(!keeping(name).is_empty(), "{name}");
        }
        for name in ["block", "clock", "example", "string", "disclose", "minus"] {
            assert!(keeping(name).is_empty(), "{name}");
        }
    }
}
