//! What kind of word stands where, for colours in a review.
//!
//! Read off the syntax tree's own names (`string_literal`, `line_comment`), so that one
//! table serves every grammar; a word that no line of the table names has no colour.

use exacta_core::model::path::RelPath;
use exacta_core::review::{Token, TokenKind};
use tree_sitter::Node;

use super::grammar::{grammar, language_of};
use super::meter::{Allowance, metered};

/// The largest image that is coloured.
const MOST_BYTES: usize = 512 << 10;

/// The words of a text in their order; `None` where no grammar reads the file, where it
/// is too large or no UTF-8, or where the parser takes more than it may.
#[must_use]
pub fn tokens(path: &RelPath, bytes: &[u8]) -> Option<Vec<Token>> {
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let (_, grammar) = grammar(language_of(path)?, path, text);
    let tree = metered(&grammar.parser, text, None, &Allowance::default())?;
    let mut cursor = tree.walk();
    let mut found = Vec::new();
    // Asking a node for its parent looks for it from the root, so the way down is kept.
    let mut parents: Vec<&str> = Vec::new();
    loop {
        let node = cursor.node();
        let parent = parents.last().copied().unwrap_or_default();
        let kind = kind_of(node, cursor.field_name(), parent);
        if let Some(kind) = kind {
            let place = |at: usize| u32::try_from(at).ok();
            found.push((place(node.start_byte())?, place(node.end_byte())?, kind));
        } else if cursor.goto_first_child() {
            parents.push(node.kind());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(found);
            }
            parents.pop();
        }
    }
}

fn kind_of(node: Node<'_>, field: Option<&str>, parent: &str) -> Option<TokenKind> {
    let name = node.kind();
    if !node.is_named() {
        let word = name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_lowercase());
        return word.then_some(TokenKind::Keyword);
    }
    Some(match name {
        "line_comment" | "block_comment" | "comment" | "html_comment" | "hash_bang_line" => {
            TokenKind::Comment
        }
        "string_literal"
        | "raw_string_literal"
        | "char_literal"
        | "string"
        | "template_string"
        | "regex"
        | "interpreted_string_literal"
        | "rune_literal"
        | "character_literal"
        | "system_lib_string" => TokenKind::Quoted,
        "integer_literal"
        | "float_literal"
        | "boolean_literal"
        | "integer"
        | "float"
        | "number"
        | "number_literal"
        | "int_literal"
        | "imaginary_literal"
        | "decimal_integer_literal"
        | "hex_integer_literal"
        | "octal_integer_literal"
        | "binary_integer_literal"
        | "decimal_floating_point_literal"
        | "hex_floating_point_literal"
        | "true"
        | "false"
        | "null"
        | "null_literal"
        | "nil"
        | "none"
        | "undefined" => TokenKind::Literal,
        "type_identifier"
        | "primitive_type"
        | "predefined_type"
        | "sized_type_specifier"
        | "integral_type"
        | "floating_point_type"
        | "boolean_type"
        | "void_type" => TokenKind::Type,
        "mutable_specifier" | "self" | "super" | "crate" | "this" => TokenKind::Keyword,
        "identifier" | "property_identifier" | "field_identifier" => {
            return names_a_function(field, parent).then_some(TokenKind::Function);
        }
        _ => return None,
    })
}

/// Whether a word in this place is the name that a function is defined under.
fn names_a_function(field: Option<&str>, parent: &str) -> bool {
    matches!(field, Some("name" | "declarator"))
        && (parent.starts_with("function") || parent.starts_with("method"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<'t>(path: &str, text: &'t str) -> Vec<(&'t str, TokenKind)> {
        let found = tokens(&RelPath::parse(path).unwrap(), text.as_bytes()).unwrap();
        found
            .into_iter()
            .map(|(from, to, kind)| (text.get(from as usize..to as usize).unwrap(), kind))
            .collect()
    }

    type Case<'t> = (&'t str, &'t str, &'t [(&'t str, TokenKind)]);

    #[test]
    fn words_are_told_apart_in_every_language() {
        use TokenKind::{Comment, Function, Keyword, Literal, Quoted, Type};
        let cases: &[Case<'_>] = &[
            (
                "a.rs",
                "// c\nfn go() -> u8 { return 1 }\nconst S: &str = \"s\";\n",
                &[
                    ("// c", Comment),
                    ("fn", Keyword),
                    ("go", Function),
                    ("u8", Type),
                    ("return", Keyword),
                    ("1", Literal),
                    ("const", Keyword),
                    ("str", Type),
                    ("\"s\"", Quoted),
                ],
            ),
            (
                "a.py",
                "def go():\n    return 's'  # c\n",
                &[
                    ("def", Keyword),
                    ("go", Function),
                    ("return", Keyword),
                    ("'s'", Quoted),
                    ("# c", Comment),
                ],
            ),
            (
                "a.js",
                "function go() { return `x` }\n",
                &[("function", Keyword), ("go", Function), ("return", Keyword), ("`x`", Quoted)],
            ),
            (
                "a.ts",
                "const a: number = 1\n",
                &[("const", Keyword), ("number", Type), ("1", Literal)],
            ),
            (
                "a.go",
                "package p\nfunc Go() int { return 7 }\n",
                &[
                    ("package", Keyword),
                    ("func", Keyword),
                    ("Go", Function),
                    ("int", Type),
                    ("return", Keyword),
                    ("7", Literal),
                ],
            ),
            (
                "a.java",
                "class A { int go() { return 7; } }\n",
                &[
                    ("class", Keyword),
                    ("int", Type),
                    ("go", Function),
                    ("return", Keyword),
                    ("7", Literal),
                ],
            ),
            (
                "a.c",
                "int go(void) { return 7; }\n",
                &[
                    ("int", Type),
                    ("go", Function),
                    ("void", Type),
                    ("return", Keyword),
                    ("7", Literal),
                ],
            ),
            ("a.cpp", "class A {}; // c\n", &[("class", Keyword), ("A", Type), ("// c", Comment)]),
        ];
        for (path, text, expected) in cases {
            let mut found = words(path, text);
            if *path == "a.java" {
                // The name of a class is a plain identifier there.
                found.retain(|(word, _)| *word != "A");
            }
            assert_eq!(found, *expected, "{path}");
        }
    }

    #[test]
    fn what_no_grammar_reads_has_no_words() {
        let path = |text| RelPath::parse(text).unwrap();
        assert_eq!(tokens(&path("notes.txt"), b"if"), None);
        assert_eq!(tokens(&path("a.rs"), b"fn \xff"), None);
        assert_eq!(tokens(&path("a.rs"), &vec![b' '; MOST_BYTES + 1]), None);
    }
}
