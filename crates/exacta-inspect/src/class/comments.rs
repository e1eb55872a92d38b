//! Which comments are plain prose, and which are more than that.
//!
//! Tools obey comments: compilers, linters, coverage, bundlers, editors. A comment line
//! counts as obeyed unless it reads like a sentence.

use super::orders::is_order;
use super::prose;

/// Words that open a comment line and make it an order.
const OPENERS: &[&str] = &[
    "global",
    "globals",
    "exported",
    "flow",
    "region",
    "endregion",
    "lint",
    "flags",
    "sharedworker",
];

/// Words that open a comment line and make it an order where few words follow.
const SHORT_OPENERS: &[&str] = &[
    "begin", "define", "else", "end", "endif", "export", "flags", "if", "import", "include",
    "line", "require", "use",
];
/// From so many words on such a line is a sentence.
const SENTENCE: usize = 5;

/// Words before a colon that open a sentence.
const LABELS: &[&str] = &[
    "todo",
    "fixme",
    "note",
    "notes",
    "xxx",
    "hack",
    "warning",
    "caution",
    "important",
    "bug",
    "reason",
    "example",
    "examples",
    "usage",
    "safety",
    "nb",
    "see",
    "http",
    "https",
    "returns",
    "remember",
    "hint",
    "tip",
    "rationale",
    "background",
    "invariant",
    "assumption",
    "limitation",
    "args",
    "author",
    "copyright",
    "date",
    "deprecated",
    "description",
    "file",
    "fixes",
    "issue",
    "license",
    "link",
    "ref",
    "reference",
    "since",
    "source",
    "spdx-filecopyrighttext",
    "spdx-license-identifier",
];

/// Whether a whole comment, with its marks, is prose that no tool obeys.
pub(super) fn is_prose(comment: &str) -> bool {
    !is_ordered(comment) && !is_odd(comment) && comment.lines().all(is_line_of_prose)
}

/// Whether a comment on one of the first lines is prose. Programs look for orders there, some
/// of which are words behind the mark.
pub(super) fn is_prose_on_top(comment: &str) -> bool {
    let words = comment.trim_start().strip_prefix("# ").map(|rest| rest.split_whitespace().count());
    words.is_some_and(|count| count >= 3) && is_prose(comment)
}

/// What the first lines of a text say in comments that are more than prose, and where.
pub(super) fn orders_on_top(text: &str) -> Vec<(usize, &str)> {
    let top = text.lines().take(2).enumerate();
    top.filter(|(_, line)| line.contains('#') && !is_prose_on_top(line)).collect()
}

/// Whether a line of a comment is a sentence, and reads like one.
pub(super) fn is_line_of_prose(line: &str) -> bool {
    let words = stripped(line);
    is_sentence(words) && prose::reads(line, words)
}

/// Whether a text has a word that tools obey, or a tag.
fn is_ordered(text: &str) -> bool {
    text.lines().any(|line| is_order(stripped(line), false))
}

/// Characters that other readers take for the end of a line, or that nobody sees.
pub(super) fn is_odd(text: &str) -> bool {
    text.chars().any(|c| {
        c.is_control() && !matches!(c, '\n' | '\r' | '\t')
            || exacta_core::model::path::is_hidden(c) && !matches!(c, '\n' | '\r' | '\t')
    }) || text.contains('\\') && text.lines().any(|line| line.trim_end().ends_with('\\'))
}

/// A comment line without the marks of a comment.
pub(super) fn stripped(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_suffix("*/").unwrap_or(line).trim_end();
    // The last line of a block may have more marks than one.
    if !line.is_empty() && line.chars().all(|c| matches!(c, '*' | ' ')) {
        return "";
    }
    let line = match line {
        _ if line.starts_with("/*") => line.get(2..).unwrap_or_default(),
        _ if line.starts_with("//") => line.get(2..).unwrap_or_default(),
        _ if line.starts_with('*') => line.get(1..).unwrap_or_default(),
        _ if line.starts_with('#') => line.get(1..).unwrap_or_default(),
        _ => line,
    };
    let line = line.strip_prefix('*').or_else(|| line.strip_prefix(": ")).unwrap_or(line);
    // More marks than one, if words stand apart from them: `## Words`.
    let words = line.trim_start_matches(['#', '/']);
    let line = if words.starts_with(' ') && !line.starts_with(' ') { words } else { line };
    line.trim()
}

