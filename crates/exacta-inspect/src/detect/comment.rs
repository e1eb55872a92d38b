//! Lines that are comments, in files whose syntax is not read.
//!
//! How a line starts says little by itself: code may follow where a comment ends, and one
//! language's comment is another's statement. So each family of files has its own marks,
//! and a line counts only when nothing can follow.

use super::subject::Subject;

/// The longest comment whose lines are known by the stars in front of them.
const STARRED: usize = 200;

/// How comments are written in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// What makes the rest of a line a comment.
    marks: &'static [&'static str],
    /// Whether there are comments between `/*` and `*/`,
    block: bool,
    /// or between `<!--` and `-->`.
    markup: bool,
    /// Whether statements may stand in comments of blocks, as in SQL.
    runs_inside: bool,
}

const fn style(marks: &'static [&'static str], block: bool, markup: bool) -> Style {
    Style { marks, block, markup, runs_inside: false }
}

impl Style {
    pub(super) fn of(subject: &Subject<'_>) -> Self {
        match subject.ending.as_str() {
            "html" | "htm" | "xhtml" | "xml" | "svg" | "hbs" | "csproj" | "config" | "plist" => {
                style(&[], false, true)
            }
            "vue" | "svelte" | "astro" | "ejs" => style(&["//"], true, true),
            "php" => style(&["//", "#"], true, true),
            "erb" | "jinja" | "j2" | "twig" => style(&["#"], false, true),
            "sql" => Style { runs_inside: true, ..style(&["--", "#"], true, false) },
            "css" => style(&[], true, false),
            "rs" | "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "go" | "java"
            | "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "ipp"
            | "inl" | "kt" | "kts" | "swift" | "cs" | "scala" | "dart" | "groovy" | "gradle"
            | "proto" | "sol" | "zig" | "m" | "mm" | "json" | "jsonc" | "json5" | "fs" | "scss"
            | "less" | "thrift" | "cu" | "v" => style(&["//"], true, false),
            "tf" | "hcl" | "nix" => style(&["#", "//"], true, false),
            "lua" | "hs" | "elm" | "adb" | "ads" => style(&["--"], false, false),
            "ini" | "cfg" | "conf" | "properties" => style(&["#", ";"], false, false),
            "asm" | "s" | "el" | "lisp" | "clj" | "cljs" | "scm" | "rkt" => {
                style(&[";", "#"], false, false)
            }
            "tex" | "erl" | "hrl" => style(&["%"], false, false),
            "bat" | "cmd" => style(&["::", "rem ", "REM "], false, false),
            _ => style(&["#"], false, false),
        }
    }

    pub(super) fn is_comment(self, lines: &[&str], index: usize) -> bool {
        let Some(line) = lines.get(index).map(|line| line.trim()) else { return true };
        if self.marks.iter().any(|mark| line.starts_with(mark)) && !line.starts_with("#!") {
            return !(self.markup && ends_script(line));
        }
        if self.markup && line.starts_with("<!--") {
            // `<!-->` is a comment already, and some readers take `--!>` for the end.
            let after = line.get(2..).unwrap_or_default();
            return !closed_before_more(after, "-->") && !closed_before_more(after, "--!>");
        }
        if self.block && line.starts_with("/*") {
            let runs = self.runs_inside && line.starts_with("/*!");
            return !runs && !closed_before_more(line.get(2..).unwrap_or_default(), "*/");
        }
        self.block && line.starts_with('*') && starred(lines, index)
    }
}

/// Whether something follows the first end.
fn closed_before_more(text: &str, end: &str) -> bool {
    text.split_once(end).is_some_and(|(_, more)| !more.trim().is_empty())
}

/// Whether the page around a script may go on in the line: a tag, or the script's end.
fn ends_script(line: &str) -> bool {
    line.contains("?>")
        || line.as_bytes().windows(2).any(|pair| {
            matches!(pair, [b'<', next] if next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?' | b'%'))
        })
}

/// Whether the line is one of those with a star in front below the start of a comment,
/// and the comment does not end before it does.
fn starred(lines: &[&str], index: usize) -> bool {
    let above = lines.get(..index).unwrap_or_default().iter().rev().take(STARRED);
    for line in above.map(|line| line.trim()) {
        if line.starts_with("/*") {
            let here = lines.get(index).copied().unwrap_or_default();
            return !line.contains("*/") && !closed_before_more(here, "*/");
        }
        if !line.starts_with('*') || line.contains("*/") {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use exacta_core::model::path::RelPath;

    fn is_comment(path: &str, lines: &[&str]) -> bool {
        let path = RelPath::parse(path).unwrap();
        Style::of(&Subject::new(&path)).is_comment(lines, lines.len() - 1)
    }

    #[test]
    fn a_comment_is_one_to_its_end() {
        for (path, lines) in [
            ("a.sh", &["# note"][..]),
            ("a.yml", &["  # note"]),
            ("a.php", &["// note"]),
            ("a.php", &["/* note */"]),
            ("a.php", &["/** note"]),
            ("a.php", &["/**", " * note"]),
            ("a.kt", &["/**", " * note", " * more */"]),
            ("a.sql", &["-- DROP TABLE users;"]),
            ("a.sql", &["/* DROP TABLE users; */"]),
            ("a.html", &["<!-- <script src=\"https://x\"></script> -->"]),
            ("a.ini", &["; note"]),
            ("a.lua", &["-- note"]),
        ] {
            assert!(is_comment(path, lines), "{path} {lines:?}");
        }
    }

    #[test]
    fn code_behind_or_beside_a_comment_is_code() {
        for (path, lines) in [
            ("a.php", &["/**/ system($c);"][..]),
            ("a.php", &["// ?><script src=\"https://x\">"]),
            ("a.php", &["# ?> text"]),
            ("a.php", &["* system($c);"]),
            ("a.php", &["/* note */", "* system($c);"]),
            ("a.php", &["/*", "*/ system($c);"]),
            ("a.php", &["/*", "*/", "*$x = 1;"]),
            ("a.sql", &["/* cleanup */ DROP TABLE users;"]),
            ("a.sql", &["/*! DROP TABLE users */"]),
            ("a.sql", &[";DROP TABLE users;"]),
            ("a.vue", &[";eval(x)"]),
            ("a.vue", &["// <script src=\"https://x\">"]),
            ("a.html", &["<!-- x --><script src=\"https://x\">"]),
            ("a.html", &["<!--> <script src=\"https://x\">"]),
            ("a.html", &["// <script src=\"https://x\">"]),
            ("a.sh", &["--no-verify"]),
            ("a.sh", &["*) rm -rf /;;"]),
            ("a.sh", &["#!/bin/sh"]),
            ("x.mk", &["%.o: ; rm -rf $(HOME)"]),
        ] {
            assert!(!is_comment(path, lines), "{path} {lines:?}");
        }
    }
}
