//! What tools obey of a comment that may run over several lines.
//!
//! A compiler or a linter looks for its orders at the start of a comment, and page makers
//! for tags at the start of a line. So a block that begins with prose is prose but for the
//! lines that hold a word that tools know, and those that belong to a tag that is not known
//! to be for readers alone.

use exacta_core::judge::facts::Language;

use super::comments::{is_line_of_prose, is_odd, is_sentence, is_title, stripped};
use super::document_samples::fetches;
use super::orders::is_order;

/// Tags that say something to readers of a page, in every language.
const READ: &[&str] = &[
    "author",
    "authors",
    "exception",
    "param",
    "params",
    "return",
    "returns",
    "see",
    "since",
    "throw",
    "throws",
    "version",
];

/// Those of Java besides. `@deprecated` is not among them: the compiler notes it in what it
/// makes.
const READ_OF_JAVA: &[&str] =
    &["apiNote", "implNote", "implSpec", "serial", "serialData", "serialField"];

/// Those of scripts besides. Types in them are looked at by checkers and by nothing that runs.
const READ_OF_SCRIPTS: &[&str] = &[
    "api",
    "arg",
    "argument",
    "default",
    "defaultValue",
    "deprecated",
    "desc",
    "description",
    "example",
    "link",
    "remarks",
    "summary",
    "todo",
    "tutorial",
    "yields",
];

/// Tags inside of a line.
const INLINE: &[&str] = &[
    "code",
    "docRoot",
    "index",
    "inheritDoc",
    "inheritdoc",
    "link",
    "linkcode",
    "linkplain",
    "literal",
    "return",
    "summary",
    "systemProperty",
    "value",
];

/// What of a comment tools may obey: the whole of it, or lines of a block that begins with
/// prose.
pub(super) fn obeyed_lines(language: Language, comment: &str) -> Vec<&str> {
    if !comment.starts_with("/*") {
        return if super::comments::is_prose(comment) { Vec::new() } else { vec![comment] };
    }
    let whole = || {
        // Blank lines and stars are nothing to those that obey it.
        let mut lines = vec![comment.get(..3).unwrap_or(comment)];
        lines.extend(comment.lines().map(stripped).filter(|words| !words.is_empty()));
        if comment.contains('\n') { lines } else { vec![comment] }
    };
    if comment.starts_with("/*!") || is_odd(comment) {
        return vec![comment];
    }
    let page = comment.starts_with("/**");
    let mut obeyed = Vec::new();
    // Whether what the last tag says is for readers alone.
    let mut read = true;
    let mut begun = false;
    for words in comment.lines().map(stripped).filter(|words| !words.is_empty()) {
        let told = if page { without_inline(words) } else { words.to_owned() };
        let told = match tag(language, words).filter(|_| page) {
            Some(name) => {
                read = is_read(language, name);
                told.split_once(name).map_or_else(String::new, |(_, rest)| rest.to_owned())
            }
            None if begun && (page || is_line_of_prose(words)) => told,
            None if begun => {
                obeyed.push(words);
                continue;
            }
            // Tools look for their words where a comment begins.
            None if is_line_of_prose(told.trim()) || page && is_title(told.trim()) => told,
            None if told != words && is_sentence(told.trim()) => told,
            None if page && told.trim().starts_with('<') => told,
            None => return whole(),
        };
        begun = true;
        if !read || is_order(&told, language == Language::Java) || fetches(&told) {
            obeyed.push(words);
        }
    }
    obeyed
}

/// The name of the tag that begins a line.
fn tag(language: Language, line: &str) -> Option<&str> {
    let slash = matches!(language, Language::C | Language::Cpp);
    let rest = match line.strip_prefix('@') {
        Some(rest) => rest,
        None => line.strip_prefix('\\').filter(|_| slash)?,
    };
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')));
    rest.get(..end.unwrap_or(rest.len()))
}

/// Whether a tag is for readers alone.
fn is_read(language: Language, name: &str) -> bool {
    READ.contains(&name)
        || match language {
            Language::Java => READ_OF_JAVA.contains(&name),
            Language::JavaScript | Language::TypeScript => READ_OF_SCRIPTS.contains(&name),
            // Those of Doxygen are known to nobody else.
            Language::C | Language::Cpp => {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic())
            }
            Language::Rust | Language::Python | Language::Go => false,
        }
}

/// A line with the signs of tags inside of it taken away; what they are about stays.
fn without_inline(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("{@") {
        let (words, more) = rest.split_at(at);
        let inside = more.get(2..).unwrap_or_default();
        let end = inside.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(inside.len());
        let (name, after) = inside.split_at(end);
        out.push_str(words);
        if !INLINE.contains(&name) {
            out.push_str("{@");
            out.push_str(name);
        } else if out.trim().is_empty() {
            // What the line begins with is a name of code.
            rest = after.trim_start();
            continue;
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_says_is_for_readers_and_tags_of_tools_are_not() {
        for (language, comment) in [
            (Language::Java, "/**\n * Adds two.\n *\n * @param a the {@code first}\n * one\n */"),
            (Language::Java, "/** @return the sum */"),
            (Language::Java, "/**\n * {@link Sum} of two, see {@literal @Test}.\n * <p>\n */"),
            (Language::Java, "/**\n * Adds.\n * <pre>\n * a = add(1, 2);\n * </pre>\n */"),
            (Language::JavaScript, "/**\n * Adds.\n *\n * @param {Number} a\n * @api public\n */"),
            (Language::TypeScript, "/**\n * Adds.\n * @example\n * const a = add(1)\n */"),
            (Language::C, "/**\n * \\file\n * @brief What it is for\n */"),
            (Language::C, "/* Two lines\n  * of words. */"),
        ] {
            assert_eq!(obeyed_lines(language, comment), Vec::<&str>::new(), "{comment}");
        }
        for (language, comment, lines) in [
            (Language::Java, "/**\n * Adds.\n * @deprecated use less\n * of it\n */", 2),
            (Language::Java, "/**\n * Adds.\n * @goal add\n * @since 1\n */", 1),
            (Language::JavaScript, "/** @type {Number} */", 1),
            (Language::JavaScript, "/**\n * @swagger\n * /a:\n *   get: b\n */", 3),
            (Language::JavaScript, "/** Adds, see @internal */", 1),
            (Language::JavaScript, "/**\n * Adds.\n * @jsx h\n */", 1),
            (Language::JavaScript, "/**\n * Adds.\n * curl -L https://a.example/x | sh\n */", 1),
            (Language::JavaScript, "/* @param a */", 1),
            (Language::JavaScript, "/* eslint-disable\n * Some words about it.\n */", 3),
            (Language::JavaScript, "/* global a,\n * Some words about it.\n */", 3),
            (Language::JavaScript, "/* GraphQL */", 1),
            (Language::C, "/*@null@*/", 1),
            (Language::C, "/* Some words.\n * NOLINT of a kind\n */", 1),
            (Language::Go, "/*\n#include <a.h>\n*/", 2),
        ] {
            assert_eq!(obeyed_lines(language, comment).len(), lines, "{comment}");
        }
    }
}
