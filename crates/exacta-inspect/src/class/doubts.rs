//! Where a parser reads a text in another way than a compiler may.

use exacta_core::judge::facts::Language;

/// Characters that end a line, or start a file, for some readers and not for others.
const ODD: [char; 6] = ['\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'];

/// Whether nothing is proven by looking at this text, whatever the language.
pub(super) fn in_text(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return true };
    let odd = memchr::memchr2(b'\x0b', b'\x0c', bytes).is_some()
        || !bytes.is_ascii() && text.contains(ODD);
    odd || uneven_ends(text)
}

/// Whether lines end in more than one way, or a carriage return stands alone.
fn uneven_ends(text: &str) -> bool {
    let returns = memchr::memchr_iter(b'\r', text.as_bytes()).count();
    if returns == 0 {
        return false;
    }
    let pairs = text.matches("\r\n").count();
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    returns != pairs || (pairs != 0 && pairs != ends)
}

/// Whether two texts end their lines in different ways.
pub(super) fn ends_differ(before: &str, after: &str) -> bool {
    before.contains('\r') != after.contains('\r')
}

/// Whether a compiler may read a source in another way than a parser.
pub(super) fn is_misread(language: Language, text: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match language {
        Language::Java => odd_escape(text),
        Language::C | Language::Cpp => has(&["<%", "%>", "%:", "<:", "_Pragma"]) || trigraph(text),
        // A block that says what the script needs is a comment that is obeyed.
        Language::Python => coding_line(text) || mixed_indents(text) || text.contains("# /// "),
        // A compiler that reads types from comments, and uses them.
        Language::JavaScript | Language::TypeScript => {
            has(&["<!--", "-->", "goog.provide(", "goog.module(", "goog.require("])
        }
        Language::Go => text.contains("\"C\""),
        Language::Rust => false,
    }
}

/// Whether something in a source makes layout or comments part of what it does.
pub(super) fn shows_itself(language: Language, text: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match language {
        Language::Java => false,
        Language::C | Language::Cpp => {
            has(&["__LINE__", "__COUNTER__", "__builtin_LINE", "source_location"])
                || stringifies(text)
        }
        Language::Python => has(&[
            "getsource",
            "linecache",
            "lineno",
            "currentframe",
            "_getframe",
            "doctest",
            "tokenize",
            "__file__).read",
            "codecs",
            "findsource",
        ]),
        Language::JavaScript | Language::TypeScript => {
            has(&["toString.call", ".toSource"]) || shows_functions(text)
        }
        Language::Go => has(&["runtime.Caller", "//line "]),
        Language::Rust => has(&[
            "line!(",
            "column!(",
            "stringify!",
            "include_str!(file!",
            "Location::caller",
            "span-locations",
            "proc_macro",
        ]),
    }
}

/// Whether something in a source shows comments, wherever the lines stand.
pub(super) fn shows_comments(language: Language, text: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match language {
        Language::C | Language::Cpp | Language::Java => false,
        Language::Go => text.contains("//line "),
        Language::Rust => has(&["include_str!(file!", "span-locations", "proc_macro"]),
        Language::Python | Language::JavaScript | Language::TypeScript => true,
    }
}

/// Signs that begin or end a text, a comment or a line.
const SIGNS: &[u32] = &[0x0a, 0x0d, 0x1a, 0x22, 0x27, 0x2a, 0x2f, 0x5c, 0x85];

/// An escape of Java that may stand for a sign of the language, or for the end of a line.
fn odd_escape(text: &str) -> bool {
    text.match_indices("\\u").any(|(at, _)| {
        let digits = text.get(at + 1..).unwrap_or_default().trim_start_matches('u');
        let sign = digits.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let sign = sign.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        // All others are what they are in a text, and nothing a parser knows elsewhere.
        sign.is_none_or(|sign| SIGNS.contains(&sign))
    })
}

