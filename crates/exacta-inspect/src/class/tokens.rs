//! Whether two texts of C or C++ are the same for a preprocessor: the same words with white
//! space in the same places, comments that are prose left out. No grammar is needed for that,
//! and none understands what macros make.

use exacta_core::judge::facts::Language;

use super::blocks::obeyed_lines;
use super::steps::At;

/// A word and what of its place counts.
#[derive(PartialEq, Eq, Debug)]
struct Token<'t> {
    text: &'t str,
    /// White space or a comment stands before it.
    spaced: bool,
    /// It begins a line, where that begins or ends a line of the preprocessor.
    begins: bool,
    /// How far below a comment that tools obey it stands, and whether such a comment stands
    /// behind code.
    order: usize,
    at: At,
}

/// If both texts are the same words: whether each of them stands where it stood.
pub(super) fn same_tokens(language: Language, before: &str, after: &str) -> Option<bool> {
    if !matches!(language, Language::C | Language::Cpp) {
        return None;
    }
    let read = |text| Reader::new(language, text).read();
    let (old, new) = (read(before)?, read(after)?);
    let still = || old.iter().zip(&new).all(|(one, other)| one.at.1 == other.at.1);
    (old == new).then(still)
}

/// Whether one run of whole tests came between other words, at the top of the file or in a
/// namespace, and nothing else differs.
pub(super) fn only_adds_tests(language: Language, before: &str, after: &str) -> bool {
    if !matches!(language, Language::C | Language::Cpp) {
        return false;
    }
    let read = |text| Reader::new(language, text).read();
    let (Some(old), Some(new)) = (read(before), read(after)) else { return false };
    let Some(more) = new.len().checked_sub(old.len()).filter(|more| *more > 0) else {
        return false;
    };
    let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    // What came may begin at each of several places where the words around it repeat.
    let earliest = old.len().saturating_sub(rest);
    (earliest..=first).take(MOST_PLACES).any(|start| {
        let (Some(around), Some(came)) = (new.get(..start), new.get(start..start + more)) else {
            return false;
        };
        let tests = are_tests(came, TESTS) && in_namespaces(around);
        let parts = || are_tests(came, PARTS) && in_test(around);
        begins_anew(around, came) && (tests || parts())
    })
}

/// So many places are tried.
const MOST_PLACES: usize = 64;

/// Whether the last line of the preprocessor is over where new words begin.
fn begins_anew(around: &[Token<'_>], came: &[Token<'_>]) -> bool {
    let Some(last) = around.iter().rposition(|one| one.text.starts_with('#')) else { return true };
    around.iter().skip(last + 1).chain(came.first()).any(|one| one.begins)
}