/// The one word of a comment on a line of its own, if it is written like a name of code.
pub(super) fn one_name(comment: &str) -> Option<&str> {
    let line = comment.starts_with("//") || comment.starts_with('#');
    let word = stripped(comment);
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut pairs = word.bytes().zip(word.bytes().skip(1));
    let humps = pairs.any(|(one, next)| one.is_ascii_lowercase() && next.is_ascii_uppercase());
    (line && plain && humps && word.len() > 4 && !is_ordered(comment) && !is_odd(comment))
        .then_some(word)
}

/// Whether a word is the name of a file of code.
fn is_file(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "c", "cc", "cpp", "go", "h", "hpp", "java", "js", "jsx", "md", "mjs", "py", "rs", "ts",
        "tsx",
    ];
    word.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.starts_with(char::is_alphanumeric) && ENDINGS.contains(&ending)
    })
}

/// Whether a line is one word that begins like a title: no order is written so.
pub(super) fn is_title(text: &str) -> bool {
    let mut signs = text.chars();
    signs.next().is_some_and(|c| c.is_ascii_uppercase())
        && signs.all(|c| c.is_ascii_lowercase())
        && text.len() > 3
}

/// Whether a label that nobody has heard of opens a sentence.
fn is_labelled(label: &str, rest: &str) -> bool {
    let words = rest.split_whitespace().count();
    if let Some(inner) = rest.strip_prefix("::") {
        // The name of something in code.
        return inner.starts_with(char::is_alphanumeric) && words >= 3;
    }
    let mut signs = label.chars();
    signs.next().is_some_and(char::is_alphabetic)
        && signs.all(|c| c.is_ascii_lowercase())
        && rest.starts_with(": ")
        && words > SENTENCE
}

/// The words of a title that stands between rules: `--- words ---`.
fn without_rule(text: &str) -> &str {
    let rule = |c: char| matches!(c, '-' | '=' | '*' | '~' | '_' | '#');
    let words = text.trim_matches(rule);
    let marks = text.len() - words.len();
    let open = text.len() - text.trim_start_matches(rule).len();
    let apart = words.starts_with(' ') && words.ends_with(' ');
    if open >= 3 && marks >= 6 && apart { words.trim().trim_end_matches('.') } else { text }
}