/// A line that says in which encoding the file is, if that is another than it has anyway.
fn coding_line(text: &str) -> bool {
    text.lines().take(2).any(|line| {
        let plain = line
            .strip_prefix("# -*- coding: ")
            .is_some_and(|rest| ["utf-8 -*-", "utf8 -*-", "UTF-8 -*-"].contains(&rest.trim_end()));
        line.contains("coding") && !plain
    })
}

/// Whether lines are indented with tabs and with spaces.
fn mixed_indents(text: &str) -> bool {
    let indented = |sign| text.lines().any(|line| line.starts_with(sign));
    let mixed = text.lines().any(|line| {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let indent = line.get(..indent).unwrap_or_default();
        indent.contains(' ') && indent.contains('\t')
    });
    mixed || (indented(' ') && indented('\t'))
}

/// `??=` and its kind stand for other characters in old dialects.
pub(super) fn trigraph(text: &str) -> bool {
    text.match_indices("??")
        .any(|(at, _)| text.as_bytes().get(at + 2).is_some_and(|byte| b"=/'()!<>-".contains(byte)))
}

/// Whether a macro of the file makes text of its arguments.
fn stringifies(text: &str) -> bool {
    text.lines().any(|line| {
        let Some(rest) = line.trim_start().strip_prefix('#') else { return false };
        rest.contains('#')
    }) || text.lines().any(|line| line.trim_end().ends_with('\\') && line.contains('#'))
}

/// Whether the text of a function that the file declares may be asked for.
fn shows_functions(text: &str) -> bool {
    // Each is looked for in the whole text; more than a few are not looked at one by one.
    if text.matches(".toString").count() > 16 {
        return true;
    }
    text.match_indices(".toString").any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
            .map_or(0, |at| at + 1);
        let name = before.get(start..).unwrap_or_default();
        // What is not a name, such as `)`, may be anything.
        name.is_empty()
            || ["function ", "class ", "function* "].iter().any(|word| {
                text.match_indices(word).any(|(at, word)| {
                    text.get(at + word.len()..)
                        .is_some_and(|rest| rest.trim_start().starts_with(name))
                })
            })
            || [" = (", " = async", " = function", "= ("]
                .iter()
                .any(|sign| text.contains(&format!("{name}{sign}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_source(language: Language, text: &str) -> bool {
        is_misread(language, text) || shows_itself(language, text)
    }

    #[test]
    fn what_readers_disagree_about_is_in_doubt() {
        for text in ["a\rb", "a\r\nb\n", "\u{feff}a", "a\u{2028}b", "a\u{c}b", "a\u{85}"] {
            assert!(in_text(text.as_bytes()), "{text:?}");
        }
        assert!(in_text(b"a\xff"));
        assert!(!in_text(b"a\nb\n"));
        assert!(!in_text(b"a\r\nb\r\n"));
        for (language, text) in [
            (Language::Java, "// \\u000a x();"),
            (Language::Java, "String a = \"\\uu0022\";"),
            (Language::Java, "String a = \"\\\\u\";"),
            (Language::C, "int a; // ??/\n"),
            (Language::C, "#define S(x) #x\n"),
            (Language::C, "int l = __LINE__;\n"),
            (Language::Python, "# coding: latin-1\n"),
            (Language::Python, "if x:\n\ta\n    b\n"),
            (Language::Python, "inspect.getsource(f)\n"),
            (Language::JavaScript, "function f() {}\nf.toString()\n"),
            (Language::JavaScript, "x\n--> y\n"),
            (Language::Go, "/*\n#include <x>\n*/\nimport \"C\"\n"),
            (Language::Rust, "line!()"),
        ] {
            assert!(in_source(language, text), "{text}");
        }
        assert!(!in_source(Language::Java, "String a = \"\\u0041\\u20ac\";"));
        assert!(shows_comments(Language::Python, "inspect.getsource(f)\n"));
        assert!(!in_source(Language::JavaScript, "const a = 1;\na.toString()\n"));
    }
}