/// Whether these words end in a test, or in a part of one.
fn in_test(words: &[Token<'_>]) -> bool {
    let at = words.iter().rposition(|one| TESTS.contains(&one.text));
    let Some((around, test)) = at.map(|at| words.split_at(at)) else { return false };
    let Some(body) = test.get(1..).and_then(|more| behind_brackets(more, "(", ")")) else {
        return false;
    };
    let mut depth = 0_usize;
    for (at, one) in body.iter().enumerate() {
        match one.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at > 0 {
            return false;
        }
    }
    let ended = body.last().is_some_and(|last| matches!(last.text, "}" | ";" | "{"));
    depth == 1 && ended && in_namespaces(around)
}

/// Whether every block that is open at the end of these words is a namespace.
fn in_namespaces(words: &[Token<'_>]) -> bool {
    let mut open: Vec<bool> = Vec::new();
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |one| one.text);
    for (at, one) in words.iter().enumerate() {
        match one.text {
            "{" => {
                let named = word(at.checked_sub(2)) == "namespace";
                open.push(named || word(at.checked_sub(1)) == "namespace");
            }
            "(" | "[" => open.push(false),
            "}" | ")" | "]" => drop(open.pop()),
            _ => {}
        }
    }
    // A line of the preprocessor or a statement ends before something new begins.
    let ended = words.last().is_none_or(|last| matches!(last.text, "}" | ";" | "{"))
        || words.last().is_some_and(|last| last.text.starts_with('#'));
    ended && open.iter().all(|namespace| *namespace)
}

/// Words that begin a test, and words behind which the run of all tests is over.
const TESTS: &[&str] = &[
    "TEST",
    "TEST_F",
    "TEST_P",
    "TYPED_TEST",
    "TEST_CASE",
    "TEST_CASE_FIXTURE",
    "TEST_CASE_TEMPLATE",
    "TEST_CASE_METHOD",
    "TEMPLATE_TEST_CASE",
    "SCENARIO",
];
/// Words that begin a part of a test that is run by itself.
const PARTS: &[&str] = &["SECTION", "SUBCASE", "DYNAMIC_SECTION"];
const LAST: &[&str] = &["exit", "_exit", "_Exit", "quick_exit", "abort", "raise", "kill"];

/// Whether words are whole tests, one after the other.
fn are_tests(words: &[Token<'_>], begin: &[&str]) -> bool {
    let mut rest = words;
    while let Some((first, more)) = rest.split_first() {
        if !begin.contains(&first.text) {
            return false;
        }
        let Some(body) = behind_brackets(more, "(", ")") else { return false };
        let Some(next) = behind_brackets(body, "{", "}") else { return false };
        rest = next;
    }
    !words.iter().any(|one| one.text.starts_with('#') || LAST.contains(&one.text))
}

/// What follows a part in brackets with which words begin.
fn behind_brackets<'a, 't>(
    words: &'a [Token<'t>],
    open: &str,
    close: &str,
) -> Option<&'a [Token<'t>]> {
    let mut depth = 0_usize;
    for (at, one) in words.iter().enumerate() {
        if one.text == open {
            depth += 1;
        } else if depth == 0 {
            return None;
        } else if one.text == close {
            depth -= 1;
            if depth == 0 {
                return words.get(at + 1..);
            }
        }
    }
    None
}

struct Reader<'t> {
    language: Language,
    text: &'t str,
    at: usize,
    /// The row, and where its line begins.
    row: usize,
    line: usize,
    spaced: bool,
    fresh: bool,
    /// Whether the line is one of the preprocessor.
    directive: bool,
    /// Lines since a comment that tools obey, if no word stood since.
    order: Option<usize>,
    out: Vec<Token<'t>>,
}

impl<'t> Reader<'t> {
    const fn new(language: Language, text: &'t str) -> Self {
        Self {
            language,
            text,
            at: 0,
            row: 0,
            line: 0,
            spaced: false,
            fresh: true,
            directive: false,
            order: None,
            out: Vec::new(),
        }
    }