pub(super) fn is_sentence(text: &str) -> bool {
    let text = match text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
        Some(rest) => rest.trim_start(),
        None => text,
    };
    let whole = text;
    // What a pointer of code leads to.
    let text = match text.strip_prefix('*') {
        Some(rest) if rest.starts_with(|c: char| c.is_alphanumeric()) => rest,
        _ => without_rule(text),
    };
    let ruled = text.len() + 6 <= whole.len();
    let Some(first) = text.chars().next() else { return true };
    // The words of a link stand in brackets.
    if text.starts_with('[') && text.contains("](") {
        return true;
    }
    // A rule between parts.
    if text.chars().all(|c| matches!(c, '-' | '=' | '*' | '~' | '_' | '/' | '#')) {
        return text.chars().count() > 3;
    }
    // The beginning or the end of something that was code.
    let brackets = |c: char| matches!(c, '(' | '{' | ')' | ']' | '}' | ',' | ';');
    if text.chars().all(brackets) || text == "} else {" {
        return text.chars().filter(|c| brackets(*c)).count() < 4;
    }
    if !(first.is_alphanumeric() || matches!(first, '"' | '\'' | '`' | '(' | '…' | '→' | '–' | '—'))
    {
        return false;
    }
    let (word, rest) =
        match text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))) {
            Some(end) => text.split_at(end),
            None => (text, ""),
        };
    let lower = word.to_lowercase();
    match rest.trim_start().chars().next() {
        // One word alone may be an order that we have not heard of, if no sentence ends in it.
        None if is_file(word) => true,
        None if ruled => word.len() > 2,
        None => word.len() > 2 && word.ends_with('.') && word.matches('.').count() == 1,
        // A statement that was code.
        Some('=') => rest.contains("= ") && text.contains(';'),
        Some(':') => LABELS.contains(&lower.as_str()) || is_labelled(word, rest),
        // A statement that was code.
        Some('(') if lower == "if" => text.ends_with([';', '{', '}']),
        Some(_) if SHORT_OPENERS.contains(&lower.as_str()) => {
            text.split_whitespace().count() >= SENTENCE
        }
        Some(_) => !OPENERS.contains(&lower.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_prose_and_orders_are_not() {
        for prose in [
            "/*\n * Copyright (C) 2009 Somebody Inc.\n *\n * Licensed under the Apache License, Version 2.0 (the \"License\");\n * you may not use this file except in compliance with the License.\n * You may obtain a copy of the License at\n *\n * http://www.apache.org/licenses/LICENSE-2.0\n *\n * Unless required by applicable law or agreed to in writing, software\n * distributed under the License is distributed on an \"AS IS\" BASIS,\n * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.\n * See the License for the specific language governing permissions and\n * limitations under the License.\n */",
            "// If the list is empty, nothing is done.",
            "## More marks than one",
            "//without a space before the words",
            "// });",
            "// {",
            "// } else {",
            "//   if (a) b();",
            "/* http.c */",
            "// flags are used as they are by all of them",
            "/**\n * Some words about it.\n * **/",
            "// and that is how it ends for all of\n// them.",
            "// matched by the regex: see below",
            "// The counter starts at one.",
            "# adds two numbers, see below",
            "/* Two lines\n * of words. */",
            "// TODO: handle the empty case",
            "// - a point of a list",
            "// SPDX-License-Identifier: MIT",
            "// when: it is about more than five words",
            "// a = b;",
            "/*\n * See https://example.org/page for more\n */",
        ] {
            assert!(is_prose(prose), "{prose}");
        }
        for order in [
            "// @ts-ignore",
            "# type: ignore",
            "//go:embed x",
            "// +build linux",
            "#!python",
            "// eslint-disable-next-line",
            "# noqa",
            "/* global foo */",
            "// line a.go:3",
            "//export Foo",
            "# pragma: no cover",
            "// NOLINTNEXTLINE",
            "# -*- coding: latin-1 -*-",
            "/*! keep */",
            "// see @internal",
            "// word: of five words only",
            "// RUN: clang one two three four five",
            "# type: (int, str, bytes, bool) -> None",
            "// a = b",
            "//# sourceMappingURL=x",
            "/// <reference path=\"x\"/>",
            "# key=value",
            "# word: value",
            "// fallthrough",
            "# %%",
            "/* #__PURE__ */",
            "// unheardof",
            "// getThings",
            "// FALLTHRU",
            "/* FALL THRU */",
            "// {{{",
            "// flags one two",
            "// if DEBUG",
            "// [start]",
            "// ReSharper disable All",
            "// ends with a \\",
            "// a bell \u{7} rings here",
            "// two words\u{2028}eval(x)",
        ] {
            assert!(!is_prose(order), "{order}");
        }
        assert_eq!(one_name("// getThings"), Some("getThings"));
        for order in ["/* GraphQL */", "// unheardof", "// noInspection", "// get Things"] {
            assert_eq!(one_name(order), None, "{order}");
        }
        assert!(is_prose_on_top("# what the shop shows"));
        for order in [
            "#compdef _git git clone",
            "#!/bin/sh -e -u",
            "# escape=`",
            "# syntax=docker/dockerfile:1 is used",
            "# cloud-config",
            "#cloud-config",
            "# yaml-language-server: $schema=https://a.example/x",
            "# vim: set ft=sh tw=80 :",
            "# -*- mode: sh; coding: latin-1 -*-",
            "# two words",
        ] {
            assert!(!is_prose_on_top(order), "{order}");
        }
    }
}
