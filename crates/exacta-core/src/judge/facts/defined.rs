//! Which names a source file defines, told by its words alone.
//!
//! This reads files that nobody planned to change, of any language, and only to let a name
//! count as known. So it is a reader of words without a grammar: bounded, linear, and where
//! it cannot tell, a name is not defined.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};

/// Words after which a name is defined.
const DEFINE: &[&str] = &[
    "def",
    "fn",
    "func",
    "function",
    "class",
    "struct",
    "enum",
    "interface",
    "trait",
    "type",
    "const",
    "let",
    "var",
    "macro_rules",
    "define",
    "module",
    "namespace",
    "union",
    "record",
    "object",
    "val",
    "static",
    "typedef",
    "protocol",
    "extension",
    "mod",
];

/// Words after which a name followed by a bracket is used.
const USE: &[&str] = &[
    "return",
    "new",
    "else",
    "case",
    "throw",
    "await",
    "in",
    "of",
    "and",
    "or",
    "not",
    "yield",
    "if",
    "while",
    "for",
    "match",
    "when",
    "raise",
    "assert",
    "delete",
    "typeof",
    "go",
    "defer",
    "print",
    "import",
    "from",
    "do",
    "sizeof",
    "co_await",
    "co_return",
];

/// Adds to `found` those of `asked` that `text` defines.
pub fn defined_in(text: &str, asked: &BTreeSet<&str>, found: &mut BTreeSet<String>) {
    for line in text.lines() {
        let mut before = "";
        let mut from_start = true;
        let mut rest = line;
        while let Some(start) = rest.find(is_word) {
            let gap = rest.get(..start).unwrap_or_default();
            rest = rest.get(start..).unwrap_or_default();
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or_default();
            let after = rest.get(end..).unwrap_or_default();
            if asked.contains(word) && !found.contains(word) {
                let spaced = gap.trim_matches([' ', '\t', '*', '&']).is_empty() && !gap.is_empty();
                let next = after.trim_start();
                let bracket = next.starts_with('(');
                let declared = spaced && DEFINE.contains(&before);
                let typed = spaced && bracket && !before.is_empty() && !USE.contains(&before);
                let method = from_start && bracket && line.trim_end().ends_with('{');
                let received =
                    bracket && gap.trim_end().ends_with(')') && line.starts_with("func ");
                let assigned =
                    gap.ends_with('.') && next.starts_with('=') && !next.starts_with("==");
                // The type before it ends in a sign: `Type[] name(`, `List<Type> name(`.
                let head = line.get(..line.len() - rest.len()).unwrap_or_default();
                let signed = bracket
                    && gap.starts_with([']', '>', '['])
                    && gap.ends_with(' ')
                    && gap.trim_end().ends_with([']', '>'])
                    && !head.contains(['(', '=', '"', '\''])
                    && !USE.contains(&first_word(head));
                // `export { other as name }`, on one line or with a line for each name.
                let exported = before == "as" && spaced && is_export(line);
                let macro_rules = gap.trim_start().starts_with('!') && before == "macro_rules";
                if declared
                    || typed
                    || method
                    || received
                    || assigned
                    || macro_rules
                    || signed
                    || exported
                {
                    found.insert(word.to_string());
                }
            }
            before = word;
            from_start = false;
            rest = after;
        }
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Whether a line hands names on: as a whole, or one of them under another name.
fn is_export(line: &str) -> bool {
    let line = line.trim();
    let plain = |word: &str| !word.is_empty() && word.chars().all(is_word);
    let one = line.trim_end_matches(',').split_once(" as ");
    line.starts_with("export {") || one.is_some_and(|(what, name)| plain(what) && plain(name))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defines(text: &str, name: &str) -> bool {
        let mut found = BTreeSet::new();
        defined_in(text, &BTreeSet::from([name]), &mut found);
        found.contains(name)
    }

    #[test]
    fn definitions_are_told_from_uses() {
        for text in [
            "def area(a):",
            "pub fn area(a: u8) {",
            "func (w *Wallet) area() int {",
            "export function area() {",
            "  area(a, b) {",
            "exports.area = function () {",
            "static int area(int a)",
            "public double area(int a) {",
            "const area = 3;",
            "#define area(x) x",
            "macro_rules! area {",
            "class area:",
            "    public static Type[] area(final Wide wide) {",
            "  Map<String, List<A>> area(int a) {",
            "export { width as area };",
            "  width as area,",
        ] {
            assert!(defines(text, "area"), "{text}");
        }
        for text in [
            "return area(1)",
            "x = area(2)",
            "foo.area(3);",
            "if area(4):",
            "# area",
            "area",
            "",
            "if (a> area(1)) {",
            "a > area(1);",
            "x = b[1] area(2)",
            "return a> area(1);",
            "import a as area from b",
        ] {
            assert!(!defines(text, "area"), "{text}");
        }
    }
}