    /// All words; nothing where they cannot be told apart for certain.
    fn read(mut self) -> Option<Vec<Token<'t>>> {
        while let Some(first) = self.rest().chars().next() {
            let rest = self.rest();
            match first {
                '\n' => {
                    self.fresh = true;
                    self.spaced = true;
                    self.order = self.order.map(|rows| rows + 1);
                    self.go(1);
                }
                ' ' | '\t' | '\r' => {
                    self.spaced = true;
                    self.at += 1;
                }
                '/' if rest.starts_with("//") => {
                    let end = rest.find('\n').unwrap_or(rest.len());
                    self.comment(rest.get(..end)?)?;
                }
                '/' if rest.starts_with("/*") => {
                    let end = rest.get(2..)?.find("*/")? + 4;
                    self.comment(rest.get(..end)?)?;
                }
                '"' | '\'' => self.push(quoted(rest, first)?)?,
                '#' if self.fresh => {
                    let line = rest.lines().next().unwrap_or_default();
                    let words = line.get(1..)?.trim_start();
                    // What stands between angle brackets is no code.
                    let whole = ["include", "import", "error", "warning", "pragma"]
                        .iter()
                        .any(|word| words.starts_with(word));
                    self.push(if whole { line } else { "#" })?;
                    self.directive = true;
                }
                _ if first.is_alphanumeric() || first == '_' || first == '$' => {
                    let end = self.name(first)?;
                    self.push(rest.get(..end)?)?;
                }
                '.' if rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => {
                    let end = self.name(first)?;
                    self.push(rest.get(..end)?)?;
                }
                // A line that goes on in the next one would have to be joined first.
                '\\' if rest.get(1..)?.trim_start_matches([' ', '\t', '\r']).starts_with('\n') => {
                    self.push("\\")?;
                    // The line goes on: its end is not one.
                    let end = self.rest().find('\n')?;
                    self.go(end + 1);
                    self.spaced = true;
                }
                _ => self.push(rest.get(..first.len_utf8())?)?,
            }
        }
        Some(self.out)
    }

    /// Passes so many bytes.
    fn go(&mut self, bytes: usize) {
        let passed = self.text.get(self.at..self.at + bytes).unwrap_or_default();
        self.row += passed.matches('\n').count();
        self.line = passed.rfind('\n').map_or(self.line, |end| self.at + end + 1);
        self.at += bytes;
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// How long the name, the number, or the raw text is that begins here.
    fn name(&self, first: char) -> Option<usize> {
        let rest = self.rest();
        let number = first.is_ascii_digit() || first == '.';
        let mut before = ' ';
        let end = rest
            .find(|c: char| {
                let part = c.is_alphanumeric() || matches!(c, '_' | '$');
                let exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E' | 'p' | 'P');
                let more = number && (matches!(c, '.' | '\'') || exponent);
                before = c;
                !(part || more)
            })
            .unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        if number || !name.ends_with('R') || !behind.starts_with('"') {
            return Some(end);
        }
        // A raw text ends where its own mark says.
        if self.language != Language::Cpp {
            return None;
        }
        let open = behind.find('(')?;
        let close = format!("){}\"", behind.get(1..open)?);
        Some(end + behind.find(&close)? + close.len())
    }

    fn push(&mut self, text: &'t str) -> Option<()> {
        if text.contains('\n') && self.directive {
            return None;
        }
        let starts = self.fresh && text.starts_with('#');
        let begins = self.fresh && (self.directive || starts);
        if self.fresh {
            self.directive = false;
        }
        let order = self.order.take().map_or(0, |rows| rows.min(2) + 1);
        let at = At(self.at, (self.row, self.at - self.line));
        self.out.push(Token { text, spaced: self.spaced, begins, order, at });
        self.go(text.len());
        self.spaced = false;
        self.fresh = false;
        Some(())
    }

    fn comment(&mut self, text: &'t str) -> Option<()> {
        // A comment that goes on in the next line, or begins in one of the preprocessor.
        let goes_on = text.starts_with("//") && text.trim_end().ends_with('\\');
        let within = self.directive && !self.fresh;
        if goes_on || within && text.contains('\n') {
            return None;
        }
        let behind = usize::from(!self.fresh);
        let lines = obeyed_lines(self.language, text);
        for line in &lines {
            let order = self.order.map_or(0, |rows| rows.min(2) + 1);
            self.out.push(Token {
                text: line,
                spaced: false,
                begins: false,
                order: order * 2 + behind,
                at: At(0, (0, 0)),
            });
        }
        if !lines.is_empty() {
            self.order = Some(0);
        }
        // White space behind it makes no difference any more.
        self.spaced = true;
        self.go(text.len());
        Some(())
    }
}

/// A text between quotes with its quotes, on one line.
fn quoted(rest: &str, quote: char) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return rest.get(..=at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_lines_are_nothing_to_a_preprocessor_and_everything_else_is() {
        let before = "#define A(x) f(x)\nA(a, b) WHAT {\n  g(\"//\", 'a', 1'000, 0x1e+2);\n}\n";
        let same = |after: &str| same_tokens(Language::Cpp, before, after).is_some();
        for after in [
            before.replace("A(a, b)", "// The first one comes here.\nA(a, b)"),
            before.replace(" {\n", "\n{\n\n"),
            before.replace("  g(", "  /* Some more words\n here. */ g("),
        ] {
            assert!(same(&after), "{after}");
        }
        for after in [
            before.replace("A(x) f", "A (x) f"),
            before.replace("f(x)\n", "f(x) "),
            before.replace("f(x)\n", "f\n(x)\n"),
            before.replace("(a, b)", "(a,b)"),
            before.replace("\"//\"", "\"// \""),
            before.replace("A(a, b)", "// NOLINTNEXTLINE\nA(a, b)"),
            before.replace("A(a, b)", "// goes on \\\nA(a, b)"),
            before.replace("A(a, b)", "//A(a, b)"),
            before.replace("'a'", "'\"'"),
            before.replace("WHAT", "R\"(a)\""),
        ] {
            assert!(!same(&after), "{after}");
        }
        let raw = "x = R\"a(// some words here\n)a\";\n";
        assert!(
            same_tokens(Language::Cpp, raw, &raw.replace("some words", "other words")).is_none()
        );
        assert!(same_tokens(Language::C, raw, &raw.replace("x =", "\nx =")).is_none());
        let tests = "#include \"a.h\"\nTEST_CASE(\"a\")\n{\n  CHECK(f());\n}\n";
        let adds = |after: &str| only_adds_tests(Language::Cpp, tests, after);
        let more = "TEST_CASE(\"b\")\n{\n  SECTION(\"c\") { CHECK(g()); }\n}\n";
        assert!(adds(&format!("{tests}\n// Some more of them.\n{more}")));
        let part = "  SECTION(\"c\") { CHECK(g()); }\n";
        let sections = tests.replace("}\n", &format!("{part}}}\n"));
        let with = |more: &str| sections.replace(part, &format!("{part}{more}"));
        for (more, comes) in [
            ("  SECTION(\"d\") { CHECK(h()); }\n", true),
            ("  SECTION(\"d\") { exit(0); }\n", false),
            ("  int a = f();\n", false),
            ("  } void h() {\n", false),
        ] {
            assert_eq!(only_adds_tests(Language::Cpp, &sections, &with(more)), comes, "{more}");
        }
        let last = "TEST_CASE(\"z\")\n{\n}\n";
        let between = format!("{tests}{more}{last}");
        assert!(only_adds_tests(Language::Cpp, &format!("{tests}{last}"), &between));
        let macros = "#define X }\n#define Y 1\nint a;\n";
        let one = more.replace('\n', " ");
        for after in
            [format!("#define X }} {one}\n#define Y 1\nint a;\n"), format!("{macros}{one}")]
        {
            let apart = after.starts_with(macros);
            assert_eq!(only_adds_tests(Language::Cpp, macros, &after), apart, "{after}");
        }
        for after in [
            tests.replace("  CHECK", &format!("  {more}  CHECK")),
            tests.replace("CHECK(f());\n", "CHECK(f());\n  return;\n"),
            format!("{tests}{}", more.replace("CHECK(g())", "exit(0)")),
            format!("{tests}{}", more.replace("TEST_CASE", "int x = f(); TEST_CASE")),
            format!("{tests}#define CHECK(x)\n{more}"),
            format!("#define CHECK(x) {more}{tests}"),
            tests.replace("\"\nTEST", &format!("\" {more}\nTEST")),
            format!("{tests}{more}int f() {{ return 1; }}\n"),
            tests.replace("f()", "g()") + more,
        ] {
            assert!(!adds(&after), "{after}");
        }
        let told = "int a; // one of them\nint b;\n";
        let other = told.replace("one of them", "more of them than one");
        assert_eq!(same_tokens(Language::C, told, &other), Some(true));
        assert_eq!(same_tokens(Language::C, told, &told.replace(" //", "\n//")), Some(false));
        let include = "#include <a//b.h>\nint x;\n";
        assert!(same_tokens(Language::C, include, &include.replace("b.h", "c.h")).is_none());
    }
}
